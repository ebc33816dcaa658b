#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "algorithms/derivative_kernels.h"
#include "algorithms/edge_blocks.h"
#include "algorithms/material_polygons.h"
#include "bodies/sparse_tangent.h"
#include "cuttle/algorithms/derivatives.h"

namespace cuttle {

/// Neighboring velocity coordinates.
struct CoordinateRun {
  int v, count;
};

/// Derivatives of a body that has them as sparse matrices.
struct SparseBodyMemory {
  std::shared_ptr<const SparseTangent> tangent;
  NodePairs pairs;
  std::vector<std::ptrdiff_t> places;    ///< SparseTangent::element_places
  std::vector<double> by_q, by_v, by_a;  ///< values at the places of `pairs`: of inertia, elasticity and inputs
  std::vector<double> scratch;           ///< the same of one transmission, made when it is asked for
};

/// A body edge's share.
struct BodyDerivativeMemory {
  std::unique_ptr<SparseBodyMemory> sparse;  ///< where derivatives are none of matrices; then no matrices below
  const BodyTangentT<double>* tangent = nullptr;
  std::unique_ptr<BodyTangentT<double>> automatic;  ///< owned where the body has none of its own
  std::vector<double> memory, matrices;
  std::vector<PortTangentT<double>> ports;
  std::vector<CompositeT<double>> port_loads;
  BodyDerivativesT<double> result;
  Pose base;                                    ///< in the reference frame
  std::vector<double> stiffness;                ///< and damping, n x n each
  std::unique_ptr<BodyT<ForwardDual>> damping;  ///< where the damping force depends on the shape
  std::vector<ForwardDual> gradients;
};

struct DerivativeData::Workspace {
  /// @param matrices  whether derivatives are to be nv x nv.
  Workspace(const Model& model, bool matrices);

  EdgeDerivatives in_matrices(DerivativeData& d) const {
    const std::ptrdiff_t* at = places.origin.data();
    return {{at, d.by_q.data()}, {at, d.by_v.data()}, {at, d.by_a.data()}};
  }

  EdgePlaces places;  ///< of entries within an edge

  // The reference frame: inertial, axes of the world, at the place where a floating base is now.
  Vector3 origin;
  std::vector<Pose> pose;  ///< of nodes
  std::vector<Twist> velocity, acceleration;
  std::vector<CompositeT<double>> composite;
  std::vector<BodyDerivativeMemory> bodies;

  // The three twists of every coordinate at every node that it begins to move: 6 rows of `stride` slots each
  // (ColumnRun). Where a body has sparse derivatives, a port has slots for the nodes alone that it moves with.
  int stride = 0;
  std::vector<int> first_slot;  ///< of nodes, of the edge that carries them
  std::vector<double> jacobian, rate, second;
  std::vector<CoordinateResponse> response;  ///< of velocity coordinates
  std::vector<double> response_rows;         ///< of them, 12 rows: by_second, by_rate, by_turn
  int response_stride = 0;
  std::vector<std::vector<CoordinateRun>> moved;  ///< of slots: which outer coordinates it moves
  VectorXd v, a;                                  ///< of the last call
  VectorXd applied, dv, da;
  MatrixXd dense;  ///< nv x 2 nv, for forward_dynamics_derivatives; empty where derivatives are none of matrices

  std::vector<Twist> displacement_along, rate_along, second_along;  ///< of nodes, for one direction
  std::vector<Wrench> wrench_along;

  /// For actuators whose force has no closed derivative here; made for robots that have such.
  std::optional<ModelT<ForwardDual>> gradient_model;
  std::optional<DataT<ForwardDual>> gradient_data;
  VectorXT<ForwardDual> gradient_q, gradient_step;
  VectorXT<ForwardDual> gradient_efforts[2];  ///< of actuators and of elements
  MatrixXT<ForwardDual> gradient_columns[2];  ///< likewise
  /// Of actuators and of elements: polygons through bodies that know their second derivatives, body by body.
  std::vector<MaterialPolygons> polygons[2];
  /// Of bodies of the topology: whether polygons through them are such.
  std::vector<char> knows_polygons;
  VectorXd transmission_q, transmission_step, transmission_bias;

  Twist twist(const std::vector<double>& rows, int slot) const {
    const double* p = rows.data() + slot;
    const int s = stride;
    return {{p[0], p[s], p[2 * s]}, {p[3 * s], p[4 * s], p[5 * s]}};
  }
  void store(std::vector<double>& rows, int slot, const Twist& t) const {
    for (int r = 0; r < 6; ++r) rows[r * stride + slot] = t[r];
  }
  /// Null where an edge has whole columns.
  const SparseBodyMemory* sparse_of(const Edge& edge) const {
    return edge.kind == EdgeKind::body ? bodies[static_cast<std::size_t>(edge.index)].sparse.get() : nullptr;
  }
  /// Calls use(k, slot) for the coordinates of an edge, counted within it, that move its port p.
  template <typename Use>
  void each_slot(const Edge& edge, int p, const Use& use) const {
    int slot = first_slot[static_cast<std::size_t>(edge.child_node) + static_cast<std::size_t>(p)];
    const SparseBodyMemory* sparse = sparse_of(edge);
    if (sparse == nullptr) {
      for (int k = 0; k < edge.nv; ++k) use(k, slot + k);
      return;
    }
    for (const int node : sparse->tangent->port_nodes(p)) {
      for (int k = 3 * node; k < 3 * node + 3; ++k) use(k, slot++);
    }
  }
};

/// Derivatives of a body that has none of its own, by differentiating its sweeps for ForwardDual.
std::unique_ptr<BodyTangentT<double>> make_automatic_tangent(const Body& body);

}  // namespace cuttle
