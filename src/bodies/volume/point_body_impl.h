#pragma once

#include "cuttle/bodies/point_body_base.h"

// What the sources of PointBodyBaseT share.

namespace cuttle {

/// What is kept of a port: J (6 x n_B by rows) and its pose in the base frame.
template <typename S>
struct PointBodyBaseT<S>::Port {
  S* J;
  PoseT<S>& base_port;
  static std::size_t size(int n) { return 6 * n + 12; }
};

/// What the frame of a port follows: its origin o and the directions a and b of its axes.
template <typename S>
struct PointBodyBaseT<S>::PortVectors {
  Vector3T<S> value[3], curvature[3];
  const Vector3T<S>* slopes[3];  ///< n_B each
};

/// What is kept from forward on: the motions of the points, or their linear sums, what their inertia does, the ports.
template <typename S>
struct PointBodyBaseT<S>::Kept {
  S* shape;
  Motions motions;     ///< in `shape`, unless the sums are linear
  WrenchT<S>& wrench;  ///< of the points' inertia at the base, from level acceleration on
  S* force;            ///< and their generalized force, n_B
  S* ports;
  int n;

  static std::size_t sums_size(int n) { return padded(6 + n); }
  Port port(std::size_t k) const {
    S* memory = ports + k * Port::size(n);
    return {memory, *reinterpret_cast<PoseT<S>*>(memory + 6 * n)};
  }
};

template <typename S>
auto PointBodyBaseT<S>::kept(const WorkspaceT<S>& workspace) const -> Kept {
  const int n = coordinate_count();
  S* sums = workspace.persistent + shape_size();
  return {workspace.persistent,
          Motions(workspace.persistent, n),
          *reinterpret_cast<WrenchT<S>*>(sums),
          sums + 6,
          sums + Kept::sums_size(n),
          n};
}

}  // namespace cuttle
