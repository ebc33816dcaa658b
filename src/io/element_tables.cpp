// Elements of a robot file.
#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

Key element_name() { return required(name("name")).about("Unique name, also among actuators; results use it."); }

const KeyTable k_spring_element{
    .keys = {
        element_name(), required(map("a", k_loop_place_table)).about("Origin of this frame: one end."),
        required(map("b", k_loop_place_table))
            .about("Origin of this frame: the other end, which can move against that."),
        required(number("stiffness", k_not_negative, "N/m")).about("Pull for each meter that it is longer."),
        number("damping", k_not_negative, "N s/m").about("Pull for each m/s at which it gets longer.").by_default("0"),
        number("rest_length", k_not_negative, "m")
            .about("Length without force.")
            .if_missing("the distance of a and b in the neutral configuration")}};
const KeyTable k_joint_limit_element{
    .keys = {
        element_name(), link_key("Link whose joint it limits."),
        integer("index", from_to(0, 5)).about("Which coordinate of that joint, from 0.").by_default("0"),
        required(number("lower", k_any_number, "rad, m")).about("It pushes below this."),
        required(number("upper", k_any_number, "rad, m")).about("It pushes above this."),
        required(number("stiffness", k_positive, "N m/rad, N/m")).about("Of the spring beyond a limit."),
        number("damping", k_not_negative, "N m s/rad, N s/m").about("Of the damper beyond a limit.").by_default("0"),
        required(number("range", k_positive, "rad, m"))
            .about("Way beyond a limit over which both grow evenly to their full values, so that the force has no "
                   "corner.")}};

}  // namespace

const KeyVariants k_element_variants{
    .name = "element",
    .selector = "type",
    .variants = {
        {"spring", &k_spring_element, "A spring and a damper between two places, along the line through them.",
         "{name: return_spring, type: spring, a: {link: base, pose: {position: [0.1, 0, 0]}}, b: {link: finger}, "
         "stiffness: 50}"},
        {"joint_limit", &k_joint_limit_element,
         "A limit on both sides of one coordinate of a joint: stiff, damped and smooth.",
         "{name: stop, type: joint_limit, link: shoulder, lower: -1.2, upper: 1.2, stiffness: 200, damping: 2, range: "
         "0.02}"}}};

}  // namespace cuttle
