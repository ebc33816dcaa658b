#include "model/contact/contact_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "cuttle/bodies/slender.h"
#include "cuttle/model/spelling.h"
#include "model/check_numbers.h"
#include "model/contact/volume_points.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

constexpr double k_rounding = 0.01;      // of the least half extent: corners, edges and vertices
constexpr double k_linear_range = 1e-3;  // of the radius: over which the stiffness of lines and areas grows
constexpr double k_point_range = 1e-12;  // of the radius: depth of points whose numbers stay regular

/// (1 - nu^2) / E of a material; nothing if it says no stiffness.
template <typename S>
std::optional<S> compliance_of(const MaterialT<S>& material) {
  using Model = typename MaterialT<S>::Model;
  const S one(1.0), half(0.5), six(6.0);
  const auto of = [&](const S& E, const S& nu) { return (one - nu * nu) / E; };
  if (material.law) return std::nullopt;
  switch (material.model) {
    case Model::linear:
    case Model::st_venant_kirchhoff:
      if (!material.young_modulus || !any(*material.young_modulus > S(0.0))) return std::nullopt;
      return of(*material.young_modulus, material.poisson_ratio);
    case Model::neo_hookean: {
      const S mu = S(2.0) * material.c1;
      if (!any(mu > S(0.0))) return std::nullopt;
      if (!material.lame_lambda) return of(six * material.c1, half);
      const S nu = *material.lame_lambda / (S(2.0) * (*material.lame_lambda + mu));
      return of(S(2.0) * mu * (one + nu), nu);
    }
    case Model::mooney_rivlin:
    case Model::yeoh: {
      const S E = six * (material.c1 + (material.model == Model::mooney_rivlin ? material.c2 : S(0.0)));
      if (!any(E > S(0.0))) return std::nullopt;
      return of(E, half);
    }
  }
  return std::nullopt;
}

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

template <typename S>
S length_of(const CubicT<S>& curve) {
  // Simpson's rule over eight parts: the curves are close to circular arcs, along which the speed is even
  S sum(0.0);
  constexpr int k_parts = 8;
  for (int i = 0; i <= k_parts; ++i) {
    const S weight(i == 0 || i == k_parts ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0));
    sum += weight * norm(curve.slope(S(static_cast<double>(i) / k_parts)));
  }
  return sum * S(1.0 / (3.0 * k_parts));
}

/// Makes the plan of one contact, pair by pair.
template <typename S>
class Planner {
 public:
  using Site = ContactSiteT<S>;
  using Kind = typename Site::Kind;
  Planner(const RobotT<S>& robot, const ContactT<S>& contact) : robot_(robot), contact_(contact) {}

  ContactPlanT<S> plan() {
    check_contact(contact_);
    const std::vector<int> links = found("a", contact_.a), obstacles = found("b", contact_.b);
    for (const int link : links) {
      for (const int obstacle : obstacles) {
        pair_ = static_cast<int>(plan_.pairs.size());
        plan_.pairs.push_back({robot_.links[link].name, robot_.obstacles[obstacle].name});
        add(link, obstacle);
      }
    }
    return std::move(plan_);
  }

