#pragma once

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "cuttle/error.h"
#include "model/contact/contact_law.h"
#include "model/contact/facet_rim.h"
#include "model/contact/rod_stops.h"
#include "model/contact/volume_facets.h"

namespace cuttle {

inline constexpr std::size_t k_most_facet_sites = 250000;
inline constexpr double k_apart_edges = 1.2;  // between facets of one body that touch, along edges at rest

/// Points by which a facet touches: its middle, or three of a coarse surface, which would tip within its corners else.
inline std::size_t points_per_facet(const VolumeFacets& surface) {
  constexpr std::size_t k_few = 64;
  return surface.facets.size() > k_few ? 1 : 3;
}

/// The facets that the points of a pass touch. @param place  the frame of a point of their body.
template <typename S, typename Place>
void add_touched(FacetPassT<S>& pass, const VolumeFacets& surface, const Place& place) {
  for (const VolumeFacets::Facet& facet : surface.facets) {
    typename FacetPassT<S>::Facet& touched = pass.facets.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      touched.frames[k] = place(surface.points[static_cast<std::size_t>(facet.corners[k])]);
    }
    touched.cuts = facet.cuts, touched.half = facet.half;
  }
}

/// Lets points on the facets of one volume touch the facets of another one, or of the same one.
/// @param modulus  half of the pair's: each facet is seen from both sides.   @param place  the frame of a point of a
/// link.   @param of_b  whether the points are a part of side b.
template <typename S, typename Place>
void plan_facets(ContactPlanT<S>& plan, int pair, const VolumeFacets& own, std::size_t per_facet,
                 const VolumeFacets& other, bool of_itself, bool of_b, const S& modulus, double range,
                 const Place& place) {
  FacetPassT<S> pass;
  pass.far = std::max(own.size, other.size);
  const auto number = static_cast<int>(plan.facets.size());
  const auto share = 1.0 / static_cast<double>(per_facet);
  for (const VolumeFacets::Facet& facet : own.facets) {
    const double thickness = facet.edge / 3.0;
    for (std::size_t i = 0; i < per_facet; ++i) {
      typename FacetPassT<S>::Point& point = pass.points.emplace_back();
      Vector3 at = facet.middle;  // or half of the way from there to a corner
      if (per_facet > 1) at = 0.5 * (at + own.points[static_cast<std::size_t>(facet.corners[i])]);
      point.frame = place(true, at);
      point.stiffness = modulus * S(share * facet.area / thickness), point.range = S(range * thickness);
      point.weight = S(0.5 * share * facet.area);
      point.disc = (per_facet > 1 ? 0.25 : 0.5) * facet.inner_radius, point.half = facet.half;
    }
  }
  add_touched(pass, other, [&](const Vector3& x) { return place(false, x); });
  const std::vector<double> ways = of_itself ? own.ways() : std::vector<double>{};
  for (std::size_t i = 0; i < pass.points.size(); ++i) {
    const std::size_t of_point = i / per_facet;
    for (std::size_t k = 0; k < other.facets.size(); ++k) {
      const VolumeFacets::Facet &one = own.facets[of_point], &two = other.facets[k];
      if (of_itself && !(ways[of_point * own.facets.size() + k] > k_apart_edges * std::max(one.edge, two.edge))) {
        pass.site.push_back(-1);
        continue;
      }
      pass.site.push_back(static_cast<int>(plan.facet_sites.size()));
      const bool beyond = of_itself && one.middle.z > two.middle.z;
      plan.facet_sites.push_back({number, static_cast<int>(i), static_cast<int>(k), of_b || beyond, pair});
    }
  }
  plan.facets.push_back(std::move(pass));
}

/// How far apart points of a rod may be that touches these facets [m]: half of their edges.
inline double way_between_points(const VolumeFacets& surface) {
  double sum = 0.0;
  for (const VolumeFacets::Facet& facet : surface.facets) sum += facet.edge;
  return 0.5 * sum / static_cast<double>(surface.facets.size());
}

/// Lets points of a rod's axis, with its radius, touch the facets of a volume: as a line, by pi/4 E* a length.
/// @param frames  of the points.   @param place  the frame of a point of the volume.   @param of_b  whether the rod is
/// side b.   @param range  of the rounded law, of the radius.
template <typename S, typename Place>
void plan_rod_on_facets(ContactPlanT<S>& plan, int pair, const std::vector<RodPoint<S>>& rod,
                        const std::vector<int>& frames, const VolumeFacets& surface, bool of_b, const S& modulus,
                        double range, const Place& place) {
  FacetPassT<S> pass;
  pass.far = std::max(surface.size, scalar_cast<double>(rod.back().stop.s));
  double disc = 0.0;  // as wide as the facets are, at most
  for (const VolumeFacets::Facet& facet : surface.facets) disc += facet.inner_radius;
  disc /= static_cast<double>(surface.facets.size());
  for (std::size_t i = 0; i < rod.size(); ++i) {
    const S& radius = rod[i].stop.radius;
    if (!any(radius > S(0.0))) continue;
    typename FacetPassT<S>::Point& point = pass.points.emplace_back();
    point.frame = frames[i], point.radius = radius, point.range = S(range) * radius;
    point.stiffness = constant<S>(0.25L * std::numbers::pi_v<long double>) * modulus * rod[i].weight;
    point.weight = rod[i].weight, point.half = scalar_cast<double>(radius);
    point.disc = 0.5 * std::min(disc, std::max(point.half, scalar_cast<double>(rod[i].weight)));
    point.sharp_narrow = std::max(1.0, point.disc / (k_sharp_width * point.half));
  }
  if (pass.points.empty()) return;
  add_touched(pass, surface, place);
  const auto number = static_cast<int>(plan.facets.size());
  for (std::size_t i = 0; i < pass.points.size(); ++i) {
    for (std::size_t k = 0; k < pass.facets.size(); ++k) {
      pass.site.push_back(static_cast<int>(plan.facet_sites.size()));
      plan.facet_sites.push_back({number, static_cast<int>(i), static_cast<int>(k), of_b, pair});
    }
  }
  plan.facets.push_back(std::move(pass));
}

}  // namespace cuttle
