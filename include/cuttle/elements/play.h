#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of play (backlash) in a sum of coordinates y: nothing acts while y is within gap / 2 of `rest`; beyond,
/// on either side, a spring with a damper pushes back. Both begin smoothly: over the first `range` the stiffness grows
/// evenly from zero, so that the effort has no corner.
template <typename S>
struct PlayT {
  S gap{};        ///< from one flank to the other, in the unit of y, >= 0
  S stiffness{};  ///< far beyond a flank: effort on y for each unit of it, > 0
  S damping{};    ///< likewise, for each unit of dy/dt, >= 0
  S range{};      ///< in the unit of y, > 0
  S rest{};       ///< middle of the gap
};
using Play = PlayT<double>;

/// Play in y = sum of factors[i] q_i, over the coordinates of `links` in order: {1} of a joint that is loose, {1, -N}
/// of a motor and the joint that it drives through a gear of ratio N.
/// @param factors  as many as the links have coordinates.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ElementT<S> make_play(const std::string& name, std::vector<std::string> links, const std::vector<S>& factors,
                                 const PlayT<S>& play);

/// The parameters of a law, if it is that of play; else null.
template <typename S>
CUTTLE_API const PlayT<S>* play_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
