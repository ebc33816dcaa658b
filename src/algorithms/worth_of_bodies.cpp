#include "algorithms/worth_of_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// Some number in (-1, 1), none of them zero and none like another.
double some_number(int i) { return std::sin(1.3 * i + 0.7); }

Twist some_twist(int i) {
  Twist twist;
  for (int k = 0; k < 6; ++k) twist[k] = some_number(i + k);
  return twist;
}

double slope_along(const WrenchT<ForwardDual>& w, const Twist& twist, int k) {
  return dot(slope_of(w.torque, k), twist.angular) + dot(slope_of(w.force, k), twist.linear);
}

}  // namespace

Twist slope_of(const PoseT<ForwardDual>& pose, int k) {
  Matrix3 rotation, change;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      rotation(i, j) = pose.rotation(i, j).value, change(i, j) = pose.rotation(i, j).derivative[k];
    }
  }
  const Matrix3 turn = change * rotation.transpose();
  const Vector3 angular{0.5 * (turn(2, 1) - turn(1, 2)), 0.5 * (turn(0, 2) - turn(2, 0)),
                        0.5 * (turn(1, 0) - turn(0, 1))};
  const Vector3 position{pose.position.x.value, pose.position.y.value, pose.position.z.value};
  return {angular, slope_of(pose.position, k) - cross(angular, position)};
}

WorthOfBody::WorthOfBody(const Model& model, int edge) : edge_(model.topology().edges[static_cast<std::size_t>(edge)]) {
  coordinates_.resize(3 * static_cast<std::size_t>(edge_.nv)), force_.resize(static_cast<std::size_t>(edge_.nv));
  rod_ = WorthOfRod::make(*model.topology().bodies[static_cast<std::size_t>(edge_.index)].body);
}

void WorthOfBody::evaluate(const BodyT<ForwardDual>& body, const BodyStateT<double>& state,
                           const std::vector<Wrench>& port_wrenches) {
  const auto n = static_cast<std::size_t>(edge_.nv);
  for (std::size_t i = 0; i < n; ++i) {
    coordinates_[i] = state.q[i], coordinates_[n + i] = state.v[i], coordinates_[2 * n + i] = state.a[i];
  }
  ports_.resize(port_wrenches.size()), port_wrenches_.clear();
  for (const Wrench& wrench : port_wrenches) port_wrenches_.push_back(wrench.cast<ForwardDual>());
  const WorkspaceSize size = body.workspace_size();
  constexpr std::size_t k_lead = 64;  // scalars, of which one begins at a multiple of 64 bytes
  const std::size_t persistent = padded(size.persistent);
  memory_.resize(std::max(memory_.size(), persistent + padded(size.scratch) + k_lead));
  ForwardDual* kept = memory_.data();
  while (reinterpret_cast<std::uintptr_t>(kept) % 64 != 0) ++kept;
  const WorkspaceT<ForwardDual> workspace{kept, kept + persistent, nullptr};
  const BodyStateT<ForwardDual> dual{coordinates_.data(), coordinates_.data() + n, coordinates_.data() + 2 * n,
                                     state.base_velocity.cast<ForwardDual>(),
                                     state.base_acceleration.cast<ForwardDual>()};
  body.forward(MotionLevel::acceleration, dual, workspace, ports_.data());
  body.backward(dual, port_wrenches_.data(), workspace, base_wrench_, force_.data());
  body.add_internal_force(InternalForces::both, dual.q, dual.v, force_.data(), workspace.scratch);
}

