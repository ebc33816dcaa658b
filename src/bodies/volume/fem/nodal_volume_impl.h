#pragma once

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "bodies/mass_factor.h"
#include "bodies/moments.h"
#include "bodies/volume/fem/fem_assembly.h"
#include "bodies/volume/fem/material_parts.h"
#include "bodies/volume/fem/node_interpolation.h"
#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/bodies/nodal_volume.h"
#include "cuttle/spatial/scalars.h"

namespace cuttle {

template <typename S>
Vector3T<S> zero_vector() {
  return {S(0.0), S(0.0), S(0.0)};
}
inline constexpr int k_nodal_sides = 7;            // columns [U | r]
inline constexpr std::size_t k_kept_carried = 12;  // two ports; where more carry inertia, memory is taken for the call

/// What matrices of the mesh are factored in: they are its data and hold no derivatives.
template <typename S>
using PlainOf = std::conditional_t<std::is_same_v<S, long double>, long double, double>;

/// What follows from the mesh alone.
template <typename S>
struct NodalVolumeT<S>::Tables {
  TetrahedronSearch search;
  FreeNodes free;
  NodeInterpolationT<S> interpolation;  // by the two
  std::vector<Vector3T<S>> rest;        // of the nodes
  int element_count;                    // of the nodes of a tetrahedron
  std::vector<int> elements;            // their numbers, one tetrahedron behind the other
  // points where strain and stress are, of one tetrahedron behind those of the other; then, of a material in parts,
  // the centres
  std::size_t points_each, strain_points;
  std::optional<MaterialPartsT<S>> parts;
  std::vector<S> volumes;
  std::vector<Vector3T<S>> gradients;  // of the shape functions, element_count a point
  std::vector<std::size_t> start;      // rows of the mass matrix of the nodes, over density
  std::vector<int> column;
  std::vector<S> entry;
  std::vector<S> node_volume;      // its row sums
  MassFactorT<PlainOf<S>> factor;  // of its rows and columns of free nodes

  Tables(const std::shared_ptr<const TetrahedralMesh>& mesh, const VolumeMaterialT<S>& material)
      : search(mesh),
        free(*mesh),
        interpolation(search, free),
        element_count(mesh->nodes_per_tetrahedron()),
        points_each(element_rule(strain_rule(*mesh)).size()),
        strain_points(points_each * mesh->tetrahedra.size()),
        parts(material_parts(*mesh, material)),
        factor(free_mass(*mesh, free)) {
    for (const Vector3& x : mesh->nodes) rest.push_back(x.cast<S>());
    for (std::size_t t = 0; t < mesh->tetrahedra.size(); ++t) {
      for (const int node : ElementNodes(*mesh, t)) elements.push_back(node);
    }
    const auto add_point = [&](std::size_t, const ElementPlace<S>& place, const S& volume) {
      volumes.push_back(volume);
      gradients.insert(gradients.end(), place.gradients.begin(), place.gradients.begin() + element_count);
    };
    each_element_point<S>(*mesh, strain_rule(*mesh), add_point);
    if (parts) each_element_centre<S>(*mesh, add_point);
    std::vector<Eigen::Triplet<PlainOf<S>>> entries;
    add_mass(*mesh, entries, [](int node) { return node; });
    const auto size = static_cast<Eigen::Index>(rest.size());
    Eigen::SparseMatrix<PlainOf<S>> mass(size, size);
    mass.setFromTriplets(entries.begin(), entries.end());
    start.push_back(0);
    for (Eigen::Index i = 0; i < size; ++i) {
      node_volume.push_back(S(0.0));
      for (typename Eigen::SparseMatrix<PlainOf<S>>::InnerIterator at(mass, i); at; ++at) {
        column.push_back(static_cast<int>(at.row()));
        entry.push_back(S(at.value()));
        node_volume.back() += entry.back();
      }
      start.push_back(column.size());
    }
  }
  Tables(const Tables&) = delete;

  std::size_t element_of(std::size_t point) const {
    return point < strain_points ? point / points_each : point - strain_points;
  }
  /// What acts at a point of a material of the library; null: the whole of a body's material.
  const VolumeMaterialT<S>* part_at(std::size_t point) const {
    return !parts ? nullptr : point < strain_points ? &parts->shape : &parts->volume;
  }
  const int* nodes_of(std::size_t point) const { return elements.data() + element_of(point) * element_count; }
  const Vector3T<S>* gradients_of(std::size_t point) const { return gradients.data() + point * element_count; }

