#pragma once

#include <vector>

#include "cuttle/simulation/driven_motion.h"

namespace cuttle {

/// A driven motion, bound to the coordinates of a model: q, v and a of these as functions of time.
class PrescribedMotion {
 public:
  /// @param duration  of the run: signals have no jumps of velocity within.
  /// @throws ArgumentError: key, what was found, what was expected.
  PrescribedMotion(const Model& model, DrivenMotion motion, double duration);

  /// Driven coordinates of the velocity, ascending.
  const std::vector<int>& coordinates() const { return coordinates_; }
  /// Puts them into a motion. @param a  null: no accelerations.
  void impose(double time, VectorXd& q, VectorXd& v, VectorXd* a) const;
  /// Times at which accelerations may jump.
  std::vector<double> discontinuities() const;

 private:
  struct DrivenCoordinate {
    int q, v;
    Signal signal;
  };
  void impose_base(double time, VectorXd& q, VectorXd& v, VectorXd* a) const;

  DrivenMotion motion_;
  Pose base_pose_;  ///< of the robot: its floating base's pose at the identity
  double last_;     ///< time up to which signals are read: one that ends with the run moves until then
  std::vector<DrivenCoordinate> joints_;
  std::vector<int> coordinates_;
};

/// @throws ArgumentError if a loop's frame is driven, which drive_loops would have made a matter of joints.
void refuse_loops_to_drive(const Model& model);

}  // namespace cuttle