WorthOfBody::Reach WorthOfBody::reach(const BodyT<ForwardDual>& body) {
  Reach reach;
  if (rod_) {
    const auto of_tables = WorthOfRod::reach(body);
    for (std::size_t k = 0; k < of_tables.size(); ++k) {
      reach.acts[k] = of_tables[k].acts, reach.moves[k] = of_tables[k].moves;
    }
    return reach;
  }
  const int n = edge_.nv;
  for (const int place : {0, 17}) {
    std::vector<double> numbers(3 * static_cast<std::size_t>(n));
    // small shapes, so that no body folds
    for (int i = 0; i < 3 * n; ++i) {
      numbers[static_cast<std::size_t>(i)] = (i < n ? 0.02 : 1.0) * some_number(place + i);
    }
    const BodyStateT<double> state{numbers.data(), numbers.data() + n, numbers.data() + 2 * n, some_twist(place),
                                   some_twist(place + 6)};
    std::vector<Wrench> wrenches(static_cast<std::size_t>(body.port_count()));
    for (std::size_t p = 0; p < wrenches.size(); ++p) {
      for (int k = 0; k < 6; ++k) wrenches[p][k] = some_number(place + k + 3 * static_cast<int>(p));
    }
    try {
      evaluate(body, state, wrenches);
    } catch (const ConfigurationError&) {
      reach.acts.fill(true), reach.moves.fill(true);
      return reach;
    }
    for (int k = 0; k < k_forward_width; ++k) {
      for (const auto& port : ports_) {
        reach.moves[k] = reach.moves[k] || any(slope_of(port.base_port, k)) || any(slope_of(port.velocity, k)) ||
                         any(slope_of(port.acceleration, k));
      }
      bool acts = reach.moves[k] || any(slope_of(base_wrench_.torque, k)) || any(slope_of(base_wrench_.force, k));
      for (const ForwardDual& force : force_) acts = acts || force.derivative[k] != 0.0;
      reach.acts[k] = reach.acts[k] || acts;
    }
  }
  return reach;
}

void WorthOfBody::follow(std::shared_ptr<const BodyT<ForwardDual>> body, std::vector<int> numbers) {
  bool all = true;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] < 0) continue;
    if (rod_ && rod_->follow(*body, static_cast<int>(k), numbers[k])) {
      numbers[k] = -1;
    } else {
      all = false;
    }
  }
  if (!all) groups_.push_back({std::move(body), std::move(numbers)});
}

void WorthOfBody::add(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
                      const std::vector<Wrench>& port_wrenches, const std::vector<HangingWorth>& hanging,
                      const DerivativeData::Workspace& at, double scale, VectorXd& worth) {
  if (rod_ && (rod_->is_needed() || keeps_motion_)) {
    add_rod(state, weights, base_twist, port_wrenches, hanging, at, scale, worth);
  }
  const Pose& base = at.bodies[static_cast<std::size_t>(edge_.index)].base;
  for (const Group& group : groups_) {
    evaluate(*group.body, state, port_wrenches);
    for (int k = 0; k < static_cast<int>(group.numbers.size()); ++k) {
      if (group.numbers[static_cast<std::size_t>(k)] < 0) continue;
      double sum = slope_along(base_wrench_, base_twist, k);
      for (std::size_t i = 0; i < force_.size(); ++i) sum += weights[i] * force_[i].derivative[k];
      for (std::size_t p = 0; p < ports_.size(); ++p) {
        const auto node = static_cast<std::size_t>(edge_.child_node) + p;
        const Twist z = base.act(slope_of(ports_[p].base_port, k));
        const Twist rate = at.pose[node].act(slope_of(ports_[p].velocity, k));
        const Twist second = at.pose[node].act(slope_of(ports_[p].acceleration, k)) + bracket(at.velocity[node], rate);
        sum += dot(hanging[p].by_second, second) + dot(hanging[p].by_rate, rate.angular) + dot(hanging[p].by_turn, z);
      }
      worth[group.numbers[static_cast<std::size_t>(k)]] += scale * sum;
    }
  }
}

void WorthOfBody::add_rod(const BodyStateT<double>& state, const double* weights, const Twist& base_twist,
                          const std::vector<Wrench>& port_wrenches, const std::vector<HangingWorth>& hanging,
                          const DerivativeData::Workspace& at, double scale, VectorXd& worth) {
  const Pose& base = at.bodies[static_cast<std::size_t>(edge_.index)].base;
  std::vector<WorthOfRod::Port> ports;
  for (std::size_t p = 0; p < hanging.size(); ++p) {
    const auto node = static_cast<std::size_t>(edge_.child_node) + p;
    const HangingWorth& h = hanging[p];
    // a change of velocity J' moves J'' by [V, J'] too
    const Wrench by_velocity = Wrench{h.by_rate, {}} + bracket_transpose(at.velocity[node], h.by_second);
    ports.push_back({port_wrenches[p], at.pose[node].act_inverse(h.by_second), at.pose[node].act_inverse(by_velocity),
                     base.act_inverse(h.by_turn)});
  }
  rod_->add(state, weights, base_twist, ports, scale, worth);
}

}  // namespace cuttle
