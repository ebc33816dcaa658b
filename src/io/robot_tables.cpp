// Robot files: base, links, joints, actuators, loads.
#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const char* const k_at_meaning = "base, tip or {s: number [m]}";

std::vector<Key> joint_keys(std::vector<Key> keys, Key rest) {
  keys.push_back(profile("stiffness", 0, k_not_negative, "N m/rad or N/m")
                     .about("Spring towards `rest`: a number, or one each coordinate.")
                     .by_default("0"));
  keys.push_back(profile("damping", 0, k_not_negative, "N m s/rad or N s/m")
                     .about("Viscous damping: a number, or one each coordinate.")
                     .by_default("0"));
  keys.push_back(profile("armature", 0, k_not_negative, "kg m^2 or kg")
                     .about("Inertia of rotors, added to the mass matrix's diagonal: a number, or one each coordinate.")
                     .by_default("0"));
  keys.push_back(std::move(rest));
  keys.push_back(visual_key());
  return keys;
}
Key vector_rest() {
  return profile("rest", 0, k_any_number, "rad or m")
      .about("Coordinates where the spring is relaxed: a number, or one each.")
      .by_default("0");
}
Key rotation_rest() {
  return other("rest", "a quaternion [w, x, y, z]", {numbers("", 4, k_dimensionless)})
      .about("Orientation `[w, x, y, z]` where the spring is relaxed.")
      .by_default("[1, 0, 0, 0]");
}
Key pose_rest() {
  return other("rest", "[x, y, z, qw, qx, qy, qz]", {numbers("", 7, k_unit_of_use)})
      .about("Position [m] and quaternion where the spring is relaxed.")
      .by_default("[0, 0, 0, 1, 0, 0, 0]");
}
Key axis() {
  return numbers("axis", 3, k_dimensionless).about("Axis of the joint, of any length but 0.").by_default("[0, 0, 1]");
}

const KeyTable k_fixed_joint{.keys = {visual_key()}};
const KeyTable k_axis_joint{.keys = joint_keys({axis()}, vector_rest())};
const KeyTable k_universal_joint{.keys = joint_keys({other("axes", "a list of two axes [[x, y, z], [x, y, z]]",
                                                           {list(2, numbers("", 3, k_dimensionless))})
                                                         .about("First and second axis.")
                                                         .by_default("[[1, 0, 0], [0, 1, 0]]")},
                                                    vector_rest())};
const KeyTable k_planar_joint{.keys = joint_keys({}, vector_rest())};
const KeyTable k_spherical_joint{.keys = joint_keys({}, rotation_rest())};
const KeyTable k_free_joint{.keys = joint_keys({}, pose_rest())};

const KeyTable k_rigid_body{
    .keys = {required(number("mass", k_not_negative, "kg")).about("Mass."),
             numbers("com", 3, "m").about("Center of mass in the base frame.").by_default("[0, 0, 0]"),
             numbers("inertia", 6, "kg m^2")
                 .about("`[Ixx, Iyy, Izz, Ixy, Ixz, Iyz]` about the center of mass in axes of the base frame; tensor "
                        "elements as in URDF.")
                 .by_default("[0, 0, 0, 0, 0, 0]", "0: a point mass"),
             map("tip", k_pose_table)
                 .about("Tip frame in the base frame: where the next link is attached.")
                 .by_default("{}", "the base frame"),
             visual_key()}};

const KeyTable k_continuum_joint_body{
    .keys = {required(number("length", k_length_range, "m")).about("Length L of the arc, which does not stretch."),
             required(number("mass", k_positive, "kg")).about("Mass, uniform along the arc."),
             required(number("radius", k_length_range, "m")).about("Radius of the thin discs that it consists of."),
             profile("stiffness", 0, k_not_negative, "N m/rad")
                 .about("Spring towards the straight joint: a number, or one each coordinate.")
                 .by_default("0"),
             number("coupling_stiffness", k_any_number, "N m/rad")
                 .about("What couples the two springs, the entry K_xy of the stiffness matrix; its square is at most "
                        "the product of the two of `stiffness`.")
                 .by_default("0"),
             profile("damping", 0, k_not_negative, "N m s/rad")
                 .about("Viscous damping: a number, or one each coordinate.")
                 .by_default("0"),
             boolean("momentarily_rigid")
                 .about("`true`: the inertial force as [J] prints it, (11)-(18), of a body that is rigid at each "
                        "instant. It does not balance power; reading says so.")
                 .by_default("false"),
             visual_key()}};

