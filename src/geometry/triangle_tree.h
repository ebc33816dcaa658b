#pragma once

#include <array>
#include <vector>

#include "cuttle/geometry/triangle_mesh.h"

namespace cuttle {

/// Finds the triangle of a surface that is nearest to a point. Const once made.
class TriangleTree {
 public:
  /// What of a triangle is nearest: its face; the edge from corner k to the next; corner k.
  enum class Part { face, edge, corner };
  struct Nearest {
    int face = 0;  ///< in the tree's own order
    Part part = Part::face;
    int k = 0;
    double square = 0.0;  ///< of the distance [m^2]
  };
  /// @param mesh  triangles with areas, corners that differ by their indices alone.
  explicit TriangleTree(TriangleMesh mesh);

  const std::vector<std::array<int, 3>>& triangles() const { return mesh_.triangles; }
  const std::vector<Vector3>& points() const { return mesh_.points; }
  const std::array<int, 3>& corners_of(const Nearest& at) const { return corners(at.face); }

  Nearest nearest(const Vector3& x) const;
  /// Not normalized: sums of the unit normals around, of corners weighted by angles.
  const Vector3& normal(const Nearest& at) const;
  /// Whether nothing continues the surface there.
  bool is_border(const Nearest& at) const;

  /// A triangle and the one that is met first on the way inwards from its middle, of a closed surface: nine tenths of
  /// the area have as much behind them. Looked for among some thousand triangles.
  struct Across {
    std::array<int, 3> from{}, to{};  ///< their corners
  };
  Across thin_place() const;

  /// Edges that one triangle has, or more than two; and edges that two triangles follow the same way.
  int open_edges() const { return open_edges_; }
  int turned_edges() const { return turned_edges_; }
  double volume() const;  ///< that it encloses [m^3], negative if triangles are clockwise seen from outside
  /// Corners whose neighbors all lie behind the tangent plane, the sharpest first.
  std::vector<int> outer_corners() const;

 private:
  /// A triangle as the search sees it: a corner, two edges, the unit normal.
  struct Face {
    Vector3 a, ab, ac, normal;
    double ab_ab, ab_ac, ac_ac;
  };
  struct Box {
    Vector3 least, most;
    double square_to(const Vector3& x) const;
  };
  /// Two children, each with its box: a node if >= 0, else the leaf ~child.
  struct Node {
    Box box[2];
    int child[2];
  };
  struct Leaf {
    int first, count;  ///< in order_
  };
  struct Half {  ///< an edge as one triangle has it
    Vector3 normal;
    bool border = false;
  };

  struct Way {
    double length;
    int face;
  };
  const std::array<int, 3>& corners(int face) const {
    return mesh_.triangles[static_cast<std::size_t>(order_[static_cast<std::size_t>(face)])];
  }
  /// To the first triangle that is met from behind.
  Way way_out(const Vector3& from, const Vector3& direction) const;
  const Vector3& corner_normal(int point) const { return corner_normal_[static_cast<std::size_t>(point)]; }
  const Leaf& leaf_of(int child) const {
    const int index = ~child;
    return leaves_[static_cast<std::size_t>(index)];
  }
  int build(int first, int count);
  Box box_of(int first, int count) const;
  void join_edges();
  void look_at(int face, const Vector3& x, Nearest& best) const;
  const Half& half(const Nearest& at) const {
    return halves_[3 * static_cast<std::size_t>(at.face) + static_cast<std::size_t>(at.k)];
  }

  TriangleMesh mesh_;
  std::vector<Face> faces_;  ///< in the order of the leaves
  std::vector<int> order_;   ///< triangle of each face
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  int root_ = 0;
  std::vector<Half> halves_;  ///< three a face
  std::vector<Vector3> corner_normal_;
  std::vector<char> corner_at_border_;
  int open_edges_ = 0, turned_edges_ = 0;
};

}  // namespace cuttle
