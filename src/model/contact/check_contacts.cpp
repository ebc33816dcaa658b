// What is wrong with contacts and obstacles before anything is bound.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "cuttle/geometry/shapes.h"
#include "model/check_numbers.h"
#include "model/contact/contact_plan.h"
#include "model/signal_jump.h"
#include "spatial/number_text.h"

namespace cuttle {
namespace {

template <typename S>
void require_number(const KeyPath& place, const S& value, bool good, const char* expected) {
  using std::isfinite;
  if (isfinite(value) && good) return;
  throw ModelError(place, number_text(value), expected);
}

template <typename S>
void check_friction(const ContactFrictionT<S>& friction) {
  const std::pair<const char*, const S*> coefficients[] = {
      {"forward", &friction.forward}, {"backward", &friction.backward}, {"sideways", &friction.sideways}};
  int zeros = 0;
  for (const auto& [key, value] : coefficients) {
    require_number({"friction", key}, *value, !any(*value < S(0.0)), "a number >= 0");
    if (!any(*value > S(0.0))) ++zeros;
  }
  if (zeros != 0 && zeros != 3) {
    throw ModelError("friction", "a coefficient of 0 beside one above", "all of them 0, or none");
  }
  if (any(friction.static_ratio < S(1.0)) || !std::isfinite(scalar_cast<double>(friction.static_ratio))) {
    throw ModelError({"friction", "static"}, number_text(friction.static_ratio * friction.sideways),
                     "a number >= kinetic = " + number_text(friction.sideways));
  }
  require_number({"friction", "stribeck_velocity"}, friction.stribeck_velocity,
                 any(friction.stribeck_velocity > S(0.0)), "a number > 0 [m/s]");
  require_number({"friction", "damping_time"}, friction.damping_time, !any(friction.damping_time < S(0.0)),
                 "a number >= 0 [s]");
}

/// What leaps passes what it would touch, and no force says how much work that takes.
void check_leaps(const char* key, const std::optional<std::array<Signal, 3>>& signals) {
  for (std::size_t i = 0; signals && i < signals->size(); ++i) {
    const auto jump = first_jump((*signals)[i], 0.0, std::numeric_limits<double>::infinity(), 0);
    if (!jump) continue;
    throw ModelError(
        {"motion", key, i},
        fmt::format("a signal whose value jumps at t = {:g} s, from {:g} to {:g}", jump->time, jump->from, jump->to),
        "one that is continuous, as ramp, cubic, quintic, sine or a table");
  }
}

}  // namespace

template <typename S>
void check_contact(const ContactT<S>& contact) {
  check_friction(contact.friction);
  if (contact.modulus) {
    require_number("modulus", *contact.modulus, any(*contact.modulus > S(0.0)), "a number > 0 [Pa]");
  }
  require_number("dissipation", contact.dissipation, !any(contact.dissipation < S(0.0)), "a number >= 0 [s/m]");
  if (contact.rounding) {
    require_number("rounding", *contact.rounding, any(*contact.rounding > S(0.0)), "a number > 0 [m]");
  }
  if (contact.spacing) require_number("spacing", *contact.spacing, *contact.spacing > 0.0, "a number > 0 [m]");
}

template <typename S>
void check_obstacles(const RobotT<S>& robot) {
  const auto check_name = [](const std::string& name, std::set<std::string>& seen) {
    if (name.empty()) throw ModelError("name", "nothing", "a name");
    if (name.find('/') != std::string::npos) {
      throw ModelError("name", "'" + name + "'", "a name without '/' (it separates groups in results)");
    }
    if (!seen.insert(name).second) throw ModelError("name", "'" + name + "' again", "unique names");
  };
  const auto check_shape = [](const auto& shape, bool inside) {
    if (!shape) throw ModelError("shape", "nothing", "a shape (of a user's own: one with a cast(), for other scalars)");
    if (shape->is_open() && !inside) {
      throw ModelError("open", "true", "false: open ends are those of obstacles with `inside: true`");
    }
  };
  std::set<std::string> names;
  for (const auto& link : robot.links) names.insert(link.name);
  for (std::size_t i = 0; i < robot.obstacles.size(); ++i) {
    const ObstacleT<S>& obstacle = robot.obstacles[i];
    at_place({"obstacles", i}, obstacle.name.empty() ? "" : "obstacle '" + obstacle.name + "'", [&] {
      check_name(obstacle.name, names);
      check_shape(obstacle.shape, obstacle.inside);
      if (obstacle.inside && obstacle.shape->other_side()) {
        throw ModelError("inside", "true of an open " + obstacle.shape->type_name(),
                         "false, and the other side of it (SignedDistance::other_side)");
      }
      check_pose("pose", obstacle.pose);
      check_leaps("position", obstacle.motion.position), check_leaps("rpy", obstacle.motion.rpy);
    });
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const LinkContactT<S>& contact = robot.links[i].contact;
    for (std::size_t k = 0; k < contact.shapes.size(); ++k) {
      at_place({"links", i, "contact", k}, robot.links[i].name, [&] {
        check_shape(contact.shapes[k].shape, false);
        if (contact.shapes[k].shape->other_side()) {
          throw ModelError("sides", "one", "two: links touch by closed surfaces");
        }
        check_pose("pose", contact.shapes[k].pose);
      });
    }
  }
  names.clear();
  for (std::size_t i = 0; i < robot.contacts.size(); ++i) {
    at_place({"contacts", i}, "", [&] { check_name(robot.contacts[i].name, names); });
  }
}

#define CUTTLE_INSTANTIATE(S)                         \
  template void check_contact<S>(const ContactT<S>&); \
  template void check_obstacles<S>(const RobotT<S>&);
CUTTLE_FOR_EACH_SCALAR(CUTTLE_INSTANTIATE)
#undef CUTTLE_INSTANTIATE

}  // namespace cuttle
