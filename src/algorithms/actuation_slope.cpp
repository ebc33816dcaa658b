#include <algorithm>
#include <array>
#include <cmath>

#include "algorithms/derivative_workspace.h"
#include "algorithms/transmissions.h"

namespace cuttle {
namespace {

/// Along a rod a tendon's length depends on the strain alone: the Hessian of the norms of affine vectors,
/// (shape_i.shape_k - direction.shape_i direction.shape_k) / norm.
void subtract_arc_slope(const BoundTendonT<double>& tendon, double tension, const VectorInT<double>& q,
                        MatrixXd& by_q) {
  for (const auto& arc : tendon.arcs) {
    for (std::size_t j = 0; j < arc.weights.size(); ++j) {
      const Vector3* shape = arc.shape.data() + j * arc.nv;
      Vector3 tangent = arc.rest[j];
      for (int k = 0; k < arc.nv; ++k) tangent += q[arc.q + k] * shape[k];
      const double length = norm(tangent);
      if (!(length > 0.0)) continue;  // no direction, so no force either
      const Vector3 direction = (1.0 / length) * tangent;
      const double pull = tension * arc.weights[j] / length;
      for (int k = 0; k < arc.nv; ++k) {
        const Vector3 across = pull * (shape[k] - dot(direction, shape[k]) * direction);
        // the force is -pull, and it stands on the other side of the equation of motion
        for (int i = 0; i < arc.nv; ++i) by_q(arc.v + i, arc.v + k) += dot(shape[i], across);
      }
    }
  }
}

/// A function of coordinates has its own second derivatives.
void subtract_function_slope(const BoundFunctionT<double>& bound, double effort, const VectorInT<double>& q,
                             MatrixXd& by_q) {
  std::array<double, k_most_function_coordinates> x{};
  std::array<double, k_most_function_coordinates * k_most_function_coordinates> hessian{};
  const std::size_t n = bound.q.size();
  for (std::size_t i = 0; i < n; ++i) x[i] = q[bound.q[i]];
  bound.function->hessian(x.data(), hessian.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) by_q(bound.v[i], bound.v[j]) -= effort * hessian[i * n + j];
  }
}

}  // namespace

void subtract_transmission_slope(const Model& model, TransmissionSet set, DerivativeData& derivatives,
                                 const VectorInT<double>& q, const VectorXd& efforts, MatrixXd& by_q) {
  DerivativeData::Workspace& w = derivatives.workspace();
  const TransmissionsT<double>& t = transmissions_of(model, set);
  // in closed form tendons along rods and functions of coordinates; the others, and chambers in volumes, by
  // differentiating their whole force
  const auto along_rods = [](const BoundTendonT<double>& tendon) {
    return tendon.segments.empty() && tendon.polygons.empty();
  };
  const auto acts = [&](int input) { return !t.is_driven(input) && efforts[input] != 0.0; };
  for (const auto& tendon : t.tendons) {
    if (along_rods(tendon) && acts(tendon.input)) subtract_arc_slope(tendon, efforts[tendon.input], q, by_q);
  }
  for (const auto& function : t.functions) {
    if (acts(function.input)) subtract_function_slope(function, efforts[function.input], q, by_q);
  }
  if (!w.gradient_model) return;
  VectorXT<Gradient>& gradient_efforts = w.gradient_efforts[set == TransmissionSet::actuators ? 0 : 1];
  bool any_effort = false;
  gradient_efforts.setZero();
  const auto take = [&](int input) {
    if (!acts(input)) return;
    gradient_efforts[input] = efforts[input];
    any_effort = true;
  };
  for (const auto& tendon : t.tendons) {
    if (!along_rods(tendon)) take(tendon.input);
  }
  for (const auto& chamber : t.chambers) take(chamber.input);
  for (const auto& wrench : t.wrenches) {
    for (int k = 0; k < 6; ++k) take(wrench.input + k);
  }
  if (!any_effort) return;
  const int nv = model.nv();
  for (int first = 0; first < nv; first += k_gradient_width) {
    const int last = std::min(nv, first + k_gradient_width);
    for (int k = 0; k < nv; ++k) w.gradient_step[k] = 0.0;
    for (int k = first; k < last; ++k) w.gradient_step[k].derivative[k - first] = 1.0;
    w.gradient_q = q.cast<Gradient>();
    integrate<Gradient>(*w.gradient_model, w.gradient_q, w.gradient_step, w.gradient_q);
    VectorXT<Gradient>& force = w.gradient_data->force;
    transmission_force<Gradient>(*w.gradient_model, transmissions_of(*w.gradient_model, set), *w.gradient_data,
                                 w.gradient_q, gradient_efforts, force);
    for (int k = first; k < last; ++k) {
      for (int i = 0; i < nv; ++i) by_q(i, k) -= force[i].derivative[k - first];
    }
  }
}

}  // namespace cuttle
