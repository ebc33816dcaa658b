#include "control/actuation_law.h"

#include <algorithm>

#include "algorithms/actuation_info.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/error.h"

namespace cuttle {

ActuationLaw::ActuationLaw(const Model& model, const FeedbackSettings& settings, const ControlPlaces& places)
    : plant_(model, places.inputs),
      places_(places),
      reference_(settings.reference, places.input_count()),
      kp_(gain_matrix("kp", settings.kp, places.input_count())),
      kd_(gain_matrix("kd", settings.kd, places.input_count())),
      error_(VectorXd::Zero(places.input_count())),
      rate_error_(VectorXd::Zero(places.input_count())),
      data_(model) {
  // forces on frames do work on motions that are no change of a coordinate
  const auto& wrenches = model.actuation().wrenches;
  for (std::size_t i = 0; i < places.inputs.size(); ++i) {
    const int input = places.inputs[i];
    const auto is_part = [input](const auto& wrench) { return wrench.input <= input && input < wrench.input + 6; };
    if (std::none_of(wrenches.begin(), wrenches.end(), is_part)) continue;
    const std::string& name = model.input_info()[static_cast<std::size_t>(input)].name;
    throw ArgumentError(Diagnostic({"inputs", i}, "'" + name + "' of an actuator of type wrench",
                                   "inputs with an actuation coordinate, as of joints, tendons, chambers"));
  }
}

void ActuationLaw::describe(ControlColumns& columns) const {
  const std::vector<CoordinateInfo> y = actuation_info(plant_.model());
  for (const int i : places_.inputs) columns.reference.push_back(y[static_cast<std::size_t>(i)]);
  columns.error = columns.reference;
}

void ActuationLaw::observe(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error) {
  const VectorXd& y = actuation_coordinates<double>(plant_.model(), data_, at.q);
  reference = reference_.at(at.time), error = reference;
  for (int i = 0; i < places_.input_count(); ++i) error[i] -= y[places_.inputs[i]];
}

void ActuationLaw::read_errors(const ControlArguments& at) {
  error_ = reference_.at(at.time) - plant_.y;
  rate_error_ = reference_.rate_at(at.time) - plant_.rate;
}

}  // namespace cuttle
