#pragma once

#include <memory>
#include <vector>

#include "control/output_law.h"
#include "control/plant.h"
#include "cuttle/model/data.h"

namespace cuttle {

/// The robot as a law knows it that leaves something out, and where its coordinates and inputs are in the whole one.
/// Actuators, elements and loads that cannot act on it are left out too.
class LawRobot {
 public:
  /// @throws ArgumentError for links that the robot does not have, or if nothing is left of it.
  LawRobot(const Model& whole, const LawModel& what);

  const Model& model() const { return *model_; }
  /// Of each of its own coordinates, velocities and inputs: the place in the whole robot.
  const std::vector<int>& q() const { return q_; }
  const std::vector<int>& v() const { return v_; }
  const std::vector<int>& u() const { return u_; }
  /// The same places, in it. @throws ArgumentError that names an input or coordinate that it does not have.
  ControlPlaces places_of(const Model& whole, const ControlPlaces& places) const;

 private:
  std::unique_ptr<const Model> model_;
  std::vector<int> q_, v_, u_;
};

/// A law of such a robot, told of the whole one's motion.
/// @param law  bound to robot->model().
std::unique_ptr<OutputLaw> law_of_part(const Model& whole, std::unique_ptr<const LawRobot> robot,
                                       std::unique_ptr<OutputLaw> law);
/// What `bind(model, places)` makes of the robot that `what` describes, told of the whole one's motion.
template <typename Bind>
std::unique_ptr<OutputLaw> law_with_model(const Model& whole, const LawModel& what, const ControlPlaces& places,
                                          const Bind& bind) {
  if (what.complete()) return bind(whole, places);
  refuse_loops(whole);
  auto part = std::make_unique<const LawRobot>(whole, what);
  auto law = bind(part->model(), part->places_of(whole, places));
  return law_of_part(whole, std::move(part), std::move(law));
}

}  // namespace cuttle
