#include "simulation/forward_energy.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "algorithms/element_slopes.h"
#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "simulation/energy_projection.h"

namespace cuttle {
namespace {

using Numbers = ForwardEnergy::Numbers;

constexpr double k_least_kinetic = 1e-13;  // of the kinetic energy beside all energies
constexpr double k_least_rate = 1e-10;     // [rad/s, m/s]

ForwardDual product(const Numbers& a, const Numbers& b) {
  ForwardDual sum(0.0);
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

ForwardDual within(const ForwardDual& x, double most) {
  return std::abs(x.value) > most ? ForwardDual(std::copysign(most, x.value)) : x;
}

/// Takes the locked motion out of v. @return its kinetic energy.
ForwardDual separate(const MatrixXT<ForwardDual>& M, Numbers& v) {
  const Numbers momentum = M.topRows(6) * v;
  const MatrixXT<ForwardDual> locked_mass = M.topLeftCorner(6, 6);
  const Eigen::LLT<MatrixXd> factor(values_of(locked_mass));
  Numbers locked = VectorXd(factor.solve(values_of(momentum))).cast<ForwardDual>();
  const Numbers left = locked_mass * locked - momentum;
  subtract_derivatives(factor.solve(derivatives_of(left)), locked);
  v.head(6) -= locked;
  return 0.5 * product(momentum, locked);
}

}  // namespace

ForwardEnergy::ForwardEnergy(const ModelT<ForwardDual>& model, RobotSystem& plain)
    : model_(model),
      plain_(plain),
      data_(model),
      elements_(model),
      rows_(model, plain.rows()),
      u_(Numbers::Zero(model.nu())),
      keeps_momentum_(EnergyProjection(plain).keeps_momentum()) {
  if (!model.site_laws().empty()) sites_ = std::make_unique<SitesT<ForwardDual>>(model, &plain.model());
}

template <typename Use>
void ForwardEnergy::each_element(const Numbers& q, const Numbers& v, const Numbers& states, const Use& use) {
  if (model_.elements().empty()) return;
  element_motion<ForwardDual>(model_, data_, q, v, elements_);
  elements_.states = states.head(elements_.states.size());
  for (const auto& element : model_.elements()) {
    use(*element.law, arguments_of<ForwardDual>(element, 0.0, u_.data(), elements_), element.state);
  }
}

ForwardEnergy::Energy ForwardEnergy::energy(const State& at) {
  Energy found{kinetic_energy<ForwardDual>(model_, data_, at.q, at.v), ForwardDual(0.0), 0.0};
  const auto add = [&found](const ForwardDual& part) { found.sum += part, found.size += std::abs(part.value); };
  add(found.kinetic);
  add(gravity_energy<ForwardDual>(model_, data_, at.q));
  add(elastic_energy<ForwardDual>(model_, data_, at.q));
  each_element(at.q, at.v, at.states, [&](const auto& law, const auto& own, int) { add(law.stored_energy(own)); });
  if (sites_) {
    const auto& kinematics = forward_kinematics<ForwardDual>(model_, data_, at.q, at.v);
    sites_->take(kinematics, plain_.signal_time(at.time), at.states.tail(sites_->state_count()));
    add(sites_->stored_energy());
  }
  return found;
}

ForwardDual ForwardEnergy::power(const Middle& at) {
  ForwardDual sum(0.0);
  acting_.clear();
  if (sites_) {
    const auto& kinematics = forward_kinematics<ForwardDual>(model_, data_, at.q, at.v);
    sites_->solve(kinematics, plain_.signal_time(at.time), at.states.tail(sites_->state_count()), at.factor);
    sites_->append_wrenches(acting_);
    sum += sites_->given_power() - sites_->dissipated_power();
  }
  sum += product(at.v, inverse_dynamics<ForwardDual>(model_, data_, at.q, at.v, at.a, acting_));
  sum -= product(at.v, damping_force<ForwardDual>(model_, data_, at.q, at.v));
  each_element(at.q, at.v, at.states, [&](const auto& law, const auto& own, int state) {
    sum += law.stored_power(own, at.rates.data() + state);
  });
  if (at.multipliers.size() == 0) return sum;
  if (rows_.rows().kept != plain_.rows().kept) rows_.hold(plain_.rows());
  sum += product(at.v, rows_.force(data_, at.q, at.multipliers));
  return sum;
}

// As EnergyProjection has them, but at rest, where derivatives of what it scales have no bounds.
Numbers ForwardEnergy::projected(const State& at, const ForwardDual& wanted) {
  Energy found = energy(at);
  const ForwardDual missing = wanted - found.sum;
  if (!plain_.driven().empty()) return projected_free(at, missing);
  Numbers internal = at.v;
  ForwardDual& kinetic = found.kinetic;
  if (keeps_momentum_) kinetic -= separate(mass_matrix<ForwardDual>(model_, data_, at.q), internal);
  // beside rest what is missing is smaller by an order than the kinetic energy, but rounding is not
  if (!(kinetic.value > k_least_kinetic * found.size) || values_of(internal).cwiseAbs().maxCoeff() <= k_least_rate)
    return at.v;
  const ForwardDual change = within(missing / kinetic, EnergyProjection::k_most_at_once);
  return at.v + (sqrt(1.0 + change) - ForwardDual(1.0)) * internal;
}

Numbers ForwardEnergy::projected_free(const State& at, const ForwardDual& missing) {
  const MatrixXT<ForwardDual> M = mass_matrix<ForwardDual>(model_, data_, at.q);
  Numbers internal = at.v;
  for (const int i : plain_.driven()) internal[i] = ForwardDual(0.0);
  if (keeps_momentum_) separate(M, internal);
  const Numbers momentum = M * internal;
  const ForwardDual p = product(momentum, at.v), k = 0.5 * product(momentum, internal);
  if (!(k.value > 0.0)) return at.v;
  ForwardDual wanted = missing;
  const ForwardDual most = EnergyProjection::k_most_at_once * k;
  if (missing.value > most.value) wanted = most;
  if (missing.value < -most.value) wanted = -most;
  const ForwardDual root = p * p + 4.0 * k * wanted;
  if (root.value < 0.0) return at.v;
  const ForwardDual c = 2.0 * wanted / (p + (p.value < 0.0 ? -sqrt(root) : sqrt(root)));
  if (!(std::abs(c.value) <= EnergyProjection::k_most_at_once)) return at.v;
  return at.v + c * internal;
}

}  // namespace cuttle
