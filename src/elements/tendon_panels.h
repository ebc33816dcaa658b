#pragma once

#include <vector>

#include "cuttle/bodies/slender.h"
#include "cuttle/model/routing.h"
#include "model/rod_path.h"

// Where along a rod a tendon with friction needs points: panels on which it hardly bends other than along a straight
// line, and loses no more than so much of its tension.

namespace cuttle {

/// The points of a panel, as parts of it: those of Gauss and Lobatto, both ends among them, and one in the middle
/// between each two. The strain is known at all of them, with its slope, by the polynomial through its values at Gauss
/// points.
struct PanelRule {
  static constexpr int k_fit = 10, k_points = 5, k_places = 2 * k_points - 1;
  std::vector<long double> fit;        ///< Gauss points on (0, 1)
  long double place[k_places];         ///< even ones have weights
  long double weight[k_points];        ///< sum 1; exact to degree 7
  long double value[k_places][k_fit];  ///< at a place, by the values at the Gauss points
  long double slope[k_places][k_fit];  ///< per length of the panel
  static const PanelRule& get();

 private:
  PanelRule();
};

/// Cuts the way of a tendon along a rod into panels. Where all that the tangent of the tendon depends on is constant a
/// panel may have any length; elsewhere it has at most an eighth of the way, and every shape function of the strain
/// stays within k_bend of its maximum beside a straight line. In a turn by 2 pi along the whole way the tension falls
/// within a panel by the factor exp(-k_fall) at most.
template <typename S>
class TendonPanels {
 public:
  /// @param coefficient  of friction.   @param refinement  how often panels are halved beyond that.
  TendonPanels(const SlenderT<S>& line, const RoutingT<S>& entry, int coordinates, double coefficient, int refinement);
  /// Bounds of the panels of a piece, ascending, its own ends among them [m].
  std::vector<S> bounds(const PathPiece<S>& piece) const;

 private:
  static constexpr double k_bend = 0.2, k_fall = 2.0;
  static constexpr int k_samples = 16, k_most_halvings = 9;

  /// What shape functions do to tangent and curvature at a place: two vectors a coordinate, the constant first.
  std::vector<Vector3T<double>> shapes(const PathPiece<S>& piece, double part) const;
  void cut(const PathPiece<S>& piece, double first, double last, int halvings, std::vector<double>& parts) const;

  const SlenderT<S>& line_;
  const RoutingT<S>& entry_;
  int coordinates_;
  double coefficient_;
  int refinement_;
  S from_, per_way_;
  std::vector<double> largest_;  // of each vector of the shapes, along the whole way
};

}  // namespace cuttle