Key actuator_name() { return required(name("name")).about("Unique name; scenarios and results use it."); }
const KeyTable k_joint_actuator{
    .keys = {actuator_name(), link_key("Link whose joint it drives."),
             integer("index", from_to(0, 5)).about("Which coordinate of that joint, from 0.").by_default("0")}};
const KeyTable k_linear_actuator{
    .keys = {
        required(name("name")).about("Unique name; the inputs are NAME.0, NAME.1, .."),
        required(names("links")).about("Links whose coordinates, in this order, are the rows of `matrix`."),
        required(other("matrix", "a list of rows, each a list of numbers", {list(-1, numbers("", 0, k_unit_of_use))}))
            .about("One row each coordinate, one column each input.")}};

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
const KeyTable k_tendon_actuator{
    .keys = {
        actuator_name(),
        required(maps("routing", k_routing_table))
            .about("What it runs along, in this order; straight between the end of one and the start of the next."),
        choice("slack", {"error", "clip", "allow"})
            .about("What a tension below 0 means: a mistake, no tension, or a tendon that pushes.")
            .by_default("error")}};
const KeyTable k_pocket_table{
    .name = "pocket",
    .keys = {required(number("angle", k_any_number, "rad")).about("Angle of its middle, from x towards y."),
             required(number("width", NumberRange{0.0, 6.283185307179587, true, false}, "rad"))
                 .about("How far it reaches around the axis, half of it on either side of `angle`."),
             required(number("radius", k_positive, "m"))
                 .about("How far it reaches from the axis, at most the cylinder's radius.")},
    .example = "{angle: 0, width: 3.14159, radius: 0.01}"};
const KeyTable k_pocket_surface_table{.name = "pocket surface",
                                      .keys = {required(map("pocket", k_pocket_table)).about("The pocket.")},
                                      .example = "{pocket: {angle: 0, width: 3.14159, radius: 0.01}}"};
const KeyTable k_chamber_actuator{
    .keys = {actuator_name(), link_key("Link with the rod or the volume that it lies in."),
             numbers("offset", 2, "m")
                 .about("Along a rod: its axis in the cross-sections, `[x, y]`, from base to tip.")
                 .if_missing("`[0, 0]` along a rod"),
             number("area", k_positive, "m^2")
                 .about("Along a rod: area of its cross-section.")
                 .if_missing("give `surface`"),
             other("surface", "inner, the name of a group of a mesh or {pocket: {angle, width, radius}}",
                   {text(""), map("", k_pocket_surface_table)})
                 .about(
                     "In a volume: `inner`, the bore of a hollow cylinder, its ends closed by flat fans; the name of "
                     "a surface of a mesh (a physical group of triangles around a cavity), its openings closed "
                     "likewise; or a [pocket](#pocket-surface) all along a cylinder, its ends included.")
                 .if_missing("give `area`")},
    .rules = {{KeyRule::Kind::exactly_one, {"area", "surface"}}}};

Key load_frame() {
  return choice("frame", {"world", "body"})
      .about("Axes of force and torque: fixed in the world, or following the body.")
      .by_default("world");
}
Key components(const char* key_name, const char* unit, const char* about) {
  return signals(key_name, 3, unit).about(about).by_default("[0, 0, 0]");
}
const KeyRule k_some_load{KeyRule::Kind::at_least_one, {"force", "torque"}};
const KeyTable k_wrench_load{
    .keys = {link_key("Link that it acts on; `base` is the robot's base."), place_key(),
             components("force", "N", "Force at that place."), components("torque", "N m", "Torque."), load_frame()},
    .rules = {k_some_load}};
const KeyTable k_distributed_load{
    .keys = {link_key("Link with a rod."), components("force", "N/m", "Force per length."),
             components("torque", "N", "Torque per length."), load_frame()},
    .rules = {k_some_load}};

Key loop_name() { return required(name("name")).about("Unique name; results use it."); }
Key loop_frame(const char* key_name, const char* about) {
  return required(map(key_name, k_loop_place_table)).about(about);
}
std::vector<Key> loop_keys(std::vector<Key> keys = {}) {
  keys.insert(keys.begin(), loop_name());
  keys.push_back(loop_frame("a", "Frame a: a place on the robot."));
  keys.push_back(loop_frame("b", "Frame b: another place, which can move against a."));
  return keys;
}
Key loop_axis(const char* about) { return numbers("axis", 3, k_dimensionless).about(about).by_default("[0, 0, 1]"); }
const KeyTable k_plain_loop{.keys = loop_keys()};
const KeyTable k_revolute_loop{
    .keys = loop_keys({loop_axis("Axis in frame a, and the same vector in frame b; of any length but 0.")})};
