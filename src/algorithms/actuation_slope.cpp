#include <algorithm>
#include <cmath>

#include "algorithms/derivative_workspace.h"
#include "cuttle/algorithms/actuation.h"

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

}  // namespace

void subtract_actuation_slope(const Model& model, DerivativeData& derivatives, const VectorInT<double>& q,
                              const VectorXd& u) {
  DerivativeData::Workspace& w = derivatives.workspace();
  // in closed form tendons along rods alone; the others, and chambers in volumes, by differentiating their whole force
  const auto along_rods = [](const BoundTendonT<double>& tendon) {
    return tendon.segments.empty() && tendon.polygons.empty();
  };
  for (const auto& tendon : model.tendons()) {
    if (along_rods(tendon) && u[tendon.input] != 0.0) subtract_arc_slope(tendon, u[tendon.input], q, derivatives.by_q);
  }
  if (!w.gradient_model) return;
  bool any_input = false;
  w.gradient_u.setZero();
  const auto take = [&](int input) {
    w.gradient_u[input] = u[input];
    any_input = any_input || u[input] != 0.0;
  };
  for (const auto& tendon : model.tendons()) {
    if (!along_rods(tendon)) take(tendon.input);
  }
  for (const auto& chamber : model.chambers()) take(chamber.input);
  if (!any_input) return;
  const int nv = model.nv();
  for (int first = 0; first < nv; first += k_gradient_width) {
    const int last = std::min(nv, first + k_gradient_width);
    for (int k = 0; k < nv; ++k) w.gradient_step[k] = 0.0;
    for (int k = first; k < last; ++k) w.gradient_step[k].derivative[k - first] = 1.0;
    w.gradient_q = q.cast<Gradient>();
    integrate<Gradient>(*w.gradient_model, w.gradient_q, w.gradient_step, w.gradient_q);
    const VectorXT<Gradient>& force =
        actuation_force<Gradient>(*w.gradient_model, *w.gradient_data, w.gradient_q, w.gradient_u);
    for (int k = first; k < last; ++k) {
      for (int i = 0; i < nv; ++i) derivatives.by_q(i, k) -= force[i].derivative[k - first];
    }
  }
}

}  // namespace cuttle
