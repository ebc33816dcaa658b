#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/output_law.h"

namespace cuttle {

/// LINK.tip, LINK.base or a marker. @throws ArgumentError about `key`.
Frame named_frame(const Model& model, const std::string& name, const KeyPath& key);

/// The reference that carries frames along paths through equilibria of the robot (equilibrium_path), over the window of
/// the controller: actuation coordinates of its inputs, or the configuration of its links.
/// @throws ArgumentError where no equilibrium holds the frames there, with the first time and how far they stay off.
std::vector<Signal> path_reference(const Model& model, const ReferenceSettings& settings, const ControlPlaces& places,
                                   Controls what);

/// The same, kept for the next time that a controller is bound to such a robot: a run does so three times, and a path
/// takes seconds.
class KeptPathReference {
 public:
  std::vector<Signal> reference(const Model& model, const ReferenceSettings& settings, const ControlPlaces& places,
                                Controls what) const;

 private:
  mutable std::mutex lock_;
  mutable std::optional<Robot> robot_;
  mutable std::vector<Signal> reference_;
};

}  // namespace cuttle
