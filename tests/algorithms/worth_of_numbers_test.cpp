// What numbers of a robot are worth, against the whole equation of motion with derivatives: that has directions through
// every part of it, this goes back along the tree and shares none of them. What else acts - elements, fluids, contacts
// - has derivatives alone, of those numbers that are said to act there.
#include "algorithms/worth_of_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "algorithms/acting_forces.h"
#include "algorithms/differentiated_groups.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/io/robot_file.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Paths = std::vector<std::string>;

Model shipped(const std::string& name) {
  return Model(read_robot_file(test::k_source_dir + "/models/" + name + ".yaml"));
}

Paths paths_of(const Model& model) {
  Paths paths;
  for (const ParameterInfo& info : model.parameters()) paths.push_back(info.path);
  return paths;
}

/// A motion without zeros, and weights.
struct Somewhere {
  Somewhere(const Model& model, double bend, int seed) : q(model.nq()), v(model.nv()), a(v), u(model.nu()), weights(v) {
    VectorXd change(model.nv());
    for (int i = 0; i < model.nv(); ++i) {
      change[i] = bend * std::sin(1.1 * i + 0.5 + seed), v[i] = std::sin(1.7 * i + 0.2 + seed);
      a[i] = 2.0 * std::cos(0.9 * i + seed), weights[i] = std::sin(2.3 * i + 1.0 + seed);
    }
    for (int i = 0; i < model.nu(); ++i) u[i] = 1.0 + 0.3 * i;  // tendons pull
    integrate<double>(model, model.neutral(), change, q);
  }
  double time = 0.3;
  VectorXd q, v, a, u, weights;
};

VectorXd expected(const Model& model, const Paths& paths, const Somewhere& at) {
  VectorXd worth(static_cast<Eigen::Index>(paths.size()));
  differentiate_in_groups(model, paths, [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
    StateLayout layout = state_layout(model).without_works();
    EquationOfMotionT<ForwardDual> equation(variable, timed_wrenches(variable), layout, {}, &model);
    VectorXT<ForwardDual> r(model.nv()), rates(layout.size());
    const VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(),
                                a = at.a.cast<ForwardDual>(), u = at.u.cast<ForwardDual>(),
                                states = VectorXT<ForwardDual>::Zero(layout.size());
    equation.residual({at.time, q, v, u, states}, a, r, rates);
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0.0;
      for (int i = 0; i < model.nv(); ++i) sum += at.weights[i] * r[i].derivative[k];
      worth[static_cast<Eigen::Index>(first + k)] = sum;
    }
  });
  return worth;
}

/// Adds scale w . r of what acts beside the tree, of those numbers that do.
void add_acting(const Model& model, const Paths& paths, const WorthOfNumbers& tree, const Somewhere& at, double scale,
                VectorXd& worth) {
  Paths beside;
  std::vector<Eigen::Index> places;
  for (std::size_t k = 0; k < paths.size(); ++k) {
    if (!tree.knows(k) || !tree.acts_beside(k)) continue;
    beside.push_back(paths[k]), places.push_back(static_cast<Eigen::Index>(k));
  }
  const auto take = [&](std::size_t first, std::size_t count, const ModelT<ForwardDual>& variable) {
    StateLayout layout = state_layout(model).without_works();
    ActingForces forces(variable, timed_wrenches(variable), layout, {}, &model);
    VectorXT<ForwardDual> rates(layout.size());
    const VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(),
                                a = at.a.cast<ForwardDual>(), u = at.u.cast<ForwardDual>(),
                                states = VectorXT<ForwardDual>::Zero(layout.size());
    const ForwardDual work = forces.work({at.time, q, v, u, states}, a, at.weights, !tree.has_actuators(), rates);
    for (std::size_t k = 0; k < count; ++k) worth[places[first + k]] += scale * work.derivative[k];
  };
  differentiate_in_groups(model, beside, take);
}

