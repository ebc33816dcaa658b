#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "bodies/volume/fem/fem_assembly.h"
#include "cuttle/bodies/fem_modes.h"

namespace cuttle {

/// Forces on the free nodes that unit loads at the attachments make at rest, a column each: [N] of forces, [N m / m] of
/// torques, [m^2] of a pressure.
/// @throws ModelError at the place ["attachments", i]: a point too far from the mesh, points o, a, b on a line, no such
/// cavity.
Eigen::MatrixXd attachment_loads(const std::shared_ptr<const TetrahedralMesh>& mesh, const FreeNodes& nodes,
                                 const std::vector<FemAttachment>& attachments);

}  // namespace cuttle
