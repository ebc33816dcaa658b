#include "algorithms/acting_forces.h"

#include <algorithm>

#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/kinematics.h"

namespace cuttle {
namespace {

bool follows(const ForwardDual& x, int k) { return x.derivative[k] != 0.0; }
bool follows(const Vector3T<ForwardDual>& x, int k) { return follows(x.x, k) || follows(x.y, k) || follows(x.z, k); }
bool follows(const FrameT<ForwardDual>& frame, int k) {
  for (int i = 0; i < 3; ++i) {
    if (follows(frame.node_frame.rotation.column(i), k)) return true;
  }
  return follows(frame.node_frame.position, k);
}
template <typename Numbers>
bool any_follows(const Numbers& numbers, int k) {
  return std::any_of(numbers.begin(), numbers.end(), [k](const auto& x) { return follows(x, k); });
}

bool follows(const BoundTendonT<ForwardDual>& tendon, int k) {
  const auto of_arc = [k](const TendonArcT<ForwardDual>& arc) {
    return any_follows(arc.weights, k) || any_follows(arc.rest, k) || any_follows(arc.shape, k);
  };
  return follows(tendon.fixed_length, k) || follows(tendon.rest_length, k) ||
         std::any_of(tendon.arcs.begin(), tendon.arcs.end(), of_arc) ||
         std::any_of(tendon.polygons.begin(), tendon.polygons.end(),
                     [k](const auto& polygon) { return any_follows(polygon.points, k); }) ||
         std::any_of(tendon.segments.begin(), tendon.segments.end(),
                     [k](const auto& segment) { return follows(segment.first, k) || follows(segment.second, k); });
}

bool follows(const TransmissionsT<ForwardDual>& t, int k) {
  return any_follows(t.constant.reshaped(), k) || any_follows(t.offset, k) ||
         std::any_of(t.tendons.begin(), t.tendons.end(), [k](const auto& tendon) { return follows(tendon, k); }) ||
         std::any_of(t.wrenches.begin(), t.wrenches.end(), [k](const auto& w) { return follows(w.frame, k); }) ||
         std::any_of(t.chambers.begin(), t.chambers.end(), [k](const auto& c) { return follows(c.rest_volume, k); });
}

}  // namespace

ForwardDual ActingForces::work(const Instant& at, VectorInT<ForwardDual> a, const VectorXd& weights, bool actuators,
                               VectorOutT<ForwardDual> state_rates) {
  solve_states(at, a);
  layout().integrals_of(state_rates) = integral_rates_;
  if (sites_) layout().sites_of(state_rates) = sites_->rates();
  ForwardDual work(0.0);
  if (actuators && model().nu() > 0) {
    const VectorXT<ForwardDual>& force = actuation_force<ForwardDual>(model(), data(), at.q, at.u);
    for (Eigen::Index i = 0; i < weights.size(); ++i) work += ForwardDual(weights[i]) * force[i];
  }
  if (!model().elements().empty()) {
    element_efforts<ForwardDual>(model(), at.time, at.u, elements_);
    if (layout().elements > 0) layout().elements_of(state_rates) = elements_.state_rates;
    for (Eigen::Index k = 0; k < elements_.efforts.size(); ++k) {
      ForwardDual rate(0.0);
      for (Eigen::Index i = 0; i < weights.size(); ++i) rate += ForwardDual(weights[i]) * elements_.matrix(i, k);
      work += elements_.efforts[k] * rate;
    }
  }
  acting_.assign(state_load_wrenches_.begin(), state_load_wrenches_.end());
  if (sites_) sites_->append_wrenches(acting_);
  if (acting_.empty()) return -work;
  const VectorXT<ForwardDual> rates = weights.cast<ForwardDual>();
  const KinematicsT<ForwardDual>& virtual_motion = forward_kinematics<ForwardDual>(model(), data(), at.q, rates);
  for (const auto& [frame, wrench, axes] : acting_) {
    TwistT<ForwardDual> twist = virtual_motion.velocity_of(frame);
    if (axes == Axes::world) {
      const Matrix3T<ForwardDual> R = virtual_motion.pose(frame).rotation;
      twist = {R * twist.angular, R * twist.linear};
    }
    work += dot(wrench, twist);
  }
  return -work;
}

bool places_follow(const ModelT<ForwardDual>& variable, bool actuators, int k) {
  const auto of_loop = [k](const BoundLoopT<ForwardDual>& loop) {
    return follows(loop.a, k) || follows(loop.b, k) || follows(loop.normal[0], k) || follows(loop.normal[1], k) ||
           follows(loop.axis_b, k);
  };
  return follows(variable.element_transmissions(), k) || (actuators && follows(variable.actuation(), k)) ||
         std::any_of(variable.loops().begin(), variable.loops().end(), of_loop);
}

}  // namespace cuttle
