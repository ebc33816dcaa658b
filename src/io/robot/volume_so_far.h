#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/quadrature.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/io/kinematics_reader.h"
#include "cuttle/io/map_writer.h"
#include "cuttle/io/part_reader.h"
#include "io/robot/materials.h"

namespace cuttle {

/// What a volume of a robot file is but for its kinematics, where it was read without errors.
template <typename S>
struct VolumeSoFar {
  const YamlMap& map;  ///< of the body
  NamedFiles& files;   ///< that the file names
  const Body* before;  ///< the body that was read from the same tree: it has what stands in files. Null: read them
  S length = S(1.0), rim_x = S(1.0), rim_y = S(1.0);
  QuadratureT<S> quadrature{};
  std::shared_ptr<const TetrahedralMesh> mesh{};  ///< null: another shape
  int rule = 0;                                   ///< points of each tetrahedron of the mesh
  PointShapeT<S> surface{};
  std::array<Vector3T<S>, 3> tip{};            ///< its points o, a, b
  const ReadMaterialT<S>* material = nullptr;  ///< null: none that a volume can have
};

/// A list of three integers whose rule is the form of the key; nothing, with an error, if it is none.
std::optional<std::array<int, 3>> read_integers(const YamlMap& map, const std::string& name);
Key integers_key(const char* name, const char* meaning, NumberRange range);

/// Whether finite elements can be had: on a mesh of a material that resists changes of volume. If not there are errors,
/// of the shape or the material or here.
template <typename S>
bool check_fem(const VolumeSoFar<S>& volume);

/// The length of kinematics must be that of the shape, which files give. @throws ModelError
void require_length(double found, const WriteContext& context);

}  // namespace cuttle
