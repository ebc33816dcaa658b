#pragma once

#include <array>
#include <vector>

#include "cuttle/bodies/body_surface.h"
#include "model/contact/facet_pass.h"

namespace cuttle {

/// The surface of an undeformed body as flat facets, as contacts between volumes see it.
struct VolumeFacets {
  struct Facet {
    std::array<int, 3> corners{};  ///< in points, counterclockwise seen from outside
    Vector3T<double> middle;       ///< [m]
    double area = 0.0;             ///< [m^2]
    double edge = 0.0;             ///< mean length of its edges [m]
    double inner_radius = 0.0;     ///< of the circle within it [m]
    double half = 0.0;             ///< half of the way through the body from its middle [m]
    FacetCuts cuts;
  };
  std::vector<Vector3T<double>> points;  ///< of the surface [m]
  std::vector<Facet> facets;             ///< neighbors in space stand near to each other
  double size = 0.0;                     ///< diagonal of the box that holds it [m]

  /// Least way between corners of two facets along edges, facets x facets, row by row [m].
  std::vector<double> ways() const;
};

inline constexpr int k_most_facets = 128;  ///< of a volume, where no spacing is given

/// The surface as it is or, where it has more than k_most_facets or a spacing is given, with neighbors among its points
/// taken for one: those in a cell of that size, at one of them, corners and sharp edges first.
/// @param spacing  0: none.   @return without facets: with this spacing walls would close.
VolumeFacets volume_facets(const BodySurface& surface, double spacing);

}  // namespace cuttle
