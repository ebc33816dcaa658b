// The driven coordinates of a RobotSystem.
#include <limits>

#include "simulation/prescribed_motion.h"
#include "simulation/robot_senses.h"

namespace cuttle {

void RobotSystem::set_motion(std::shared_ptr<const PrescribedMotion> motion) {
  motion_ = std::move(motion);
  driven_joints_ = {};
  if (!motion_) return;
  driven_joints_.driven.assign(static_cast<std::size_t>(model_->nv()), 0);
  for (const int k : motion_->coordinates()) driven_joints_.driven[static_cast<std::size_t>(k)] = 1;
  driven_joints_.a.setZero(model_->nv()), driven_joints_.effort.setZero(model_->nv());
  motion_efforts_.setZero(static_cast<Eigen::Index>(motion_->coordinates().size()));
}

std::span<const int> RobotSystem::driven() const {
  return motion_ ? std::span<const int>(motion_->coordinates()) : std::span<const int>();
}

void RobotSystem::impose(double time, VectorXd& q, VectorXd& v, VectorXd* a) const {
  if (motion_) motion_->impose(signal_time(time), q, v, a);
}

void RobotSystem::book_efforts(VectorInT<double> effort, VectorInT<double> v, VectorOutT<double> auxiliary_rate) {
  auxiliary_rate[load] += effort.dot(v);
}

const VectorXd& RobotSystem::motion_efforts(double time, VectorInT<double> q, VectorInT<double> v,
                                            const VectorXd& auxiliary, const VectorXd& multipliers, const VectorXd& u) {
  begin_senses(q, v, auxiliary);
  u_ = u;
  find_acceleration(time, senses_->v, multipliers, senses_->a);
  const std::span<const int> coordinates = driven();
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    motion_efforts_[static_cast<Eigen::Index>(i)] = driven_joints_.effort[coordinates[i]];
  }
  return motion_efforts_;
}

}  // namespace cuttle