const KeyTable k_prismatic_loop{.keys = loop_keys({loop_axis("Direction in frame a, of any length but 0.")})};
const KeyTable k_universal_loop{
    .keys = loop_keys({loop_axis(
        "First axis, in frame a, of any length but 0. The second axis is fixed in frame b: the coordinate axis after "
        "the largest component of `axis` (y after x, z after y, x after z), made orthogonal to `axis`.")})};

const KeyTable k_wrench_actuator{
    .keys = {required(name("name")).about("Unique name; the inputs are NAME.tx, .ty, .tz, .fx, .fy, .fz."),
             link_key("Link that it acts on."), place_key(),
             choice("frame", {"body", "world"})
                 .about("Axes of torque and force: of the place, or of the world.")
                 .by_default("body")}};

}  // namespace

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

const KeyVariants k_joint_variants{
    .name = "joint",
    .selector = "type",
    .variants = {{"fixed", &k_fixed_joint, "No motion.", "{type: fixed}"},
                 {"revolute", &k_axis_joint, "Turns about `axis`: q = angle.",
                  "{type: revolute, axis: [0, 1, 0], damping: 0.01}"},
                 {"prismatic", &k_axis_joint, "Slides along `axis`: q = displacement.",
                  "{type: prismatic, axis: [0, 0, 1], stiffness: 100, rest: 0.05}"},
                 {"cylindrical", &k_axis_joint, "Turns about and slides along `axis`: q = [angle, displacement].",
                  "{type: cylindrical, axis: [0, 0, 1], damping: [0.01, 2]}"},
                 {"universal", &k_universal_joint, "Turns about two axes: R = Rot(a1, q1) Rot(a2, q2).",
                  "{type: universal, axes: [[1, 0, 0], [0, 1, 0]]}"},
                 {"spherical", &k_spherical_joint,
                  "Turns freely: q = quaternion [w, x, y, z], v = angular velocity in the link's axes.",
                  "{type: spherical, stiffness: 0.2, rest: [1, 0, 0, 0]}"},
                 {"planar", &k_planar_joint, "Slides in the xy plane and turns about z: q = [x, y, angle].",
                  "{type: planar, damping: [1, 1, 0.1]}"},
                 {"free", &k_free_joint,
                  "Moves freely: q = [x, y, z, qw, qx, qy, qz], v = angular and linear velocity in the link's axes.",
                  "{type: free}"}}};
const KeyVariants k_body_variants{
    .name = "body",
    .selector = "type",
    .variants = {
        {"rigid", &k_rigid_body, "Does not deform.",
         "{type: rigid, mass: 0.2, com: [0, 0, 0.05], inertia: [2.0e-4, 2.0e-4, 5.0e-5, 0, 0, 0], tip: {position: [0, "
         "0, 0.1]}}"},
        {"rod", &k_rod_body, "A Cosserat rod along its z axis.",
         "{type: rod, length: 0.3, section: {shape: circle, radius: [0.02, 0.01]}, material: silicone, strain: pcc}"},
        {"volume", &k_volume_body, "A soft volume of any kinematics, along its z axis.",
         "{type: volume, shape: {type: cylinder, length: 0.2, radius: 0.02}, material: rubber, kinematics: {type: lvp, "
         "primitives: [{type: bend, x: [[1]], y: [[1]]}]}}"},
        {"continuum_joint", &k_continuum_joint_body,
         "An actuator that bends with constant curvature, its inertia lumped ([J]); `rod` with `strain: {kappa_x: "
         "constant, kappa_y: constant}` is its exact counterpart.",
         "{type: continuum_joint, length: 0.2, mass: 0.8, radius: 0.06, stiffness: 12, damping: 0.4}"}}};
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
             visual_key()},
    .example = "{name: hand, parent: arm, joint: {type: revolute, axis: [0, 1, 0]}, body: {type: rigid, mass: 0.2}}"};

