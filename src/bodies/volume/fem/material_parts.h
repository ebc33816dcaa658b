#pragma once

#include <optional>

#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_material.h"

// Ten-node tetrahedra of nearly incompressible material lock if every point of theirs must keep its volume: there are
// more points than nodes to obey them. So what resists changes of volume there is integrated by one point a
// tetrahedron, its centre, where the change of volume of small displacements has its mean (selective reduced
// integration; pressure constant in a tetrahedron, displacements of second degree: a stable pair).

namespace cuttle {

/// W = shape + volume.
template <typename S>
struct MaterialPartsT {
  VolumeMaterialT<S> shape;   ///< what all points integrate: mu, and lambda up to k_everywhere mu
  VolumeMaterialT<S> volume;  ///< what the centres integrate: the rest of lambda; without damping
};

/// Up to this lambda / mu, that of a Poisson's ratio of 1/3, more points are more exact. Ten nodes are too stiff there,
/// by some percent with one of them across, and not near 1/2 (docs/accuracy.md).
inline constexpr double k_everywhere = 2.0;

/// The parts of a material in the tetrahedra of a mesh. None: all points integrate all of it. That is with four nodes,
/// which lock either way; of a law that a user gives as a whole; or of one that resists changes of volume less.
template <typename S>
std::optional<MaterialPartsT<S>> material_parts(const TetrahedralMesh& mesh, const VolumeMaterialT<S>& material);

/// lambda / mu of the two.
struct LameRatios {
  double shape, volume;
};
LameRatios lame_ratios(const TetrahedralMesh& mesh, const VolumeMaterialT<double>& material);

}  // namespace cuttle
