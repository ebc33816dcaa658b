#include "control/reference_force.h"

#include "cuttle/algorithms/inverse_dynamics.h"

namespace cuttle {

ReferenceForce::ReferenceForce(const Model& model, const FeedbackSettings& settings, ControlPlaces places, bool moves)
    : AllocatedLaw(model, settings, std::move(places)),
      moves_(moves),
      data_(model),
      desired_q_(model.neutral()),
      desired_v_(VectorXd::Zero(model.nv())),
      desired_a_(VectorXd::Zero(model.nv())),
      controlled_(static_cast<std::size_t>(model.nv()), false) {
  for (const int v : places_.v) controlled_[static_cast<std::size_t>(v)] = true;
}

void ReferenceForce::follow(const ControlArguments& at) {
  desired_q_ = at.q;
  if (moves_) desired_v_ = at.v;
  const VectorXd& q = reference_.at(at.time);
  for (int i = 0; i < places_.coordinate_count(); ++i) desired_q_[places_.q[i]] = q[i];
  if (!moves_) return;
  const VectorXd &v = reference_.rate_at(at.time), &a = reference_.acceleration_at(at.time);
  for (int i = 0; i < places_.coordinate_count(); ++i) {
    desired_v_[places_.v[i]] = v[i], desired_a_[places_.v[i]] = a[i];
  }
}

void ReferenceForce::force(const ControlArguments& at, VectorXd& nu) {
  plant_.read_inertia(at);
  follow(at);
  const VectorXd& held = inverse_dynamics<double>(plant_.model(), data_, desired_q_, desired_v_, desired_a_);
  for (int i = 0; i < places_.coordinate_count(); ++i) nu[i] = held[places_.v[i]];
  if (moves_) return;
  add_feedback(at, nu);
}

void ReferenceForce::force_slopes(const ControlArguments& at, const InputSlopes& /*before*/, MatrixXd& by_q,
                                  MatrixXd& by_v) {
  by_q.setZero(), by_v.setZero();
  const bool others = places_.coordinate_count() < static_cast<int>(controlled_.size());
  if (others) {
    if (!derivatives_) derivatives_.emplace(plant_.model());
    follow(at);
    inverse_dynamics_derivatives(plant_.model(), data_, *derivatives_, desired_q_, desired_v_, desired_a_);
  }
  for (int i = 0; i < places_.coordinate_count(); ++i) {
    for (Eigen::Index k = 0; others && k < by_q.cols(); ++k) {
      if (controlled_[static_cast<std::size_t>(k)]) continue;
      by_q(i, k) = derivatives_->by_q(places_.v[i], k);
      if (moves_) by_v(i, k) = derivatives_->by_v(places_.v[i], k);
    }
    for (int j = 0; !moves_ && j < places_.coordinate_count(); ++j) {
      by_q(i, places_.v[j]) -= kp_(i, j), by_v(i, places_.v[j]) -= kd_(i, j);
    }
  }
}

}  // namespace cuttle
