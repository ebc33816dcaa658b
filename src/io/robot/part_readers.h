#pragma once

#include <optional>
#include <string>

#include "cuttle/io/key_reader.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/yaml_cursor.h"
#include "cuttle/model/pose_motion.h"
#include "cuttle/model/signal.h"
#include "cuttle/spatial/logarithm.h"
#include "cuttle/spatial/pose.h"

namespace cuttle {

/// Readers of the small parts that many places of the format share. As in all readers, `S` is what the robot's numbers
/// are read as, double or ForwardDual.

/// Checks the key `cuttle`, the version of the format.
void check_format_version(const YamlMap& map);

/// URDF's order: R = Rz(yaw) Ry(pitch) Rx(roll).
template <typename S>
Matrix3T<S> rotation_from_rpy(const S& roll, const S& pitch, const S& yaw);

/// Of a quaternion near norm 1, rounded once: a rotation to 2e-16, from which writing finds the quaternion again.
template <typename S>
Matrix3T<S> rotation_from_quaternion(const QuaternionT<S>& q);

/// A pose from position and rpy or quaternion; the identity where they are missing or wrong (then with an error).
template <typename S>
PoseT<S> read_pose(const YamlMap& map);
/// The rotation alone: from rpy or quaternion.
template <typename S>
Matrix3T<S> read_rotation(const YamlMap& map);
/// The pose under a key, or the identity.
template <typename S>
PoseT<S> read_pose(const YamlMap& map, const std::string& name);

/// Three numbers, or the default.
template <typename S>
Vector3T<S> read_vector3(const YamlMap& map, const std::string& name, const Vector3& fallback = {});

/// A pose in time.
template <typename S>
PoseMotion read_pose_motion(const KeyReader<S>& keys);

/// A number, or a signal (docs/format.md, Signal); its numbers are no parameters.
/// @param files  from which tables come.
std::optional<Signal> read_signal(const YamlCursor& cursor, const Key& rule, NamedFiles& files);

}  // namespace cuttle
