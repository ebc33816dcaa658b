#pragma once

#include <optional>
#include <vector>

#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/sites.h"

namespace cuttle {

/// Coordinates `begin` to `end` - 1 of the velocity.
struct CoordinateSpan {
  Eigen::Index begin = 0, end = 0;
  Eigen::Index size() const { return end - begin; }
  void include(const CoordinateSpan& other);
};

/// Working memory of the slopes of sites; made once. Frames of active sites share a slot each, whose sites add up
/// before they meet the Jacobian: the cost grows with nv^2 by frames alone.
struct SiteSlopeMemory {
  SiteSlopeMemory(const Model& model, const Sites& sites);

  FrameDerivatives frame;
  std::vector<int> slot;             ///< of all frames; -1: no active site
  std::vector<int> used;             ///< frames with a slot
  MatrixXd jacobian, velocity_by_q;  ///< of slots, 6 columns each with a row for each coordinate
  MatrixXd by_q, by_v;               ///< changes of wrenches at slots, likewise
  /// Coordinates from the first to the last one that counts, of slots: of how their frame moves, and of their wrench.
  std::vector<CoordinateSpan> moves, changes;
  SiteSlopesT<double> slopes;
};

/// How the robot may move at a site: with bristles that slide, or that hold like springs.
enum class SiteMotion { free, sticking };

/// Subtracts the derivatives of the sites' forces from by_q and by_v, after inverse_dynamics_derivatives with their
/// wrenches: that has their turning with the frames already.
void subtract_site_slopes(const Model& model, const Sites& sites, SiteMotion motion, DerivativeData& derivatives,
                          SiteSlopeMemory& memory);

}  // namespace cuttle