const KeyVariants k_actuator_variants{
    .name = "actuator",
    .selector = "type",
    .variants = {
        {"joint", &k_joint_actuator, "Force or torque [N m, N] on one coordinate of a joint.",
         "{name: motor1, type: joint, link: shoulder}"},
        {"linear", &k_linear_actuator,
         "Generalized force matrix u on the coordinates of some links; the actuation coordinates are y = matrix^T q.",
         "{name: pull, type: linear, links: [finger], matrix: [[0.01, 0], [0, 0.01], [-1, -1]]}"},
        {"tendon", &k_tendon_actuator,
         "A tendon along rods, through volumes and links that do not deform, under tension u [N]; y = l(0) - l(q), how "
         "much it is shorter than in the neutral configuration.",
         "{name: cable, type: tendon, routing: [{link: arm, points: [[0.02, 0, 0.1]]}, {link: finger, offset: [0.015, "
         "0]}]}"},
        {"chamber", &k_chamber_actuator,
         "A chamber in a rod or a volume, under the pressure difference u [Pa] to the atmosphere; y is its volume.",
         "{name: bellow, type: chamber, link: finger, offset: [0.01, 0], area: 5.0e-5}"},
        {"wrench", &k_wrench_actuator,
         "Torque and force at a place, six inputs: propellers, a hand. They turn no coordinate into a number: y is 0.",
         "{name: propellers, type: wrench, link: finger, at: tip}"}}};
const KeyVariants k_load_variants{
    .name = "load",
    .selector = "type",
    .variants = {
        {"wrench", &k_wrench_load, "Force and torque at a place.",
         "{type: wrench, link: finger, at: {s: 0.15}, force: [0, 0, {type: step, time: 1, before: 0, after: -0.5}]}"},
        {"distributed", &k_distributed_load, "Force and torque per length along a rod.",
         "{type: distributed, link: finger, force: [0.2, 0, 0], frame: body}"},
        {"fluid", &k_fluid_load,
         "Water around a slender link: added mass and wake after Lighthill's large-amplitude elongated-body theory, "
         "and "
         "quadratic drag. No buoyancy: for a robot as heavy as water set `gravity` to zero.",
         "{type: fluid, link: finger, density: 1000, normal_drag: 1.2, tangential_drag: 0.01, wake: true}"},
        {"drone", &k_drone_load,
         "A force and a torque that make a place follow a desired velocity: proportional error + integral (error dt), "
         "[B] (68).",
         "{type: drone, link: finger, at: tip, linear_velocity: [0, 0, {type: sine, amplitude: 1, frequency: 0.5}], "
         "proportional: [20, 20], integral: [2.5, 2.5]}"}}};

const KeyVariants k_loop_variants{
    .name = "loop",
    .selector = "type",
    .variants = {
        {"fixed", &k_plain_loop, "Frames a and b are one: no motion between them.",
         "{name: weld, type: fixed, a: {link: coupler}, b: {link: rocker}}"},
        {"revolute", &k_revolute_loop, "b turns about `axis` in a, its origin where a's is.",
         "{name: pin, type: revolute, axis: [0, 1, 0], a: {link: coupler}, b: {link: rocker}}"},
        {"spherical", &k_plain_loop, "b turns freely, its origin where a's is.",
         "{name: ball, type: spherical, a: {link: coupler}, b: {link: base, pose: {position: [0.2, 0, 0.1]}}}"},
        {"prismatic", &k_prismatic_loop, "b slides along `axis` in a, its axes parallel to a's.",
         "{name: rail, type: prismatic, axis: [1, 0, 0], a: {link: base}, b: {link: rocker, at: base}}"},
        {"universal", &k_universal_loop, "b turns about an axis of a and an axis of b that stay orthogonal.",
         "{name: cross, type: universal, axis: [1, 0, 0], a: {link: coupler}, b: {link: rocker, at: base}}"}}};

const KeyTable k_robot_table{
    .name = "robot file",
    .keys = {version_key(), name("name").about("Name of the robot.").by_default("robot"),
             numbers("gravity", 3, "m/s^2").about("Acceleration of gravity in world axes.").by_default("[0, 0, -9.81]"),
             map("base", k_base_table)
                 .about("What the first link hangs on.")
                 .by_default("{}", "fixed, at the world's origin"),
             named_maps("materials", k_material_variants).about("Materials by name.").by_default("{}", "none"),
             required(maps("links", k_link_table)).about("The links, parents before children; at least one."),
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
             visual_key()},
    .example =
        "{cuttle: 1, links: [{name: arm, joint: {type: revolute}, body: {type: rigid, mass: 1, com: [0.1, 0, 0]}}]}"};

}  // namespace cuttle
