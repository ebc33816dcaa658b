// Scenario files.
#include "io/scenario/scenario_tables.h"

#include "io/robot/robot_tables.h"

namespace cuttle {

using namespace key;

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
                 .by_default("{}", "0"),
             choice("friction", {"from_start", "none"})
                 .about("Of contacts at rest, which has no past: `from_start` lets friction hold as if the robot had "
                        "come straight from the zero configuration; `none` leaves it out.")
                 .by_default("from_start")},
    .example = "{statics: true, inputs: {motor: 2.0}}"};

/// A joint's signals, or the pose of the base.
static Key driven_part() {
  Key part = named(list(-1, signal("", k_unit_of_use)));
  part.forms.push_back(map("", k_pose_motion_table));
  return part;
}

const KeyTable k_simulation_table{
    .name = "simulation",
    .keys =
        {number("duration", k_positive, "s").about("Time to simulate; `--duration` replaces it.").by_default("1"),
         number("output_step", k_positive, "s")
             .about("Time between the rows of the result, of which there may be 1e9.")
             .by_default("0.01"),
         integer("seed", k_not_negative).about("Seed of whatever is random: the noise of controllers.").by_default("0"),
         map("integrator", k_integrator_variants)
             .about("How to step in time.")
             .by_default("{}", "by the robot: see `type`"),
         other("initial", "a mapping from links to states, or {statics: true, inputs: {..}}",
               {named(map("", k_initial_state_table)), map("", k_initial_statics_table)})
             .about("State at time 0 by the name of the link, or of the actuator of its joint, or `base` for a "
                    "floating base; "
                    "or an equilibrium.")
             .by_default("{}", "at rest in the zero configuration"),
         other("inputs", "a mapping from actuators to numbers or signals", {named(signal("", k_unit_of_use))})
             .about("Numbers or [signals](#signal) by the name of the actuator's input.")
             .by_default("{}", "0"),
         other("motion", "a mapping from links to lists of signals, and `base` to a position and rpy", {driven_part()})
             .about("[Driven motion](#driven-motion): by the name of a link, [signals](#signal) for all coordinates of "
                    "its joint; `base`: the pose of the robot's base in the world.")
             .by_default("{}", "everything moves freely"),
         number("energy_error_limit", k_positive, k_dimensionless)
             .about("Energy error, as a part of the energy that came and went (`accuracy.md`), above which a run ends "
                    "with a "
                    "warning.")
             .by_default("0.1"),
         boolean("strict")
             .about("Whether an energy error above `energy_error_limit` is an error: the run has failed then, but "
                    "its rows are kept.")
             .by_default("false"),
         maps("controllers", k_controller_variants)
             .about("Laws that set inputs: what they set is added to `inputs`, each seeing what those before it set.")
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
