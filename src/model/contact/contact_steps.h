#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "model/contact/contact_facets.h"
#include "model/contact/contact_law.h"
#include "model/contact/contact_pieces.h"
#include "model/contact/piece_hull.h"

// The longest step within which no site can cross what it touches unseen. Included by contact_law.cpp alone.

namespace cuttle {

/// Where an obstacle that moves goes: what its velocity does not say yet, as where it rests and sets out.
template <typename S>
class ObstacleWay {
 public:
  ObstacleWay(const ObstaclePlaceT<S>& place, double time) {
    const PoseT<S> back = place.at(time).pose.inverse();
    for (int k = 0; k < k_times; ++k) way_[k] = place.at(time + after(k)).pose * back;
  }
  /// @return a time in which no point of the obstacle that is at x has moved by more than `most` along n, world axes;
  /// infinity: it never does.
  double until(const Vector3T<S>& x, const Vector3T<S>& n, double most) const {
    for (int k = 0; k < k_times; ++k) {
      if (scalar_cast<double>(dot(n, way_[k].act(x) - x)) > most) return after(std::max(0, k - 1));
    }
    return std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr int k_times = 20;
  static double after(int k) { return std::ldexp(1e-4, k); }  // [s], to a minute

  PoseT<S> way_[k_times];
};

/// Until the site's obstacle, which moves, has come half of the way that is seen.
template <typename S>
double ContactLawT<S>::longest_step_beside(const ContactSiteT<S>& site, double time, const FrameMotionT<S>* motion,
                                           const ObstacleWay<S>& way) const {
  const Seen<S> here = seen(site, time, motion);
  const double toward = site.curve_frames == 0 ? -1.0 : 1.0;  // it carries the curve, or the surface
  double longest = std::numeric_limits<double>::infinity();
  const int points = site.kind == ContactSiteT<S>::Kind::line ? 5 : 1;
  for (int i = 0; i < points; ++i) {
    const S t(points == 1 ? 0.0 : static_cast<double>(i) / (points - 1));
    const Vector3T<S> x = here.curve.curve().at(t);
    const DistanceT<S> d = distance<S>(site, x);
    const Vector3T<S> nearer = S(toward) * (here.surface.rotation * d.gradient);
    longest = std::min(longest, way.until(here.surface.act(x), nearer, way_seen(site, t, d)));
  }
  return longest;
}

template <typename S>
double ContactLawT<S>::longest_step_of_all(double time, const FrameMotionT<S>* frames) const {
  double longest = std::numeric_limits<double>::infinity();
  std::optional<ObstacleWay<S>> way;
  int seen_of = -1;  // the obstacle that it is of
  const auto see = [&](int site) {
    FrameMotionT<S> motion[k_most_site_frames];
    const Site& bound = this->sites_[static_cast<std::size_t>(site)];
    for (int k = 0; k < bound.frame_count; ++k) motion[k] = frames[bound.frame[static_cast<std::size_t>(k)]];
    longest = std::min(longest, longest_step(site, time, motion));
    if (is_facet(site)) return;
    const ContactSiteT<S>& own = own_[static_cast<std::size_t>(site)];
    if (own.obstacle < 0 || !places_[static_cast<std::size_t>(own.obstacle)].moves()) return;
    if (own.obstacle != seen_of) {
      way.emplace(places_[static_cast<std::size_t>(own.obstacle)], time), seen_of = own.obstacle;
    }
    longest = std::min(longest, longest_step_beside(own, time, motion, *way));
  };
  for (const int site : others_) see(site);
  // Boxes that grow by the way of two steps, beside axes that move and turn with all: who does not meet then cannot
  // touch within one. The slower all is, the longer the step that is looked at.
  for (const PieceSites& rods : pieces_) {
    const auto moving = [&](const std::vector<int>& of, const std::vector<double>& radii) {
      std::vector<MovingPiece> pieces;
      pieces.reserve(radii.size());
      for (std::size_t i = 0; i < radii.size(); ++i) {
        pieces.emplace_back(frames[of[i]], frames[of[i + 1]], radii[i]);
      }
      return pieces;
    };
    std::vector<MovingPiece> pieces_a = moving(rods.a, rods.radius_a), pieces_b = moving(rods.b, rods.radius_b);
    MovingAxes all;
    for (const auto* pieces : {&pieces_a, &pieces_b}) {
      for (const MovingPiece& piece : *pieces) all.add(piece);
    }
    all = all.mean();
    double fastest = 0.0, radius = 0.0;
    for (auto* pieces : {&pieces_a, &pieces_b}) {
      for (MovingPiece& piece : *pieces) piece.fast = piece.speed(all), fastest = std::max(fastest, piece.fast);
    }
    for (const double r : rods.radius_a) radius = std::max(radius, r);
    if (!(fastest > 0.0)) continue;
    const double step = std::max(k_least_seen_step, k_seen_way * radius / fastest);
    const auto box = [&](const MovingPiece& piece) {
      PieceBox grown = piece.hull.box();
      grown.grow(2.0 * step * piece.fast);
      return grown;
    };
    std::vector<double> memory(PieceBoxes::room(pieces_b.size()));
    const PieceBoxes tree(memory.data(), pieces_b.size(), [&](std::size_t k) { return box(pieces_b[k]); });
    for (std::size_t i = 0; i < pieces_a.size(); ++i) {
      const auto first = static_cast<std::size_t>(rods.first_b[i]);
      const MovingPiece& piece = pieces_a[i];
      tree.for_each_met(box(piece), first, [&](std::size_t k) {
        if (piece.hull.is_clear_of(pieces_b[k].hull, 2.0 * step * piece.closing(pieces_b[k]))) return;
        see(rods.first_site[i] + static_cast<int>(k - first));
      });
    }
    longest = std::min(longest, step);
  }
  for (const FacetPassT<S>& pass : facet_passes_) {
    longest = std::min(longest, for_each_facet_in_reach(pass, frames, see));
  }
  return longest;
}

}  // namespace cuttle
