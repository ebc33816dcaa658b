#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "cuttle/algorithms/external_wrench.h"
#include "cuttle/algorithms/inverse_kinematics.h"

namespace cuttle {

/// The rows of targets: what is left of each, as angles, lengths divided by a length, all times the target's weight. A
/// position has three, `p - p*` in world axes; a pose has three more, the rotation vector from the target to the frame
/// in the frame's axes; a direction has two, the angle to it about two axes across it.
class FrameTargets {
 public:
  /// @param length  what lengths are divided by [m].
  /// @throws ArgumentError naming `function` and the target.
  FrameTargets(const Model& model, const char* function, std::vector<FrameTarget> targets, double length);

  int row_count() const { return rows_; }
  const std::vector<FrameTarget>& targets() const { return targets_; }
  double length() const { return length_; }
  std::string name(std::size_t target) const { return name_of(targets_, target); }
  void set_goal(const char* function, int target, const Pose& goal);
  void set_direction(const char* function, int target, const Vector3& direction);
  /// Tolerances of the rows, from that of angles.
  Eigen::VectorXd tolerances(double tolerance) const;

  /// The first rows, from poses of the nodes.
  void rows(const KinematicsT<double>& kinematics, Eigen::VectorXd& result) const;
  /// Their derivatives along tangent directions of q, after an outward sweep with blocks and world poses.
  void jacobian(const Model& model, const Data& data, Eigen::MatrixXd& result);
  /// Wrenches with which multipliers of the rows pull: the generalized force J^T multipliers is that of these wrenches.
  void wrenches(const KinematicsT<double>& kinematics, const Eigen::VectorXd& multipliers,
                std::span<ExternalWrench> result) const;
  /// Adds the part of d(J^T multipliers)/dq in which the wrenches turn in their frames, after `jacobian` at the same
  /// configuration. Of rotations and directions it is exact at the target, where it counts.
  /// @param along  motions of which K is, a column each; null: the coordinates.
  void add_turning(const KinematicsT<double>& kinematics, const Eigen::VectorXd& multipliers, Eigen::MatrixXd& K,
                   const Eigen::MatrixXd* along = nullptr);
  void errors(const KinematicsT<double>& kinematics, std::vector<TargetError>& result) const;

 private:
  using Block = Eigen::Matrix<double, 6, 6>;
  struct Place {
    int row = 0, count = 0;
    Vector3 across[2];                  ///< of a direction: two axes across it in the world
    Eigen::MatrixXd jacobian, turning;  ///< 6 x nv
  };
  [[noreturn]] void fail(const char* function, std::size_t target, const std::string& found,
                         const std::string& expected) const;
  std::size_t checked(const char* function, int target) const;
  static std::string name_of(const std::vector<FrameTarget>& targets, std::size_t target);
  /// Rows of one target and their coefficients by the frame's twist in its own axes.
  int evaluate(std::size_t target, const Pose& world_frame, double* rows, Block* block) const;

  std::vector<FrameTarget> targets_;
  std::vector<Place> places_;
  double length_;
  int rows_ = 0;
};

}  // namespace cuttle
