// A drone of a robot file.
#include "cuttle/elements/drone.h"
#include "io/kinds/load_parts.h"
#include "io/robot/part_readers.h"

namespace cuttle {

using namespace key;

namespace {

const char* const k_gains_of_error = "[angular, linear] or six numbers >= 0, angular first [N m s/rad, N s/m]";
const char* const k_gains_of_integral = "[angular, linear] or six numbers >= 0, angular first [N m/rad, N/m]";

Key desired(const char* key_name, const char* unit, const char* about) {
  return signals(key_name, 3, unit).about(about).by_default("[0, 0, 0]");
}

Key gains(const char* key_name, const char* meaning, const char* unit, const char* about) {
  Key key = other(key_name, meaning, {numbers("", 2, unit, k_not_negative), numbers("", 6, unit, k_not_negative)});
  key.unit = unit;
  return key.about(about);
}

const KeyTable k_drone_load{
    .keys = {link_key("Link that it moves."), place_key(),
             desired("angular_velocity", "rad/s",
                     "Desired angular velocity of the place, in axes that `rpy` or `quaternion` turns."),
             desired("linear_velocity", "m/s", "Desired velocity of the place, in the same axes."),
             numbers("rpy", 3, "rad")
                 .about("Axes of the desired velocity in the world: roll, pitch and yaw as of a [pose](#pose).")
                 .by_default("[0, 0, 0]"),
             numbers("quaternion", 4, k_dimensionless)
                 .about("The same as `[w, x, y, z]`, instead of `rpy`.")
                 .by_default("[1, 0, 0, 0]"),
             required(gains(
                 "proportional", k_gains_of_error, "N m s/rad, N s/m",
                 "Gains on the error of the velocity: one for the torque and one for the force, or one for each of "
                 "the components, in the axes of the place.")),
             gains("integral", k_gains_of_integral, "N m/rad, N/m", "Gains on the integral of that error since time 0.")
                 .by_default("[0, 0]")},
    .rules = {{KeyRule::Kind::at_most_one, {"rpy", "quaternion"}}}};

template <typename S>
void read_gains(const YamlMap& map, const char* name, std::array<S, 6>& gains) {
  const auto cursor = map.at(name);
  if (!cursor) return;
  const Key& rule = map.rule(name);
  if (cursor->kind() != YamlNode::Kind::list || (cursor->size() != 2 && cursor->size() != 6)) {
    cursor->fail(rule.expected());
    return;
  }
  const auto values = cursor->numbers<S>(key::numbers(name, 0, rule.unit.c_str(), k_not_negative));
  if (!values) return;
  for (std::size_t i = 0; i < 6; ++i) gains[i] = (*values)[values->size() == 6 ? i : i / 3];
}

template <typename S>
std::optional<LoadT<S>> read_drone(const PartReader<S>& part) {
  const YamlMap& map = part.map();
  const PlaceT<S> place = part.place();
  const auto* law = dynamic_cast<const DroneLaw*>(law_before(part));
  const Drone* before = law != nullptr ? &law->parameters() : nullptr;
  DroneT<S> drone;
  read_signals(part, "angular_velocity", before ? before->angular_velocity : nullptr, drone.angular_velocity);
  read_signals(part, "linear_velocity", before ? before->linear_velocity : nullptr, drone.linear_velocity);
  drone.axes = read_rotation<S>(map);
  read_gains(map, "proportional", drone.proportional);
  read_gains(map, "integral", drone.integral);
  return make_drone_load<S>(place, drone);
}

/// Gains, one each for the angular and the linear part if that is all.
void write_gains(const char* key, const std::array<double, 6>& gains, MapWriter& map) {
  const bool two = gains[0] == gains[1] && gains[1] == gains[2] && gains[3] == gains[4] && gains[4] == gains[5];
  if (two) {
    map.numbers(key, {gains[0], gains[3]});
  } else {
    map.numbers(key, {gains.begin(), gains.end()});
  }
}

void write_drone(const Load& load, MapWriter& map) {
  const Drone& drone = law_of<DroneLaw>(load).parameters();
  write_material_place(load.place, map);
  write_signals("angular_velocity", drone.angular_velocity, map);
  write_signals("linear_velocity", drone.linear_velocity, map);
  write_rotation(drone.axes, map);
  write_gains("proportional", drone.proportional, map);
  if (drone.integral != std::array<double, 6>{}) write_gains("integral", drone.integral, map);
}

}  // namespace

LoadKind drone_kind() {
  return {"drone",
          &k_drone_load,
          "A force and a torque that make a place follow a desired velocity: proportional error + integral (error "
          "dt), "
          "[B] (68).",
          "{type: drone, link: finger, at: tip, linear_velocity: [0, 0, {type: sine, amplitude: 1, frequency: 0.5}], "
          "proportional: [20, 20], integral: [2.5, 2.5]}",
          read_drone<double>,
          read_drone<ForwardDual>,
          write_drone};
}

}  // namespace cuttle
