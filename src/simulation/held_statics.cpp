#include "simulation/held_statics.h"

#include <fmt/format.h>

#include "cuttle/error.h"
#include "cuttle/spatial/logarithm.h"

namespace cuttle {
namespace {

Robot held_robot(const Model& model, const DrivenMotion& motion, const VectorXd& q0) {
  Robot held = model.robot();
  const auto hold = [&](const Joint& joint, int q, Pose& placement) {
    JointMotionT<double> at;
    joint.motion(q0.data() + q, nullptr, at);
    placement = placement * at.placement_child;
  };
  if (!motion.base.empty()) {
    hold(*make_free_joint<double>(), 0, held.base_pose);
    held.floating_base = false;
  }
  for (std::size_t i = 0; i < held.links.size(); ++i) {
    Link& link = held.links[i];
    if (motion.joints.count(link.name) == 0) continue;
    hold(*link.joint, model.links()[i].q, link.parent.pose);
    link.joint = nullptr, link.joint_dynamics = {};
  }
  held.source = nullptr, held.sensors.clear();
  return held;
}

/// Copies the coordinates that both robots have, each from where `from` has them to where `to` does.
template <typename Copy>
void for_free_coordinates(const Model& model, const Model& held, const Copy& copy) {
  if (held.robot().floating_base) copy(0, 0, 7);
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const auto &whole = model.links()[i], &part = held.links()[i];
    copy(whole.q + whole.nq - part.nq, part.q, part.nq);
  }
}

}  // namespace

StaticEquilibrium held_equilibrium(const Model& model, const DrivenMotion& motion, const StaticLoads& loads,
                                   const VectorXd& q0) {
  const Model held = [&] {
    try {
      return Model(held_robot(model, motion, q0));
    } catch (const ModelError& error) {
      throw ArgumentError(fmt::format(
          "initial: found statics and a driven joint on which something acts, expected states of links ({})",
          error.what()));
    }
  }();
  VectorXd q = held.neutral();
  for_free_coordinates(model, held,
                       [&](int from, int to, int count) { q.segment(to, count) = q0.segment(from, count); });
  StaticLoads held_loads = loads;
  if (loads.state_loads_at) held_loads.external = loads_at(held, *loads.state_loads_at);
  Data data(held);
  StaticEquilibrium found = static_equilibrium(held, data, held_loads, q);
  q = q0;
  for_free_coordinates(model, held,
                       [&](int to, int from, int count) { q.segment(to, count) = found.q.segment(from, count); });
  found.q = q;
  return found;
}

}  // namespace cuttle
