#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "cuttle/bodies/slender.h"
#include "cuttle/error.h"
#include "cuttle/model/robot.h"

// A rod as contacts see it: a chain of pieces between its stations.

namespace cuttle {

/// Radius of the circle about the axis of a rod by which it touches: of circles theirs; of others the one around the
/// outline; of general sections that of their area.
template <typename S>
S section_radius(const SectionT<S>& section, const S& t) {
  using Shape = typename SectionT<S>::Shape;
  using std::sqrt;
  const auto larger = [](const S& a, const S& b) { return select(a < b, b, a); };
  switch (section.shape) {
    case Shape::circle:
    case Shape::annulus:
      return section.radius.at(t);
    case Shape::ellipse:
      return larger(section.radius_x.at(t), section.radius_y.at(t));
    case Shape::rectangle: {
      const S w = section.width.at(t), h = section.height.at(t);
      return S(0.5) * sqrt(w * w + h * h);
    }
    case Shape::general:
      return sqrt(section.area.at(t) / constant<S>(std::numbers::pi_v<long double>));
  }
  return S(0.0);
}

/// Where a piece of a rod ends and the next one begins.
template <typename S>
struct RodStop {
  PlaceT<S> place;
  S s;       ///< along the rod [m]
  S radius;  ///< by which it touches there
};

/// From the base of a rod to its tip. @param key  of the side, for errors. @throws ModelError if it has no sizes.
template <typename S>
std::vector<RodStop<S>> rod_stops(const LinkT<S>& link, const char* key) {
  const SlenderT<S>& rod = *link.body->slender();
  if (!rod.section().is_given()) {
    throw ModelError(key, "'" + link.name + "', a rod whose section has no sizes",
                     "one with sizes, or with `contact` shapes");
  }
  const S L = rod.length();
  const double near_end = 1e-9 * scalar_cast<double>(L);
  std::vector<RodStop<S>> stops;
  const auto add = [&](const PortLocationT<S>& at, const S& s) {
    stops.push_back({{link.name, at, {}}, s, section_radius(rod.section(), S(s / L))});
  };
  add(PortLocationT<S>::base(), S(0.0));
  for (const auto& station : link.body->stations()) {
    const double s = scalar_cast<double>(station.s), last = scalar_cast<double>(stops.back().s);
    if (s < last + near_end || s > scalar_cast<double>(L) - near_end) continue;
    add(PortLocationT<S>::section(station.s), station.s);
  }
  add(PortLocationT<S>::tip(), L);
  return stops;
}

/// A point of a rod's axis, and the length that it stands for.
template <typename S>
struct RodPoint {
  RodStop<S> stop;
  S weight;
};

/// Where a rod is seen at points of its axis: its stops, and others between them where they are farther apart than
/// `longest` [m]. @param key  of the side, for errors.
template <typename S>
std::vector<RodPoint<S>> rod_points(const LinkT<S>& link, const char* key, double longest) {
  const std::vector<RodStop<S>> stops = rod_stops(link, key);
  const SlenderT<S>& rod = *link.body->slender();
  std::vector<RodPoint<S>> points{{stops.front(), S(0.0)}};
  for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
    const S way = stops[i + 1].s - stops[i].s;
    const int parts = std::max(1, static_cast<int>(std::ceil(scalar_cast<double>(way) / longest * (1.0 - 1e-9))));
    const S half = S(0.5 / parts) * way;
    points.back().weight += half;
    for (int k = 1; k < parts; ++k) {
      const S s = stops[i].s + S(static_cast<double>(k) / parts) * way;
      points.push_back(
          {{{link.name, PortLocationT<S>::section(s), {}}, s, section_radius(rod.section(), S(s / rod.length()))},
           S(2.0) * half});
    }
    points.push_back({stops[i + 1], half});
  }
  return points;
}

}  // namespace cuttle
