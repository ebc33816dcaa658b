#include "simulation/motion_slopes.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"
#include "simulation/timed_run.h"

namespace cuttle {
namespace {

constexpr double k_part = 1e-4;    // of a number, a step
constexpr double k_period = 5e-3;  // of a period, by which a step of a frequency moves the end of a run
constexpr int k_steps[] = {-3, -2, -1, 1, 2, 3};
constexpr double k_weights[] = {-1.0 / 60.0, 0.15, -0.75, 0.75, -0.15, 1.0 / 60.0};

}  // namespace

std::shared_ptr<const PrescribedMotion> motion_with(const Model& model, const Scenario& scenario,
                                                    const RunParameter& number, double value) {
  Scenario changed;
  changed.motion = scenario.motion, changed.duration = scenario.duration;
  set_scenario_number(model, changed, find_scenario_number(model, changed, number.info.path), value);
  try {
    return motion_of(model, changed);
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("{}: found a number that the signal cannot change alone ({}), expected another",
                                    number.info.path, error.what()));
  }
}

MotionSlopes::MotionSlopes(const Model& model, const Scenario& scenario, const std::vector<RunParameter>& numbers)
    : model_(model), plain_(motion_of(model, scenario)), count_(static_cast<Eigen::Index>(numbers.size())) {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k].of != RunParameter::Of::motion) continue;
    Number& number = numbers_.emplace_back();
    number.column = static_cast<Eigen::Index>(k), number.step = k_part * size_of(numbers[k]);
    if (numbers[k].key == "frequency") number.step = std::min(number.step, k_period / scenario.duration);
    for (std::size_t i = 0; i < 6; ++i) {
      number.beside[i] = motion_with(model, scenario, numbers[k], numbers[k].info.value + k_steps[i] * number.step);
    }
  }
}

std::shared_ptr<const MotionSlopes> MotionSlopes::along(const Model& model, const Scenario& scenario,
                                                        const std::vector<RunParameter>& numbers) {
  const bool any = std::any_of(numbers.begin(), numbers.end(),
                               [](const RunParameter& p) { return p.of == RunParameter::Of::motion; });
  return any ? std::make_shared<const MotionSlopes>(model, scenario, numbers) : nullptr;
}

MotionSlopes::Slopes MotionSlopes::at(double time) const {
  const int nv = model_.nv();
  Slopes slopes{MatrixXd::Zero(nv, count_), MatrixXd::Zero(nv, count_), MatrixXd::Zero(nv, count_)};
  const VectorXd neutral = model_.neutral();
  VectorXd q = neutral, v = VectorXd::Zero(nv), a = v, moved(nv);
  plain_->impose(time, q, v, &a);
  const VectorXd there = q;
  for (const Number& number : numbers_) {
    for (std::size_t i = 0; i < 6; ++i) {
      q = neutral, v.setZero(), a.setZero();
      number.beside[i]->impose(time, q, v, &a);
      difference<double>(model_, there, q, moved);
      const double weight = k_weights[i] / number.step;
      slopes.q.col(number.column) += weight * moved;
      slopes.v.col(number.column) += weight * v;
      slopes.a.col(number.column) += weight * a;
    }
  }
  return slopes;
}

}  // namespace cuttle
