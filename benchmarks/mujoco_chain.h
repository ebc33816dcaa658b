#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <vector>

#include "cuttle/model/model.h"
#include "random_state.h"
#include "rigid_chain.h"

namespace cuttle::bench {

/// A rigid chain in MuJoCo, read from URDF, with contacts, constraints and sensors off.
class MujocoChain {
 public:
  /// @throws Error with MuJoCo's words if it refuses the chain.
  explicit MujocoChain(const std::vector<ChainLink>& links);

  /// State for both functions, acceleration for the first and joint forces for the second.
  void set(const MotionState& state, const VectorXd& tau);

  /// M a + c + g: kinematics, velocities and the recursive Newton-Euler pass, nothing else. @return nv values.
  const double* inverse_dynamics() {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    mj_rne(model_.get(), data_.get(), 1, data_->qfrc_inverse);
    return data_->qfrc_inverse;
  }
  /// The mass matrix by composite inertias, packed: its lower half. @return nv (nv + 1) / 2 values for a chain.
  const double* mass_matrix() {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    return data_->qM;
  }
  /// mj_forward: mass matrix, its sparse factorization, bias, acceleration. @return nv values.
  const double* forward_dynamics() {
    mj_forward(model_.get(), data_.get());
    return data_->qacc;
  }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace cuttle::bench
