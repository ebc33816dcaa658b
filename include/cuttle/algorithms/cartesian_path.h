#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/api.h"
#include "cuttle/model/signal.h"

namespace CUTTLE_API cuttle {

/// A path on which the origin of a frame is to move, or the whole frame.
struct FramePath {
  Frame frame;
  std::array<Signal, 3> position;  ///< x, y, z in the world, in time [m]
  std::string name = {};           ///< in messages; empty: "target 0"
  /// Quaternion w, x, y, z of the frame in the world, of any length but 0; none: the frame may turn.
  std::optional<std::array<Signal, 4>> orientation = {};
};

struct EquilibriumPathOptions {
  InverseStaticsOptions statics = {};
  double begin = 0.0, end = 1.0;  ///< in time [s]
  int samples = 101;              ///< equilibria, at equal distances in time; >= 3
};

/// A step from one sample to the next that is no part of a smooth motion.
struct EquilibriumJump {
  double begin = 0.0, end = 0.0;  ///< times of the two samples [s]
  int coordinate = 0;             ///< of q, the one that jumps most
  double change = 0.0;            ///< of it, in its unit
};

/// Equilibria through which a robot carries its frames along paths, as functions of time.
struct EquilibriumPath {
  bool converged = false;     ///< every sample holds all frames at their targets
  bool stable = false;        ///< and every one is stable
  std::vector<double> times;  ///< of the samples [s]
  std::vector<InverseStaticsResult> samples;
  // Cubic splines through the samples with natural ends, twice differentiable, held outside: references of controllers.
  std::vector<Signal> configuration;  ///< q, nq
  std::vector<Signal> inputs;         ///< u, nu, that hold the samples at rest
  std::vector<Signal> actuation;      ///< y(q), nu: actuation coordinates [rad, m, m^3]
  /// How far a frame is from its path midway between two samples, where the configuration is that of the splines, at
  /// most [m]. It falls with the fourth power of the distance of samples, at the ends with the second.
  double deviation = 0.0;
  /// Where coordinates jump: by more than 0.05 rad, or 0.05 of the robot's length, and five times as far as in the
  /// steps around. A robot cannot follow there, however held and stable the samples are: another equilibrium serves the
  /// path from then on, or the path itself is too fast for these samples.
  std::vector<EquilibriumJump> jumps = {};
};

/// Turns paths of frames in space into a path of equilibria: inverse_statics at each sample, each from the one before.
/// [P] Simulation 1 has its references from circles in this way.
/// @param q0  from where the equilibrium of the first sample is looked for, nq.
/// @return also where samples do not converge: `converged` says it, and each sample by how much.
/// @throws ArgumentError as InverseStatics; for fewer than three samples, an end before the beginning, or a robot with
/// quaternions, whose splines would leave unit norm; StaticsError if the first sample leads to no equilibrium at all.
EquilibriumPath equilibrium_path(const Model& model, const std::vector<FramePath>& paths, const StaticLoads& loads,
                                 VectorInT<double> q0, const EquilibriumPathOptions& options = {});

}  // namespace cuttle
