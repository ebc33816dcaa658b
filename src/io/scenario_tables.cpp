// Scenario files.
#include "io/scenario_tables.h"

#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

const KeyTable k_adaptive{.keys = {number("relative_tolerance", k_positive, k_dimensionless)
                                       .about("Error allowed each step, relative to each coordinate and velocity.")
                                       .by_default("1.0e-6"),
                                   number("absolute_tolerance", k_positive, k_unit_of_use)
                                       .about("Error allowed each step besides, in the units of the coordinates.")
                                       .by_default("1.0e-8"),
                                   number("max_step", k_positive, "s").about("Longest step.").if_missing("no limit")}};
const KeyTable k_fixed_step{
    .keys = {required(number("step", k_positive, "s"))
                 .about("Step, the same all the time but shortened to meet jumps of inputs and output times.")}};

}  // namespace

const KeyVariants k_integrator_variants{
    .name = "integrator",
    .selector = "type",
    .variants = {{"bdf", &k_adaptive,
                  "Implicit, adaptive steps and order (CVODE): for stiff robots, as those with rods.",
                  "{type: bdf, relative_tolerance: 1.0e-6, absolute_tolerance: 1.0e-8}"},
                 {"erk", &k_adaptive, "Explicit Runge-Kutta, adaptive steps (ARKODE): for robots that are not stiff.",
                  "{type: erk, max_step: 0.01}"},
                 {"rk4", &k_fixed_step, "The classical Runge-Kutta method of order 4.", "{type: rk4, step: 1.0e-3}"},
                 {"tsit5", &k_fixed_step, "Tsitouras' Runge-Kutta method of order 5.", "{type: tsit5, step: 1.0e-3}"},
                 {"newmark", nullptr, {}, {}},
                 {"hht", nullptr, {}, {}},
                 {"generalized_alpha", nullptr, {}, {}},
                 {"midpoint", nullptr, {}, {}}},
    .fallback = "bdf",
    .fallback_text = "`generalized_alpha` for a robot with loops, `bdf` for one with elastic bodies, else `erk`"};
const KeyTable k_initial_state_table{
    .name = "initial state",
    .keys = {profile("q", 0, k_any_number, k_unit_of_use)
                 .about("Coordinates of the link, joint before body; one number will do for one coordinate.")
                 .if_missing("0, quaternions 1"),
             profile("v", 0, k_any_number, k_unit_of_use)
                 .about("Velocities of the link, joint before body.")
                 .if_missing("0")},
    .example = "{q: [0.3], v: [0]}"};
const KeyTable k_simulation_table{
    .name = "simulation",
    .keys = {number("duration", k_positive, "s").about("Time to simulate; `--duration` replaces it.").by_default("1"),
             number("output_step", k_positive, "s").about("Time between the rows of the result.").by_default("0.01"),
             integer("seed", k_not_negative).about("Seed of whatever is random; nothing is yet.").by_default("0"),
             map("integrator", k_integrator_variants)
                 .about("How to step in time.")
                 .by_default("{}", "by the robot: see `type`"),
             named_maps("initial", k_initial_state_table)
                 .about("State at time 0 by the name of the link, or `base` for a floating base.")
                 .by_default("{}", "at rest in the zero configuration"),
             other("inputs", "a mapping from actuators to numbers or signals", {named(signal("", k_unit_of_use))})
                 .about("Numbers or [signals](#signal) by the name of the actuator's input.")
                 .by_default("{}", "0"),
             other("controllers", "an empty list", {list(0, text(""))})
                 .about("Not supported yet.")
                 .by_default("[]", "none")},
    .example = "{duration: 5, output_step: 0.01, initial: {shoulder: {q: [0.3]}}, inputs: {motor1: 0.5}}"};
const KeyTable k_scenario_table{
    .name = "scenario file",
    .keys = {version_key(), required(text("robot")).about("Robot file, relative to this file."),
             required(map("simulation", k_simulation_table)).about("What to do with it.")},
    .example = "{cuttle: 1, robot: arm.yaml, simulation: {duration: 5}}"};

}  // namespace cuttle
