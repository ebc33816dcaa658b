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
  VolumeMaterialT<S> shape;   ///< what all points integrate: mu, and of lambda what part_everywhere says
  VolumeMaterialT<S> volume;  ///< what the centres integrate: the rest of lambda; without damping
};

/// What all points integrate of t = lambda / mu: all up to 1, a Poisson's ratio of 1/4, where more points are more
/// exact. Beyond that 2 - 1 / t, which goes on smoothly, so that numbers of a material have derivatives, and tends
/// to 2. With less of it one element across is too soft near 1/2, with more too stiff at 1/3 (docs/accuracy.md).
template <typename S>
S part_everywhere(const S& t) {
  return t < S(1.0) ? t : S(2.0) - S(1.0) / t;
}

/// The parts of a material in the tetrahedra of a mesh. None: all points integrate all of it. That is with four nodes,
/// which lock either way; of a law that a user gives as a whole; or of one that resists changes of volume less.
template <typename S>
std::optional<MaterialPartsT<S>> material_parts(const TetrahedralMesh& mesh, const VolumeMaterialT<S>& material);

/// lambda / mu of the two.
struct LameRatios {
  double shape, volume;
};
/// Of lambda / mu, on ten nodes.
inline LameRatios parts_of_ratio(double t) { return {part_everywhere(t), t - part_everywhere(t)}; }
LameRatios lame_ratios(const TetrahedralMesh& mesh, const VolumeMaterialT<double>& material);

}  // namespace cuttle
