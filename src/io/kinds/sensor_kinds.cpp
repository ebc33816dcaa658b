// The sensors of a robot file, a line each.
#include "cuttle/sensors/sensors.h"
#include "io/kinds/kind_list.h"
#include "io/robot/part_writers.h"
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

using SensorPointer = std::shared_ptr<const Sensor>;
using Part = PartReader<double>;

std::vector<Key> placed_keys(std::vector<Key> own = {}) {
  std::vector<Key> keys{link_key("Link that it sits on; `base` is the robot's base."), place_key(),
                        pose_key("pose").about("Its frame, relative to that place.")};
  keys.insert(keys.end(), own.begin(), own.end());
  return sensor_keys(std::move(keys));
}
Key actuator_key(const char* about) { return required(name("actuator")).about(about); }

const KeyTable k_at_place{.keys = placed_keys()};
const KeyTable k_velocity{
    .keys = placed_keys(
        {choice("frame", {"world", "body"}).about("Axes in which it says velocities.").by_default("world")})};
const KeyTable k_contact{.keys = placed_keys({required(name("contact")).about("Name of a contact.")})};
const KeyTable k_strain{
    .keys =
        sensor_keys({link_key("Link whose body is a rod."),
                     required(number("s", k_not_negative, "m"))
                         .about("Distance from the rod's base along its rest length, at most L."),
                     numbers("offset", 2, "m")
                         .about("`[x, y]` in the axes of the cross-section: the elongation of a fiber there instead.")
                         .if_missing("all six components")})};
const KeyTable k_actuator{.keys = sensor_keys({actuator_key("Name of an actuator.")})};
const KeyTable k_chamber{.keys = sensor_keys({actuator_key("Name of a chamber among the actuators.")})};
const KeyTable k_joint{.keys = sensor_keys({link_key("Link whose joint it sits in; it may be fixed.")})};
const KeyTable k_plain{.keys = sensor_keys({})};

Place mount(const Part& part) {
  Place place = part.place();
  place.pose = place.pose * part.pose("pose");
  return place;
}
void write_placed(const Sensor& sensor, MapWriter& map) {
  const auto* placed = dynamic_cast<const PlacedSensor*>(&sensor);
  if (placed == nullptr) refuse_to_write("another sensor of type " + sensor.type_name(), "one of the library");
  write_place(placed->place(), map);
  if (placed->axes() == Axes::body) map.text("frame", "body");
}
void write_of_actuator(const Sensor& sensor, MapWriter& map) {
  const auto* of_actuator = dynamic_cast<const OfActuator*>(&sensor);
  if (of_actuator == nullptr) refuse_to_write("another sensor of type " + sensor.type_name(), "one of the library");
  map.text("actuator", of_actuator->actuator());
}

