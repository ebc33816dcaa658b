#include "simulation/adjoint_projection.h"

#include <algorithm>
#include <utility>

#include "algorithms/differentiated_groups.h"
#include "algorithms/forward_numbers.h"

namespace cuttle {
namespace {

using Numbers = ForwardEnergy::Numbers;

Numbers constant(const VectorXd& x) { return x.cast<ForwardDual>(); }

}  // namespace

/// A robot with derivatives.
struct ProjectionAdjoint::Robot {
  Robot(ModelT<ForwardDual> its_model, RobotSystem& system) : model(std::move(its_model)), energy(model, system) {}

  ModelT<ForwardDual> model;
  ForwardEnergy energy;
};

/// What a scalar is a function of; the energy that there is to be is one number.
struct ProjectionAdjoint::Point {
  Numbers q, change, v, a, states, rates, multipliers, energy;
};

ProjectionAdjoint::ProjectionAdjoint(RobotSystem& system)
    : system_(system),
      robot_(std::make_unique<Robot>(ModelT<ForwardDual>(system.model().robot().cast<ForwardDual>()), system)) {}
ProjectionAdjoint::~ProjectionAdjoint() = default;

void ProjectionAdjoint::follow(const std::vector<std::string>& paths) {
  if (paths == paths_) return;
  paths_ = paths;
  varied_.clear(), counts_.clear();
  differentiate_in_groups(system_.model(), paths, [&](std::size_t, std::size_t count, ModelT<ForwardDual> variable) {
    varied_.push_back(std::make_unique<Robot>(std::move(variable), system_));
    counts_.push_back(count);
  });
}

ProjectionAdjoint::Gradient ProjectionAdjoint::gradient(const Point& at, const Function& function) {
  struct Part {
    Numbers Point::*numbers;
    VectorXd Gradient::*slopes;
  };
  static constexpr Part k_parts[] = {{&Point::change, &Gradient::q},     {&Point::v, &Gradient::v},
                                     {&Point::a, &Gradient::a},          {&Point::states, &Gradient::states},
                                     {&Point::rates, &Gradient::rates},  {&Point::multipliers, &Gradient::multipliers},
                                     {&Point::energy, &Gradient::energy}};
  function(*robot_, at);  // says which sites act: states of others are worth nothing
  const Eigen::Index first_site = at.states.size() - system_.layout().sites;
  std::vector<std::pair<const Part*, Eigen::Index>> directions;
  Gradient found;
  for (const Part& part : k_parts) {
    const Eigen::Index size = (at.*part.numbers).size();
    (found.*part.slopes).setZero(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const bool is_site = part.numbers == &Point::states && i >= first_site;
      if (!is_site || robot_->energy.acts(static_cast<int>(i - first_site))) directions.emplace_back(&part, i);
    }
  }
  for (std::size_t done = 0; done < directions.size(); done += k_forward_width) {
    const std::size_t count = std::min<std::size_t>(k_forward_width, directions.size() - done);
    Point moved = at;
    for (std::size_t k = 0; k < count; ++k) {
      const auto [part, i] = directions[done + k];
      (moved.*part->numbers)[i].derivative[k] = 1.0;
    }
    integrate<ForwardDual>(robot_->model, at.q, moved.change, moved.q);
    const ForwardDual result = function(*robot_, moved);
    for (std::size_t k = 0; k < count; ++k) {
      const auto [part, i] = directions[done + k];
      (found.*part->slopes)[i] = result.derivative[k];
    }
  }
  found.numbers.setZero(static_cast<Eigen::Index>(paths_.size()));
  Eigen::Index number = 0;
  for (std::size_t i = 0; i < varied_.size(); ++i) {
    const ForwardDual result = function(*varied_[i], at);
    for (std::size_t k = 0; k < counts_[i]; ++k) found.numbers[number++] = result.derivative[k];
  }
  return found;
}

VectorXd ProjectionAdjoint::projected(const State& at, double energy) {
  const Numbers q = constant(at.q), v = constant(at.v), states = constant(at.states);
  return values_of(robot_->energy.projected({at.time, q, v, states}, ForwardDual(energy)));
}

ProjectionAdjoint::Gradient ProjectionAdjoint::of_projected(const State& at, double energy, const VectorXd& weights) {
  const Point point{constant(at.q),
                    Numbers::Zero(at.v.size()),
                    constant(at.v),
                    {},
                    constant(at.states),
                    {},
                    {},
                    Numbers::Constant(1, ForwardDual(energy))};
  return gradient(point, [&](Robot& robot, const Point& moved) {
    const Numbers after = robot.energy.projected({at.time, moved.q, moved.v, moved.states}, moved.energy[0]);
    ForwardDual worth(0.0);
    for (Eigen::Index i = 0; i < weights.size(); ++i) worth += ForwardDual(weights[i]) * after[i];
    return worth;
  });
}

ProjectionAdjoint::Gradient ProjectionAdjoint::of_power(const Middle& at, double scale) {
  const Point point{constant(at.q),      Numbers::Zero(at.v.size()), constant(at.v),           constant(at.a),
                    constant(at.states), constant(at.rates),         constant(at.multipliers), {}};
  return gradient(point, [&](Robot& robot, const Point& moved) {
    return ForwardDual(scale) * robot.energy.power({at.time, moved.q, moved.v, moved.a, moved.states, moved.rates,
                                                    moved.multipliers, at.factor});
  });
}

ProjectionAdjoint::Gradient ProjectionAdjoint::of_energy(const State& at, double scale) {
  const Point point{constant(at.q), Numbers::Zero(at.v.size()), constant(at.v), {}, constant(at.states), {}, {}, {}};
  return gradient(point, [&](Robot& robot, const Point& moved) {
    return ForwardDual(scale) * robot.energy.energy({at.time, moved.q, moved.v, moved.states}).sum;
  });
}

}  // namespace cuttle
