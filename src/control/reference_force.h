#pragma once

#include "control/allocated_law.h"

namespace cuttle {

/// A force of inverse dynamics along the reference, and a spring and damper to it. Coordinates that are not controlled
/// are where they are; their acceleration counts as zero.
class ReferenceForce final : public AllocatedLaw {
 public:
  /// @param moves  with the reference's velocity and acceleration; else of a robot at rest at the reference, and the
  /// damper acts against the velocity itself.
  ReferenceForce(const Model& model, const FeedbackSettings& settings, ControlPlaces places, bool moves);

 private:
  void force(const ControlArguments& at, VectorXd& nu) override;
  void force_slopes(const ControlArguments& at, const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) override;
  /// Where the robot is thought to be, into desired_*.
  void follow(const ControlArguments& at);

  bool moves_;
  Data data_;
  VectorXd desired_q_, desired_v_, desired_a_;
  std::vector<char> controlled_;  ///< by velocity coordinate
  std::optional<DerivativeData> derivatives_;
};

}  // namespace cuttle
