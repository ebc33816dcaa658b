#include <algorithm>

#include "bodies/volume/fem/nodal_volume_impl.h"
#include "bodies/volume/lane_matrix.h"
#include "bodies/volume/material_energy.h"
#include "bodies/volume/volume_material_impl.h"
#include "cuttle/bodies/point_block.h"
#include "cuttle/bodies/point_kinematics.h"

// Elasticity and damping of a NodalVolumeT, and its material points.

namespace cuttle {
namespace {

constexpr std::size_t k_displacements = 3 * k_most_element_nodes;  // of the nodes of a tetrahedron

/// A matrix among rows of lanes: its numbers lie `every` apart.
template <typename S>
void set_lane_matrix(S* at, const Matrix3T<S>& A, std::size_t every) {
  for (int i = 0; i < 3; ++i) {
    const Vector3T<S>& row = i == 0 ? A.row0 : (i == 1 ? A.row1 : A.row2);
    for (int j = 0; j < 3; ++j) at[(3 * i + j) * every] = row[j];
  }
}

}  // namespace

template <typename S>
Matrix3T<S> NodalVolumeT<S>::gradient(const S* q, std::size_t point) const {
  const int* nodes = tables_->nodes_of(point);
  const Vector3T<S>* gradients = tables_->gradients_of(point);
  Matrix3T<S> sum{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (int i = 0; i < tables_->element_count; ++i) sum += Matrix3T<S>::outer(displacement(q, nodes[i]), gradients[i]);
  return sum;
}

/// What acts at a point of a material of the library.
template <typename S>
const VolumeMaterialT<S>& NodalVolumeT<S>::material_at(std::size_t point) const {
  const VolumeMaterialT<S>* part = tables_->part_at(point);
  return part != nullptr ? *part : parameters_.material;
}

/// Calls use(first, count, F of the points [first, first + count) as rows of lanes) for all of them, a few blocks
/// at a time: for a law of a user, which takes them so.
template <typename S>
template <typename Use>
void NodalVolumeT<S>::each_blocks(const S* q, const Use& use) const {
  constexpr std::size_t k_lanes = k_point_lanes<S>, k_most = 4 * k_lanes;
  S rows[9 * k_most];
  const std::size_t total = tables_->strain_points;
  for (std::size_t first = 0; first < total; first += k_most) {
    const std::size_t count = std::min(k_most, total - first);
    for (std::size_t i = 0; i < block_count<S>(count) * k_lanes; ++i) {  // the last one fills the lanes that are left
      const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, first + std::min(i, count - 1));
      set_lane_matrix(rows + i / k_lanes * 9 * k_lanes + i % k_lanes, F, k_lanes);
    }
    use(first, count, rows);
  }
}

template <typename S>
S NodalVolumeT<S>::elastic_energy(const S* q) const {
  check(q);
  S sum(0.0);
  if (const auto& law = parameters_.material.law) {
    S density[4 * k_point_lanes<S>];
    each_blocks(q, [&](std::size_t first, std::size_t count, const S* rows) {
      law->energy_density(rows, block_count<S>(count), density);
      for (std::size_t i = 0; i < count; ++i) sum += tables_->volumes[first + i] * density[i];
    });
    return sum;
  }
  for (std::size_t p = 0; p < tables_->volumes.size(); ++p) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, p);
    sum += tables_->volumes[p] * material_at(p).template energy_density<S>(F);
  }
  return sum;
}
template <typename S>
S NodalVolumeT<S>::dissipation(const S* q, const S* v) const {
  const VolumeMaterialT<S>& material = parameters_.material;
  S sum(0.0);
  if (!material.damping_time) return sum;
  for (std::size_t p = 0; p < tables_->strain_points; ++p) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, p);
    sum += tables_->volumes[p] *
           viscous_dissipation_density(F, gradient(v, p), material.shear_modulus(), *material.damping_time);
  }
  return sum;
}

