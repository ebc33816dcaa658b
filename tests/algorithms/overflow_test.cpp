// Arguments that are finite but far too large end in an error that names the function and the coordinate, never in NaN.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "cuttle/cuttle.h"
#include "support/loop_robots.h"
#include "support/robot_cases.h"

namespace cuttle::test::CUTTLE_FILE {
namespace {

constexpr double k_huge = 1e200;  // its square is beyond all numbers

struct Evaluation {
  const char* name;
  std::function<std::vector<double>(const Model&, Data&, const VectorXd& q, const VectorXd& v)> run;
};

template <typename Matrix>
std::vector<double> numbers(const Matrix& m) {
  return {m.data(), m.data() + m.size()};
}
std::vector<double> numbers(const Wrench& w) { return {w[0], w[1], w[2], w[3], w[4], w[5]}; }

std::vector<Evaluation> evaluations() {
  using V = const VectorXd&;
  return {
      {"forward_kinematics",
       [](const Model& m, Data& d, V q, V v) {
         std::vector<double> all;
         const auto& k = forward_kinematics(m, d, q, v, v);
         for (std::size_t i = 0; i < k.world_node.size(); ++i) {
           const auto pose = numbers(to_eigen(k.world_node[i])), V_i = numbers(to_eigen(k.velocity[i])),
                      A = numbers(to_eigen(k.acceleration[i]));
           for (const auto* part : {&pose, &V_i, &A}) all.insert(all.end(), part->begin(), part->end());
         }
         return all;
       }},
      {"frame_jacobian",
       [](const Model& m, Data& d, V q, V) { return numbers(frame_jacobian(m, d, q, m.links().back().tip)); }},
      {"inertial_inverse_dynamics",
       [](const Model& m, Data& d, V q, V v) { return numbers(inertial_inverse_dynamics(m, d, q, v, v)); }},
      {"inverse_dynamics", [](const Model& m, Data& d, V q, V v) { return numbers(inverse_dynamics(m, d, q, v, v)); }},
      {"mass_inverse_dynamics",
       [](const Model& m, Data& d, V q, V v) { return numbers(mass_inverse_dynamics(m, d, q, v, v)); }},
      {"mass_matrix", [](const Model& m, Data& d, V q, V) { return numbers(mass_matrix(m, d, q)); }},
      {"coriolis_force", [](const Model& m, Data& d, V q, V v) { return numbers(coriolis_force(m, d, q, v)); }},
      {"gravity_force", [](const Model& m, Data& d, V q, V) { return numbers(gravity_force(m, d, q)); }},
      {"elastic_force", [](const Model& m, Data& d, V q, V) { return numbers(elastic_force(m, d, q)); }},
      {"damping_force", [](const Model& m, Data& d, V q, V v) { return numbers(damping_force(m, d, q, v)); }},
      {"forward_dynamics", [](const Model& m, Data& d, V q, V v) { return numbers(forward_dynamics(m, d, q, v, v)); }},
      {"forward_dynamics_dense",
       [](const Model& m, Data& d, V q, V v) { return numbers(forward_dynamics_dense(m, d, q, v, v)); }},
      {"kinetic_energy",
       [](const Model& m, Data& d, V q, V v) { return std::vector<double>{kinetic_energy(m, d, q, v)}; }},
      {"gravity_energy", [](const Model& m, Data& d, V q, V) { return std::vector<double>{gravity_energy(m, d, q)}; }},
      {"elastic_energy", [](const Model& m, Data& d, V q, V) { return std::vector<double>{elastic_energy(m, d, q)}; }},
      {"momentum", [](const Model& m, Data& d, V q, V v) { return numbers(momentum(m, d, q, v)); }},
      {"external_force",
       [](const Model& m, Data& d, V q, V) {
         const std::vector<ExternalWrench> push{{m.links().back().tip, {{}, {k_huge, 1, 0}}, Axes::world}};
         return numbers(external_force(m, d, q, push));
       }},
      {"inverse_dynamics_derivatives",
       [](const Model& m, Data& d, V q, V v) {
         DerivativeData derivatives(m);
         inverse_dynamics_derivatives(m, d, derivatives, q, v, v);
         return numbers(derivatives.by_q);
       }},
      {"coriolis_matrix",
       [](const Model& m, Data& d, V q, V v) {
         DerivativeData derivatives(m);
         return numbers(coriolis_matrix(m, d, derivatives, q, v));
       }},
      {"integrate",
       [](const Model& m, Data&, V q, V v) {
         VectorXd result(m.nq());
         integrate<double>(m, q, v, result);
         return numbers(result);
       }},
      {"configuration_rate",
       [](const Model& m, Data&, V q, V v) {
         VectorXd result(m.nq());
         configuration_rate<double>(m, q, v, result);
         return numbers(result);
       }},
      {"tangent_rate",
       [](const Model& m, Data&, V, V v) {
         VectorXd result(m.nv());
         tangent_rate<double>(m, v, v, result);
         return numbers(result);
       }},
  };
}

/// Whether a call ends in finite numbers or in an error of the library. @param thrown  adds the texts of overflows.
void expect_numbers_or_error(const Evaluation& evaluation, const Model& model, Data& data, const VectorXd& q,
                             const VectorXd& v, std::vector<std::string>& thrown) {
  try {
    for (const double x : evaluation.run(model, data, q, v)) {
      ASSERT_TRUE(std::isfinite(x)) << evaluation.name << " of '" << model.name() << "'";
    }
  } catch (const OverflowError& error) {
    thrown.push_back(error.what());
  } catch (const ConfigurationError&) {
  } catch (const SingularMassError&) {
  }
}

TEST(OverflowTest, NoRobotReturnsNanForHugeNumbers) {
  std::vector<std::string> thrown;
  for_every_robot([&](const RobotCase& robot, Data& data, const RandomState& s) {
    const Model& model = robot.model;
    const VectorXd fast = VectorXd::Constant(model.nv(), k_huge);
    VectorXd far = s.q;
    for (const LinkInfoT<double>& link : model.links()) {
      if (link.nq == link.nv) far.segment(link.q, link.nq).setConstant(k_huge);
    }
    for (const Evaluation& evaluation : evaluations()) {
      expect_numbers_or_error(evaluation, model, data, s.q, fast, thrown);
      expect_numbers_or_error(evaluation, model, data, far, s.v, thrown);
    }
  });
  EXPECT_GT(thrown.size(), 100u);
}

TEST(OverflowTest, TheCoordinateIsNamed) {
  const Model model(FourBar{}.robot());
  Data data(model);
  VectorXd v = VectorXd::Zero(3);
  v[0] = v[1] = k_huge;
  const auto text = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const OverflowError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(text([&] { inverse_dynamics<double>(model, data, VectorXd::Zero(3), v, v); }),
              testing::MatchesRegex("inverse_dynamics: tau\\[0\\] of crank.joint.v0 \\(link 'crank'\\): found "
                                    "-?(inf|nan), expected .*"));
  EXPECT_EQ(text([&] { kinetic_energy<double>(model, data, VectorXd::Zero(3), v); }),
            "kinetic_energy: energy: found inf, expected a finite number: the arguments are finite, but too large to "
            "compute with");
  const std::string motion = text([&] { forward_kinematics<double>(model, data, VectorXd::Zero(3), v, v); });
  EXPECT_NE(motion.find("motion of link 'coupler'"), std::string::npos) << motion;
}

TEST(OverflowTest, AQuaternionThatCannotBeNormalizedIsRefused) {
  Robot robot;
  Link link = bar("ball", "base", 0.3, {0, 0, 1});
  link.joint = make_spherical_joint<double>();
  robot.links = {link};
  const Model model(robot);
  VectorXd q = VectorXd::Constant(4, k_huge), zero = VectorXd::Zero(4);
  EXPECT_THROW(normalize<double>(model, q), ArgumentError);
  EXPECT_THROW(normalize<double>(model, zero), ArgumentError);
}

// Numbers that are only large stay numbers.
TEST(OverflowTest, LargeNumbersThatFitPass) {
  const Model model(FourBar{}.robot());
  Data data(model);
  const VectorXd v = VectorXd::Constant(3, 1e100);
  EXPECT_TRUE(inverse_dynamics<double>(model, data, VectorXd::Zero(3), v, v).allFinite());
}

}  // namespace
}  // namespace cuttle::test::CUTTLE_FILE
