#pragma once

#include "bodies/dense_coordinates.h"
#include "bodies/volume/fem/fem_assembly.h"
#include "bodies/volume/fem/tetrahedron_search.h"
#include "cuttle/bodies/body.h"

namespace cuttle {

/// How a material point follows the displacements u of nodes: p = x + sum value u, F = 1 + sum u gradient^T.
template <typename S>
struct NodeWeightsT {
  int count = 0;                    ///< of free nodes
  int first[k_most_element_nodes];  ///< of each its first coordinate
  S value[k_most_element_nodes];
  Vector3T<S> gradient[k_most_element_nodes];  ///< [1/m]
};

/// Material points of a body whose coordinates are the displacements of the free nodes of a mesh; a part of the body.
template <typename S>
class NodeInterpolationT {
 public:
  NodeInterpolationT(const TetrahedronSearch& search, const FreeNodes& free) : search_(search), free_(free) {}

  /// @throws ModelError as TetrahedronSearch.
  void find(const Vector3T<S>& x, NodeWeightsT<S>& weights) const {
    std::size_t tetrahedron = 0;
    const ElementPlace<S> place = search_.at(x, tetrahedron);
    weights.count = 0;
    int i = 0;
    for (const int node : ElementNodes(search_.mesh(), tetrahedron)) {
      const int first = free_.at(node);
      if (first >= 0) {
        weights.first[weights.count] = first;
        weights.value[weights.count] = place.values[i];
        weights.gradient[weights.count++] = place.gradients[i];
      }
      ++i;
    }
  }

 private:
  const TetrahedronSearch& search_;
  const FreeNodes& free_;
};

/// Whether a body has too many nodes for its whole mass matrix: its inertia blocks are made without.
template <typename S>
bool leaves_out_mass(const BodyT<S>& body, int coordinates) {
  return coordinates > k_most_dense_coordinates && body.template part<NodeInterpolationT<S>>() != nullptr;
}

}  // namespace cuttle
