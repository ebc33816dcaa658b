#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/geometry/patched_surface.h"
#include "cuttle/geometry/shape.h"
#include "cuttle/geometry/triangle_mesh.h"

namespace CUTTLE_API cuttle {

class TriangleTree;

/// Of a surface of triangles.
enum class MeshSides {
  two,  ///< closed: inside is what it encloses, whichever way the triangles turn
  one   ///< may be open: outside is where triangles are seen counterclockwise, and all that is nearest to a border
};

/// What is within a closed surface of triangles, or behind an open one. The distance is exact, to the nearest point of
/// all triangles, found in a tree of boxes. Its sign is that of the normal there; on edges and corners that of the
/// normals of all triangles around, weighted by their angles (Baerentzen and Aanaes 2005).
///
/// Faces are flat and edges sharp: normals turn over an edge as far as the radius of what touches lets them.
template <typename S>
class MeshT final : public ShapeT<MeshT, S>, public PatchedSurface {
 public:
  /// @param points     [m]; those at the same place are one.
  /// @param triangles  indices of points. Those without area are left out.
  /// @throws ModelError: no triangle, an index or point that is none, a surface that is not closed or not of one
  /// orientation.
  MeshT(std::vector<Vector3T<S>> points, std::vector<std::array<int, 3>> triangles, MeshSides sides = MeshSides::two);

  const std::vector<Vector3T<S>>& points() const { return points_; }
  const std::vector<std::array<int, 3>>& triangles() const;  ///< counterclockwise seen from outside
  MeshSides sides() const { return sides_; }

  std::string type_name() const override;
  std::shared_ptr<const SignedDistanceT<S>> other_side() const override;
  /// Of a closed one what nine tenths of its area have behind them, half of it; of an open one infinite [m].
  S half_thickness() const override;
  double bounding_radius() const override;
  /// Its corners that stick out, as points; at most 200, or at least `spacing` apart.
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override;
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  MeshT<T> cast() const {
    std::vector<Vector3T<T>> points;
    points.reserve(points_.size());
    for (const Vector3T<S>& p : points_) points.push_back(p.template cast<T>());
    return MeshT<T>(std::move(points), tree_, sides_);
  }

 private:
  template <typename T>
  friend class MeshT;
  MeshT(std::vector<Vector3T<S>> points, std::shared_ptr<const TriangleTree> tree, MeshSides sides)
      : points_(std::move(points)), tree_(std::move(tree)), sides_(sides) {}

  std::vector<Vector3T<S>> points_;
  std::shared_ptr<const TriangleTree> tree_;  ///< in values
  MeshSides sides_;
};
using Mesh = MeshT<double>;

/// A smooth surface beside that of a mesh: where a function is zero that is tricubic between a regular grid of
/// distances to the mesh. It is C1, with continuous normals: edges are round, and grooves between faces too, within
/// about a cell. Distances are those to its nearest point; where none is found - nearer to the middle of a round
/// groove, say - those to the mesh.
template <typename S>
class SmoothMeshT final : public ShapeT<SmoothMeshT, S>, public PatchedSurface {
 public:
  /// @param cell  distance of neighbors along all axes, > 0 [m].
  /// @throws ModelError: an open mesh, or more than 10^7 distances.
  SmoothMeshT(MeshT<S> mesh, double cell);
  const MeshT<S>& mesh() const { return mesh_; }
  double cell() const { return cell_; }

  std::string type_name() const override;
  S half_thickness() const override { return mesh_.half_thickness(); }
  double bounding_radius() const override { return mesh_.bounding_radius() + cell_; }
  std::vector<TouchPartT<S>> touch_parts(const TouchDetailT<S>& detail) const override {
    return mesh_.touch_parts(detail);
  }
  template <typename T>
  DistanceT<T> distance(const Vector3T<T>& x) const;
  template <typename T>
  SmoothMeshT<T> cast() const {
    SmoothMeshT<T> result(mesh_.template cast<T>());
    result.cell_ = cell_, result.first_ = first_, result.count_ = count_;
    result.values_.reserve(values_.size());
    for (const S& value : values_) result.values_.push_back(scalar_cast<T>(value));
    return result;
  }

 private:
  template <typename T>
  friend class SmoothMeshT;
  explicit SmoothMeshT(MeshT<S> mesh) : mesh_(std::move(mesh)) {}
  template <typename T>
  struct At;
  template <typename T>
  At<T> at_place(const Vector3T<T>& x) const;

  MeshT<S> mesh_;
  double cell_ = 0.0;
  Vector3 first_;  ///< of the grid's points
  std::array<int, 3> count_{};
  std::vector<S> values_;  ///< of the point (i, j, k) at [(k * count_[1] + j) * count_[0] + i]
};
using SmoothMesh = SmoothMeshT<double>;

}  // namespace cuttle
