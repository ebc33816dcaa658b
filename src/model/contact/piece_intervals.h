#pragma once

#include <algorithm>
#include <cmath>

#include "model/contact/contact_law.h"
#include "model/contact/cubic_roots.h"
#include "model/contact/depth_intervals.h"
#include "model/contact/piece_border.h"

// Where a piece of a rod is within a piece of another one. Included by contact_pieces.h alone.

namespace cuttle {

/// Where the first curve is within the other rod, among what the other piece has.
template <typename S>
struct ContactLawT<S>::PieceIntervals {
  enum class Kind { fixed, root, border };
  struct End {
    Kind kind = Kind::fixed;
    int border = -1, side = 0;  ///< of PieceBordersT: at half its width within, -1, or beyond, 1
  };
  struct Interval {
    Value begin, end;
    End begins, ends;
    int border;  ///< within which it is; -1: none
  };
  static constexpr int k_most = 8;
  Interval intervals[k_most];
  int count = 0;
};

template <typename S>
template <typename T>
PieceBordersT<T> ContactLawT<S>::piece_borders(const ContactSiteT<S>& site, const CubicT<T>& b) const {
  const T radius = number_as<T>(select(site.begin_radius < site.end_radius, site.end_radius, site.begin_radius));
  PieceBordersT<T> borders;
  if (!site.other_begins) borders.all[borders.count++] = {false, b, radius + number_as<T>(site.other_begin_radius)};
  if (!site.other_ends) borders.all[borders.count++] = {true, b, radius + number_as<T>(site.other_end_radius)};
  return borders;
}

template <typename S>
auto ContactLawT<S>::piece_intervals(const ContactSiteT<S>& site, const CubicT<Value>& a, const CubicT<Value>& b) const
    -> PieceIntervals {
  using V = Value;
  using Kind = typename PieceIntervals::Kind;
  PieceIntervals result;
  // parts of the curve between borders, and within them
  struct Mark {
    V t;
    typename PieceIntervals::End end;
  };
  Mark marks[14] = {{V(0), {}}};
  int count = 1;
  const PieceBordersT<V> borders = piece_borders<V>(site, b);
  const FootRangeT<V> range = borders.template foot_range<V>();
  for (int i = 0; i < borders.count; ++i) {
    const PieceBorderT<V>& border = borders.all[i];
    for (const int side : {-1, 1}) {
      const V offset = V(side) * border.half_width;
      V roots[3];
      const int found = cubic_roots<V>(border.beyond(a.begin) - offset, border.beyond(a.end) - offset,
                                       dot(a.begin_tangent, border.out), dot(a.end_tangent, border.out), roots);
      for (int k = 0; k < found; ++k) {  // in order
        int place = count++;
        for (; marks[place - 1].t > roots[k]; --place) marks[place] = marks[place - 1];
        marks[place] = {roots[k], {Kind::border, i, side}};
      }
    }
  }
  marks[count++] = {V(1), {}};

  const V radius_a = std::max(scalar_cast<V>(site.begin_radius), scalar_cast<V>(site.end_radius));
  const V radius_b = std::max(scalar_cast<V>(site.other_begin_radius), scalar_cast<V>(site.other_end_radius));
  const V taper_a = std::abs(scalar_cast<V>(site.end_radius - site.begin_radius));
  const V taper_b = std::abs(scalar_cast<V>(site.other_end_radius - site.other_begin_radius));
  const V speed = norm(a.end - a.begin) * V(1.5) + norm(a.begin_tangent) + norm(a.end_tangent);
  const V least = V(1e-9) * scalar_cast<V>(site.range);
  const typename PieceIntervals::End root{Kind::root};
  for (int i = 0; i + 1 < count; ++i) {
    const V from = marks[i].t, length = marks[i + 1].t - from;
    if (!(length > 0)) continue;
    const Vector3T<V> x = a.at(from + length / 2);
    int within = -1;
    bool is_beyond = false;
    for (int k = 0; k < borders.count; ++k) {
      const V beyond = borders.all[k].beyond(x);
      is_beyond = is_beyond || beyond >= borders.all[k].half_width;
      if (beyond > -borders.all[k].half_width) within = k;
    }
    if (is_beyond) continue;
    const Beside<V> middle = beside<V>(site, a, b, from + length / 2, range);
    if (middle.distance - speed * length / 2 > radius_a + radius_b) continue;
    const V steepest = length * (speed + taper_a + 2 * taper_b * speed / (norm(b.begin_tangent)));
    const auto found = depth_intervals<V>(
        [&](const V& part) {
          const Beside<V> there = beside<V>(site, a, b, from + part * length, range);
          return DepthT<V>{there.depth, length * there.depth_slope};
        },
        steepest, least);
    for (int k = 0; k < found.count && result.count < PieceIntervals::k_most; ++k) {
      const auto& part = found.intervals[static_cast<std::size_t>(k)];
      result.intervals[result.count++] = {part.begins_at_root ? from + part.begin * length : from,
                                          part.ends_at_root ? from + part.end * length : marks[i + 1].t,
                                          part.begins_at_root ? root : marks[i].end,
                                          part.ends_at_root ? root : marks[i + 1].end, within};
    }
  }
  return result;
}

/// The nearest points of both pieces.
template <typename S>
struct ContactLawT<S>::Nearest {
  Value t;
  Beside<Value> there;
};

template <typename S>
auto ContactLawT<S>::nearest(const ContactSiteT<S>& site, const CubicT<Value>& a, const CubicT<Value>& b) const
    -> Nearest {
  using V = Value;
  constexpr int k_cells = 8;
  Nearest result{V(0), beside<V>(site, a, b, V(0), {})};
  V from = 0;
  Beside<V> left = result.there;
  const auto see = [&](const V& t, const Beside<V>& there) {
    if (there.depth > result.there.depth) result = {t, there};
  };
  for (int cell = 1; cell <= k_cells; ++cell) {
    const V to = V(cell) / k_cells;
    const Beside<V> right = beside<V>(site, a, b, to, {});
    see(to, right);
    if (left.depth_slope > 0 && right.depth_slope < 0) {  // a deepest point between
      V low = from, high = to, slope_low = left.depth_slope, slope_high = right.depth_slope;
      for (int i = 0; i < 40 && high - low > V(1e-10); ++i) {
        V part = i % 3 == 2 ? V(0.5) : slope_low / (slope_low - slope_high);
        part = std::min(std::max(part, V(0.01)), V(0.99));
        const V middle = low + part * (high - low);
        const Beside<V> there = beside<V>(site, a, b, middle, {});
        see(middle, there);
        (there.depth_slope > 0 ? low : high) = middle;
        (there.depth_slope > 0 ? slope_low : slope_high) = there.depth_slope;
      }
    }
    left = right, from = to;
  }
  return result;
}

}  // namespace cuttle
