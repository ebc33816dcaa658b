#include "cuttle/io/part_keys.h"

#include <utility>

#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_helix_table{
    .name = "helix",
    .keys = {required(number("radius", k_positive, "m")).about("Distance from the rod's axis."),
             number("phase", k_any_number, "rad").about("Angle from x towards y where it begins.").by_default("0"),
             required(number("turns", k_any_number, k_dimensionless))
                 .about("Turns from `from` to `to`, positive from x towards y; need not be whole.")},
    .example = "{radius: 0.01, turns: 2}"};
const KeyTable k_helix_offset_table{.name = "helical offset",
                                    .keys = {required(map("helix", k_helix_table)).about("The helix.")},
                                    .example = "{helix: {radius: 0.01, phase: 1.57, turns: -0.5}}"};
const KeyTable k_routing_table{
    .name = "routing",
    .keys = {link_key("Link that it runs along or through; `base` is the robot's base."),
             other("offset", "[x, y], a list of them or {helix: {radius, turns}}",
                   {numbers("", 2, "m"), list(-1, numbers("", 2, "m")), map("", k_helix_offset_table)})
                 .about(
                     "Along a rod: where it lies in the cross-sections, in their axes. One pair: parallel to the rod's "
                     "axis; a list: at equal spacing, straight in between; or a [helix](#helical-offset).")
                 .if_missing("give `points`"),
             number("from", k_not_negative, "m")
                 .about("Along a rod: where it begins, as `s`.")
                 .if_missing("0, the rod's base"),
             number("to", k_not_negative, "m")
                 .about("Where it ends; before `from`, if it runs towards the rod's base.")
                 .if_missing("L, the rod's length"),
             other("points", "a list of points [x, y, z]", {list(-1, numbers("", 3, "m"))})
                 .about(
                     "On a volume: material points (rest positions) that it runs straight between; on a link that does "
                     "not deform: corners. In its base frame.")
                 .if_missing("give `offset`")},
    .rules = {{KeyRule::Kind::exactly_one, {"offset", "points"}}},
    .example = "{link: finger, offset: [0.015, 0], from: 0, to: 0.2}"};

std::vector<Key> with_first(Key first, std::vector<Key> others) {
  others.insert(others.begin(), std::move(first));
  return others;
}

}  // namespace

std::vector<Key> body_keys(std::vector<Key> own) {
  own.push_back(visual_key());
  return own;
}
std::vector<Key> joint_keys(std::vector<Key> own) {
  return joint_keys(std::move(own), profile("rest", 0, k_any_number, "rad or m")
                                        .about("Coordinates where the spring is relaxed: a number, or one each.")
                                        .by_default("0"));
}
std::vector<Key> joint_keys(std::vector<Key> own, Key rest) {
  own.push_back(profile("stiffness", 0, k_not_negative, "N m/rad or N/m")
                    .about("Spring towards `rest`: a number, or one each coordinate.")
                    .by_default("0"));
  own.push_back(profile("damping", 0, k_not_negative, "N m s/rad or N s/m")
                    .about("Viscous damping: a number, or one each coordinate.")
                    .by_default("0"));
  own.push_back(profile("armature", 0, k_not_negative, "kg m^2 or kg")
                    .about("Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate.")
                    .by_default("0"));
  own.push_back(std::move(rest));
  own.push_back(visual_key());
  return own;
}

std::vector<Key> element_keys(std::vector<Key> own) {
  return with_first(required(name("name")).about("Unique name, also among actuators; results use it."), std::move(own));
}
std::vector<Key> sensor_keys(std::vector<Key> own) {
  return with_first(required(name("name")).about("Unique name among sensors; results use it."), std::move(own));
}
std::vector<Key> actuator_keys(std::vector<Key> own) {
  return with_first(required(name("name")).about("Unique name; scenarios and results use it."), std::move(own));
}

Key visual_key() {
  return other("visual", "a mapping or a list of mappings", {map("", k_visual_variants), maps("", k_visual_variants)})
      .about("How to draw this part; the physics ignores it.")
      .by_default("[]", "nothing");
}
Key link_key(const char* about) { return required(name("link")).about(about); }
Key place_key() {
  return other("at", "base, tip, {s: number [m]} or {point: [x, y, z]}",
               {choice("", {"base", "tip"}), map("", k_place_table)})
      .about("Where: its base frame, its tip frame, or a [place](#place) on it.")
      .by_default("tip");
}
Key frame_key(const char* key_name, const char* about) {
  return required(map(key_name, k_loop_place_table)).about(about);
}
Key pose_key(const char* key_name) { return map(key_name, k_pose_table).by_default("{}", "identity"); }
Key axis_key(const char* about) { return numbers("axis", 3, k_dimensionless).about(about).by_default("[0, 0, 1]"); }
Key index_key() {
  return integer("index", from_to(0, 5)).about("Which coordinate of that joint, from 0.").by_default("0");
}
Key routing_key() {
  return required(maps("routing", k_routing_table))
      .about("What it runs along, in this order; straight between the end of one and the start of the next.");
}

}  // namespace cuttle
