#include "bodies/volume/fem/fem_assembly.h"

#include <string>

#include "cuttle/error.h"

namespace cuttle {

namespace {

/// Calls use(corner functions, node numbers) for each tetrahedron.
template <typename Use>
void each_tetrahedron(const TetrahedralMesh& mesh, const Use& use) {
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) use(corner_functions(mesh, t), mesh.tetrahedra[t]);
}

/// Sums the 3 x 3 blocks block(functions, i, j) of all pairs of corners.
template <typename Block>
Eigen::SparseMatrix<double> assembled(const TetrahedralMesh& mesh, const FreeNodes& nodes, const Block& block) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(mesh.tetrahedra.size() * 144);
  each_tetrahedron(mesh, [&](const CornerFunctions& functions, const std::array<int, 4>& corners) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const int row = nodes.at(corners[i]), column = nodes.at(corners[j]);
        if (row < 0 || column < 0) continue;
        const Matrix3 part = block(functions, i, j);
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            if (part(r, c) != 0.0) entries.emplace_back(row + r, column + c, part(r, c));
          }
        }
      }
    }
  });
  Eigen::SparseMatrix<double> sum(nodes.size(), nodes.size());
  sum.setFromTriplets(entries.begin(), entries.end());
  return sum;
}

Matrix3 gradient_of(const std::vector<Vector3>& u, const std::array<int, 4>& corners,
                    const CornerFunctions& functions) {
  Matrix3 gradient{};
  for (int i = 0; i < 4; ++i) gradient += Matrix3::outer(u[corners[i]], functions.gradients[i]);
  return gradient;
}
/// C : sym(H) over mu.
Matrix3 linear_stress(double lambda_over_mu, const Matrix3& H) {
  return (lambda_over_mu * (H(0, 0) + H(1, 1) + H(2, 2))) * Matrix3::identity() + (H + H.transpose());
}

}  // namespace

FreeNodes::FreeNodes(const TetrahedralMesh& mesh) {
  const double limit = 1e-9 * mesh.length();
  std::vector<Vector3> fixed;
  for (const Vector3& x : mesh.nodes) {
    const bool free = x.z > limit;
    first_.push_back(free ? static_cast<int>(size_) : -1);
    if (free) {
      size_ += 3;
    } else {
      fixed.push_back(x);
    }
  }
  double widest = 0.0, area = 0.0;  // squares of edge and double area of triangles of fixed nodes
  Vector3 edge{};
  for (const Vector3& x : fixed) {
    const Vector3 from = x - fixed.front();
    if (dot(from, from) > widest) widest = dot(from, from), edge = from;
  }
  for (const Vector3& x : fixed) {
    const Vector3 normal = cross(edge, x - fixed.front());
    area = std::max(area, dot(normal, normal));
  }
  if (!(area > 1e-12 * widest * widest)) {
    throw ModelError("mesh", std::to_string(fixed.size()) + " nodes at z = 0",
                     "three or more that are not on one line: the body is clamped there");
  }
}

std::vector<Vector3> FreeNodes::displacements(const Eigen::VectorXd& free) const {
  std::vector<Vector3> all(first_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (first_[i] >= 0) all[i] = {free[first_[i]], free[first_[i] + 1], free[first_[i] + 2]};
  }
  return all;
}

Eigen::SparseMatrix<double> fem_stiffness(const TetrahedralMesh& mesh, const FreeNodes& nodes, double lambda_over_mu) {
  return assembled(mesh, nodes, [&](const CornerFunctions& functions, int i, int j) {
    const Vector3 &a = functions.gradients[i], &b = functions.gradients[j];
    const double V = functions.volume;
    return (V * lambda_over_mu) * Matrix3::outer(a, b) + V * Matrix3::outer(b, a) +
           (V * dot(a, b)) * Matrix3::identity();
  });
}

Eigen::SparseMatrix<double> fem_mass(const TetrahedralMesh& mesh, const FreeNodes& nodes) {
  return assembled(mesh, nodes, [&](const CornerFunctions& functions, int i, int j) {
    return (functions.volume * (i == j ? 0.1 : 0.05)) * Matrix3::identity();
  });
}

Eigen::VectorXd fem_second_force(const TetrahedralMesh& mesh, const FreeNodes& nodes, double lambda_over_mu,
                                 const std::vector<Vector3>& u, const std::vector<Vector3>& v) {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(nodes.size());
  each_tetrahedron(mesh, [&](const CornerFunctions& functions, const std::array<int, 4>& corners) {
    const Matrix3 H = gradient_of(u, corners, functions), G = gradient_of(v, corners, functions);
    const Matrix3 stress = H * linear_stress(lambda_over_mu, G) + G * linear_stress(lambda_over_mu, H) +
                           linear_stress(lambda_over_mu, H.transpose() * G);
    for (int i = 0; i < 4; ++i) {
      const int row = nodes.at(corners[i]);
      if (row < 0) continue;
      const Vector3 part = functions.volume * (stress * functions.gradients[i]);
      for (int r = 0; r < 3; ++r) force[row + r] += part[r];
    }
  });
  return force;
}

}  // namespace cuttle
