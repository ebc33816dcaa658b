// How well a finger of few modes follows the whole mesh of models/examples under pressure. scripts/fem_accuracy.py
// makes the figure of docs/accuracy.md of the properties that are recorded here.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <cmath>
#include <string>

#include "cuttle/bodies/chamber_surface.h"
#include "cuttle/bodies/fem_kinematics.h"
#include "cuttle/bodies/fem_modes.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/bodies/volume_body.h"
#include "io/meshes/gmsh_file.h"
#include "support/paths.h"

namespace cuttle::CUTTLE_FILE {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const VolumeMaterial k_rubber{.c1 = 3.0e4, .lame_lambda = 1.5e5};
constexpr double k_density = 1070.0;
// [Pa]; at 10 kPa the end moves by 10 mm, at 15 kPa by 39 mm: its thin walls then grow as a balloon
constexpr double k_pressures[] = {500, 1e3, 2e3, 3e3, 4e3, 5e3};

std::shared_ptr<const TetrahedralMesh> finger_mesh() {
  static const auto k_mesh =
      std::make_shared<const TetrahedralMesh>(read_gmsh_file(test::k_source_dir + "/models/examples/finger.msh"));
  return k_mesh;
}

/// Second derivative of a triangulated cavity's volume in its points: a . (b x c) / 6 of each triangle.
Eigen::SparseMatrix<double> volume_hessian(const ChamberSurface& chamber_surface, const std::vector<Vector3>& x) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int column, const Vector3& other) {  // the row's . (the column's x other) / 6
    const Matrix3 block = Matrix3::skew(other);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        entries.emplace_back(3 * row + r, 3 * column + c, -block(r, c) / 6);
        entries.emplace_back(3 * column + c, 3 * row + r, -block(r, c) / 6);
      }
    }
  };
  for (const auto& [a, b, c] : chamber_surface.triangles) add(a, b, x[c]), add(b, c, x[a]), add(c, a, x[b]);
  Eigen::SparseMatrix<double> hessian(3 * x.size(), 3 * x.size());
  hessian.setFromTriplets(entries.begin(), entries.end());
  return hessian;
}

/// Where the end of the finger is at each pressure, by Newton's method.
std::vector<Vector3> ends_under_pressure(const Body& body) {
  const int n = body.coordinate_count();
  const ChamberSurface chamber_surface = mesh_group_surface(*finger_mesh(), "cavity");
  EXPECT_TRUE(chamber_surface.openings.empty());
  const std::size_t count = chamber_surface.points.size();
  VectorXd q = VectorXd::Zero(n), residual(n);
  MatrixXd K(n, n);
  std::vector<Vector3> x(count), slopes(count * n), ends;
  Eigen::SparseMatrix<double> S(3 * count, n);  // of the points by q, a constant
  body.material_points(q.data(), chamber_surface.points.data(), count, {x.data(), slopes.data(), nullptr, nullptr});
  for (std::size_t i = 0; i < count; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int axis = 0; axis < 3; ++axis) {
        if (slopes[i * n + j][axis] != 0.0) S.insert(3 * i + axis, j) = slopes[i * n + j][axis];
      }
    }
  }
  std::vector<double> volume_slopes(n), memory(surface_workspace_size(chamber_surface, n));
  for (const double pressure : k_pressures) {
    double size = 1.0;
    for (int iteration = 0; iteration < 60 && size > 1e-10; ++iteration) {
      residual.setZero();
      body.add_elastic_force(q.data(), residual.data());
      volume_in_surface<double>(body, chamber_surface, q.data(), volume_slopes.data(), memory.data());
      residual -= pressure * Eigen::Map<const VectorXd>(volume_slopes.data(), n);
      body.stiffness_matrix(q.data(), K.data());
      body.material_points(q.data(), chamber_surface.points.data(), count, {x.data(), nullptr, nullptr, nullptr});
      const Eigen::SparseMatrix<double> pressed = S.transpose() * volume_hessian(chamber_surface, x) * S,
                                        tangent = Eigen::SparseMatrix<double>(K.sparseView()) - pressure * pressed;
      const VectorXd change = Eigen::SparseLU<Eigen::SparseMatrix<double>>(tangent).solve(residual);
      size = change.cwiseAbs().maxCoeff();
      q -= std::min(1.0, 4e-3 / size) * change;  // not further at once than elements bear
    }
    EXPECT_LE(size, 1e-10) << pressure;
    const Vector3 at{0.0, 0.0, 0.1};
    Vector3 end;
    body.material_points(q.data(), &at, 1, {&end, nullptr, nullptr, nullptr});
    ends.push_back(end - at);
  }
  return ends;
}

/// The finger of some modes; their number goes to `coordinates`.
std::vector<Vector3> reduced_ends(int modes, bool derivatives, bool attached, int& coordinates) {
  const auto mesh = finger_mesh();
  std::vector<FemAttachment> attachments;
  if (attached) attachments.push_back({.kind = FemAttachment::Kind::surface, .surface = "cavity"});
  const auto basis =
      std::make_shared<const FemBasis>(fem_modes(mesh, k_rubber, k_density, modes, derivatives, attachments));
  const double L = mesh->length(), R = mesh->radius();
  PointParameters points;
  points.quadrature = mesh_quadrature(*mesh, 1);
  points.density = k_density;
  points.tip_origin = {0, 0, L}, points.tip_a = {R, 0, L}, points.tip_b = {0, R, L};
  const VolumeBody body(points, k_rubber, std::make_shared<FemKinematics>(basis), mesh);
  coordinates = body.coordinate_count();
  return ends_under_pressure(body);
}

// Where the response is linear, the attachment mode is what is missing; at higher pressures the walls stretch more than
// second derivatives know.
TEST(FemFinger, AttachmentModesFollowSmallPressures) {
  const auto mesh = finger_mesh();
  const double L = mesh->length(), R = mesh->radius();
  const NodalVolume whole({mesh, k_density, k_rubber, {0, 0, L}, {R, 0, L}, {0, R, L}});
  const std::vector<Vector3> expected = ends_under_pressure(whole);
  const auto error = [&](const std::string& name, int modes, bool derivatives, bool attached) {
    int coordinates = 0;
    const std::vector<Vector3> found = reduced_ends(modes, derivatives, attached, coordinates);
    double least = 0.0;  // of the least pressure
    for (std::size_t i = expected.size(); i-- > 0;) {
      least = norm(found[i] - expected[i]) / norm(expected[i]);
      RecordProperty("finger_" + name + "_" + std::to_string(static_cast<int>(k_pressures[i])), std::to_string(least));
    }
    RecordProperty("coordinates_" + name, coordinates);
    return least;
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RecordProperty("whole_" + std::to_string(static_cast<int>(k_pressures[i])), std::to_string(norm(expected[i])));
  }
  error("modes_20", 20, false, false), error("attached_2", 2, true, true), error("attached_10", 10, true, true);
  const double plain = error("derivatives_5", 5, true, false), attached = error("attached_5", 5, true, true);
  EXPECT_LT(attached, 0.25 * plain);
  EXPECT_LT(attached, 0.03);
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