/// @return how many of the numbers are known.
int expect_same(const Model& model, const Paths& paths, double bend, double tolerance = 1e-11) {
  WorthOfNumbers worth(model, paths);
  int known = 0;
  for (std::size_t k = 0; k < paths.size(); ++k) known += worth.knows(k) ? 1 : 0;
  for (const int seed : {0, 3}) {
    const Somewhere at(model, bend, seed);
    const VectorXd should = expected(model, paths, at);
    VectorXd size(should.size());
    for (Eigen::Index k = 0; k < size.size(); ++k) {
      const double own = std::abs(model.parameter(paths[static_cast<std::size_t>(k)]).value);
      size[k] = own > 0.0 ? own : 1.0;
    }
    const double largest = should.cwiseProduct(size).cwiseAbs().maxCoeff();
    VectorXd found = VectorXd::Constant(should.size(), 7.0);  // it adds
    worth.add({at.time, at.q, at.v, at.a, at.u}, at.weights, -2.0, found);
    add_acting(model, paths, worth, at, -2.0, found);
    for (Eigen::Index k = 0; k < size.size(); ++k) {
      const double change = found[k] - 7.0;
      if (worth.knows(static_cast<std::size_t>(k))) {
        EXPECT_NEAR(change * size[k], -2.0 * should[k] * size[k], tolerance * largest + 1e-13 * size[k])
            << model.name() << ", seed " << seed << ", " << paths[static_cast<std::size_t>(k)];
      } else {
        EXPECT_EQ(change, 0.0) << model.name() << ", " << paths[static_cast<std::size_t>(k)];
      }
    }
  }
  return known;
}

struct Shipped {
  const char* file;
  int known;  ///< of its numbers; -1: all
  double bend = 0.3;
};

class WorthOf : public testing::TestWithParam<Shipped> {};
INSTANTIATE_TEST_SUITE_P(Robots, WorthOf,
                         testing::Values(Shipped{"examples/tendon_arm", -1}, Shipped{"pustina2025/hybrid_arm", -1},
                                         Shipped{"examples/branched_tree", -1}, Shipped{"examples/floating_rod", -1},
                                         Shipped{"jensen2022/arm", -1}, Shipped{"boyer2023/flying_rod_soft", -1},
                                         Shipped{"pustina2025/simulation7_pac", -1},
                                         Shipped{"pustina2025/simulation9", -1}, Shipped{"examples/pcc_arm", -1},
                                         Shipped{"examples/lvp_finger", -1}, Shipped{"examples/ritz_block", -1, 0.01},
                                         Shipped{"caasenbrood2021/hyperelastic_arm", -1},
                                         // loops; a chamber in a volume; actuators with laws; springs and limits;
                                         // a fluid; wrenches of drones; contacts
                                         Shipped{"boyer2023/parallel_robot", -1},
                                         Shipped{"examples/twisted_rod", -1, 0.01},
                                         Shipped{"identification/tendon_robot_v4", -1},
                                         Shipped{"examples/servo_finger", -1}, Shipped{"examples/gripped_rod", -1},
                                         Shipped{"examples/spring_leg", -1}, Shipped{"examples/drone_arm", -1},
                                         Shipped{"boyer2023/swimmer", -1, 0.05}, Shipped{"contact/gripper", -1, 0.1},
                                         Shipped{"contact/leaning_arm", -1}, Shipped{"contact/snake", -1, 0.05}),
                         [](const auto& robot) {
                           std::string name = robot.param.file;
                           for (char& c : name) c = c == '/' ? '_' : c;
                           return name;
                         });

TEST_P(WorthOf, NumbersIsThatOfTheWholeEquation) {
  const Model model = shipped(GetParam().file);
  const Paths paths = paths_of(model);
  const int all = static_cast<int>(paths.size()), known = expect_same(model, paths, GetParam().bend);
  EXPECT_EQ(known, GetParam().known < 0 ? all : GetParam().known);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