/// Adds V P g_i to the force of the nodes.
template <typename S>
void NodalVolumeT<S>::add_stress(std::size_t point, const Matrix3T<S>& stress, S* force) const {
  const int* nodes = tables_->nodes_of(point);
  const Vector3T<S>* gradients = tables_->gradients_of(point);
  for (int i = 0; i < tables_->element_count; ++i) {
    const int at = tables_->free.at(nodes[i]);
    if (at < 0) continue;
    const Vector3T<S> part = tables_->volumes[point] * (stress * gradients[i]);
    for (int r = 0; r < 3; ++r) force[at + r] += part[r];
  }
}
template <typename S>
void NodalVolumeT<S>::add_elastic_force(const S* q, S* force) const {
  check(q);
  if (const auto& law = parameters_.material.law) {
    constexpr std::size_t k_lanes = k_point_lanes<S>;
    S stress[9 * 4 * k_lanes];
    each_blocks(q, [&](std::size_t first, std::size_t count, const S* rows) {
      law->stress(rows, block_count<S>(count), stress);
      for (std::size_t i = 0; i < count; ++i) {
        add_stress(first + i, lane_matrix(stress + i / k_lanes * 9 * k_lanes + i % k_lanes, k_lanes), force);
      }
    });
    return;
  }
  for (std::size_t p = 0; p < tables_->volumes.size(); ++p) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, p);
    add_stress(p, material_at(p).template stress<S>(F), force);
  }
}
/// F of the Piola-Kirchhoff stress viscosity dE/dt.
template <typename S>
Matrix3T<S> NodalVolumeT<S>::viscous_stress(const Matrix3T<S>& F, const Matrix3T<S>& F_rate) const {
  const S viscosity = S(2.0) * *parameters_.material.damping_time * parameters_.material.shear_modulus();
  const Matrix3T<S> half = F.transpose() * F_rate;
  return F * ((S(0.5) * viscosity) * (half + half.transpose()));
}
template <typename S>
void NodalVolumeT<S>::add_damping_force(const S* q, const S* v, S* force) const {
  if (!parameters_.material.damping_time) return;
  for (std::size_t p = 0; p < tables_->strain_points; ++p) {
    add_stress(p, viscous_stress(Matrix3T<S>::identity() + gradient(q, p), gradient(v, p)), force);
  }
}

/// Columns of a matrix from the stresses that each displacement of a node makes: change(point, F, dF, count, dP) finds
/// those of the displacements of one tetrahedron at a point.
template <typename S>
template <typename Change>
void NodalVolumeT<S>::fill_matrix(const S* q, std::size_t points, S* matrix, const Change& change) const {
  const std::size_t n = coordinate_count();
  std::fill_n(matrix, n * n, S(0.0));
  for (std::size_t p = 0; p < points; ++p) {
    const Matrix3T<S> F = Matrix3T<S>::identity() + gradient(q, p);
    Matrix3T<S> dF[k_displacements], dP[k_displacements];
    std::size_t columns[k_displacements], count = 0;
    for (int i = 0; i < tables_->element_count; ++i) {
      const int at = tables_->free.at(tables_->nodes_of(p)[i]);
      for (int axis = 0; at >= 0 && axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        columns[count] = at + axis;
        dF[count++] = Matrix3T<S>::outer(unit, tables_->gradients_of(p)[i]);
      }
    }
    if (count > 0) change(p, F, dF, count, dP);
    // symmetric: the column as a row
    for (std::size_t k = 0; k < count; ++k) add_stress(p, dP[k], matrix + columns[k] * n);
  }
  for (std::size_t j = 0; j < n; ++j) {  // equal but for rounding
    for (std::size_t k = 0; k < j; ++k) matrix[j * n + k] = matrix[k * n + j];
  }
}
/// dP = dP/dF dF.
template <typename S>
void NodalVolumeT<S>::change_stress(std::size_t point, const Matrix3T<S>& F, const Matrix3T<S>* dF, std::size_t count,
                                    Matrix3T<S>* dP) const {
  if (const auto& law = parameters_.material.law) {
    constexpr std::size_t k_lanes = k_point_lanes<S>;
    constexpr std::size_t k_most = (k_displacements + k_lanes - 1) / k_lanes * k_lanes;
    S rows[18 * k_most], stress[18 * k_most];
    const auto place = [](std::size_t k) { return k / k_lanes * 18 * k_lanes + k % k_lanes; };
    const std::size_t blocks = block_count<S>(count);
    for (std::size_t k = 0; k < blocks * k_lanes; ++k) {
      set_lane_matrix(rows + place(k), F, 2 * k_lanes);
      set_lane_matrix(rows + place(k) + k_lanes, dF[std::min(k, count - 1)], 2 * k_lanes);
    }
    law->stress_along(rows, blocks, stress);
    for (std::size_t k = 0; k < count; ++k) dP[k] = lane_matrix(stress + place(k) + k_lanes, 2 * k_lanes);
    return;
  }
  using T = Dual<S, 1>;
  const auto along = [](const Vector3T<S>& value, const Vector3T<S>& change) {
    Vector3T<T> row;
    for (int i = 0; i < 3; ++i) row[i].value = value[i], row[i].derivative[0] = change[i];
    return row;
  };
  const auto change_of = [](const Vector3T<T>& row) {
    return Vector3T<S>{row.x.derivative[0], row.y.derivative[0], row.z.derivative[0]};
  };
  for (std::size_t k = 0; k < count; ++k) {
    const Matrix3T<T> path{along(F.row0, dF[k].row0), along(F.row1, dF[k].row1), along(F.row2, dF[k].row2)};
    const Matrix3T<T> stress = material_at(point).template stress<T>(path);
    dP[k] = {change_of(stress.row0), change_of(stress.row1), change_of(stress.row2)};
  }
}
template <typename S>
void NodalVolumeT<S>::stiffness_matrix(const S* q, S* stiffness) const {
  const auto change = [this](std::size_t point, const Matrix3T<S>& F, const Matrix3T<S>* dF, std::size_t count,
                             Matrix3T<S>* dP) { change_stress(point, F, dF, count, dP); };
  fill_matrix(q, tables_->volumes.size(), stiffness, change);
}
template <typename S>
void NodalVolumeT<S>::damping_matrix(const S* q, const S*, S* damping) const {
  const std::size_t n = coordinate_count();
  if (!parameters_.material.damping_time) {
    std::fill_n(damping, n * n, S(0.0));
    return;
  }
  const auto change = [this](std::size_t, const Matrix3T<S>& F, const Matrix3T<S>* dF, std::size_t count,
                             Matrix3T<S>* dP) {
    for (std::size_t k = 0; k < count; ++k) dP[k] = viscous_stress(F, dF[k]);
  };
  fill_matrix(q, tables_->strain_points, damping, change);
}

