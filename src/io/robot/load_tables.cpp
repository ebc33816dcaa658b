// Loads of a robot file.
#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const char* const k_gains_of_error = "[angular, linear] or six numbers >= 0, angular first [N m s/rad, N s/m]";
const char* const k_gains_of_integral = "[angular, linear] or six numbers >= 0, angular first [N m/rad, N/m]";

Key half_axis(const char* key_name, const char* about) {
  return profile(key_name, 0, k_not_negative, "m")
      .about(about)
      .if_missing("that of the rod's section; a rigid link needs it");
}
Key drag(const char* key_name, const char* about) {
  return number(key_name, k_not_negative, k_dimensionless).about(about).by_default("0");
}
Key desired(const char* key_name, const char* unit, const char* about) {
  return signals(key_name, 3, unit).about(about).by_default("[0, 0, 0]");
}
Key gains(const char* key_name, const char* meaning, const char* unit, const char* about) {
  Key key = other(key_name, meaning, {numbers("", 2, unit, k_not_negative), numbers("", 6, unit, k_not_negative)});
  key.unit = unit;
  return key.about(about);
}

Key load_frame() {
  return choice("frame", {"world", "body"})
      .about("Axes of force and torque: fixed in the world, or following the body.")
      .by_default("world");
}
Key components(const char* key_name, const char* unit, const char* about) {
  return signals(key_name, 3, unit).about(about).by_default("[0, 0, 0]");
}
const KeyRule k_some_load{KeyRule::Kind::at_least_one, {"force", "torque"}};

}  // namespace

const KeyTable k_wrench_load{
    .keys = {link_key("Link that it acts on; `base` is the robot's base."), place_key(),
             components("force", "N", "Force at that place."), components("torque", "N m", "Torque."), load_frame()},
    .rules = {k_some_load}};
const KeyTable k_distributed_load{
    .keys = {link_key("Link with a rod."), components("force", "N/m", "Force per length."),
             components("torque", "N", "Torque per length."), load_frame()},
    .rules = {k_some_load}};

const KeyTable k_fluid_load{
    .keys = {
        link_key(
            "Link with a rod or a rigid body; the water reaches along its z axis, for swimmers from head to tail."),
        required(number("density", k_positive, "kg/m^3")).about("Density of the fluid, which is at rest."),
        half_axis("radius_x",
                  "Half axis along x of the outline, an ellipse at each section: a number, `[base, tip]` or "
                  "a list at equal spacing. Give both half axes or none."),
        half_axis("radius_y", "Half axis along y."),
        number("length", k_positive, "m")
            .about("Of a rigid link: length of the outline along z from its base frame.")
            .if_missing("that of the rod; a rigid link needs it"),
        integer("sections", from_to(1, 1000))
            .about("Of a rigid link: Gauss-Legendre points along it.")
            .if_missing("10; a rod has its own"),
        drag("normal_drag",
             "Coefficient C of the drag across the link: per length 1/2 density C (2 radius) speed times velocity, "
             "along x and along y, the half axis of the other one being the radius."),
        drag("tangential_drag",
             "Coefficient C of the drag along the link: per length 1/2 density C (perimeter) speed times velocity."),
        boolean("wake")
            .about("Whether the water leaves the link at its tip with the momentum that it got, as at the tail of a "
                   "swimmer: thrust. `false`: added mass and drag alone, as on an arm under water, or on each but the "
                   "last "
                   "link of a swimmer.")
            .by_default("false")}};
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

}  // namespace cuttle
