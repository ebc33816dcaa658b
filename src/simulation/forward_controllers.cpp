#include "simulation/forward_controllers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "algorithms/displacement.h"
#include "control/bent_slopes.h"
#include "cuttle/algorithms/state_layout.h"
#include "cuttle/error.h"

namespace cuttle {
namespace {

struct Stencil {
  double steps;
  std::array<double, 3> weights;  ///< in the three differences (bent_slopes.h)
};
/// f' = sum of weight f(steps h) / h, with an error of h^6 f^(7) / 140.
constexpr Stencil k_stencil[] = {{-3, {-1.0 / 60, 0.0, 0.0}},
                                 {-2, {3.0 / 20, 0.0, 0.0}},
                                 {-1, {-3.0 / 4, 0.0, 0.0}},
                                 {1, {3.0 / 4, 0.0, 0.0}},
                                 {2, {-3.0 / 20, 0.0, 0.0}},
                                 {3, {1.0 / 60, 0.0, 0.0}},
                                 {-k_near_step, {0.0, -0.5 / k_near_step, 0.0}},
                                 {k_near_step, {0.0, 0.5 / k_near_step, 0.0}},
                                 {-k_nearest_step, {0.0, 0.0, -0.5 / k_nearest_step}},
                                 {k_nearest_step, {0.0, 0.0, 0.5 / k_nearest_step}}};
/// To one side, with an error of h^6 f^(7) / 7.
constexpr Stencil k_one_sided[] = {{0, {-49.0 / 20, -1.5 / k_near_step, -1.5 / k_nearest_step}},
                                   {1, {6.0, 0.0, 0.0}},
                                   {2, {-15.0 / 2, 0.0, 0.0}},
                                   {3, {20.0 / 3, 0.0, 0.0}},
                                   {4, {-15.0 / 4, 0.0, 0.0}},
                                   {5, {6.0 / 5, 0.0, 0.0}},
                                   {6, {-1.0 / 6, 0.0, 0.0}},
                                   {k_near_step, {0.0, 2.0 / k_near_step, 0.0}},
                                   {2.0 * k_near_step, {0.0, -0.5 / k_near_step, 0.0}},
                                   {k_nearest_step, {0.0, 0.0, 2.0 / k_nearest_step}},
                                   {2.0 * k_nearest_step, {0.0, 0.0, -0.5 / k_nearest_step}}};

std::vector<Stencil> stencil_to(int side) {
  if (side == 0) return {std::begin(k_stencil), std::end(k_stencil)};
  std::vector<Stencil> to_side;
  to_side.reserve(std::size(k_one_sided));
  for (const auto& [steps, weights] : k_one_sided) {
    to_side.push_back({side * steps, {side * weights[0], side * weights[1], side * weights[2]}});
  }
  return to_side;
}

void require_same_states(const Model& model, const Model& changed, const RunParameter& number) {
  if (state_layout(model).size() == state_layout(changed).size()) return;
  throw ArgumentError(
      fmt::format("{}: found {:g}, beside which '{}' has other states, as bristles of contacts where friction begins, "
                  "expected another value: there is no derivative by it here",
                  number.info.path, number.info.value, model.name()));
}

/// One with a direction changed by a step, to either side.
ControlledVariant make_beside(const MakeVariant& make, int direction) {
  try {
    return make(direction, 1);
  } catch (const Error&) {  // at a bound from above
    return make(direction, -1);
  }
}

/// Where a copy is on the line through x along a direction; `change` zero: at x.
void on_line(const VectorXT<ForwardDual>& x, int direction, double change, VectorOutT<double> found) {
  for (Eigen::Index i = 0; i < x.size(); ++i) found[i] = x[i].value + change * x[i].derivative[direction];
}

/// Whether what controllers set hangs on time, configuration and velocity alone.
bool are_exact(const RobotSystem& plain, const std::vector<NamedController>& controllers) {
  return plain.layout().size() == plain.layout().works &&
         std::all_of(controllers.begin(), controllers.end(),
                     [](const NamedController& given) { return given.controller->acts_at_every_instant(); });
}

bool same_controllers(const std::vector<NamedController>& a, const std::vector<NamedController>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NamedController& x, const NamedController& y) { return x.controller == y.controller; });
}

}  // namespace

ControlledVariant variant(const Model& model, const std::vector<NamedController>& controllers,
                          const RunParameter& number, double change) {
  const double value = number.info.value + change;
  ControlledVariant found{{std::shared_ptr<const Model>(), &model}, controllers};
  if (number.of == RunParameter::Of::robot) {
    found.model = std::make_shared<const Model>(model.with(number.info.path, value));
    require_same_states(model, *found.model, number);
  } else if (number.of == RunParameter::Of::controller) {
    auto& changed = found.controllers[static_cast<std::size_t>(number.index)].controller;
    changed = changed->with_number(number.key, value);
  }
  return found;
}

