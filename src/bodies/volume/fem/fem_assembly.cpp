#include "bodies/volume/fem/fem_assembly.h"

#include <algorithm>
#include <string>

#include "bodies/volume/fem/tetrahedral_element.h"
#include "cuttle/error.h"

namespace cuttle {

namespace {

/// Over the shear modulus of the material.
struct HookesLaw {
  double lambda, mu;
  /// C : sym(H).
  Matrix3 stress(const Matrix3& H) const {
    return (lambda * (H(0, 0) + H(1, 1) + H(2, 2))) * Matrix3::identity() + mu * (H + H.transpose());
  }
};

/// Sums the 3 x 3 blocks block(place, i, j) of all pairs of nodes over the points that each(add) adds, each by its
/// volume: add(tetrahedron, place, volume, block).
template <typename Each>
Eigen::SparseMatrix<double> assembled(const TetrahedralMesh& mesh, const FreeNodes& nodes, const Each& each) {
  const int count = mesh.nodes_per_tetrahedron();
  std::vector<Matrix3> blocks(mesh.tetrahedra.size() * count * count);
  each([&](std::size_t t, const ElementPlace<double>& place, double volume, const auto& block) {
    Matrix3* const of = blocks.data() + t * count * count;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) of[i * count + j] += volume * block(place, i, j);
    }
  });
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * blocks.size());
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const ElementNodes of(mesh, t);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        const int row = nodes.at(of[i]), column = nodes.at(of[j]);
        if (row < 0 || column < 0) continue;
        const Matrix3& part = blocks[(t * count + i) * count + j];
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

/// Calls use(tetrahedron, ElementPlace, volume of the point, HookesLaw there) for the points of a rule, then for the
/// centres.
template <typename Use>
void each_elastic_point(const TetrahedralMesh& mesh, int points, const LameRatios& ratios, const Use& use) {
  each_element_point<double>(mesh, points, [&](std::size_t t, const ElementPlace<double>& place, double volume) {
    use(t, place, volume, HookesLaw{ratios.shape, 1.0});
  });
  if (ratios.volume == 0.0) return;
  each_element_centre<double>(mesh, [&](std::size_t t, const ElementPlace<double>& place, double volume) {
    use(t, place, volume, HookesLaw{ratios.volume, 0.0});
  });
}

Matrix3 gradient_of(const std::vector<Vector3>& u, const ElementNodes& nodes, const ElementPlace<double>& place) {
  Matrix3 gradient{};
  for (int i = 0; i < nodes.count(); ++i) gradient += Matrix3::outer(u[nodes[i]], place.gradients[i]);
  return gradient;
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

Eigen::SparseMatrix<double> fem_stiffness(const TetrahedralMesh& mesh, const FreeNodes& nodes,
                                          const LameRatios& ratios) {
  return assembled(mesh, nodes, [&](const auto& add) {
    const auto add_point = [&](std::size_t t, const ElementPlace<double>& at, double volume, const HookesLaw& law) {
      add(t, at, volume, [&law](const ElementPlace<double>& place, int i, int j) {
        const Vector3 &a = place.gradients[i], &b = place.gradients[j];
        return law.lambda * Matrix3::outer(a, b) + law.mu * (Matrix3::outer(b, a) + dot(a, b) * Matrix3::identity());
      });
    };
    each_elastic_point(mesh, exact_strain_rule(mesh), ratios, add_point);
  });
}

Eigen::SparseMatrix<double> fem_mass(const TetrahedralMesh& mesh, const FreeNodes& nodes) {
  return assembled(mesh, nodes, [&](const auto& add) {
    each_element_point<double>(mesh, mass_rule(mesh),
                               [&](std::size_t t, const ElementPlace<double>& at, double volume) {
                                 add(t, at, volume, [](const ElementPlace<double>& place, int i, int j) {
                                   return (place.values[i] * place.values[j]) * Matrix3::identity();
                                 });
                               });
  });
}

Eigen::VectorXd fem_second_force(const TetrahedralMesh& mesh, const FreeNodes& nodes, const LameRatios& ratios,
                                 const std::vector<Vector3>& u, const std::vector<Vector3>& v) {
  Eigen::VectorXd force = Eigen::VectorXd::Zero(nodes.size());
  const auto add = [&](std::size_t t, const ElementPlace<double>& place, double volume, const HookesLaw& law) {
    const ElementNodes of(mesh, t);
    const Matrix3 H = gradient_of(u, of, place), G = gradient_of(v, of, place);
    const Matrix3 stress = H * law.stress(G) + G * law.stress(H) + law.stress(H.transpose() * G);
    for (int i = 0; i < of.count(); ++i) {
      const int row = nodes.at(of[i]);
      if (row < 0) continue;
      const Vector3 part = volume * (stress * place.gradients[i]);
      for (int r = 0; r < 3; ++r) force[row + r] += part[r];
    }
  };
  each_elastic_point(mesh, exact_strain_rule(mesh), ratios, add);
  return force;
}

double fem_fourth_energy(const TetrahedralMesh& mesh, const LameRatios& ratios, const std::vector<Vector3>& u) {
  double sum = 0.0;
  const auto add = [&](std::size_t t, const ElementPlace<double>& place, double volume, const HookesLaw& law) {
    const Matrix3 H = gradient_of(u, ElementNodes(mesh, t), place), square = H.transpose() * H;
    const Matrix3 stress = law.stress(square);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) sum += 0.125 * volume * stress(i, j) * square(i, j);
    }
  };
  each_elastic_point(mesh, mass_rule(mesh), ratios, add);
  return sum;
}

}  // namespace cuttle
