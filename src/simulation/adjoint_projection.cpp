#include "simulation/adjoint_projection.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/differentiated_groups.h"
#include "algorithms/element_slopes.h"
#include "algorithms/forward_numbers.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/error.h"
#include "simulation/energy_projection.h"

namespace cuttle {
namespace {

using Numbers = VectorXT<ForwardDual>;

constexpr double k_rounding = 1e-13;  // of the kinetic energy beside all energies
constexpr double k_at_rest = 1e-10;   // [rad/s, m/s]

ForwardDual product(const Numbers& a, const Numbers& b) {
  ForwardDual sum(0.0);
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

/// A robot with derivatives, and its energies.
struct ProjectionAdjoint::Robot {
  Robot(ModelT<ForwardDual> its_model, RobotSystem& its_system)
      : model(std::move(its_model)),
        system(its_system),
        data(model),
        elements(model),
        u(Numbers::Zero(model.nu())),
        keeps_momentum(EnergyProjection(system).keeps_momentum()) {}

  /// Calls use(law, arguments) of each element.
  template <typename Use>
  void each_element(const Numbers& q, const Numbers& v, const Use& use) {
    if (model.elements().empty()) return;
    element_motion<ForwardDual>(model, data, q, v, elements);
    for (const auto& element : model.elements()) {
      use(*element.law, arguments_of<ForwardDual>(element, 0.0, u.data(), elements));
    }
  }

  struct Energy {
    ForwardDual kinetic, sum;
    double size = 0.0;  ///< of what is summed
  };
  Energy energy(const Numbers& q, const Numbers& v) {
    Energy found{kinetic_energy<ForwardDual>(model, data, q, v), ForwardDual(0.0)};
    const auto add = [&found](const ForwardDual& part) { found.sum += part, found.size += std::abs(part.value); };
    add(found.kinetic);
    add(gravity_energy<ForwardDual>(model, data, q));
    add(elastic_energy<ForwardDual>(model, data, q));
    each_element(q, v, [&](const auto& law, const auto& at) { add(law.stored_energy(at)); });
    return found;
  }

  /// With which that changes along a motion.
  ForwardDual power(const Numbers& q, const Numbers& v, const Numbers& a) {
    ForwardDual sum = product(v, inverse_dynamics<ForwardDual>(model, data, q, v, a));
    sum -= product(v, damping_force<ForwardDual>(model, data, q, v));
    each_element(q, v, [&](const auto& law, const auto& at) { sum += law.stored_power(at, nullptr); });
    return sum;
  }

  // As EnergyProjection has them.
  Numbers projected(const Numbers& q, const Numbers& v, const ForwardDual& wanted) {
    Energy found = energy(q, v);
    const ForwardDual missing = wanted - found.sum;
    Numbers internal = v;
    if (!system.driven().empty()) return projected_free(q, v, missing);
    ForwardDual& kinetic = found.kinetic;
    if (keeps_momentum) kinetic -= separate(mass_matrix<ForwardDual>(model, data, q), internal);
    // beside rest what is missing is smaller by an order than the kinetic energy, but rounding is not
    if (!(kinetic.value > k_rounding * found.size) || values_of(internal).cwiseAbs().maxCoeff() <= k_at_rest) return v;
    const ForwardDual change = within(missing / kinetic, EnergyProjection::k_most_at_once);
    return v + (sqrt(1.0 + change) - ForwardDual(1.0)) * internal;
  }

  Numbers projected_free(const Numbers& q, const Numbers& v, const ForwardDual& missing) {
    const MatrixXT<ForwardDual> M = mass_matrix<ForwardDual>(model, data, q);
    Numbers internal = v;
    for (const int i : system.driven()) internal[i] = ForwardDual(0.0);
    if (keeps_momentum) separate(M, internal);
    const Numbers momentum = M * internal;
    const ForwardDual p = product(momentum, v), k = 0.5 * product(momentum, internal);
    if (!(k.value > 0.0)) return v;
    ForwardDual wanted = missing;
    const ForwardDual most = EnergyProjection::k_most_at_once * k;
    if (missing.value > most.value) wanted = most;
    if (missing.value < -most.value) wanted = -most;
    const ForwardDual root = p * p + 4.0 * k * wanted;
    if (root.value < 0.0) return v;
    const ForwardDual c = 2.0 * wanted / (p + (p.value < 0.0 ? -sqrt(root) : sqrt(root)));
    if (!(std::abs(c.value) <= EnergyProjection::k_most_at_once)) return v;
    return v + c * internal;
  }

  static ForwardDual within(const ForwardDual& x, double most) {
    return std::abs(x.value) > most ? ForwardDual(std::copysign(most, x.value)) : x;
  }

  /// Takes the locked motion out of v. @return its kinetic energy.
  static ForwardDual separate(const MatrixXT<ForwardDual>& M, Numbers& v) {
    const Numbers momentum = M.topRows(6) * v;
    const MatrixXT<ForwardDual> locked_mass = M.topLeftCorner(6, 6);
    const Eigen::LLT<MatrixXd> factor(values_of(locked_mass));
    Numbers locked = VectorXd(factor.solve(values_of(momentum))).cast<ForwardDual>();
    const Numbers left = locked_mass * locked - momentum;
    subtract_derivatives(factor.solve(derivatives_of(left)), locked);
    v.head(6) -= locked;
    return 0.5 * product(momentum, locked);
  }

  ModelT<ForwardDual> model;
  RobotSystem& system;
  DataT<ForwardDual> data;
  ElementDataT<ForwardDual> elements;
  Numbers u;
  bool keeps_momentum;
};

ProjectionAdjoint::ProjectionAdjoint(RobotSystem& system) : system_(system) {
  const auto refuse = [](const std::string& found) {
    throw ArgumentError(
        fmt::format("integrator.type: 'energy_conserving' has no adjoint with {}, expected a robot without", found));
  };
  if (!system.model().site_laws().empty()) refuse("contacts");
  for (const auto& element : system.model().elements()) {
    if (element.state_count > 0) refuse("states, as '" + element.name + "' keeps them");
  }
  robot_ = std::make_unique<Robot>(ModelT<ForwardDual>(system.model().robot().cast<ForwardDual>()), system);
}
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

VectorXd ProjectionAdjoint::projected(const VectorXd& q, const VectorXd& v, double energy) {
  return values_of(robot_->projected(q.cast<ForwardDual>(), v.cast<ForwardDual>(), ForwardDual(energy)));
}

template <typename Function, typename Use>
void ProjectionAdjoint::along_motion(const VectorXd& q, const VectorXd& v, const VectorXd& a, double energy,
                                     const Function& function, const Use& use) {
  const int nv = system_.model().nv(), all = 3 * nv + 1;
  const Numbers plain = q.cast<ForwardDual>();
  Numbers moved(q.size());
  for (int done = 0; done < all; done += k_forward_width) {
    const int count = std::min(k_forward_width, all - done);
    Numbers change = Numbers::Zero(nv), its_v = v.cast<ForwardDual>(), its_a = a.cast<ForwardDual>();
    ForwardDual its_energy(energy);
    for (int k = 0; k < count; ++k) {
      const int direction = done + k;
      ForwardDual& number = direction < nv       ? change[direction]
                            : direction < 2 * nv ? its_v[direction - nv]
                            : direction < 3 * nv ? its_a[direction - 2 * nv]
                                                 : its_energy;
      number.derivative[k] = 1.0;
    }
    integrate<ForwardDual>(robot_->model, plain, change, moved);
    const ForwardDual found = function(*robot_, moved, its_v, its_a, its_energy);
    for (int k = 0; k < count; ++k) use(done + k, found.derivative[k]);
  }
}

template <typename Function>
void ProjectionAdjoint::along_numbers(const VectorXd& q, const VectorXd& v, const VectorXd& a, double energy,
                                      const Function& function, double scale, VectorXd& by_numbers) {
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < varied_.size(); ++i) {
    const ForwardDual found =
        function(*varied_[i], q.cast<ForwardDual>(), v.cast<ForwardDual>(), a.cast<ForwardDual>(), ForwardDual(energy));
    for (std::size_t k = 0; k < counts_[i]; ++k) by_numbers[first++] += scale * found.derivative[k];
  }
}

double ProjectionAdjoint::back(const VectorXd& q, const VectorXd& v, double energy, VectorXd& by_q, VectorXd& by_v,
                               VectorXd& by_numbers) {
  const int nv = system_.model().nv();
  const Numbers weights = by_v.cast<ForwardDual>();
  const auto worth = [&](Robot& robot, const Numbers& its_q, const Numbers& its_v, const Numbers&,
                         const ForwardDual& its_energy) {
    return product(weights, robot.projected(its_q, its_v, its_energy));
  };
  const VectorXd none = VectorXd::Zero(nv);
  double by_energy = 0.0;
  along_motion(q, v, none, energy, worth, [&](int direction, double slope) {
    if (direction < nv) by_q[direction] += slope;
    if (direction >= nv && direction < 2 * nv) by_v[direction - nv] = slope;
    if (direction == 3 * nv) by_energy = slope;
  });
  along_numbers(q, v, none, energy, worth, 1.0, by_numbers);
  return by_energy;
}

void ProjectionAdjoint::add_power(const VectorXd& q, const VectorXd& v, const VectorXd& a, double scale, MatrixXd& by_q,
                                  MatrixXd& by_v, MatrixXd& by_a, VectorXd& by_numbers) {
  if (scale == 0.0) return;
  const int nv = system_.model().nv();
  const auto power = [](Robot& robot, const Numbers& its_q, const Numbers& its_v, const Numbers& its_a,
                        const ForwardDual&) { return robot.power(its_q, its_v, its_a); };
  along_motion(q, v, a, 0.0, power, [&](int direction, double slope) {
    if (direction == 3 * nv) return;
    MatrixXd& row = direction < nv ? by_q : direction < 2 * nv ? by_v : by_a;
    row(0, direction % nv) += scale * slope;
  });
  along_numbers(q, v, a, 0.0, power, scale, by_numbers);
}

void ProjectionAdjoint::add_energy(const VectorXd& q, const VectorXd& v, double scale, VectorXd& by_q, VectorXd& by_v,
                                   VectorXd& by_numbers) {
  if (scale == 0.0) return;
  const int nv = system_.model().nv();
  const auto energy = [](Robot& robot, const Numbers& its_q, const Numbers& its_v, const Numbers&, const ForwardDual&) {
    return robot.energy(its_q, its_v).sum;
  };
  const VectorXd none = VectorXd::Zero(nv);
  along_motion(q, v, none, 0.0, energy, [&](int direction, double slope) {
    if (direction < nv) by_q[direction] += scale * slope;
    if (direction >= nv && direction < 2 * nv) by_v[direction - nv] += scale * slope;
  });
  along_numbers(q, v, none, 0.0, energy, scale, by_numbers);
}

}  // namespace cuttle