int open_side(const std::function<void(int side)>& change) {
  const auto exists = [&](int side) {
    try {
      change(side);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  if (!exists(-1)) {
    change(1);
    return 1;
  }
  return exists(1) ? 0 : -1;
}

void require_same_states(const Model& model, const RunParameter& number) {
  const auto of = [&](const char* part) { return number.info.path.starts_with(part); };
  if (number.of != RunParameter::Of::robot || !(of("contacts.") || of("actuators.") || of("elements."))) return;
  const bool rubs = number.info.path.find("friction") != std::string::npos;
  if (number.info.value != 0.0 && !rubs) return;
  std::optional<Model> changed;
  try {
    changed = model.with(number.info.path, number.info.value + k_balance_step * size_of(number));
  } catch (const Error&) {
    return;  // at a bound from below, where nothing begins
  }
  require_same_states(model, *changed, number);
}

std::unique_ptr<ForwardControllers> controllers_along(RobotSystem& plain,
                                                      const std::vector<NamedController>& controllers, long seed,
                                                      const std::vector<RunParameter>& numbers) {
  if (controllers.empty()) return nullptr;
  std::vector<double> sizes;
  sizes.reserve(numbers.size());
  for (const RunParameter& number : numbers) sizes.push_back(size_of(number));
  const auto make = [&](int direction, double steps) {
    const auto k = static_cast<std::size_t>(direction);
    return variant(plain.model(), controllers, numbers[k], steps * (ForwardControllers::k_step * sizes[k]));
  };
  const auto exists = [&](std::size_t k) {
    try {
      open_side([&](int to) { make(static_cast<int>(k), 3 * to); });
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  // of zero the size is not known: as of products of inertia, of which one is more than a small link can have
  constexpr double k_least_size = 1e-9;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    while (numbers[k].info.value == 0.0 && sizes[k] > k_least_size && !exists(k)) sizes[k] *= 0.1;
  }
  return std::make_unique<ForwardControllers>(plain, controllers, seed, sizes, make);
}

ForwardControllers::ForwardControllers(RobotSystem& plain, const std::vector<NamedController>& controllers, long seed,
                                       const std::vector<double>& scales, const MakeVariant& make)
    : plain_(plain), u_(plain.model().nu()) {
  for (const NamedController& given : controllers) {
    if (given.controller->runs_in_copies()) continue;
    throw ArgumentError(fmt::format(
        "controllers: found '{}' of type {}, expected laws of the library or of C++: runs with others have no "
        "derivatives",
        given.name, given.controller->type_name()));
  }
  state_.q.resize(plain.model().nq()), state_.v.resize(plain.model().nv());
  state_.auxiliary.setZero(plain.auxiliary_count());
  change_.resize(plain.model().nq()), dq_.resize(plain.model().nv()), dv_.resize(plain.model().nv()),
      du_.resize(plain.model().nu());
  const bool exact = are_exact(plain, controllers);
  steps_.resize(scales.size(), 0.0);
  for (int k = 0; k < static_cast<int>(scales.size()); ++k) {
    if (exact) {
      const ControlledVariant variant = make_beside(make, k);
      if (variant.model.get() == &plain.model() && same_controllers(variant.controllers, controllers)) {
        exact_.push_back(k);
        continue;
      }
    }
    const double step = k_step * scales[static_cast<std::size_t>(k)];
    steps_[static_cast<std::size_t>(k)] = step;
    const int side = open_side([&](int to) { make(k, 3 * to); });
    for (const auto& [steps, weights] : stencil_to(side)) {
      const ControlledVariant variant = make(k, steps);
      Copy copy{variant.model, nullptr, k, steps * step, {}};
      for (std::size_t d = 0; d < weights.size(); ++d) copy.weights[d] = weights[d] / step;
      copy.system = std::make_unique<RobotSystem>(*copy.model,
                                                  RobotSystem::Setup{.controllers = variant.controllers, .seed = seed});
      copies_.push_back(std::move(copy));
    }
  }
}

void ForwardControllers::confine(double begin, double end) {
  for (const Copy& copy : copies_) copy.system->confine(begin, end);
}

void ForwardControllers::start(VectorOutT<ForwardDual> states) const {
  VectorXd own(states.size());
  plain_.control().start(own);
  states = own.cast<ForwardDual>();
  for (const Copy& copy : copies_) {
    copy.system->control().start(own);
    for (Eigen::Index i = 0; i < states.size(); ++i) states[i].derivative[copy.direction] += copy.weights[0] * own[i];
  }
}

ControlLoop::Instant ForwardControllers::move(const Copy* copy, double time, const VectorXT<ForwardDual>& q,
                                              const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& auxiliary) {
  const int direction = copy ? copy->direction : 0;
  const double change = copy ? copy->change : 0.0;
  state_.time = time;
  on_line(q, direction, change, state_.q);
  on_line(v, direction, change, state_.v);
  on_line(auxiliary, direction, change, plain_.layout().feeding_back_of(state_.auxiliary));
  if (copy) normalize<double>(plain_.model(), state_.q);
  return {time, state_.q, state_.v, state_.auxiliary};
}

void ForwardControllers::sample(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                const VectorXT<ForwardDual>& auxiliary, const VectorXT<ForwardDual>& signals) {
  move(nullptr, time, q, v, auxiliary);
  plain_.sample(time, state_);
  for (const Copy& copy : copies_) {
    move(&copy, time, q, v, auxiliary);
    on_line(signals, copy.direction, copy.change, copy.system->held_inputs());
    copy.system->sample(time, state_);
  }
}

void ForwardControllers::control(double time, const VectorXT<ForwardDual>& q, const VectorXT<ForwardDual>& v,
                                 const VectorXT<ForwardDual>& offset, double factor, double stiff_factor,
                                 VectorXT<ForwardDual>& u, VectorXT<ForwardDual>& rates) {
  const VectorXT<ForwardDual> signals = u;
  const auto ask = [&](ControlLoop& control, const Copy* copy) -> const VectorXd& {
    ControlLoop::Instant at = move(copy, time, q, v, offset);
    at.factor = factor, at.stiff_factor = stiff_factor;
    on_line(signals, copy ? copy->direction : 0, copy ? copy->change : 0.0, u_);
    control.add_inputs(at, u_);
    return control.rates();
  };
  rates = ask(plain_.control(), nullptr).cast<ForwardDual>();
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = ForwardDual(u_[i]);
  if (!exact_.empty()) {
    add_exact({time, state_.q, state_.v, state_.auxiliary, factor, stiff_factor}, q, v, signals, u);
  }
  if (copies_.empty()) return;
  of_inputs_.clear(u.size()), of_rates_.clear(rates.size());
  for (const Copy& copy : copies_) {
    const VectorXd& moved = ask(copy.system->control(), &copy);
    of_inputs_.add(copy, u_), of_rates_.add(copy, moved);
  }
  of_inputs_.add_to(u, steps_), of_rates_.add_to(rates, steps_);
}

void ForwardControllers::Changes::clear(Eigen::Index count) {
  for (MatrixXd& difference : differences) difference.setZero(count, k_forward_width);
}
void ForwardControllers::Changes::add(const Copy& copy, const VectorXd& set) {
  for (std::size_t d = 0; d < differences.size(); ++d) {
    if (copy.weights[d] != 0.0) differences[d].col(copy.direction) += copy.weights[d] * set;
  }
}
void ForwardControllers::Changes::add_to(VectorOutT<ForwardDual> x, const std::vector<double>& steps) const {
  for (int k = 0; k < static_cast<int>(steps.size()); ++k) {
    const double step = k_near_step * steps[static_cast<std::size_t>(k)];
    if (step == 0.0) continue;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double noise = noise_of_slope(x[i].value, step);
      x[i].derivative[k] += slope_that_counts(differences[0](i, k), differences[1](i, k), differences[2](i, k), noise);
    }
  }
}

std::vector<VectorXd> ForwardControllers::held() const {
  std::vector<VectorXd> all;
  for (const Copy& copy : copies_) all.push_back(copy.system->control().held());
  return all;
}

void ForwardControllers::hold(const std::vector<VectorXd>& held) {
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].system->control().hold(held[i]);
}

bool ForwardControllers::is_exact(int direction) const {
  return std::find(exact_.begin(), exact_.end(), direction) != exact_.end();
}

void ForwardControllers::add_exact(const ControlLoop::Instant& at, const VectorXT<ForwardDual>& q,
                                   const VectorXT<ForwardDual>& v, const VectorXT<ForwardDual>& signals,
                                   VectorXT<ForwardDual>& u) {
  ControlLoop& control = plain_.control();
  control.slopes(at, by_q_, by_v_);
  control.input_slopes(at, by_signals_, by_held_);
  for (const int k : exact_) {
    for (Eigen::Index c = 0; c < q.size(); ++c) change_[c] = q[c].derivative[k];
    displacement(plain_.model(), state_.q, change_, dq_);
    for (Eigen::Index c = 0; c < v.size(); ++c) dv_[c] = v[c].derivative[k];
    for (Eigen::Index c = 0; c < u.size(); ++c) du_[c] = signals[c].derivative[k];
    du_ = by_q_ * dq_ + by_v_ * dv_ + by_signals_ * du_;
    for (Eigen::Index i = 0; i < u.size(); ++i) u[i].derivative[k] = du_[i];
  }
}

}  // namespace cuttle
