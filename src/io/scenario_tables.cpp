// Scenario files.
#include "io/scenario_tables.h"

#include "cuttle/simulation/scenario.h"
#include "io/robot_tables.h"

namespace cuttle {

using namespace key;

namespace {

constexpr NumberRange k_step_range = at_least(IntegratorOptions::k_least_step);
const KeyTable k_adaptive{
    .keys = {
        number("relative_tolerance",
               from_to(IntegratorOptions::k_least_relative_tolerance, IntegratorOptions::k_most_relative_tolerance),
               k_dimensionless)
            .about("Error allowed each step, relative to each coordinate and velocity.")
            .by_default("1.0e-6"),
        number("absolute_tolerance", k_positive, k_unit_of_use)
            .about("Error allowed each step besides, in the units of the coordinates.")
            .by_default("1.0e-8"),
        number("max_step", k_step_range, "s").about("Longest step.").if_missing("no limit")}};
const KeyTable k_fixed_step{
    .keys = {required(number("step", k_step_range, "s"))
                 .about("Step, the same all the time but shortened to meet jumps of inputs and output times; at most "
                        "1e12 of them in the duration.")}};

/// `key` before those of `table`.
KeyTable with(Key key, const KeyTable& table) {
  KeyTable all = table;
  all.keys.insert(all.keys.begin(), std::move(key));
  return all;
}
const KeyTable k_implicit = with(number("step", k_step_range, "s")
                                     .about("Fixed step, shortened to meet jumps of inputs and output times; at most "
                                            "1e12 of them in the duration.")
                                     .if_missing("steps by the local error"),
                                 k_adaptive);
const KeyTable k_hht = with(number("alpha", from_to(-1.0 / 3.0, 0.0), k_dimensionless)
                                .about("Damping of high frequencies, from -1/3 (most) to 0 (none).")
                                .by_default("-0.05"),
                            k_implicit);
const KeyTable k_generalized_alpha =
    with(number("rho_inf", from_to(0.0, 1.0), k_dimensionless)
             .about("What one step leaves of an infinitely fast vibration, from 0 to 1.")
             .by_default("0.8"),
         k_implicit);

}  // namespace

const KeyVariants k_integrator_variants{
    .name = "integrator",
    .selector = "type",
    .variants =
        {{"bdf", &k_adaptive, "Implicit, adaptive steps and order (CVODE): for stiff robots, as those with rods.",
          "{type: bdf, relative_tolerance: 1.0e-6, absolute_tolerance: 1.0e-8}"},
         {"erk", &k_adaptive, "Explicit Runge-Kutta, adaptive steps (ARKODE): for robots that are not stiff.",
          "{type: erk, max_step: 0.01}"},
         {"rk4", &k_fixed_step, "The classical Runge-Kutta method of order 4.", "{type: rk4, step: 1.0e-3}"},
         {"tsit5", &k_fixed_step, "Tsitouras' Runge-Kutta method of order 5.", "{type: tsit5, step: 1.0e-3}"},
         {"newmark", &k_implicit,
          "Implicit, order 2: the average-acceleration method with the analytic tangent. No damping of its own.",
          "{type: newmark, step: 0.01}"},
         {"hht", &k_hht, "Newmark's method with damping of high frequencies (Hilber, Hughes, Taylor).",
          "{type: hht, step: 0.01, alpha: -0.05}"},
         {"generalized_alpha", &k_generalized_alpha,
          "Implicit, order 2, damps high frequencies and keeps low ones: for closed loops and stiff robots.",
          "{type: generalized_alpha, step: 0.01, rho_inf: 0.8}"},
         {"midpoint", &k_implicit, "The implicit midpoint rule, order 2.", "{type: midpoint, step: 0.01}"}},
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
const KeyTable k_initial_statics_table{
    .name = "initial equilibrium",
    .keys = {required(boolean("statics"))
                 .about("`true`: begin at rest in the equilibrium that the zero configuration leads to, under gravity, "
                        "the loads as they are just before time 0, and `inputs`."),
             other("inputs", "a mapping from actuators to numbers", {named(number("", k_any_number, k_unit_of_use))})
                 .about("Inputs of the equilibrium by the name of the actuator's input.")
                 .by_default("{}", "0")},
    .example = "{statics: true, inputs: {motor: 2.0}}"};
const KeyTable k_simulation_table{
    .name = "simulation",
    .keys = {number("duration", k_positive, "s").about("Time to simulate; `--duration` replaces it.").by_default("1"),
             number("output_step", k_positive, "s")
                 .about("Time between the rows of the result, of which there may be 1e9.")
                 .by_default("0.01"),
             integer("seed", k_not_negative).about("Seed of whatever is random; nothing is yet.").by_default("0"),
             map("integrator", k_integrator_variants)
                 .about("How to step in time.")
                 .by_default("{}", "by the robot: see `type`"),
             other("initial", "a mapping from links to states, or {statics: true, inputs: {..}}",
                   {named(map("", k_initial_state_table)), map("", k_initial_statics_table)})
                 .about("State at time 0 by the name of the link, or `base` for a floating base; or an equilibrium.")
                 .by_default("{}", "at rest in the zero configuration"),
             other("inputs", "a mapping from actuators to numbers or signals", {named(signal("", k_unit_of_use))})
                 .about("Numbers or [signals](#signal) by the name of the actuator's input.")
                 .by_default("{}", "0"),
             number("energy_error_limit", k_positive, k_dimensionless)
                 .about("Energy error, as a part of the peak kinetic energy, above which a run ends with a warning.")
                 .by_default("0.1"),
             boolean("strict")
                 .about("Whether an energy error above `energy_error_limit` is an error: the run has failed then, but "
                        "its rows are kept.")
                 .by_default("false"),
             other("controllers", "an empty list", {list(0, text(""))})
                 .about("Not supported yet.")
                 .by_default("[]", "none")},
    .example = "{duration: 5, output_step: 0.01, initial: {shoulder: {q: [0.3]}}, inputs: {motor1: 0.5}}"};
const KeyTable k_scenario_table{
    .name = "scenario file",
    .keys = {version_key(), required(text("robot")).about("Robot file, relative to this file."),
             other("set", "a list of texts robot.KEY.PATH=VALUE", {list(-1, text("").like("^robot\\.[^=]+="))})
                 .about("Values of the robot's file to replace, as `--set` does; that of the command comes after them.")
                 .by_default("[]", "none"),
             required(map("simulation", k_simulation_table)).about("What to do with it.")},
    .example = "{cuttle: 1, robot: arm.yaml, simulation: {duration: 5}}"};

}  // namespace cuttle
