#include "model/contact/contact_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "cuttle/bodies/point_body_base.h"
#include "cuttle/bodies/slender.h"
#include "cuttle/model/spelling.h"
#include "model/check_numbers.h"
#include "model/contact/link_carriers.h"
#include "model/contact/plan_facets.h"
#include "model/contact/plan_numbers.h"
#include "model/contact/rod_stops.h"
#include "model/contact/volume_points.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_rounding = 0.01;      // of the least half extent: corners, edges and vertices
constexpr double k_linear_range = 1e-3;  // of the radius: over which the stiffness of lines and areas grows
constexpr double k_apart_radii = 2.5;    // between pieces of one rod that touch, along it
constexpr double k_apart_pieces = 1.2;   // likewise, of the longer one
constexpr double k_point_range = 1e-12;  // of the radius: depth of points whose numbers stay regular

/// Makes the plan of one contact, pair by pair.
template <typename S>
class Planner {
 public:
  using Site = ContactSiteT<S>;
  using Kind = typename Site::Kind;
  Planner(const RobotT<S>& robot, const ContactT<S>& contact) : robot_(robot), contact_(contact), carriers_(robot) {}

  ContactPlanT<S> plan() {
    check_contact(contact_);
    const std::vector<Side> a = found("a", contact_.a), b = found("b", contact_.b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t k = 0; k < b.size(); ++k) {
        const bool again = b[k].link != nullptr && std::any_of(plan_.pairs.begin(), plan_.pairs.end(), [&](auto& p) {
                             return p[0] == b[k].name && p[1] == a[i].name;
                           });
        if (again) throw ModelError("b", "'" + b[k].name + "' and '" + a[i].name + "' again", "each pair once");
        pair_ = static_cast<int>(plan_.pairs.size());
        plan_.pairs.push_back({a[i].name, b[k].name});
        add(a[i], b[k]);
      }
    }
    return std::move(plan_);
  }

 private:
  /// A link, or an obstacle.
  struct Side {
    std::string name;
    const LinkT<S>* link = nullptr;
    const ObstacleT<S>* obstacle = nullptr;
    int index = 0;         ///< among links or obstacles
    bool is_self = false;  ///< the link of side a
  };
  /// A shape by which a side touches, and what carries it.
  struct Carried {
    std::shared_ptr<const SignedDistanceT<S>> shape;
    PoseT<S> pose;      ///< in its frame
    int frame = -1;     ///< of the plan; -1: an obstacle carries it
    int obstacle = -1;  ///< of the robot
    bool inside = false;

    /// Half extent that nothing may cross.
    double wall() const {
      return inside ? std::numeric_limits<double>::infinity() : scalar_cast<double>(shape->half_thickness());
    }
    S curvature() const { return inside ? -shape->curvature() : shape->curvature(); }
  };
  template <typename Part>
  static std::vector<std::string> names_of(const std::vector<Part>& parts) {
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const Part& part : parts) names.push_back(part.name);
    return names;
  }
  std::vector<Side> found(const std::string& key, const std::vector<std::string>& names) const {
    const bool is_a = key == "a";
    const std::string wanted = is_a ? "a link" : "a link or an obstacle";
    if (names.empty()) throw ModelError(key, "nothing", wanted);
    std::vector<Side> sides;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const KeyPath place = names.size() == 1 ? KeyPath{key} : KeyPath{key, i};
      const int link = index_of(robot_.links, name), obstacle = index_of(robot_.obstacles, name);
      if (!is_a && link < 0 && obstacle < 0 && name == "self") {
        sides.push_back({name, nullptr, nullptr, 0, true});
        continue;
      }
      if (is_a && link < 0 && obstacle >= 0) {
        throw ModelError(place, "'" + name + "', an obstacle", "a link: obstacles stand under b");
      }
      if (link < 0 && obstacle < 0) {
        std::vector<std::string> known = names_of(robot_.links);
        if (!is_a) {
          for (const std::string& more : names_of(robot_.obstacles)) known.push_back(more);
        }
        throw ModelError(place, "'" + name + "'", wanted + did_you_mean(name, known));
      }
      const bool again = std::any_of(sides.begin(), sides.end(), [&](const Side& side) { return side.name == name; });
      if (again) throw ModelError(place, "'" + name + "' again", "each once");
      if (link >= 0) {
        sides.push_back({name, &robot_.links[static_cast<std::size_t>(link)], nullptr, link});
      } else {
        sides.push_back({name, nullptr, &robot_.obstacles[static_cast<std::size_t>(obstacle)], obstacle});
      }
    }
    return sides;
  }

  void add(const Side& a, const Side& b) {
    if (b.is_self) return add_self(a);
    if (b.link == nullptr) {
      if (!carriers_.moves(a.index)) throw fixed(a, b, "a link that moves");
    } else if (a.name == b.name) {
      throw ModelError("b", "'" + a.name + "' on both sides", "two links, or `b: self` for a link that touches itself");
    } else if (carriers_.are_fixed(a.index, b.index)) {
      throw fixed(a, b, "links that move against each other");
    }
    const std::vector<Carried> of_a = shapes_of("a", a), of_b = shapes_of("b", b);
    const S E = modulus(a, b);
    if (!of_a.empty() && !of_b.empty()) {
      for (const Carried& one : of_a) {
        for (const Carried& other : of_b) add_shapes(one, other, E, a.name);
      }
    } else if (of_a.empty() && of_b.empty()) {
      if (is_rod(a) && is_rod(b)) return add_rods(a, b, E);
      if (!is_rod(a) && !is_rod(b)) return add_volumes(a, b, E);
      return is_rod(a) ? add_rod_on_volume(a, b, E, false) : add_rod_on_volume(b, a, E, true);
    } else {
      const Side& soft = of_a.empty() ? a : b;
      for (const Carried& other : of_a.empty() ? of_b : of_a) {
        if (is_rod(soft)) {
          add_rod(soft, other, E, of_b.empty());
        } else {
          add_volume(soft, other, E, of_b.empty());
        }
      }
    }
  }
  static bool is_rod(const Side& side) { return side.link->body->slender() != nullptr; }
  void add_self(const Side& a) {
    if (!shapes_of("a", a).empty()) {
      throw ModelError("b", "'self' beside '" + a.name + "', which touches by `contact` shapes",
                       "a rod or a volume without them");
    }
    if (!LinkCarriersT<S>::deforms(*a.link)) {
      throw ModelError("b", "'self' beside '" + a.name + "', which does not deform", "a rod or a volume that does");
    }
    Side b = a;
    b.is_self = true;
    const std::size_t before = plan_.sites.size() + plan_.facet_sites.size();
    if (is_rod(a)) {
      add_rods(a, b, modulus(a, b));
    } else {
      add_volumes(a, b, modulus(a, b));
    }
    if (plan_.sites.size() + plan_.facet_sites.size() == before) {
      throw ModelError("b", "'self' beside '" + a.name + "', whose parts are all neighbors",
                       is_rod(a) ? "a rod with more sections (quadrature), or a longer one"
                                 : "a volume whose surface has more facets (mesh, or spacing)");
    }
  }

  /// Volumes by points on the facets of their surfaces against the facets of the other one, seen both ways.
  void add_volumes(const Side& a, const Side& b, const S& modulus) {
    const VolumeFacets of_a = facets_of(a), of_b = b.is_self ? of_a : facets_of(b);
    const std::size_t points_of_a = points_per_facet(of_a), points_of_b = points_per_facet(of_b);
    const std::size_t pairs = of_a.facets.size() * of_b.facets.size();
    require_room(pairs * (b.is_self ? points_of_a : points_of_a + points_of_b), k_most_facet_sites / 2, [&] {
      return fmt::format("{} and {} facets that may touch each other", of_a.facets.size(), of_b.facets.size());
    });
    const auto add_pass = [&](const Side& own, const VolumeFacets& points, std::size_t per_facet, const Side& other,
                              const VolumeFacets& facets, bool of_second) {
      const auto place_of = [&](bool of_own, const Vector3& x) {
        return place({(of_own ? own : other).link->name, PortLocationT<S>::at_point(x.template cast<S>()), {}});
      };
      plan_facets(plan_, pair_, points, per_facet, facets, b.is_self, of_second, S(0.5) * modulus, k_linear_range,
                  place_of);
    };
    add_pass(a, of_a, points_of_a, b, of_b, false);
    if (!b.is_self) add_pass(b, of_b, points_of_b, a, of_a, true);
  }
  /// A rod by points of its axis against the facets of a volume. @param rod_is_b  which of both sides it is.
  void add_rod_on_volume(const Side& rod, const Side& volume, const S& modulus, bool rod_is_b) {
    const VolumeFacets facets = facets_of(volume);
    const std::vector<RodPoint<S>> points = rod_points(*rod.link, rod_is_b ? "b" : "a", way_between_points(facets));
    require_room(points.size() * facets.facets.size(), k_most_facet_sites, [&] {
      return fmt::format("{} points of '{}' and {} facets of '{}' that may touch each other", points.size(), rod.name,
                         facets.facets.size(), volume.name);
    });
    std::vector<int> frames;
    frames.reserve(points.size());
    for (const RodPoint<S>& point : points) frames.push_back(place(point.stop.place));
    const auto place_of = [&](const Vector3& x) {
      return place({volume.link->name, PortLocationT<S>::at_point(x.template cast<S>()), {}});
    };
    plan_rod_on_facets(plan_, pair_, points, frames, facets, rod_is_b, modulus, k_linear_range, place_of);
  }
  /// @param found  what wants so many sites.
  template <typename Found>
  void require_room(std::size_t sites, std::size_t most_pairs, const Found& found) const {
    if (plan_.facet_sites.size() + sites <= k_most_facet_sites) return;
    throw ModelError(contact_.spacing ? "spacing" : "b", found(),
                     fmt::format("at most {} pairs in a contact, by a larger `spacing`", most_pairs));
  }
  VolumeFacets facets_of(const Side& side) const {
    VolumeFacets facets = volume_facets(side.link->body->surface(), contact_.spacing.value_or(0.0));
    if (facets.facets.empty()) {
      throw ModelError("spacing", number_text(S(contact_.spacing.value_or(0.0))),
                       "a smaller one: the walls of '" + side.link->name + "' would close");
    }
    return facets;
  }
  ModelError fixed(const Side& a, const Side& b, const std::string& wanted) const {
    return ModelError({}, "'" + a.name + "' and '" + b.name + "', which are fixed to each other", wanted);
  }

  /// The shapes of a side; none: its body is a rod or a volume, which touches as it deforms.
  std::vector<Carried> shapes_of(const std::string& key, const Side& side) {
    std::vector<Carried> shapes;
    if (side.obstacle != nullptr) {
      Carried& own = shapes.emplace_back();
      own.shape = side.obstacle->shape, own.obstacle = side.index, own.inside = side.obstacle->inside;
      return shapes;
    }
    const LinkT<S>& link = *side.link;
    if (link.contact.none) {
      throw ModelError(key, "'" + link.name + "', which says `contact: none`", "a link that touches");
    }
    for (const ContactShapeT<S>& given : link.contact.shapes) {
      Carried& own = shapes.emplace_back();
      own.shape = given.shape, own.pose = given.pose, own.frame = place({link.name, PortLocationT<S>::base(), {}});
    }
    const BodyT<S>* body = link.body.get();
    const bool is_soft =
        body != nullptr && (body->slender() != nullptr ||
                            (body->coordinate_count() > 0 && body->has_material_points() && !body->surface().empty()));
    if (shapes.empty() && is_soft) refuse_derivatives(key, link);
    if (shapes.empty() && !is_soft) {
      throw ModelError(
          key, "'" + link.name + "', a link without `contact`",
          "one with a shape to touch by (links." + link.name + ".contact): '" + contact_.name + "' needs it");
    }
    return shapes;
  }

  /// Derivatives take the places and areas of a volume's surface as they are.
  void refuse_derivatives(const std::string& key, const LinkT<S>& link) {
    if constexpr (std::is_same_v<S, ForwardDual>) {
      const auto* volume = dynamic_cast<const PointBodyBaseT<S>*>(link.body.get());
      if (volume == nullptr || volume->parameters().surface) return;
      const PointShapeT<S>& shape = volume->parameters().shape;
      for (const S* size : {&shape.length, &shape.half_x, &shape.half_y, &shape.inner_radius}) {
        if (std::all_of(std::begin(size->derivative), std::end(size->derivative), [](double x) { return x == 0.0; })) {
          continue;
        }
        plan_.refused = fmt::format(
            "contacts.{}.{}: found a derivative by the size of '{}', a volume that touches, expected one by another "
            "number: places and areas on its surface are taken as they are",
            contact_.name, key, link.name);
      }
    }
  }

  /// E* of the pair: 1/E* is the sum over both sides, rigid ones adding nothing.
  S modulus(const Side& a, const Side& b) const {
    if (contact_.modulus) return *contact_.modulus;
    S sum(0.0);
    bool any_soft = false;
    for (const Side* side : {&a, &b}) {
      if (side->link == nullptr) continue;
      const auto material = robot_.materials.find(side->link->material);
      if (material == robot_.materials.end()) {
        if (!LinkCarriersT<S>::deforms(*side->link)) continue;
        throw ModelError("modulus", "nothing",
                         "a number > 0 [Pa]: '" + side->name + "' has no named material of which it would follow");
      }
      const std::optional<S> compliance = compliance_of(material->second);
      if (!compliance) {
        throw ModelError("modulus", "nothing",
                         "a number > 0 [Pa]: the material '" + side->link->material + "' has no young_modulus");
      }
      sum += *compliance, any_soft = true;
    }
    if (!any_soft) throw ModelError("modulus", "nothing", "a number > 0 [Pa]: both sides are rigid");
    return S(1.0) / sum;
  }

  int place(const PlaceT<S>& at) {
    for (std::size_t i = 0; i < plan_.places.size(); ++i) {
      const PlaceT<S>& other = plan_.places[i];
      if (other.link == at.link && other.at.kind == at.at.kind && identical(other.at.s, at.at.s) &&
          identical(other.at.point.x, at.at.point.x) && identical(other.at.point.y, at.at.point.y) &&
          identical(other.at.point.z, at.at.point.z)) {
        return static_cast<int>(i);
      }
    }
    plan_.places.push_back(at);
    return static_cast<int>(plan_.places.size()) - 1;
  }

  /// @param site  whose curve is set, and what carries it.   @param of_b  whether that is side b.
  void add(Site site, const Carried& surface, bool of_b) {
    site.of_b = of_b;
    if (site.obstacle < 0) site.obstacle = surface.obstacle;
    site.surface = surface.shape;
    site.endless = !std::isfinite(surface.wall());
    if (!surface.inside) {
      site.surface_radius = surface.shape->bounding_radius();
    }
    site.on_link = surface.frame >= 0;
    if (site.on_link) {
      site.surface_in_frame = surface.pose;
      site.frames[site.curve_frames] = surface.frame;
    }
    plan_.sites.push_back(std::move(site));
    plan_.pair_of_site.push_back(pair_);
  }

  /// 4/3 E* sqrt(R), 1/R the sum of both curvatures.
  S point_stiffness(const S& modulus, const S& radius, const S& other_curvature) const {
    using std::sqrt;
    const S curvature = S(1.0) / radius + other_curvature;
    if (!any(curvature * radius > S(1e-6))) {
      throw ModelError(
          {},
          "a radius of " + number_text(radius) + " m inside one of " + number_text(S(-1.0) / other_curvature) + " m",
          "a smaller one");
    }
    return S(4.0 / 3.0) * modulus / sqrt(curvature);
  }

  /// Stiffness, range and bounds of a site whose axis, radii and kind are set. @param length  of a line.
  void finish(Site& site, const S& modulus, const S& length, const S& other_curvature) const {
    const S radius = select(site.begin_radius < site.end_radius, site.end_radius, site.begin_radius);
    if (site.kind == Kind::point) {
      site.stiffness = point_stiffness(modulus, radius, other_curvature);
      site.range = S(k_point_range) * radius;
    } else {
      site.stiffness = constant<S>(0.25L * std::numbers::pi_v<long double>) * modulus * length;
      site.range = S(k_linear_range) * radius;
      site.weight = length;
    }
    const S span = S(0.5) * norm(site.axis.end - site.axis.begin) +
                   S(0.15) * (norm(site.axis.begin_tangent) + norm(site.axis.end_tangent));
    site.reach = scalar_cast<double>(radius) + (site.curve_frames == 2 ? 0.0 : scalar_cast<double>(span));
  }

  static CubicT<S> axis_of(const TouchPartT<S>& part, const PoseT<S>& pose) {
    const Matrix3T<S>& R = pose.rotation;
    return {pose.act(part.begin), pose.act(part.end), R * part.begin_tangent, R * part.end_tangent};
  }

  TouchDetailT<S> detail(const SignedDistanceT<S>& shape, bool flat) const {
    const S half = shape.half_thickness();
    TouchDetailT<S> detail;
    detail.rounding = contact_.rounding ? *contact_.rounding : S(k_rounding) * half;
    detail.flat = flat;
    detail.spacing = contact_.spacing.value_or(0.0);
    if (contact_.rounding && !any(detail.rounding < half)) {
      throw ModelError("rounding", number_text(detail.rounding),
                       "a number below the least half extent, " + number_text(half) + " m");
    }
    return detail;
  }

  void add_shapes(const Carried& a, const Carried& b, const S& modulus, const std::string& name_of_a) {
    const SignedDistanceT<S>&shape = *a.shape, &other = *b.shape;
    const double thickness = std::min(a.wall(), b.wall());
    const auto parts_of = [&](const Carried& own, const Carried& surface) {
      return own.shape->touch_parts(detail(*own.shape, surface.shape->is_flat()));
    };
    const auto is_ball = [&](const Carried& own, const Carried& surface) {
      const auto parts = parts_of(own, surface);
      return own.shape->is_its_parts() && parts.size() == 1 && !parts[0].is_curve;
    };
    // each by its parts against the other; a round one is its parts, and nothing is to be seen the other way. A ball
    // touches a line at a point, whichever of both is a.
    const bool ball_under_b = !b.inside && shape.is_its_parts() && !is_ball(a, b) && is_ball(b, a);
    const bool from_a = !ball_under_b && !(other.is_its_parts() && !shape.is_its_parts() && !b.inside);
    const bool from_b = ball_under_b || (!b.inside && !shape.is_its_parts() && !other.is_flat());
    bool seen = false;
    const auto add_parts = [&](const Carried& own, const Carried& surface, bool of_b) {
      for (const auto& part : parts_of(own, surface)) {
        if (!any(part.begin_radius > S(0.0)) && !any(part.end_radius > S(0.0))) continue;
        Site site;
        site.kind = part.is_curve ? Kind::line : Kind::point;
        site.obstacle = own.obstacle;
        site.curve_frames = own.frame < 0 ? 0 : 1, site.frames[0] = std::max(0, own.frame);
        site.axis = axis_of(part, own.pose);
        site.begin_radius = part.begin_radius, site.end_radius = part.end_radius;
        site.forward = {S(0.0), S(0.0), S(1.0)}, site.thickness = thickness;
        finish(site, modulus, part.is_curve ? length_of(site.axis) : S(1.0), surface.curvature());
        add(std::move(site), surface, of_b);
        seen = true;
      }
    };
    if (from_a) add_parts(a, b, false);
    if (from_b) add_parts(b, a, true);
    if (!seen) {
      throw ModelError("a", "'" + name_of_a + "', a " + shape.type_name(),
                       "a shape with parts to touch a " + other.type_name() + " by");
    }
  }

  /// @param of_b  whether the rod is side b.
  void add_rod(const Side& side, const Carried& surface, const S& modulus, bool of_b) {
    const int index = side.index;
    const LinkT<S>& link = *side.link;
    const double limit = surface.wall();
    const std::vector<RodStop<S>> stops = rod_stops(link, of_b ? "b" : "a");
    for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
      Site site;
      site.kind = Kind::line;
      site.curve_frames = 2, site.frames[0] = place(stops[i].place), site.frames[1] = place(stops[i + 1].place);
      if (of_b) site.forward = {S(0.0), S(0.0), S(1.0)};
      site.begin_radius = stops[i].radius, site.end_radius = stops[i + 1].radius;
      if (!any(site.begin_radius > S(0.0)) && !any(site.end_radius > S(0.0))) continue;
      site.thickness = std::min(limit, thickest(stops, i));
      finish(site, modulus, stops[i + 1].s - stops[i].s, S(0.0));
      add(std::move(site), surface, of_b);
    }
    // half spheres at ends that nothing else hangs on
    const bool free_base = hangs_free(link) || (is_at_base(index) && robot_.floating_base);
    for (const bool at_tip : {false, true}) {
      if (at_tip ? has_child_at_tip(index) : !free_base) continue;
      const RodStop<S>& stop = at_tip ? stops.back() : stops.front();
      Site site;
      site.begin_radius = site.end_radius = stop.radius;
      if (!any(site.begin_radius > S(0.0))) continue;
      site.frames[0] = place(stop.place);
      site.forward = {S(0.0), S(0.0), S(1.0)};
      site.thickness = std::min(limit, scalar_cast<double>(site.begin_radius));
      finish(site, modulus, S(1.0), surface.curvature());
      add(std::move(site), surface, of_b);
    }
  }
  static double thickest(const std::vector<RodStop<S>>& stops, std::size_t piece) {
    return std::max(scalar_cast<double>(stops[piece].radius), scalar_cast<double>(stops[piece + 1].radius));
  }

  /// Pieces of a rod against those of another one, or of the same one beyond what is beside them.
  void add_rods(const Side& a, const Side& b, const S& modulus) {
    const bool of_itself = b.is_self;
    const std::vector<RodStop<S>> stops_a = rod_stops(*a.link, "a");
    const std::vector<RodStop<S>> stops_b = of_itself ? stops_a : rod_stops(*b.link, "b");
    PieceSites rods;
    const auto list = [&](const std::vector<RodStop<S>>& stops, std::vector<int>& frames, std::vector<double>& radius) {
      for (const RodStop<S>& stop : stops) frames.push_back(place(stop.place));
      for (std::size_t i = 0; i + 1 < stops.size(); ++i) radius.push_back(thickest(stops, i));
    };
    list(stops_a, rods.a, rods.radius_a), list(stops_b, rods.b, rods.radius_b);
    const std::size_t last = rods.radius_b.size();
    for (std::size_t i = 0; i < rods.radius_a.size(); ++i) {
      const std::size_t first = of_itself ? first_apart(stops_a, rods.radius_a, i) : 0;
      rods.first_b.push_back(static_cast<int>(first));
      rods.first_site.push_back(static_cast<int>(plan_.sites.size()));
      for (std::size_t k = first; k < last; ++k) {
        Site site;
        site.kind = Kind::pieces, site.curve_frames = 3, site.on_link = true;
        const int frames[] = {rods.a[i], rods.a[i + 1], rods.b[k + 1], rods.b[k]};
        std::copy(std::begin(frames), std::end(frames), site.frames);
        site.begin_radius = stops_a[i].radius, site.end_radius = stops_a[i + 1].radius;
        site.other_begin_radius = stops_b[k].radius, site.other_end_radius = stops_b[k + 1].radius;
        site.other_begins = k == first, site.other_ends = k + 1 == last;
        site.thickness = std::min(rods.radius_a[i], rods.radius_b[k]);
        finish(site, modulus, stops_a[i + 1].s - stops_a[i].s, S(0.0));
        plan_.sites.push_back(std::move(site));
        plan_.pair_of_site.push_back(pair_);
      }
    }
    plan_.pieces.push_back(std::move(rods));
  }
  /// The first piece from which on all of the rod is far enough along it to be another part: 2.5 radii, or 1.2 pieces.
  static std::size_t first_apart(const std::vector<RodStop<S>>& stops, const std::vector<double>& radius,
                                 std::size_t piece) {
    const auto at = [&](std::size_t i) { return scalar_cast<double>(stops[i].s); };
    std::size_t first = radius.size();
    while (first > piece + 1) {
      const std::size_t k = first - 1;
      const double longer = std::max(at(piece + 1) - at(piece), at(k + 1) - at(k));
      const double least = std::max(k_apart_radii * std::max(radius[piece], radius[k]), k_apart_pieces * longer);
      if (at(k) - at(piece + 1) < least * (1.0 - 1e-9)) break;
      first = k;
    }
    return first;
  }
  bool is_at_base(int index) const {
    const std::string& parent = robot_.links[index].parent.link;
    return parent == "base" || (parent.empty() && index == 0);
  }
  /// Whether its joint holds nothing.
  static bool hangs_free(const LinkT<S>& link) { return link.joint && link.joint->nv() == 6; }
  bool has_child_at_tip(int index) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const PlaceT<S>& parent = robot_.links[i].parent;
      const bool of_this =
          parent.link == robot_.links[index].name || (parent.link.empty() && static_cast<int>(i) == index + 1);
      if (of_this && parent.at.kind == PortLocationT<S>::Kind::tip && !hangs_free(robot_.links[i])) return true;
    }
    return false;
  }

  void add_volume(const Side& side, const Carried& surface, const S& modulus, bool of_b) {
    const LinkT<S>& link = *side.link;
    const double limit = surface.wall();
    for (const SurfacePoint& point : volume_points(link.body->surface(), contact_.spacing.value_or(0.0))) {
      Site site;
      site.kind = Kind::area;
      site.frames[0] = place({link.name, PortLocationT<S>::at_point(point.position.template cast<S>()), {}});
      site.forward = {S(0.0), S(0.0), S(1.0)};
      const double thickness = point.edge / 3.0;
      site.stiffness = modulus * S(point.area / thickness);
      site.range = S(k_linear_range * thickness);
      site.weight = S(point.area);
      site.thickness = std::min(limit, point.edge);
      site.reach = 0.0;
      add(std::move(site), surface, of_b);
    }
  }

  const RobotT<S>& robot_;
  const ContactT<S>& contact_;
  LinkCarriersT<S> carriers_;
  ContactPlanT<S> plan_;
  int pair_ = 0;
};

}  // namespace

template <typename S>
ContactPlanT<S> plan_contact(const RobotT<S>& robot, const ContactT<S>& contact) {
  return Planner<S>(robot, contact).plan();
}

#define CUTTLE_INSTANTIATE(S) template ContactPlanT<S> plan_contact<S>(const RobotT<S>&, const ContactT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
