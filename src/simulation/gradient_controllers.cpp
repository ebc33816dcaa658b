#include "simulation/gradient_controllers.h"

#include <fmt/format.h>

#include "cuttle/error.h"

namespace cuttle {
namespace {

struct Stencil {
  int steps;
  double weight;
};
/// f' = sum of weight f(steps h) / h, with an error of h^6 f^(7) / 140.
constexpr Stencil k_stencil[] = {{-3, -1.0 / 60}, {-2, 3.0 / 20}, {-1, -3.0 / 4},
                                 {1, 3.0 / 4},    {2, -3.0 / 20}, {3, 1.0 / 60}};

/// Where a copy is on the line through x along a direction; `change` zero: at x.
void on_line(const VectorXT<Gradient>& x, int direction, double change, VectorOutT<double> found) {
  for (Eigen::Index i = 0; i < x.size(); ++i) found[i] = x[i].value + change * x[i].derivative[direction];
}

}  // namespace

GradientControllers::GradientControllers(RobotSystem& plain, const std::vector<NamedController>& controllers, long seed,
                                         const std::vector<double>& scales, const MakeVariant& make)
    : plain_(plain), q_(plain.model().nq()), v_(plain.model().nv()), u_(plain.model().nu()) {
  for (const NamedController& given : controllers) {
    if (given.controller->runs_in_copies()) continue;
    throw ArgumentError(fmt::format(
        "controllers: found '{}' of type {}, expected laws of the library or of C++: runs with others have no "
        "derivatives",
        given.name, given.controller->type_name()));
  }
  auxiliary_.setZero(plain.auxiliary_count());
  rates_.setZero(state_count());
  for (int k = 0; k < static_cast<int>(scales.size()); ++k) {
    const double step = k_step * scales[static_cast<std::size_t>(k)];
    for (const auto& [steps, weight] : k_stencil) {
      const ControlledVariant variant = make(k, steps);
      Copy copy{variant.model, nullptr, k, steps * step, weight / step};
      copy.system = std::make_unique<RobotSystem>(*copy.model, std::vector<Signal>(copy.model->nu()));
      copy.system->set_controllers(variant.controllers, seed);
      copies_.push_back(std::move(copy));
    }
  }
}

void GradientControllers::enter(double begin, double end) {
  for (const Copy& copy : copies_) copy.system->enter(begin, end);
}

void GradientControllers::start(VectorOutT<Gradient> states) const {
  const auto own = [](const RobotSystem& system) -> VectorXd {
    const VectorXd all = system.with_controllers(RobotSystem::start_of_auxiliary(system.model()));
    return all.segment(system.first_control_state(), system.control_state_count());
  };
  states = own(plain_).cast<Gradient>();
  for (const Copy& copy : copies_) {
    const VectorXd moved = own(*copy.system);
    for (Eigen::Index i = 0; i < states.size(); ++i) states[i].derivative[copy.direction] += copy.weight * moved[i];
  }
}

void GradientControllers::move(const Copy* copy, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                               const VectorXT<Gradient>& auxiliary) {
  const int direction = copy ? copy->direction : 0;
  const double change = copy ? copy->change : 0.0;
  on_line(q, direction, change, q_);
  on_line(v, direction, change, v_);
  on_line(auxiliary, direction, change, auxiliary_.tail(auxiliary.size()));  // works stand in front
  if (copy) normalize<double>(plain_.model(), q_);
}

void GradientControllers::sample(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                 const VectorXT<Gradient>& auxiliary) {
  move(nullptr, q, v, auxiliary);
  plain_.sample(time, q_, v_, auxiliary_);
  for (const Copy& copy : copies_) {
    move(&copy, q, v, auxiliary);
    copy.system->sample(time, q_, v_, auxiliary_);
  }
}

void GradientControllers::control(double time, const VectorXT<Gradient>& q, const VectorXT<Gradient>& v,
                                  const VectorXT<Gradient>& offset, double factor, double stiff_factor,
                                  VectorXT<Gradient>& u, VectorXT<Gradient>& rates) {
  const VectorXT<Gradient> signals = u;
  move(nullptr, q, v, offset);
  on_line(signals, 0, 0.0, u_);
  plain_.control(time, q_, v_, {auxiliary_, factor, stiff_factor}, u_);
  plain_.control_rates(rates_);
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = Gradient(u_[i]);
  rates = rates_.cast<Gradient>();
  for (const Copy& copy : copies_) {
    move(&copy, q, v, offset);
    on_line(signals, copy.direction, copy.change, u_);
    copy.system->control(time, q_, v_, {auxiliary_, factor, stiff_factor}, u_);
    copy.system->control_rates(rates_);
    for (Eigen::Index i = 0; i < u.size(); ++i) u[i].derivative[copy.direction] += copy.weight * u_[i];
    for (Eigen::Index i = 0; i < rates.size(); ++i) rates[i].derivative[copy.direction] += copy.weight * rates_[i];
  }
}

}  // namespace cuttle
