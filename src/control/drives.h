#pragma once

#include <memory>
#include <vector>

#include "control/output_law.h"
#include "cuttle/algorithms/elements.h"

namespace cuttle {

/// Laws between the inputs of a controller and the efforts that these make (ActuatorT::law), at an instant: a law that
/// solves for efforts turns them into inputs here. An input without such a law is its own effort.
class Drives {
 public:
  /// @param inputs  of the controller. @throws ArgumentError for a law that has states, several inputs or no inverse.
  Drives(const Model& model, const std::vector<int>& inputs);

  bool any() const { return any_; }
  bool has_law(int k) const { return laws_[static_cast<std::size_t>(k)] != nullptr; }
  /// Where the robot is.
  void read(double time, const VectorXd& q, const VectorXd& v);
  /// Of input k of the controller, at u: the effort, and its slopes. y is the input's actuation coordinate.
  struct Slopes {
    double by_y, by_rate, by_input;
  };
  double effort(int k, double u);
  Slopes slopes(int k, double u);
  double slope(int k, double u) { return slopes(k, u).by_input; }
  /// The u of an effort.
  double input_for(int k, double effort);
  /// How that u follows y and its rate at a fixed effort, and how the effort. Where no u changes the effort any more -
  /// a slack tendon - as just before.
  struct InverseSlopes {
    double by_y, by_rate, by_effort;
  };
  InverseSlopes inverse_slopes(int k, double effort);
  /// dy/dq of input k, which has a law, after read; nv.
  auto column(int k) const { return elements_.matrix.col(transmission(k)); }
  /// Its place among the transmissions of elements.
  int transmission(int k) const { return laws_[static_cast<std::size_t>(k)]->first; }

 private:
  EffortArgumentsT<double> at(int k, const double* u);
  const Model& model_;
  Data data_;
  ElementData elements_;
  std::vector<const BoundElementT<double>*> laws_;  ///< one an input; null: none
  bool any_ = false;
  double time_ = 0.0;
};

/// A law that solves for efforts as one that says inputs; the law itself if there is nothing to turn. Its bounds become
/// those of the efforts.
std::unique_ptr<OutputLaw> through_drives(const Model& model, const ControlPlaces& places,
                                          std::unique_ptr<OutputLaw> law);

}  // namespace cuttle
