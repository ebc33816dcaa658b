#include "simulation/state_adjoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/equation_of_motion.h"
#include "cuttle/error.h"

namespace cuttle {

struct StateAdjoint::Memory {
  explicit Memory(RobotSystem& system)
      : variable(system.model().robot().cast<ForwardDual>()),
        equation(variable, timed_wrenches(variable), system.layout().without_works(), {}, &system.model()),
        u(system.model().nu()) {
    const int nv = variable.nv(), states = equation.layout().size();
    q.resize(variable.nq()), change.setZero(nv), rate.setZero(states), residual.setZero(nv);
    plain_rate.setZero(system.auxiliary_count()), plain_residual.setZero(nv);
  }
  ModelT<ForwardDual> variable;
  EquationOfMotionT<ForwardDual> equation;
  VectorXT<ForwardDual> q, v, a, u_dual, change, offset, rate, residual;
  VectorXd u, plain_rate, plain_residual;
};

StateAdjoint::StateAdjoint(RobotSystem& system) : system_(system), count_(system.layout().stiff()) {
  for (const Element& element : system.model().robot().elements) {
    if (element.law->state_count() == 0 || element.law->clone_as(ScalarTag<ForwardDual>{})) continue;
    throw ArgumentError(
        fmt::format("elements: found '{}', whose law '{}' has states and exists for double alone, expected one with a "
                    "cast: others have no adjoint",
                    element.name, element.law->type_name()));
  }
  if (count_ > 0) memory_ = std::make_unique<Memory>(system);
}
StateAdjoint::~StateAdjoint() = default;

template <typename Use>
void StateAdjoint::along(const Instant& at, const std::vector<int>& directions, const Use& use) {
  Memory& m = *memory_;
  const int nv = m.variable.nv();
  system_.inputs(at.time, at.q, at.v, at.offset, m.u);
  const double time = system_.signal_time(at.time);
  m.u_dual = m.u.cast<ForwardDual>(), m.a = at.a.cast<ForwardDual>();
  const VectorXT<ForwardDual> q = at.q.cast<ForwardDual>(), v = at.v.cast<ForwardDual>(),
                              offset = system_.layout().feeding_back_of(at.offset).cast<ForwardDual>();
  const int first_state = static_cast<int>(offset.size()) - count_;
  for (std::size_t done = 0; done < directions.size(); done += k_forward_width) {
    const std::size_t count = std::min<std::size_t>(k_forward_width, directions.size() - done);
    m.change.setZero(), m.v = v, m.offset = offset;
    for (std::size_t k = 0; k < count; ++k) {
      const int direction = directions[done + k];
      ForwardDual& number = direction < nv       ? m.change[direction]
                            : direction < 2 * nv ? m.v[direction - nv]
                                                 : m.offset[first_state + direction - 2 * nv];
      number.derivative[k] = 1.0;
    }
    integrate<ForwardDual>(m.variable, q, m.change, m.q);
    m.equation.residual({time, m.q, m.v, m.u_dual, m.offset, at.factor, at.stiff_factor}, m.a, m.residual, m.rate);
    for (std::size_t k = 0; k < count; ++k) use(directions[done + k], k);
  }
}

void StateAdjoint::to_motion(const Instant& at, const VectorXd& by_rate, VectorXd& by_q, VectorXd& by_v) {
  const int nv = system_.model().nv();
  by_q.setZero(nv), by_v.setZero(nv);
  if (!by_rate.any()) return;
  std::vector<int> directions(2 * static_cast<std::size_t>(nv));
  std::iota(directions.begin(), directions.end(), 0);
  along(at, directions, [&](int direction, std::size_t k) {
    double& worth = direction < nv ? by_q[direction] : by_v[direction - nv];
    const auto rates = memory_->rate.tail(count_);
    for (int i = 0; i < count_; ++i) worth += by_rate[i] * rates[i].derivative[k];
  });
}

void StateAdjoint::to_states(const Instant& at, const VectorXd& by_residual, const VectorXd& by_rate,
                             VectorXd& by_offset) {
  Memory& m = *memory_;
  const int nv = system_.model().nv(), first = system_.auxiliary_count() - count_;
  by_offset.setZero(count_);
  // which states rest
  system_.residual(at.time, at.q, at.v, at.a, {at.offset, at.factor, at.stiff_factor}, m.plain_residual, m.plain_rate);
  std::vector<int> directions;
  for (int k = 0; k < count_; ++k) {
    if (!system_.is_idle(first + k)) directions.push_back(2 * nv + k);
  }
  along(at, directions, [&](int direction, std::size_t k) {
    double& worth = by_offset[direction - 2 * nv];
    const auto rates = m.rate.tail(count_);
    for (int i = 0; i < count_; ++i) worth += by_rate[i] * rates[i].derivative[k];
    for (int i = 0; i < nv; ++i) worth += by_residual[i] * m.residual[i].derivative[k];
  });
}

}  // namespace cuttle
