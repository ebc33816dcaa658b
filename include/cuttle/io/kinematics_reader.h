#pragma once

#include <memory>

#include "cuttle/api.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_kinematics.h"
#include "cuttle/io/key_reader.h"

namespace CUTTLE_API cuttle {

template <typename S>
struct VolumeSoFar;

/// Reads the kinematics of a volume: their own keys, and what the volume is otherwise.
template <typename S>
class KinematicsReader : public KeyReader<S> {
 public:
  KinematicsReader(const YamlMap& map, const VolumeSoFar<S>& volume);

  /// L of the shape at rest, which begins at z = 0 [m].
  const S& length() const;
  /// Of the shape; of a box half its width along x, of a mesh the largest distance from the axis [m].
  const S& radius() const;
  /// The mesh that is the shape; null: another shape.
  const std::shared_ptr<const TetrahedralMesh>& mesh() const;
  /// What the file said before: for the library's own kinds.
  const VolumeSoFar<S>& volume() const { return *volume_; }

 private:
  const VolumeSoFar<S>* volume_;
};

}  // namespace cuttle
