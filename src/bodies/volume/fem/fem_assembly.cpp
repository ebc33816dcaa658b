#include "bodies/volume/fem/fem_assembly.h"

#include <algorithm>
#include <string>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/error.h"

namespace cuttle {

namespace {

/// Sums the 3 x 3 blocks block(place, i, j) of all pairs of nodes over the points of a rule, each by its volume.
template <typename Block>
Eigen::SparseMatrix<double> assembled(const TetrahedralMesh& mesh, int points, const FreeNodes& nodes,
                                      const Block& block) {
  const int count = mesh.nodes_per_tetrahedron();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(mesh.tetrahedra.size() * 9 * count * count);
  std::vector<Matrix3> blocks(count * count);
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    std::fill(blocks.begin(), blocks.end(), Matrix3{});
    each_point_of<double>(mesh, t, points, [&](const ElementPlace<double>& place, double volume) {
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) blocks[i * count + j] += volume * block(place, i, j);
      }
    });
    const ElementNodes of(mesh, t);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        const int row = nodes.at(of[i]), column = nodes.at(of[j]);
        if (row < 0 || column < 0) continue;
        const Matrix3& part = blocks[i * count + j];
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            if (part(r, c) != 0.0) entries.emplace_back(row + r, column + c, part(r, c));
          }
        }
      }
    }
  }
  Eigen::SparseMatrix<double> sum(nodes.size(), nodes.size());
  sum.setFromTriplets(entries.begin(), entries.end());
  return sum;
}

Matrix3 gradient_of(const std::vector<Vector3>& u, const ElementNodes& nodes, const ElementPlace<double>& place) {
  Matrix3 gradient{};
  for (int i = 0; i < nodes.count(); ++i) gradient += Matrix3::outer(u[nodes[i]], place.gradients[i]);
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

FreeNodes FreeNodes::all(const TetrahedralMesh& mesh) {
  FreeNodes nodes;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) nodes.first_.push_back(static_cast<int>(3 * i));
  nodes.size_ = static_cast<Eigen::Index>(3 * mesh.nodes.size());
  return nodes;
}

std::vector<Vector3> FreeNodes::displacements(const Eigen::VectorXd& free) const {
  std::vector<Vector3> all(first_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (first_[i] >= 0) all[i] = {free[first_[i]], free[first_[i] + 1], free[first_[i] + 2]};
  }
  return all;
}

Eigen::SparseMatrix<double> fem_stiffness(const TetrahedralMesh& mesh, const FreeNodes& nodes, double lambda_over_mu) {
  return assembled(mesh, exact_strain_rule(mesh), nodes, [&](const ElementPlace<double>& place, int i, int j) {
    const Vector3 &a = place.gradients[i], &b = place.gradients[j];
    return lambda_over_mu * Matrix3::outer(a, b) + Matrix3::outer(b, a) + dot(a, b) * Matrix3::identity();
  });
}

Eigen::SparseMatrix<double> fem_unlocked_stiffness(const TetrahedralMesh& mesh, const FreeNodes& nodes,
                                                   double lambda_over_mu) {
  const auto shear = [](const ElementPlace<double>& place, int i, int j) {
    const Vector3 &a = place.gradients[i], &b = place.gradients[j];
    return Matrix3::outer(b, a) + dot(a, b) * Matrix3::identity();
  };
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const ElementNodes of(mesh, t);
    std::vector<Vector3> mean(static_cast<std::size_t>(of.count()));  // gradients times volume
    double whole = 0.0;
    each_point_of<double>(mesh, t, exact_strain_rule(mesh), [&](const ElementPlace<double>& place, double volume) {
      for (int i = 0; i < of.count(); ++i) mean[static_cast<std::size_t>(i)] += volume * place.gradients[i];
      whole += volume;
    });
    for (int i = 0; i < of.count(); ++i) {
      for (int j = 0; j < of.count(); ++j) {
        const int row = nodes.at(of[i]), column = nodes.at(of[j]);
        if (row < 0 || column < 0) continue;
        const Matrix3 part = (lambda_over_mu / whole) *
                             Matrix3::outer(mean[static_cast<std::size_t>(i)], mean[static_cast<std::size_t>(j)]);
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) entries.emplace_back(row + r, column + c, part(r, c));
        }
      }
    }
  }
  Eigen::SparseMatrix<double> sum(nodes.size(), nodes.size());
  sum.setFromTriplets(entries.begin(), entries.end());
  return sum + assembled(mesh, exact_strain_rule(mesh), nodes, shear);
}

Eigen::SparseMatrix<double> fem_mass(const TetrahedralMesh& mesh, const FreeNodes& nodes) {
  return assembled(mesh, mass_rule(mesh), nodes, [&](const ElementPlace<double>& place, int i, int j) {
    return (place.values[i] * place.values[j]) * Matrix3::identity();
  });
}

Eigen::VectorXd fem_second_force(const TetrahedralMesh& mesh, const FreeNodes& nodes, double lambda_over_mu,
                                 const std::vector<Vector3>& u, const std::vector<Vector3>& v) {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(nodes.size());
  each_element_point<double>(
      mesh, exact_strain_rule(mesh), [&](std::size_t t, const ElementPlace<double>& place, double volume) {
        const ElementNodes of(mesh, t);
        const Matrix3 H = gradient_of(u, of, place), G = gradient_of(v, of, place);
        const Matrix3 stress = H * linear_stress(lambda_over_mu, G) + G * linear_stress(lambda_over_mu, H) +
                               linear_stress(lambda_over_mu, H.transpose() * G);
        for (int i = 0; i < of.count(); ++i) {
          const int row = nodes.at(of[i]);
          if (row < 0) continue;
          const Vector3 part = volume * (stress * place.gradients[i]);
          for (int r = 0; r < 3; ++r) force[row + r] += part[r];
        }
      });
  return force;
}

double fem_fourth_energy(const TetrahedralMesh& mesh, double lambda_over_mu, const std::vector<Vector3>& u) {
  double sum = 0.0;
  each_element_point<double>(
      mesh, mass_rule(mesh), [&](std::size_t t, const ElementPlace<double>& place, double volume) {
        const Matrix3 H = gradient_of(u, ElementNodes(mesh, t), place), square = H.transpose() * H;
        const Matrix3 stress = linear_stress(lambda_over_mu, square);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) sum += 0.125 * volume * stress(i, j) * square(i, j);
        }
      });
  return sum;
}

}  // namespace cuttle
