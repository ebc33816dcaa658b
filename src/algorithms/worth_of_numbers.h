#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/algorithms/derivatives.h"

namespace cuttle {

/// How a weighed equation of motion follows numbers of a robot (Model::parameters): d (w . r) / d number at a motion,
/// with r = M a + c + g + s - A u - J^T f and inputs u that are held, without what ActingForces has: elements, loads
/// that depend on the motion, contacts. In reverse mode, so that numbers cost little:
///
/// Numbers act through constants of the model - inertias of nodes, placements, springs, points of tendons. The gradient
/// by all of these takes one sweep along the tree, and each number a sum over those few that follow it. A number of a
/// body that deforms takes that body with derivatives, given how its base moves and what hangs at its ports, and no
/// other part of the robot. What it does to the ports moves all that hangs there as one more coordinate would
/// (cuttle/bodies/tangent.h).
///
/// Where an end of a tendon is given just where its rod ends, the rod's length alone would part what is one place. So
/// its derivative is that along a direction that moves these ends too, less those by the ends.
class WorthOfNumbers {
 public:
  /// @param model  outlives it. @param paths  as Model::with takes them.
  WorthOfNumbers(const Model& model, const std::vector<std::string>& paths);
  ~WorthOfNumbers();

  /// Whether a number acts through what stands above, and through what ActingForces has; `add` leaves the others out.
  bool knows(std::size_t number) const { return known_[number] != 0; }
  /// Whether one that it knows may act through ActingForces, and through loops: that part is not added here.
  bool acts_beside(std::size_t number) const { return beside_[number] != 0; }
  /// Whether forces of inputs without laws are in `add`; else they are among those of ActingForces.
  bool has_actuators() const { return has_actuators_; }

  /// Where the equation is taken: a time for the loads, a motion, and inputs that act.
  struct Instant {
    double time;
    const VectorXd &q, &v, &a, &u;
  };
  /// Adds scale d (w . r) / d number.
  /// @param weights  w, nv. @param worth  one a number.
  void add(const Instant& at, const VectorXd& weights, double scale, VectorXd& worth);

 private:
  struct Parts;
  std::vector<char> known_, beside_;  ///< of the numbers, then of ends of tendons that their directions move along
  std::vector<std::vector<std::size_t>> along_;  ///< of each number: such ends, places among these
  bool has_actuators_ = false;
  std::unique_ptr<Parts> parts_;  ///< null: no number is known
};

}  // namespace cuttle
