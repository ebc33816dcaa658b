#pragma once

#include <array>
#include <vector>

namespace cuttle {

/// A plane that bounds the part of a body below a facet: through a line in the facet's plane from one of its corners
/// c, along first (x_(c+1) - x_c) + second (x_(c+2) - x_c), inside to its left.
struct FacetCut {
  int corner = 0;
  double first = 1.0, second = 0.0;  ///< of edges 1 and 0
  double inset = 0.0;                ///< by how much the line goes inward with depth
  double narrow = 1.0;               ///< over it facets share a disc that is narrower by this
};
/// Those of the three edges and, at its corners, of sharp edges of the body beside them. Beyond a sharp edge, above the
/// plane, two facets would both have what is between the lines of their other edges: more cuts part them.
struct FacetCuts {
  static constexpr int k_most = 9;
  std::array<FacetCut, k_most> cuts{};
  int count = 3;
  int more = 0;  ///< behind these, above the plane
};

/// The points of the facets of a surface, or of a rod's axis, against the facets of another surface, or of the same
/// one.
template <typename S>
struct FacetPassT {
  struct Point {
    int frame = 0;
    S stiffness{};              ///< of h [N/m]
    S range{};                  ///< of the rounded law [m]
    S weight{};                 ///< area, for pressures [m^2]; of a rod length [m]
    S radius{};                 ///< of a rod, which touches around its axis [m]; else 0
    double disc = 0.0;          ///< radius of the disc that the point stands for where facets share it [m]
    double half = 0.0;          ///< of the thickness of its body there [m]
    double sharp_narrow = 0.0;  ///< of a rod: by how much the disc is narrower over sharp edges
    double width_at_edges() const { return disc / sharp_narrow; }
  };
  struct Facet {
    std::array<int, 3> frames{};  ///< of its corners, counterclockwise seen from outside
    FacetCuts cuts;
    double half = 0.0;  ///< of the thickness of its body there [m]
  };
  std::vector<Point> points;
  std::vector<Facet> facets;
  std::vector<int> site;  ///< of point i and facet k at i * facets.size() + k, among all; -1: they are neighbors
  double far = 0.0;       ///< gap of what is not in front of a facet [m]
};

/// A point against a facet.
struct FacetSite {
  int pass = 0, point = 0, facet = 0;
  bool of_b =
      false;  ///< the point is a part of side b, the facet of a; of one body: the point is further from its base
  int pair = 0;
};

}  // namespace cuttle
