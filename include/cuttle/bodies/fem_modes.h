#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/tetrahedral_mesh.h"
#include "cuttle/bodies/volume_material.h"
#include "cuttle/diagnostic.h"

namespace CUTTLE_API cuttle {

/// Where something will act on a body of finite elements. The static responses to unit loads there are modes too
/// (attachment modes), so that the body gives way there as the whole mesh does.
struct FemAttachment {
  enum class Kind {
    point,    ///< unit forces along x, y and z at points[0]: a tendon, a spring
    frame,    ///< unit forces and torques on the frame of the points o, a, b (PointParametersT): what hangs at the tip
    surface,  ///< unit pressure in a cavity, a group of the mesh (mesh_group_surface): a chamber
  };
  Kind kind = Kind::point;
  std::array<Vector3T<double>, 3> points{};  ///< rest positions [m]
  std::string surface{};                     ///< name of the group
};

/// Displacements of the nodes of a mesh that is clamped at z = 0, which together span the motions of a volume.
struct FemBasis {
  std::shared_ptr<const TetrahedralMesh> mesh;
  /// Of each mode the displacement of every node, dimensionless: the greatest has length 1.
  std::vector<std::vector<Vector3>> modes;
  /// Of the vibration modes, which come first [rad/s].
  std::vector<double> frequencies;
  /// What the attachment modes, behind the vibration modes, are responses to; and how many there are: those that the
  /// modes before do not hold.
  std::vector<FemAttachment> attachments = {};
  std::size_t attachment_modes = 0;
  /// By how much the mesh is too stiff, relative to its stiffness. Of four-node tetrahedra by the square of the lowest
  /// frequency: the error of stress in that mode after Zienkiewicz and Zhu (1987), whose measure is the mean of the
  /// elements' stresses at each node. Of ten-node ones of a user's own law above a Poisson's ratio of 0.45: the largest
  /// under the loads of `load_errors`, beside the same mesh with one change of volume a tetrahedron, which does not
  /// lock. 0 of others.
  double estimated_error = 0.0;
  /// How far the modes move the end else than the mesh does under a small load, relative to that.
  struct LoadError {
    std::string load;  ///< "force on the end" (the worse of x and y), "pressure in 'GROUP'" of each chamber_surface
    double displacement = 0.0;  ///< 0 or more
  };
  std::vector<LoadError> load_errors = {};
  /// How many times stiffer than the mesh the modes are when the lowest bends them by 3 % of the length (1 with its
  /// derivative): by the orders up to the fourth of the energy in its amplitude, for Hooke's law between Green-Lagrange
  /// strain and second Piola-Kirchhoff stress.
  double stiffening = 1.0;
};
/// The deflection over the length to which FemBasis::stiffening belongs.
inline constexpr double k_fem_deflection = 0.03;

/// The lowest vibration modes of a mesh whose nodes at z = 0 (to 1e-9 of its length) are fixed: four- or
/// ten-node tetrahedra, consistent mass, stiffness of small strains with the material's mu and lambda. Consistent and
/// not lumped mass: the 4-point rule, with ten nodes the 14-point rule, integrates it exactly, so the mass matrix of
/// the body is diagonal and its small vibrations have these frequencies.
///
/// With `derivatives` (as in files the default), behind them the static modal derivatives theta_ij, i <= j, second
/// derivatives of the static shape in the amplitudes of the modes: K theta_ij = -d2f/(dq_i dq_j), f the elastic force
/// of the nodes with Hooke's law between Green-Lagrange strain and second Piola-Kirchhoff stress. They hold what large
/// deflections do at second order, as the shortening of a bent beam. They are made orthogonal with respect to mass, to
/// the modes and to each other; one that depends on those before it is left out.
///
/// With ten nodes what resists changes of volume beyond lambda = 2 mu acts at the centre of each tetrahedron alone, as
/// in the body, so that they do not lock near Poisson's ratio 0.5; not so of a user's own law.
///
/// The modes depend on lambda / mu and the mesh alone: not on density, nor on a common factor of the moduli.
///
/// Modes whose frequencies agree to 1e-5 (of round and square sections, on a mesh as symmetric) are turned among
/// themselves so that the first moves the center of mass most along x, the next along y. The sign: the center of mass
/// moves along +x, or +y or +z if it does not.
///
/// With `attachments`, behind the vibration modes the static responses to unit loads, made orthogonal as the modal
/// derivatives (Craig and Bampton 1968, Hintz 1975). Derivatives are then those of all pairs of both.
///
/// @param mesh   that passes `check`.
/// @param count  vibration modes, 1 to half the free coordinates of the nodes.
/// @throws ModelError: key, what was found, what was expected; a material that does not resist changes of volume (the
/// displacements do not keep it), a mesh that is not clamped by its nodes at z = 0.
FemBasis fem_modes(std::shared_ptr<const TetrahedralMesh> mesh, const VolumeMaterial& material, double density,
                   int count, bool derivatives = true, const std::vector<FemAttachment>& attachments = {});

/// What is wrong with a mesh: four-node tetrahedra resist bending, and in nearly incompressible material every
/// change of shape, more than the solid does. Ten-node ones do in a user's own law that is nearly incompressible.
/// @param estimated_error  as of FemBasis.
std::vector<Diagnostic> fem_warnings(const TetrahedralMesh& mesh, const VolumeMaterial& material,
                                     double estimated_error);
/// That of its mesh, and where its modes are much stiffer than the mesh.
std::vector<Diagnostic> fem_warnings(const FemBasis& basis, const VolumeMaterial& material);

}  // namespace cuttle
