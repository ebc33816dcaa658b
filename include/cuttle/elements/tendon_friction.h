#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Which way a tendon at rest is taken to have slid before: towards where it is pulled, away from there, or neither.
enum class Sliding { pulled, released, none };
/// Which end of its routing a tendon is pulled at.
enum class PulledEnd { first, last };

/// Parameters of the friction of a tendon in what leads it (Euler-Eytelwein or capstan equation): where it turns by
/// the angle theta its tension changes by exp(-mu sigma theta), away from where it is pulled.
template <typename S>
struct TendonFrictionT {
  S coefficient{};  ///< mu, >= 0
  /// sigma at rest: 1, -1 or 0. Sliding at w [m/s] towards where it is pulled, sigma is 1 from w = range (1 - sigma at
  /// rest) on and -1 from -range (1 + sigma at rest) on, and a smooth step in between.
  Sliding sliding = Sliding::pulled;
  S range = S(1e-3);                       ///< of the sliding velocity [m/s], > 0
  PulledEnd pulled_at = PulledEnd::first;  ///< of its routing
  /// How often the distance of its points along rods is halved. They follow from the shape functions of the strain, the
  /// routing and the coefficient: 0 is enough, more tells how much. 0 to k_most_refinement; files have no key for it.
  int refinement = 0;
  static constexpr int k_most_refinement = 8;
};
using TendonFriction = TendonFrictionT<double>;

/// Friction of the tendons with these names, actuators driven by tension or by length: it acts beside them, with what
/// the tension along the way is less than (or beyond) that at the pulled end. A tendon through points turns at the
/// points, where it leaves rods and enters them; along a rod it turns with its tangent, all over. Each place slides by
/// itself: by the shortening of what is behind it. So friction takes power wherever the tendon slides beyond the range,
/// and all of it counts as dissipated. Without `sliding` at rest it takes power always; with it may give some, up to
/// that of the difference of tensions at `range`, while the tendon slides back slower than 2 `range`.
///
/// Left out: corners where a tendon enters or leaves a volume, tension below zero, angles below some 1e-3 rad (rounded
/// there, so that straight tendons have derivatives). With a coefficient of 0 there is none, and no cost.
/// Outputs, one an actuator: NAME.ACTUATOR, the tension in the last part that moves: a straight one, or the end of the
/// way along a rod [N].
/// @throws ModelError: key, what was found, what was expected.
/// @code
/// robot.elements.push_back(make_tendon_friction<double>("friction", {"cable"}, {.coefficient = 0.2}));
/// @endcode
template <typename S>
CUTTLE_API ElementT<S> make_tendon_friction(std::string name, std::vector<std::string> actuators,
                                            const TendonFrictionT<S>& friction);

/// The parameters of a law, if it is that of such friction; else null.
template <typename S>
CUTTLE_API const TendonFrictionT<S>* tendon_friction_parameters(const EffortLawT<S>& law);
/// And the actuators that it acts beside; none of other laws.
CUTTLE_API std::vector<std::string> rubbing_tendons(const EffortLawT<double>& law);

}  // namespace cuttle
