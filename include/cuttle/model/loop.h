#pragma once

#include <string>

#include "cuttle/api.h"
#include "cuttle/model/place.h"
#include "cuttle/model/pose_motion.h"
#include "cuttle/model/topology.h"

namespace CUTTLE_API cuttle {

/// What a closed loop leaves free between its two frames.
enum class LoopType { fixed, revolute, spherical, prismatic, universal };
/// Name as in files.
const char* loop_type_name(LoopType type);

/// A joint that closes a kinematic loop: it ties frame b to frame a, between any two places of the tree
/// (docs/format.md, Loop). Either may be on the robot's base. With p the frames' origins in the world and R the
/// rotation from b's axes to a's, the constraint Phi(q) = 0 has the rows
///   fixed       p_b - p_a (world axes), log(R)
///   revolute    p_b - p_a, n_0 . R axis, n_1 . R axis: b turns about `axis`, the same vector in a's and in b's axes
///   spherical   p_b - p_a
///   prismatic   log(R), n_0 . (p_b - p_a), n_1 . (p_b - p_a): b slides along `axis`
///   universal   p_b - p_a, axis . R axis_b: b turns about `axis`, fixed in a, and about `axis_b`, fixed in b
/// n_0, n_1 are fixed in a, orthogonal to `axis` and to each other. axis_b is the coordinate axis after the largest
/// component of `axis` (y after x, z after y, x after z), made orthogonal to it: for `axis` = x that is y, as for the
/// universal joint. Axis rows instead of log(R) stay regular at every angle (unlike [B] (36)).
template <typename S>
struct LoopT {
  std::string name;
  LoopType type = LoopType::fixed;
  Vector3T<S> axis{S(0.0), S(0.0), S(1.0)};  ///< in frame a, of any length but 0; no meaning for fixed and spherical
  PlaceT<S> a, b;
  /// Moves frame a: its pose in time relative to where `a` puts it. A run moves it (drive_loops in
  /// cuttle/simulation/driven_loops.h); all else sees it as at time 0.
  PoseMotion drive{};

  bool operator==(const LoopT&) const = default;
  template <typename T>
  LoopT<T> cast() const {
    return {name, type, axis.template cast<T>(), a.template cast<T>(), b.template cast<T>(), drive};
  }
};
using Loop = LoopT<double>;

/// A loop bound to the frames of a model. Its rows stand in this order, those that its type has.
template <typename S>
struct BoundLoopT {
  std::string name;
  LoopType type = LoopType::fixed;
  FrameT<S> a, b;
  /// Unit, fixed in a: n_0, n_1 of revolute and prismatic; normal[0] of universal is `axis` itself.
  Vector3T<S> normal[2];
  Vector3T<S> axis_b;     ///< unit, fixed in b: stays orthogonal to the normals (revolute, universal)
  int row = 0;            ///< first of its rows among those of all loops
  int position_rows = 0;  ///< 3 or 0: p_b - p_a, world axes [m]
  int axis_rows = 0;      ///< 2, 1 or 0: normal[k] . R axis_b
  int rotation_rows = 0;  ///< 3 or 0: log(R) [rad]
  int slide_rows = 0;     ///< 2 or 0: normal[k] . R_a^T (p_b - p_a) [m]

  int row_count() const { return position_rows + axis_rows + rotation_rows + slide_rows; }
  int axis_row() const { return row + position_rows; }
};
using BoundLoop = BoundLoopT<double>;

}  // namespace cuttle
