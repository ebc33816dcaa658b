#include "control/path_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuttle/algorithms/cartesian_path.h"
#include "cuttle/algorithms/state_loads.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/model/frame_names.h"
#include "cuttle/model/spelling.h"

namespace cuttle {

Frame named_frame(const Model& model, const std::string& name, const KeyPath& key) {
  if (const auto found = find_frame(model, name)) return *found;
  throw ArgumentError(
      Diagnostic(key, "no '" + name + "'", "LINK.tip, LINK.base or a marker" + did_you_mean(name, frame_names(model))));
}

std::vector<Signal> path_reference(const Model& model, const ReferenceSettings& settings, const ControlPlaces& places,
                                   Controls what) {
  if (!std::isfinite(settings.begin) || !std::isfinite(settings.end)) {
    throw ArgumentError(Diagnostic("window", "none, beside a reference of type equilibrium_path",
                                   "[begin, end]: when the path begins and ends [s]"));
  }
  std::vector<FramePath> paths;
  for (const auto& [name, position] : settings.path->targets) {
    paths.push_back({named_frame(model, name, {"reference", "targets", name}), position, name});
  }
  const double before = std::nextafter(settings.begin, settings.begin - 1.0);
  StaticLoads loads;
  loads.u = VectorXd::Zero(model.nu());
  loads.external = loads_at(model, before), loads.state_loads_at = before;
  EquilibriumPathOptions options;
  options.begin = settings.begin, options.end = settings.end, options.samples = settings.path->samples;
  options.statics.inputs = places.inputs;
  EquilibriumPath path;
  try {
    path = equilibrium_path(model, paths, loads, model.neutral(), options);
  } catch (const StaticsError& error) {
    throw ArgumentError(Diagnostic("reference", error.what(), "a robot that rests somewhere"));
  }
  const double tolerance = settings.path->tolerance;
  const auto missed = std::find_if(path.samples.begin(), path.samples.end(), [&](const InverseStaticsResult& sample) {
    return !sample.converged && sample.residual > tolerance;
  });
  if (missed != path.samples.end()) {
    throw ArgumentError(
        Diagnostic({"reference", "targets"},
                   fmt::format("no equilibrium that holds the frames at t = {:.6g} s: {:.3g} m or rad off",
                               path.times[static_cast<std::size_t>(missed - path.samples.begin())], missed->residual),
                   "paths that the robot can follow at rest"));
  }
  std::vector<Signal> reference;
  const bool of_inputs = what == Controls::inputs;
  for (const int i : of_inputs ? places.inputs : places.q) {
    reference.push_back((of_inputs ? path.actuation : path.configuration)[static_cast<std::size_t>(i)]);
  }
  return reference;
}

std::vector<Signal> KeptPathReference::reference(const Model& model, const ReferenceSettings& settings,
                                                 const ControlPlaces& places, Controls what) const {
  const std::scoped_lock lock(lock_);
  if (!robot_ || !(*robot_ == model.robot())) {
    robot_.reset();
    reference_ = path_reference(model, settings, places, what);
    robot_ = model.robot();
  }
  return reference_;
}

}  // namespace cuttle
