#pragma once

#include <algorithm>

#include "cuttle/algorithms/sites.h"

namespace cuttle {

/// Frames of a site at which nothing moves.
struct StillFrames {
  StillFrames(const Sites& sites, const SitePlace& place, double time) {
    std::copy_n(sites.motion(place), place.frame_count, motion);
    sites.law(place).still(place.site, time, motion);
  }
  FrameMotionT<double> motion[k_most_site_frames];
};

/// Slopes of a site at which nothing moves, nor begins to where its frames are displaced: their velocities follow as
/// those of SiteLawT::still do, V' = [V, zeta].
/// @param motion  with these velocities.
template <typename S>
void slopes_at_rest(const SiteLawT<S>& law, int site, double time, const FrameMotionT<S>* motion, const S* states,
                    SiteSlopesT<S>& slopes) {
  law.slopes(site, time, motion, states, slopes);
  const auto& frames = law.sites()[static_cast<std::size_t>(site)];
  for (int k = 0; k < frames.frame_count; ++k) {
    const TwistT<S>& V = motion[k].velocity;
    bool any_moves = false;
    for (int r = 0; r < 6; ++r) any_moves = any_moves || V[r] != S(0.0);
    for (int c = 0; any_moves && c < 6; ++c) {
      TwistT<S> zeta;
      (c < 3 ? zeta.angular : zeta.linear)[c % 3] = S(1.0);
      const TwistT<S> change = bracket(V, zeta);
      for (int r = 0; r < 6; ++r) {
        slopes.by_pose.col(6 * k + c) += slopes.by_velocity.col(6 * k + r) * change[r];
        slopes.rate_by_pose.col(6 * k + c) += slopes.rate_by_velocity.col(6 * k + r) * change[r];
      }
    }
  }
}

}  // namespace cuttle
