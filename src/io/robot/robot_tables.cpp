// Robot files: base, links, loops.
#include "io/robot/robot_tables.h"

#include "cuttle/io/robot_import.h"

namespace cuttle {

using namespace key;

namespace {

const char* const k_at_meaning = "base, tip or {s: number [m]}";

Key loop_name() { return required(name("name")).about("Unique name; results use it."); }
Key loop_frame(const char* key_name, const char* about) {
  return required(map(key_name, k_loop_place_table)).about(about);
}
std::vector<Key> loop_keys(std::vector<Key> keys = {}) {
  keys.insert(keys.begin(), loop_name());
  keys.push_back(loop_frame("a", "Frame a: a place on the robot."));
  keys.push_back(loop_frame("b", "Frame b: another place, which can move against a."));
  keys.push_back(map("drive", k_pose_motion_table)
                     .about("Moves frame a as [driven motion](#driven-motion): its pose in time, relative to where `a` "
                            "puts it.")
                     .if_missing("it stays where it is"));
  return keys;
}
const KeyTable k_plain_loop{.keys = loop_keys()};
const KeyTable k_revolute_loop{
    .keys = loop_keys({axis_key("Axis in frame a, and the same vector in frame b; of any length but 0.")})};
const KeyTable k_prismatic_loop{.keys = loop_keys({axis_key("Direction in frame a, of any length but 0.")})};
const KeyTable k_universal_loop{
    .keys = loop_keys({axis_key(
        "First axis, in frame a, of any length but 0. The second axis is fixed in frame b: the coordinate axis after "
        "the largest component of `axis` (y after x, z after y, x after z), made orthogonal to `axis`.")})};

}  // namespace

Key version_key() {
  return required(other("cuttle", "1, the version of the format",
                        {integer("", from_to(k_format_version, k_format_version))}))
      .about("Version of the file format.");
}

const KeyTable k_base_table{
    .name = "base",
    .keys = {choice("motion", {"fixed", "floating"})
                 .about("Whether the base can move. A floating one has the coordinates `[x, y, z, qw, qx, qy, qz]`, "
                        "relative to `pose`; it has no mass of its own: fix a rigid body to it.")
                 .by_default("fixed"),
             map("pose", k_pose_table)
                 .about("Base frame in the world; for a floating base, at its zero configuration.")
                 .by_default("{}", "identity"),
             visual_key()},
    .example = "{motion: fixed, pose: {position: [0, 0, 1], rpy: [3.141592653589793, 0, 0]}}"};
const KeyTable k_section_port_table{
    .name = "section of a rod",
    .keys = {required(number("s", k_not_negative, "m"))
                 .about("Distance from the rod's base along its rest length, at most L.")},
    .example = "{s: 0.1}"};
const KeyTable k_place_table{
    .name = "place",
    .keys = {number("s", k_not_negative, "m")
                 .about("On a rod: distance from its base along its rest length, at most L.")
                 .if_missing("give `point`"),
             numbers("point", 3, "m")
                 .about(
                     "On a rigid body: `[x, y, z]` in its base frame. On a volume: the material point that is there at "
                     "rest; its axes turn with the material.")
                 .if_missing("give `s`")},
    .rules = {{KeyRule::Kind::exactly_one, {"s", "point"}}},
    .example = "{point: [0, 0.02, 0.1]}"};
const KeyTable k_attach_table{
    .name = "attach",
    .keys =
        {other("at", k_at_meaning, {choice("", {"base", "tip"}), map("", k_section_port_table)})
             .about("Where on the parent: its base frame, its tip frame, or a [section of a rod](#section-of-a-rod). "
                    "On the robot's base it has no meaning.")
             .by_default("tip"),
         map("pose", k_pose_table).about("Frame of the joint, relative to that place.").by_default("{}", "identity")},
    .example = "{at: {s: 0.1}, pose: {position: [0.02, 0, 0]}}"};

const KeyTable k_loop_place_table{
    .name = "frame of a loop",
    .keys = {link_key("Link that it is on; `base` is the robot's base."), place_key(),
             map("pose", k_pose_table).about("The frame, relative to that place.").by_default("{}", "identity")},
    .example = "{link: coupler, at: tip, pose: {position: [0.01, 0, 0]}}"};

const KeyTable k_link_table{
    .name = "link",
    .keys = {required(name("name")).about("Unique name, without any of `. / [ ]`; `base` means the robot's base."),
             name("parent")
                 .about("Link that this one hangs on, earlier in the file, or `base`.")
                 .if_missing("the link before; `base` for the first"),
             map("attach", k_attach_table).about("Where on the parent the joint sits.").by_default("{}", "at its tip"),
             map("joint", k_joint_variants)
                 .about("How it moves relative to the parent.")
                 .by_default("{type: fixed}", "fixed"),
             map("body", k_body_variants)
                 .about("What it is made of.")
                 .if_missing("none: no mass, and the tip frame is the base frame"),
             link_contact_key(), visual_key()},
    .example = "{name: hand, parent: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.2}}"};

const KeyTable k_marker_table{
    .name = "marker",
    .keys = {required(name("name")).about("Unique name; results have the frame by it."),
             link_key("Link that it is on; `base` is the robot's base."), place_key(),
             numbers("offset", 3, "m").about("Of its origin from that place, in axes of that.").by_default("[0, 0, 0]"),
             numbers("rpy", 3, "rad")
                 .about("Its axes relative to that place: roll, pitch and yaw, R = Rz(yaw) Ry(pitch) Rx(roll).")
                 .by_default("[0, 0, 0]"),
             numbers("quaternion", 4, k_dimensionless)
                 .about("The same as `[w, x, y, z]`, instead of `rpy`. Its norm must be 1 within 1e-6.")
                 .by_default("[1, 0, 0, 0]")},
    .rules = {{KeyRule::Kind::at_most_one, {"rpy", "quaternion"}}},
    .example = "{name: camera, link: hand, offset: [0, 0.02, 0.1], rpy: [0, 1.57, 0]}"};

const KeyTable k_pose_motion_table{
    .name = "pose in time",
    .keys = {signals("position", 3, "m").about("Three [signals](#signal).").if_missing("as it is without"),
             signals("rpy", 3, "rad")
                 .about("Roll, pitch and yaw, three [signals](#signal): R = Rz(yaw) Ry(pitch) Rx(roll).")
                 .if_missing("as it is without")},
    .rules = {{KeyRule::Kind::at_least_one, {"position", "rpy"}}},
    .example =
        "{position: [{type: sine, amplitude: 0.01, frequency: 3}, 0, 0.5], rpy: [0, 0, {type: cubic, start: 0, "
        "end: 2, to: 1.57}]}"};

const KeyVariants k_loop_variants{
    .name = "loop",
    .selector = "type",
    .fixed = {{"fixed", &k_plain_loop, "Frames a and b are one: no motion between them.",
               "{name: weld, type: fixed, a: {link: coupler}, b: {link: rocker}}"},
              {"revolute", &k_revolute_loop, "b turns about `axis` in a, its origin where a's is.",
               "{name: pin, type: revolute, axis: [0, 1, 0], a: {link: coupler}, b: {link: rocker}}"},
              {"spherical", &k_plain_loop, "b turns freely, its origin where a's is.",
               "{name: ball, type: spherical, a: {link: coupler}, b: {link: base, pose: {position: [0.2, 0, 0.1]}}}"},
              {"prismatic", &k_prismatic_loop, "b slides along `axis` in a, its axes parallel to a's.",
               "{name: rail, type: prismatic, axis: [1, 0, 0], a: {link: base}, b: {link: rocker, at: base}}"},
              {"universal", &k_universal_loop, "b turns about an axis of a and an axis of b that stay orthogonal.",
               "{name: cross, type: universal, axis: [1, 0, 0], a: {link: coupler}, b: {link: rocker, at: base}}"}}};

namespace {

/// Those of the formats, and what all have.
std::vector<Key> include_keys(const std::vector<Key>& common) {
  std::vector<Key> keys;
  for (const ImportFormat& format : import_formats()) {
    std::string others;
    for (const ImportFormat& other : import_formats()) {
      if (other.key != format.key) others += (others.empty() ? "give `" : " or `") + other.key + "`";
    }
    keys.push_back(text(format.key.c_str()).about(format.about.c_str()).if_missing(others.c_str()));
  }
  keys.insert(keys.end(), common.begin(), common.end());
  return keys;
}
KeyRule one_format() {
  KeyRule rule{KeyRule::Kind::exactly_one, {}};
  for (const ImportFormat& format : import_formats()) rule.names.push_back(format.key);
  return rule;
}

}  // namespace

const KeyTable k_include_table{
    .name = "include",
    .keys = include_keys(
        {name("mount")
             .about("What it hangs on, at its tip: `base`, a link of this file, or one of an `include` before.")
             .by_default("base"),
         map("pose", k_pose_table).about("Where it hangs, relative to that.").by_default("{}", "identity"),
         text("prefix").about("Stands before all of its names.").by_default("\"\"", "nothing"),
         text("package_root")
             .about("Folder that holds the packages of `package://`, relative to this file.")
             .if_missing("those of ROS_PACKAGE_PATH, and the folders around the file")}),
    .rules = {one_format()},
    .example = "{urdf: ur10e.urdf, mount: base, prefix: ur_}"};

const KeyTable k_robot_table{
    .name = "robot file",
    .keys = {version_key(), name("name").about("Name of the robot.").by_default("robot"),
             numbers("gravity", 3, "m/s^2").about("Acceleration of gravity in world axes.").by_default("[0, 0, -9.81]"),
             map("base", k_base_table)
                 .about("What the first link hangs on.")
                 .by_default("{}", "fixed, at the world's origin"),
             named_maps("materials", k_material_variants).about("Materials by name.").by_default("{}", "none"),
             other("include", "a mapping or a list of mappings", {map("", k_include_table), maps("", k_include_table)})
                 .about("Robots of other programs' files, put in as if they stood here.")
                 .by_default("[]", "none"),
             maps("links", k_link_table)
                 .about("The links, parents before children; at least one.")
                 .if_missing("those of `include` alone"),
             maps("actuators", k_actuator_variants)
                 .about("Actuators; their inputs u come in this order.")
                 .by_default("[]", "none"),
             maps("elements", k_element_variants)
                 .about("What acts by a law of its own: springs between places, limits of joints.")
                 .by_default("[]", "none"),
             maps("loads", k_load_variants).about("Forces from outside.").by_default("[]", "none"),
             maps("loops", k_loop_variants)
                 .about("Joints that close kinematic loops, between any two places.")
                 .by_default("[]", "none"),
             maps("obstacles", k_obstacle_variants)
                 .about("Shapes of the world, that stand still or move. Without `contacts` they are only drawn.")
                 .by_default("[]", "none"),
             maps("contacts", k_contact_table).about("What touches what, and how.").by_default("[]", "none"),
             maps("markers", k_marker_table)
                 .about("Frames with a name, which results and programs know.")
                 .by_default("[]", "none"),
             maps("sensors", k_sensor_variants)
                 .about("What the robot measures, for results and controllers.")
                 .by_default("[]", "none"),
             visual_key()},
    .rules = {{KeyRule::Kind::at_least_one, {"include", "links"}}},
    .example =
        "{cuttle: 1, links: [{name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [0.1, 0, 0]}}]}"};

}  // namespace cuttle
