#pragma once

#include "cuttle/io/visual.h"
#include "io/import/import_builder.h"

namespace cuttle {

/// Mass properties of solids of density 1, centered at the origin, axes along z.
MassProperties solid_box(const Vector3& half);
MassProperties solid_ellipsoid(const Vector3& half);
MassProperties solid_cylinder(double radius, double half_length);
/// @param half_length  of the cylinder between the half spheres.
MassProperties solid_capsule(double radius, double half_length);

/// From its base at -length / 2 to its tip.
MassProperties solid_cone(double radius, double length);

/// Whether each edge of each triangle is that of another one the other way round, points at the same place being one:
/// then, and only then, signed tetrahedra give a volume.
bool is_closed(const TriangleMesh& mesh);
/// What a mesh is taken for that bounds no volume exactly.
enum class MeshVolume {
  exact,   ///< signed tetrahedra on the origin: of a closed surface
  legacy,  ///< tetrahedra on the middle of the surface, all of them counted as positive (MuJoCo)
};
/// Of the volume of a mesh with density 1; a mass of 0 or below if it has none.
MassProperties solid_mesh(const TriangleMesh& mesh, MeshVolume volume);

/// The same body with another mass.
MassProperties with_mass(MassProperties properties, double mass);

}  // namespace cuttle
