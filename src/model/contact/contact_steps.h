#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "model/contact/contact_facets.h"
#include "model/contact/contact_law.h"
#include "model/contact/contact_pieces.h"
#include "model/contact/piece_hull.h"

// The longest step within which no site can cross what it touches unseen. Included by contact_law.cpp alone.

namespace cuttle {

template <typename S>
double ContactLawT<S>::longest_step_of_all(double time, const FrameMotionT<S>* frames) const {
  double longest = std::numeric_limits<double>::infinity();
  const auto see = [&](int site) {
    FrameMotionT<S> motion[k_most_site_frames];
    const Site& bound = this->sites_[static_cast<std::size_t>(site)];
    for (int k = 0; k < bound.frame_count; ++k) motion[k] = frames[bound.frame[static_cast<std::size_t>(k)]];
    longest = std::min(longest, longest_step(site, time, motion));
  };
  for (const int site : others_) see(site);
  // Boxes that grow by the way of two steps: who does not meet then cannot touch within one. The slower all is, the
  // longer the step that is looked at.
  for (const PieceSites& rods : pieces_) {
    Vector3 mean;
    for (const int frame : rods.a) mean += velocity_in_world(frames[frame]);
    for (const int frame : rods.b) mean += velocity_in_world(frames[frame]);
    mean = 1.0 / static_cast<double>(rods.a.size() + rods.b.size()) * mean;
    const auto speed = [&](const std::vector<int>& of, std::size_t i) {
      return speed_of_piece(frames[of[i]], frames[of[i + 1]], mean);
    };
    double fastest = 0.0, radius = 0.0;
    for (std::size_t i = 0; i < rods.radius_a.size(); ++i) {
      fastest = std::max(fastest, speed(rods.a, i)), radius = std::max(radius, rods.radius_a[i]);
    }
    for (std::size_t k = 0; k < rods.radius_b.size(); ++k) fastest = std::max(fastest, speed(rods.b, k));
    if (!(fastest > 0.0)) continue;
    const double step = std::max(k_least_seen_step, k_seen_way * radius / fastest);
    const auto box = [&](const std::vector<int>& of, const std::vector<double>& radii, std::size_t i) {
      PieceBox grown = box_of_piece(frames[of[i]].pose.template cast<double>(),
                                    frames[of[i + 1]].pose.template cast<double>(), radii[i]);
      grown.grow(2.0 * step * speed(of, i));
      return grown;
    };
    std::vector<double> memory(PieceBoxes::room(rods.radius_b.size()));
    const PieceBoxes tree(memory.data(), rods.radius_b.size(),
                          [&](std::size_t k) { return box(rods.b, rods.radius_b, k); });
    for (std::size_t i = 0; i < rods.radius_a.size(); ++i) {
      const auto first = static_cast<std::size_t>(rods.first_b[i]);
      tree.for_each_met(box(rods.a, rods.radius_a, i), first,
                        [&](std::size_t k) { see(rods.first_site[i] + static_cast<int>(k - first)); });
    }
    longest = std::min(longest, step);
  }
  for (const FacetPassT<S>& pass : facet_passes_) {
    longest = std::min(longest, for_each_facet_in_reach(pass, frames, see));
  }
  return longest;
}

}  // namespace cuttle