template <typename S>
void NodalVolumeT<S>::material_points(const S* q, const Vector3T<S>* x, std::size_t count,
                                      const MaterialPointsT<S>& points) const {
  const std::size_t n = coordinate_count();
  const Matrix3T<S> none{zero_vector<S>(), zero_vector<S>(), zero_vector<S>()};
  for (std::size_t p = 0; p < count; ++p) {
    std::size_t tetrahedron = 0;
    const ElementPlace<S> place = tables_->search.at(x[p], tetrahedron);
    const ElementNodes nodes(*parameters_.mesh, tetrahedron);
    points.position[p] = x[p];
    if (points.F) points.F[p] = Matrix3T<S>::identity();
    if (points.slopes) std::fill_n(points.slopes + p * n, n, zero_vector<S>());
    if (points.F_slopes) std::fill_n(points.F_slopes + p * n, n, none);
    for (int i = 0; i < nodes.count(); ++i) {
      const Vector3T<S> moved = displacement(q, nodes[i]);
      points.position[p] += place.values[i] * moved;
      if (points.F) points.F[p] += Matrix3T<S>::outer(moved, place.gradients[i]);
      const int at = tables_->free.at(nodes[i]);
      for (int axis = 0; at >= 0 && axis < 3; ++axis) {
        Vector3T<S> unit = zero_vector<S>();
        unit[axis] = S(1.0);
        if (points.slopes) points.slopes[p * n + at + axis] = place.values[i] * unit;
        if (points.F_slopes) points.F_slopes[p * n + at + axis] = Matrix3T<S>::outer(unit, place.gradients[i]);
      }
    }
  }
}

template <typename S>
void NodalVolumeT<S>::energy_density(const S* q, const Vector3T<S>* x, std::size_t count, S* density) const {
  material_energy_density(*this, parameters_.material, &tables_->search, q, x, count, density);
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot stand in parentheses
#define CUTTLE_INSTANTIATE(S)                                                                                          \
  template Matrix3T<S> NodalVolumeT<S>::gradient(const S*, std::size_t) const;                                         \
  template void NodalVolumeT<S>::energy_density(const S*, const Vector3T<S>*, std::size_t, S*) const;                  \
  template S NodalVolumeT<S>::elastic_energy(const S*) const;                                                          \
  template S NodalVolumeT<S>::dissipation(const S*, const S*) const;                                                   \
  template void NodalVolumeT<S>::add_elastic_force(const S*, S*) const;                                                \
  template void NodalVolumeT<S>::add_damping_force(const S*, const S*, S*) const;                                      \
  template Matrix3T<S> NodalVolumeT<S>::viscous_stress(const Matrix3T<S>&, const Matrix3T<S>&) const;                  \
  template void NodalVolumeT<S>::change_stress(std::size_t, const Matrix3T<S>&, const Matrix3T<S>*, std::size_t,       \
                                               Matrix3T<S>*) const;                                                    \
  template void NodalVolumeT<S>::stiffness_matrix(const S*, S*) const;                                                 \
  template void NodalVolumeT<S>::damping_matrix(const S*, const S*, S*) const;                                         \
  template void NodalVolumeT<S>::material_points(const S*, const Vector3T<S>*, std::size_t, const MaterialPointsT<S>&) \
      const;
// NOLINTEND(bugprone-macro-parentheses)
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
