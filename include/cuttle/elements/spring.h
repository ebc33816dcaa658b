#pragma once

#include <optional>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Parameters of a spring with a damper along its line, between two places.
template <typename S>
struct SpringT {
  S stiffness{};                   ///< [N/m], >= 0
  S damping{};                     ///< [N s/m], >= 0
  std::optional<S> rest_length{};  ///< [m], >= 0; missing: the distance of the places at q = 0
};
using Spring = SpringT<double>;

/// It pulls by stiffness times its extension plus damping times its rate. Where both places coincide it has no
/// direction: no damping, and no force. With a rest length of 0 they may coincide at rest too; its stiffness there acts
/// every way.
/// @throws ModelError: key, what was found, what was expected.
template <typename S>
CUTTLE_API ElementT<S> make_spring(std::string name, PlaceT<S> a, PlaceT<S> b, const SpringT<S>& spring);

/// The parameters of a law, if it is that of a spring; else null.
template <typename S>
CUTTLE_API const SpringT<S>* spring_parameters(const EffortLawT<S>& law);

}  // namespace cuttle