 private:
  template <typename Part>
  static std::vector<std::string> names_of(const std::vector<Part>& parts) {
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const Part& part : parts) names.push_back(part.name);
    return names;
  }
  template <typename Part>
  static int index_in(const std::vector<Part>& parts, const std::string& name) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  std::vector<int> found(const std::string& side, const std::vector<std::string>& names) const {
    const bool is_a = side == "a";
    const std::string wanted = is_a ? "a link" : "an obstacle", other = is_a ? "an obstacle" : "a link";
    if (names.empty()) throw ModelError(side, "nothing", wanted);
    std::vector<int> indices;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const KeyPath place = names.size() == 1 ? KeyPath{side} : KeyPath{side, i};
      const int link = index_in(robot_.links, name), obstacle = index_in(robot_.obstacles, name);
      const int index = is_a ? link : obstacle;
      if (index < 0 && (is_a ? obstacle : link) >= 0)
        throw ModelError(place, fmt::format("'{}', {}", name, other), wanted);
      if (index < 0) {
        std::vector<std::string> known = is_a ? names_of(robot_.links) : names_of(robot_.obstacles);
        throw ModelError(place, "'" + name + "'", wanted + did_you_mean(name, known));
      }
      if (std::find(indices.begin(), indices.end(), index) != indices.end()) {
        throw ModelError(place, "'" + name + "' again", "each once");
      }
      indices.push_back(index);
    }
    return indices;
  }

  /// Whether anything lets the link move.
  bool moves(int index) const {
    for (int guard = 0; guard <= static_cast<int>(robot_.links.size()); ++guard) {
      if (index < 0) return robot_.floating_base;
      const LinkT<S>& link = robot_.links[index];
      if (link.joint && link.joint->nv() > 0) return true;
      if (link.body && link.body->coordinate_count() > 0) return true;
      const std::string& parent = link.parent.link;
      index = parent.empty() ? index - 1 : (parent == "base" ? -1 : index_in(robot_.links, parent));
    }
    return false;
  }

  void add(int link_index, int obstacle_index) {
    const LinkT<S>& link = robot_.links[link_index];
    const ObstacleT<S>& obstacle = robot_.obstacles[obstacle_index];
    if (!moves(link_index)) {
      throw ModelError({}, "'" + link.name + "' and '" + obstacle.name + "', which are fixed to each other",
                       "a link that moves");
    }
    obstacle_ = obstacle_index;
    if (link.contact.none) {
      throw ModelError("a", "'" + link.name + "', which says `contact: none`", "a link that touches");
    }
    const BodyT<S>* body = link.body.get();
    if (!link.contact.shapes.empty()) {
      add_shapes(link, obstacle);
    } else if (body != nullptr && body->slender() != nullptr) {
      add_rod(link_index, obstacle);
    } else if (body != nullptr && body->coordinate_count() > 0 && body->has_material_points() &&
               !body->surface().empty()) {
      add_volume(link, obstacle);
    } else {
      throw ModelError(
          "a", "'" + link.name + "', a link without `contact`",
          "one with a shape to touch by (links." + link.name + ".contact): '" + contact_.name + "' needs it");
    }
  }

  /// E* of the pair.
  S modulus(const LinkT<S>& link, const ObstacleT<S>& obstacle) const {
    if (contact_.modulus) return *contact_.modulus;
    const auto material = robot_.materials.find(link.material);
    if (material == robot_.materials.end()) {
      const bool rigid = !link.body || link.body->coordinate_count() == 0;
      throw ModelError("modulus", "nothing",
                       "a number > 0 [Pa]: " +
                           (rigid ? std::string("both sides are rigid")
                                  : "'" + link.name + "' has no named material, and '" + obstacle.name + "' is rigid"));
    }
    const std::optional<S> compliance = compliance_of(material->second);
    if (!compliance) {
      throw ModelError("modulus", "nothing",
                       "a number > 0 [Pa]: the material '" + link.material + "' has no young_modulus");
    }
    return S(1.0) / *compliance;
  }

  /// Half extent of the obstacle that nothing may cross.
  static double wall(const ObstacleT<S>& obstacle) {
    return obstacle.inside ? std::numeric_limits<double>::infinity()
                           : scalar_cast<double>(obstacle.shape->half_thickness());
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

  void add(Site site) {
    site.obstacle = obstacle_;
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
    site.reach = scalar_cast<double>(radius) + (site.frame_count == 2 ? 0.0 : scalar_cast<double>(span));
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

  void add_shapes(const LinkT<S>& link, const ObstacleT<S>& obstacle) {
    const S E = modulus(link, obstacle);
    const double limit = wall(obstacle);
    const int frame = place({link.name, PortLocationT<S>::base(), {}});
    const Vector3T<S> forward{S(0.0), S(0.0), S(1.0)};
    for (std::size_t i = 0; i < link.contact.shapes.size(); ++i) {
      const ContactShapeT<S>& own = link.contact.shapes[i];
      const SignedDistanceT<S>&shape = *own.shape, &other = *obstacle.shape;
      const double thickness = std::min(limit, scalar_cast<double>(shape.half_thickness()));
      // each by its parts against the other; a round one is its parts, and nothing is to be seen the other way
      const bool from_link = !(other.is_its_parts() && !shape.is_its_parts() && !obstacle.inside);
      const bool from_obstacle = !obstacle.inside && !shape.is_its_parts() && !other.is_flat();
      bool seen = false;
      const auto add_part = [&](const TouchPartT<S>& part, bool of_obstacle) {
        if (!any(part.begin_radius > S(0.0)) && !any(part.end_radius > S(0.0))) return;
        Site site;
        site.kind = part.is_curve ? Kind::line : Kind::point;
        site.of_obstacle = of_obstacle, site.frames[0] = site.frames[1] = frame;
        site.surface = of_obstacle ? own.shape : obstacle.shape, site.surface_in_frame = own.pose;
        site.axis = axis_of(part, of_obstacle ? PoseT<S>{} : own.pose);
        site.begin_radius = part.begin_radius, site.end_radius = part.end_radius;
        site.forward = forward, site.thickness = thickness;
        const S bend = of_obstacle ? shape.curvature() : other.curvature();
        finish(site, E, part.is_curve ? length_of(site.axis) : S(1.0), obstacle.inside ? -bend : bend);
        add(std::move(site));
        seen = true;
      };
      if (from_link) {
        for (const auto& part : shape.touch_parts(detail(shape, other.is_flat()))) add_part(part, false);
      }
      if (from_obstacle) {
        for (const auto& part : other.touch_parts(detail(other, shape.is_flat()))) add_part(part, true);
      }
      if (!seen) {
        throw ModelError("a", "'" + link.name + "', a " + shape.type_name(),
                         "a shape with parts to touch a " + other.type_name() + " by");
      }
    }
  }

  void add_rod(int index, const ObstacleT<S>& obstacle) {
    const LinkT<S>& link = robot_.links[index];
    const SlenderT<S>& rod = *link.body->slender();
    if (!rod.section().is_given()) {
      throw ModelError("a", "'" + link.name + "', a rod whose section has no sizes",
                       "one with sizes, or with `contact` shapes");
    }
    const S E = modulus(link, obstacle), L = rod.length();
    const double limit = wall(obstacle), near_end = 1e-9 * scalar_cast<double>(L);
    struct Stop {
      PlaceT<S> place;
      S s;
    };
    std::vector<Stop> stops{{{link.name, PortLocationT<S>::base(), {}}, S(0.0)}};
    for (const auto& station : link.body->stations()) {
      const double s = scalar_cast<double>(station.s), last = scalar_cast<double>(stops.back().s);
      if (s < last + near_end || s > scalar_cast<double>(L) - near_end) continue;
      stops.push_back({{link.name, PortLocationT<S>::section(station.s), {}}, station.s});
    }
    stops.push_back({{link.name, PortLocationT<S>::tip(), {}}, L});
    const auto radius = [&](const Stop& stop) { return section_radius(rod.section(), S(stop.s / L)); };
    for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
      Site site;
      site.kind = Kind::line;
      site.frame_count = 2, site.frames[0] = place(stops[i].place), site.frames[1] = place(stops[i + 1].place);
      site.surface = obstacle.shape;
      site.begin_radius = radius(stops[i]), site.end_radius = radius(stops[i + 1]);
      if (!any(site.begin_radius > S(0.0)) && !any(site.end_radius > S(0.0))) continue;
      site.thickness = std::min(
          limit, scalar_cast<double>(select(site.begin_radius < site.end_radius, site.end_radius, site.begin_radius)));
      finish(site, E, stops[i + 1].s - stops[i].s, S(0.0));
      add(std::move(site));
    }
    // half spheres at ends that nothing else hangs on
    const bool free_base = is_at_base(index) && (robot_.floating_base || (link.joint && link.joint->nv() == 6));
    for (const bool at_tip : {false, true}) {
      if (at_tip ? has_child_at_tip(index) : !free_base) continue;
      const Stop& stop = at_tip ? stops.back() : stops.front();
      Site site;
      site.begin_radius = site.end_radius = radius(stop);
      if (!any(site.begin_radius > S(0.0))) continue;
      site.frames[0] = site.frames[1] = place(stop.place);
      site.surface = obstacle.shape;
      site.forward = {S(0.0), S(0.0), S(1.0)};
      site.thickness = std::min(limit, scalar_cast<double>(site.begin_radius));
      finish(site, E, S(1.0), obstacle.inside ? -obstacle.shape->curvature() : obstacle.shape->curvature());
      add(std::move(site));
    }
  }
  bool is_at_base(int index) const {
    const std::string& parent = robot_.links[index].parent.link;
    return parent == "base" || (parent.empty() && index == 0);
  }
  bool has_child_at_tip(int index) const {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const PlaceT<S>& parent = robot_.links[i].parent;
      const bool of_this =
          parent.link == robot_.links[index].name || (parent.link.empty() && static_cast<int>(i) == index + 1);
      if (of_this && parent.at.kind == PortLocationT<S>::Kind::tip) return true;
    }
    return false;
  }

  void add_volume(const LinkT<S>& link, const ObstacleT<S>& obstacle) {
    const S E = modulus(link, obstacle);
    const double limit = wall(obstacle);
    for (const SurfacePoint& point : volume_points(link.body->surface(), contact_.spacing.value_or(0.0))) {
      Site site;
      site.kind = Kind::area;
      site.frames[0] = site.frames[1] =
          place({link.name, PortLocationT<S>::at_point(point.position.template cast<S>()), {}});
      site.surface = obstacle.shape;
      site.forward = {S(0.0), S(0.0), S(1.0)};
      const double thickness = point.edge / 3.0;
      site.stiffness = E * S(point.area / thickness);
      site.range = S(k_linear_range * thickness);
      site.weight = S(point.area);
      site.thickness = std::min(limit, point.edge);
      site.reach = 0.0;
      add(std::move(site));
    }
  }

  const RobotT<S>& robot_;
  const ContactT<S>& contact_;
  ContactPlanT<S> plan_;
  int pair_ = 0, obstacle_ = 0;
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