SensorKind frame_position_kind() {
  return {"frame_position",
          &k_at_place,
          "Pose of a frame in the world: `x`, `y`, `z` [m] and its quaternion `qw`, `qx`, `qy`, `qz`, qw >= 0.",
          "{name: tracker, type: frame_position, link: hand}",
          [](const Part& part) { return make_frame_position_sensor(mount(part)); },
          nullptr,
          write_placed};
}
SensorKind frame_velocity_kind() {
  return {"frame_velocity",
          &k_velocity,
          "Velocity of a frame against the world: angular `wx`, `wy`, `wz` [rad/s], and of its origin `vx`, `vy`, `vz` "
          "[m/s].",
          "{name: flow, type: frame_velocity, link: hand, frame: body}",
          [](const Part& part) {
            const Place place = mount(part);
            return make_frame_velocity_sensor(place, part.text("frame") == "body" ? Axes::body : Axes::world);
          },
          nullptr,
          write_placed};
}
SensorKind imu_kind() {
  return {"imu",
          &k_at_place,
          "Inertial measurement unit: angular velocity `wx`, `wy`, `wz` [rad/s] and specific force `ax`, `ay`, `az` "
          "[m/s^2], acceleration less gravity, in axes of its frame. At rest it measures 9.81 m/s^2 upwards.",
          "{name: imu, type: imu, link: hand, at: base, pose: {rpy: [0, 0, 1.57]}}",
          [](const Part& part) { return make_imu_sensor(mount(part)); },
          nullptr,
          write_placed};
}
SensorKind strain_kind() {
  return {
      "strain",
      &k_strain,
      "Strain of a rod's cross-section: `kappa_x`, `kappa_y`, `kappa_z` [rad/m], `sigma_x`, `sigma_y`, `sigma_z`; "
      "or, with an `offset`, `elongation`: by how much a fiber there, parallel to the axis, is longer than at rest, "
      "relative to that.",
      "{name: gauge, type: strain, link: finger, s: 0.1, offset: [0.01, 0]}",
      [](const Part& part) {
        StrainPlace place{part.link(), part.number("s")};
        if (part.has("offset")) {
          const std::vector<double> xy = part.numbers("offset");
          place.offset = {xy[0], xy[1]};
        }
        return make_strain_sensor(place);
      },
      nullptr,
      [](const Sensor& sensor, MapWriter& map) {
        const StrainPlace* place = strain_sensor_place(sensor);
        if (place == nullptr) refuse_to_write("another sensor of type strain", "one of make_strain_sensor");
        map.text("link", place->link);
        map.number("s", place->s);
        if (place->offset) map.numbers("offset", {(*place->offset)[0], (*place->offset)[1]});
      }};
}
SensorKind actuator_length_kind() {
  return {"actuator_length",
          &k_actuator,
          "Actuation coordinate of an actuator and its rate, `length` and `rate`: a joint's coordinate, how much a "
          "tendon is shorter than in the neutral configuration. Of several inputs `length.0`, ..",
          "{name: encoder, type: actuator_length, actuator: cable}",
          [](const Part& part) { return make_actuator_length_sensor(part.text("actuator")); },
          nullptr,
          write_of_actuator};
}
SensorKind actuator_force_kind() {
  return {
      "actuator_force",
      &k_actuator,
      "What the inputs of an actuator make, `force`: torque, tension - of a tendon driven by length too -, pressure. "
      "Of several inputs `force.0`, ..",
      "{name: load_cell, type: actuator_force, actuator: cable}",
      [](const Part& part) { return make_actuator_force_sensor(part.text("actuator")); },
      nullptr,
      write_of_actuator};
}
SensorKind chamber_volume_kind() {
  return {"chamber_volume",
          &k_chamber,
          "`volume` of a chamber [m^3] and its `rate` [m^3/s].",
          "{name: flow_meter, type: chamber_volume, actuator: bellow}",
          [](const Part& part) { return make_chamber_volume_sensor(part.text("actuator")); },
          nullptr,
          write_of_actuator};
}
SensorKind joint_wrench_kind() {
  return {"joint_wrench",
          &k_joint,
          "What the parent exerts on a link through its joint - bearing, spring, damper and motor together; through a "
          "fixed one too, as a load cell: torque `tx`, `ty`, `tz` [N m] about the origin of the joint's frame on the "
          "parent's side, force `fx`, `fy`, `fz` [N], in axes of that frame. What goes past the joint is not in it: "
          "straight stretches of tendons, springs, loops.",
          "{name: load_cell, type: joint_wrench, link: hand}",
          [](const Part& part) { return make_joint_wrench_sensor(part.link()); },
          nullptr,
          [](const Sensor& sensor, MapWriter& map) {
            const auto* of_link = dynamic_cast<const OfLink*>(&sensor);
            if (of_link == nullptr) refuse_to_write("another sensor of type joint_wrench", "one of the library");
            map.text("link", of_link->link());
          }};
}
SensorKind contact_kind() {
  return {"contact",
          &k_contact,
          "What a contact does to the links on its side `a`, as one wrench: torque `tx`, `ty`, `tz` [N m] about the "
          "origin of a frame and force `fx`, `fy`, `fz` [N], in axes of that frame.",
          "{name: sole, type: contact, contact: floor, link: hand}",
          [](const Part& part) { return make_contact_sensor(part.text("contact"), mount(part)); },
          nullptr,
          [](const Sensor& sensor, MapWriter& map) {
            const auto* of_contact = dynamic_cast<const ContactSensor*>(&sensor);
            if (of_contact == nullptr) refuse_to_write("another sensor of type contact", "one of the library");
            map.text("contact", of_contact->contact());
            write_placed(sensor, map);
          }};
}
SensorKind energy_kind() {
  return {"energy",
          &k_plain,
          "Energies of the whole robot: `kinetic`, `gravity`, `elastic`, `elements` [J].",
          "{name: energy, type: energy}",
          [](const Part& /*part*/) { return make_energy_sensor(); },
          nullptr,
          [](const Sensor& /*sensor*/, MapWriter& /*map*/) {}};
}

}  // namespace

template <>
KindList<SensorKind>& kinds() {
  static KindList<SensorKind> k_kinds("sensor", {
                                                    frame_position_kind(),
                                                    frame_velocity_kind(),
                                                    imu_kind(),
                                                    strain_kind(),
                                                    actuator_length_kind(),
                                                    actuator_force_kind(),
                                                    chamber_volume_kind(),
                                                    joint_wrench_kind(),
                                                    contact_kind(),
                                                    energy_kind(),
                                                });
  return k_kinds;
}

void register_kind(SensorKind kind) { kinds<SensorKind>().add(std::move(kind)); }

const KeyVariants k_sensor_variants{
    .name = "sensor", .selector = "type", .registered = registered_variants<SensorKind>};

}  // namespace cuttle
