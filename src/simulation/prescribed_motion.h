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

  /// For a simulation that does not end with the run: signals are read on until a value or a velocity jumps.
  /// @return that time, at or after `duration`; infinity if nothing jumps.
  double go_on_after(double duration);

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
  std::vector<const Signal*> signals() const;

  DrivenMotion motion_;
  Pose base_pose_;  ///< of the robot: its floating base's pose at the identity
  double last_;     ///< time up to which signals are read: one that ends with the run moves until then
  std::vector<DrivenCoordinate> joints_;
  std::vector<int> coordinates_;
};

/// The motion of a clock that begins at `time` of the given one.
DrivenMotion motion_from(const DrivenMotion& motion, double time);

/// @throws ArgumentError if a loop's frame is driven, which drive_loops would have made a matter of joints.
void refuse_loops_to_drive(const Model& model);

}  // namespace cuttle
