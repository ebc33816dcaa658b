// Every kind of error in the actuators, loads and signals of a robot file, with its wording and its place.
#include <gtest/gtest.h>

#include <string>

#include "io/mistake.h"

namespace cuttle::CUTTLE_FILE {
namespace {

class ActuatorMistake : public MistakeTest {};

TEST_P(ActuatorMistake, IsReportedAtItsPlace) { expect_error(); }

/// A robot of a hip, a rod `arm` and a fixed `tool`, followed by text from line 6 on.
std::string arm(const std::string& text) {
  return "cuttle: 1\nlinks:\n  - {name: hip, joint: {type: universal}, body: {type: rigid, mass: 1}}\n"
         "  - {name: arm, body: {type: rod, length: 0.2, strain: pcc, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: "
         "1, rotary_inertia: [1, 1, 2]}}\n"
         "  - {name: tool, body: {type: rigid, mass: 1}}\n" +
         text;
}

INSTANTIATE_TEST_SUITE_P(
    Tendons, ActuatorMistake,
    testing::Values(
        Mistake{"TendonNoRouting", arm("actuators: [{name: t, type: tendon}]"),
                "r.yaml:6:13: actuators[0].routing: found nothing, expected a list of mappings"},
        Mistake{"TendonEmptyRouting", arm("actuators: [{name: t, type: tendon, routing: []}]"),
                "r.yaml:6:46: actuators[0].routing: found an empty list, expected at least one entry"},
        Mistake{"TendonLink", arm("actuators: [{name: t, type: tendon, routing: [{link: arn, offset: [0, 0]}]}]"),
                "r.yaml:6:54: actuators[0].routing[0].link: found 'arn', which is no link, expected base, hip, arm or "
                "tool; did you mean 'arm'?"},
        Mistake{"TendonNowhere", arm("actuators: [{name: t, type: tendon, routing: [{link: arm}]}]"),
                "r.yaml:6:47: actuators[0].routing[0]: found neither offset nor points, expected offset"},
        Mistake{
            "TendonTwice",
            arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], points: [[0, 0, 0]]}]}]"),
            "r.yaml:6:47: actuators[0].routing[0]: found offset and points together, expected offset"},
        Mistake{"TendonPointsOfARod",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, points: [[0, 0, 0]]}]}]"),
                "r.yaml:6:67: actuators[0].routing[0].points: found points of a rod, expected offset: [x, y], a list "
                "of them or {helix: ..}"},
        Mistake{"TendonAlongARigidLink",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, offset: [0, 0]}]}]"),
                "r.yaml:6:68: actuators[0].routing[0].offset: found it on 'tool', which has no rod, expected points: "
                "[[x, y, z], ..]"},
        Mistake{"TendonFromOnARigidLink",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0, 0]], from: 0}]}]"),
                "r.yaml:6:87: actuators[0].routing[0].from: found it on 'tool', which has no rod, expected points: "
                "[[x, y, z], ..]"},
        Mistake{"TendonPoint", arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0]]}]}]"),
                "r.yaml:6:69: actuators[0].routing[0].points[0]: found a list of 2, expected a list of 3 numbers [m]"},
        Mistake{"TendonNoPoints", arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: []}]}]"),
                "r.yaml:6:68: actuators[0].routing[0].points: found an empty list, expected at least one point"},
        Mistake{"TendonBeyondTheRod",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], to: 0.3}]}]"),
                "r.yaml:6:79: actuators[0].routing[0].to: found 0.3, expected a number in [0, 0.2] [m]"},
        Mistake{"TendonOfNoStretch",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0], from: 0.1, to: 0.1}]}]"),
                "r.yaml:6:90: actuators[0].routing[0].to: found 0.1, the same as from, expected a stretch of some "
                "length [m]"},
        Mistake{"TendonOffset",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [[0, 0], 1]}]}]"),
                "r.yaml:6:76: actuators[0].routing[0].offset[1]: found 1, expected a list of 2 numbers [m]"},
        Mistake{"TendonOffsetKind", arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: 0.1}]}]"),
                "r.yaml:6:67: actuators[0].routing[0].offset: found 0.1, expected [x, y], a list of them or {helix: "
                "{radius, turns}}"},
        Mistake{
            "TendonHelix",
            arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: {helix: {radius: 0, turns: 1}}}]}]"),
            "r.yaml:6:84: actuators[0].routing[0].offset.helix.radius: found 0, expected a number > 0 [m]"},
        Mistake{"TendonOfLengthZero",
                arm("actuators: [{name: t, type: tendon, routing: [{link: tool, points: [[0, 0, 0]]}]}]"),
                "r.yaml:6:46: actuators[0].routing: found a tendon of length 0, expected one between different places"},
        Mistake{"TendonSlack",
                arm("actuators: [{name: t, type: tendon, routing: [{link: arm, offset: [0, 0]}], slack: yes}]"),
                "r.yaml:6:84: actuators[0].slack: found yes, expected error, clip or allow"},
        Mistake{
            "ChamberLink", arm("actuators: [{name: t, type: chamber, link: tool, area: 1}]"),
            "r.yaml:6:44: actuators[0].link: found 'tool', which has neither, expected a link whose body is a rod or "
            "a volume"},
        Mistake{"ChamberNoArea", arm("actuators: [{name: t, type: chamber, link: arm}]"),
                "r.yaml:6:13: actuators[0]: found no area, expected the area of the chamber along the rod [m^2]"},
        Mistake{"ChamberSurfaceOfARod", arm("actuators: [{name: t, type: chamber, link: arm, surface: inner}]"),
                "r.yaml:6:58: actuators[0].surface: found it on 'arm', a rod, expected offset and area"},
        Mistake{"ChamberArea", arm("actuators: [{name: t, type: chamber, link: arm, area: 0}]"),
                "r.yaml:6:55: actuators[0].area: found 0, expected a number > 0 [m^2]"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Actuators, ActuatorMistake,
    testing::Values(
        Mistake{"Link", arm("actuators: [{name: t, type: joint, link: hop}]"),
                "r.yaml:6:42: actuators[0].link: found 'hop', which is no link, expected hip, arm or tool; did you "
                "mean 'hip'?"},
        Mistake{"Index", arm("actuators: [{name: t, type: joint, link: hip, index: 2}]"),
                "r.yaml:6:54: actuators[0].index: found 2, expected an integer in [0, 1] (the joint of 'hip' has 2 "
                "coordinates)"},
        Mistake{"FixedJoint", arm("actuators: [{name: t, type: joint, link: tool}]"),
                "r.yaml:6:42: actuators[0].link: found 'tool', whose joint is fixed, expected a link with a joint that "
                "moves"},
        Mistake{"Rows", arm("actuators: [{name: t, type: linear, links: [arm], matrix: [[1], [2]]}]"),
                "r.yaml:6:59: actuators[0].matrix: found a list of 2, expected a list of 3 rows, one a coordinate of "
                "the links"},
        Mistake{"Columns", arm("actuators: [{name: t, type: linear, links: [hip], matrix: [[1, 2], [2]]}]"),
                "r.yaml:6:68: actuators[0].matrix[1]: found a list of 1, expected a list of 2 numbers, as in the first "
                "row"},
        Mistake{"Twice",
                arm("actuators: [{name: t, type: joint, link: hip}, {name: t, type: joint, link: hip, index: 1}]"),
                "r.yaml:6:55: actuators[1].name: found 't' again, expected a name of its own (r.yaml:6:13 has it)"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Elements, ActuatorMistake,
    testing::Values(
        Mistake{"FrictionNoVelocity", arm("elements: [{name: e, type: joint_friction, link: hip, friction: 1}]"),
                "r.yaml:6:12: elements[0].velocity: found nothing, expected a number > 0 [rad/s, m/s]"},
        Mistake{"FrictionIndex",
                arm("elements: [{name: e, type: joint_friction, link: hip, index: 2, friction: 1, velocity: 1}]"),
                "r.yaml:6:62: elements[0].index: found 2, expected an integer in [0, 1] (the joint of 'hip' has 2 "
                "coordinates)"},
        Mistake{"FrictionStictionAlone",
                arm("elements: [{name: e, type: joint_friction, link: hip, friction: 1, velocity: 1, stiction: 2}]"),
                "r.yaml:6:12: elements[0].stribeck_velocity: found nothing beside stiction, expected a number > "
                "velocity [rad/s or m/s]"},
        Mistake{"FrictionSmallStiction",
                arm("elements: [{name: e, type: joint_friction, link: hip, friction: 1, velocity: 1, stiction: 0.5, "
                    "stribeck_velocity: 2}]"),
                "r.yaml:6:91: elements[0].stiction: found 0.5, expected a number >= friction = 1"},
        Mistake{
            "PlayFactors",
            arm("elements: [{name: e, type: play, links: [hip], factors: [1], gap: 1, stiffness: 1, range: 1}]"),
            "r.yaml:6:57: elements[0].factors: found a list of 1, expected a list of 2 numbers, one a coordinate of "
            "the links"},
        Mistake{"PlayNoGap",
                arm("elements: [{name: e, type: play, links: [hip], factors: [1, 2], stiffness: 1, range: "
                    "1}]"),
                "r.yaml:6:12: elements[0].gap: found nothing, expected a number >= 0"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Loads, ActuatorMistake,
    testing::Values(
        Mistake{"MassDampingRate", arm("loads: [{type: mass_damping, link: arm, rate: -1}]"),
                "r.yaml:6:47: loads[0].rate: found -1, expected a number >= 0 [1/s]"},
        Mistake{
            "MassDampingOfALump",
            link("{name: a, body: {type: continuum_joint, length: 0.2, mass: 1, radius: 0.05}}") +
                "loads: [{type: mass_damping, link: a, rate: 1}]\n",
            "r.yaml:4:36: loads[0].link: found 'a', which has a continuum_joint body, expected a link whose body is "
            "a rod or rigid"},
        Mistake{"FluidNothing", arm("loads: [{type: fluid, link: arm, radius_x: 1, radius_y: 1}]"),
                "r.yaml:6:9: loads[0].density: found nothing, expected a number > 0 [kg/m^3]"},
        Mistake{"FluidOnABase", arm("loads: [{type: fluid, link: base, density: 1000}]"),
                "r.yaml:6:29: loads[0].link: found 'base', which is no link, expected hip, arm or tool"},
        Mistake{"FluidOnNothing", arm("loads: [{type: fluid, link: tool, density: 1000}]"),
                "r.yaml:6:9: loads[0].length: found nothing, expected a number > 0 [m] (the link is "
                "rigid)\nr.yaml:6:9: loads[0].radius_x: found nothing, expected a number or a list of numbers >= 0 [m] "
                "(the link is rigid)\nr.yaml:6:9: loads[0].radius_y: found nothing, expected a number or a list of "
                "numbers >= 0 [m] (the link is rigid)"},
        Mistake{"FluidHalfOutline", arm("loads: [{type: fluid, link: arm, density: 1000, radius_x: 0.1}]"),
                "r.yaml:6:9: loads[0].radius_y: found nothing, expected a number or a list of numbers >= 0 [m] (both "
                "half axes or none)"},
        Mistake{"FluidLengthOfARod",
                arm("loads: [{type: fluid, link: arm, density: 1000, points: 3, radius_x: 1, radius_y: 1}]"),
                "r.yaml:6:57: loads[0].points: found it for a rod, expected none (a rod has its own)"},
        Mistake{"FluidSections",
                arm("loads: [{type: fluid, link: arm, density: 1000, radius_x: 1, radius_y: 1, sections: 3}]"),
                "r.yaml:6:75: loads[0].sections: found the former name of points, expected points: 3"},
        Mistake{
            "FluidAroundARectangle",
            link("{name: a, body: {type: rod, length: 1, stiffness: [1, 1, 1, 1, 1, 1], mass_per_length: 1, "
                 "rotary_inertia: [1, 1, 1]}}") +
                "loads: [{type: fluid, link: a, density: 1000}]\n",
            "r.yaml:4:9: loads[0].radius_x: found nothing, expected a number or a list of numbers >= 0 [m] (the rod's "
            "section is neither circle, annulus nor ellipse)\nr.yaml:4:9: loads[0].radius_y: found nothing, expected a "
            "number or a list of numbers >= 0 [m] (the rod's section is neither circle, annulus nor ellipse)"},
        Mistake{"FluidRadius", arm("loads: [{type: fluid, link: arm, density: 1000, radius_x: -1, radius_y: 1}]"),
                "r.yaml:6:59: loads[0].radius_x: found -1, expected a number >= 0 [m]"},
        Mistake{"DroneGains", arm("loads: [{type: drone, link: arm, proportional: [1, 2, 3]}]"),
                "r.yaml:6:48: loads[0].proportional: found a list of 3, expected [angular, linear] or six numbers >= "
                "0, angular first [N m s/rad, N s/m]"},
        Mistake{"DroneNoGains", arm("loads: [{type: drone, link: arm, linear_velocity: [1, 0, 0]}]"),
                "r.yaml:6:9: loads[0].proportional: found nothing, expected [angular, linear] or six numbers >= 0, "
                "angular first [N m s/rad, N s/m]"},
        Mistake{"DroneNegativeGain", arm("loads: [{type: drone, link: arm, proportional: [1, -2]}]"),
                "r.yaml:6:52: loads[0].proportional[1]: found -2, expected a number >= 0 [N m s/rad, N s/m]"},
        Mistake{"DroneAxes", arm("loads: [{type: drone, link: arm, proportional: [1, 2], quaternion: [2, 0, 0, 0]}]"),
                "r.yaml:6:68: loads[0].quaternion: found norm 2, expected [w, x, y, z] of norm 1 (within 1e-6)"},
        Mistake{"Link", arm("loads: [{type: wrench, link: elbow, force: [0, 0, 1]}]"),
                "r.yaml:6:30: loads[0].link: found 'elbow', which is no link, expected base, hip, arm or tool"},
        Mistake{"NothingActs", arm("loads: [{type: wrench, link: arm}]"),
                "r.yaml:6:9: loads[0].force: found nothing, expected force, torque or both"},
        Mistake{"Section", arm("loads: [{type: wrench, link: arm, at: {s: 0.3}, force: [0, 0, 1]}]"),
                "r.yaml:6:43: loads[0].at.s: found 0.3, expected a number in [0, 0.2] [m]"},
        Mistake{"PointOnARod", arm("loads: [{type: wrench, link: arm, at: {point: [0, 0, 0]}, force: [0, 0, 1]}]"),
                "r.yaml:6:47: loads[0].at.point: found a point on a rod, expected base, tip or {s: number [m]}"},
        Mistake{"SectionAndPoint", arm("loads: [{type: wrench, link: arm, at: {}, force: [0, 0, 1]}]"),
                "r.yaml:6:39: loads[0].at: found neither s nor point, expected one of the two"},
        Mistake{"Frame", arm("loads: [{type: wrench, link: arm, frame: local, force: [0, 0, 1]}]"),
                "r.yaml:6:42: loads[0].frame: found 'local', expected world or body"},
        Mistake{"Force", arm("loads: [{type: wrench, link: arm, force: 3}]"),
                "r.yaml:6:42: loads[0].force: found 3, expected a list of 3 numbers or signals [N]"},
        Mistake{"Component", arm("loads: [{type: wrench, link: arm, force: [0, x, 0]}]"),
                "r.yaml:6:46: loads[0].force[1]: found 'x', expected a number or a signal [N], as {type: step, time: "
                "1, before: 0, after: 5}"},
        Mistake{"Distributed", arm("loads: [{type: distributed, link: tool, force: [0, 0, 1]}]"),
                "r.yaml:6:35: loads[0].link: found 'tool', which has no rod, expected a link whose body is a rod"}),
    name_of);

std::string load(const std::string& signal) {
  return arm("loads: [{type: wrench, link: arm, force: [{" + signal + "}, 0, 0]}]");
}

INSTANTIATE_TEST_SUITE_P(
    Signals, ActuatorMistake,
    testing::Values(
        Mistake{"Type", load("type: stp"),
                "r.yaml:6:50: loads[0].force[0].type: found 'stp', expected step, ramp, sine, points, table, cubic, "
                "quintic, minimum_jerk, spline or steps; did you "
                "mean 'step'?"},
        Mistake{"MissingKey", load("type: step, time: 1"),
                "r.yaml:6:43: loads[0].force[0].after: found nothing, expected a number"},
        Mistake{"Ramp", load("type: ramp, start: 2, end: 1, from: 0, to: 1"),
                "r.yaml:6:71: loads[0].force[0].end: found 1, expected a time after start = 2"},
        Mistake{"Times", load("type: points, time: [0, 2, 1], value: [0, 0, 0]"),
                "r.yaml:6:71: loads[0].force[0].time[2]: found 1 after 2, expected increasing times"},
        Mistake{"Values", load("type: points, time: [0, 2, 3], value: [0, 0]"),
                "r.yaml:6:82: loads[0].force[0].value: found 2 values, expected 3, one a time"},
        Mistake{"NoFile", load("type: table, file: no.csv, column: f"),
                "r.yaml:6:63: loads[0].force[0].file: found 'no.csv', which does not exist, expected a CSV table"}),
    name_of);

TEST(ActuatorErrors, ErrorsInTablesNameTheirOwnPlace) {
  TemporaryDirectory directory;
  directory.write("t.csv", "time,force\n0,1\n1,x\n");
  const std::string path = directory.write("r.yaml", load("type: table, file: t.csv, column: force"));
  try {
    read_robot_file(path);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), directory.path("t.csv") + ":3:3: force: found 'x', expected a finite number");
  }
}

}  // namespace
}  // namespace cuttle::CUTTLE_FILE