 private:
  template <typename Label>
  static void add_mass(const TetrahedralMesh& mesh, std::vector<Eigen::Triplet<PlainOf<S>>>& entries,
                       const Label& label) {
    using F = PlainOf<S>;
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
      const ElementNodes nodes(mesh, t);
      std::array<F, k_most_element_nodes * k_most_element_nodes> sums{};
      each_point_of<F>(mesh, t, mass_rule(mesh), [&](const ElementPlace<F>& place, const F& volume) {
        for (int i = 0; i < nodes.count(); ++i) {
          for (int j = 0; j < nodes.count(); ++j) {
            sums[i * k_most_element_nodes + j] += volume * (place.values[i] * place.values[j]);
          }
        }
      });
      for (int i = 0; i < nodes.count(); ++i) {
        for (int j = 0; j < nodes.count(); ++j) {
          const int row = label(nodes[i]), column = label(nodes[j]);
          if (row >= 0 && column >= 0) entries.emplace_back(row, column, sums[i * k_most_element_nodes + j]);
        }
      }
    }
  }
  static Eigen::SparseMatrix<PlainOf<S>> free_mass(const TetrahedralMesh& mesh, const FreeNodes& free) {
    std::vector<Eigen::Triplet<PlainOf<S>>> entries;
    add_mass(mesh, entries, [&](int node) { return free.at(node) < 0 ? -1 : free.at(node) / 3; });
    Eigen::SparseMatrix<PlainOf<S>> mass(free.size() / 3, free.size() / 3);
    mass.setFromTriplets(entries.begin(), entries.end());
    return mass;
  }
};

/// What is kept from forward on.
template <typename S>
struct NodalVolumeT<S>::Kept {
  Vector3T<S>* positions;  // of all nodes
  Vector3T<S>* momenta;    // mass matrix times the positions [kg m]
  Vector3T<S>* rates;      // of all nodes, relative to the base
  Vector3T<S>* forces;     // inertial forces of all nodes, at level acceleration
  Vector3T<S>* work;
  TwistT<S>* columns;  // of the Jacobians of ports: three for each node that a port moves with, port axes
  S* jacobian;         // 6 x n_B by rows, of one port
  PoseT<S>* base_port;

  /// @param moved  nodes with which ports move, summed over the ports.
  static std::size_t size(std::size_t nodes, std::size_t moved, int n, std::size_t ports) {
    return 5 * padded(3 * nodes) + padded(18 * moved) + padded(6 * static_cast<std::size_t>(n)) + 12 * ports;
  }
  Kept(S* memory, std::size_t nodes, std::size_t moved, int n) {
    for (Vector3T<S>** part : {&positions, &momenta, &rates, &forces, &work}) {
      *part = reinterpret_cast<Vector3T<S>*>(memory);
      memory += padded(3 * nodes);
    }
    columns = reinterpret_cast<TwistT<S>*>(memory);
    jacobian = memory + padded(18 * moved);
    base_port = reinterpret_cast<PoseT<S>*>(jacobian + padded(6 * static_cast<std::size_t>(n)));
  }
};

/// What `eliminate` keeps for `back_substitute`.
template <typename S>
struct NodalVolumeT<S>::Elimination {
  S* sides;                   // n x 7: [U | r]
  S* solved;                  // n x 7: D^-1 of it
  S* force;                   // n
  WrenchT<S>* port_wrenches;  // P

  static std::size_t size(int n, std::size_t ports) { return padded(2 * k_nodal_sides * n) + padded(n) + 6 * ports; }
  Elimination(S* memory, int n) {
    sides = memory;
    solved = sides + static_cast<std::size_t>(k_nodal_sides) * n;
    force = sides + padded(2 * k_nodal_sides * n);
    port_wrenches = reinterpret_cast<WrenchT<S>*>(force + padded(n));
  }
};

/// What ports that carry inertia need within `eliminate`, m = 6 for each.
template <typename S>
struct NodalVolumeT<S>::Carried {
  S* columns;  // n x m: M^-1 J^T
  S* small;    // m x m: 1 + I J M^-1 J^T
  S* right;    // m x 7

  static std::size_t size(int n, std::size_t m) { return padded(m * n) + padded(m * m) + padded(m * k_nodal_sides); }
  Carried(S* memory, int n, std::size_t m) {
    columns = memory;
    small = columns + padded(m * n);
    right = small + padded(m * m);
  }
};

/// Calls use(j, column) for the coordinates that move a port, after forward.
template <typename S>
template <typename Use>
void NodalVolumeT<S>::each_column(const Kept& now, int port, const Use& use) const {
  const Port& of = ports_[static_cast<std::size_t>(port)];
  const TwistT<S>* column = now.columns + 3 * of.first;
  for (const int node : of.nodes) {
    for (int j = tables_->free.at(node); j < tables_->free.at(node) + 3; ++j) use(j, *column++);
  }
}

/// Of the coordinates, or of their rates; a fixed node has none.
template <typename S>
Vector3T<S> NodalVolumeT<S>::displacement(const S* q, int node) const {
  const int at = tables_->free.at(node);
  return at < 0 ? zero_vector<S>() : Vector3T<S>{q[at], q[at + 1], q[at + 2]};
}

}  // namespace cuttle
