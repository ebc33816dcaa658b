#include "io/kinds/controller_keys.h"

#include <fmt/format.h>

#include "io/scenario/scenario_tables.h"

namespace cuttle {

using namespace key;

const KeyTable k_control_limits_table{
    .name = "control limits",
    .keys = {profile("lower", 0, k_any_number, k_unit_of_use).about("Least output.").if_missing("none"),
             profile("upper", 0, k_any_number, k_unit_of_use).about("Largest output.").if_missing("none"),
             profile("rate", 0, k_positive, k_unit_of_use)
                 .about("Largest change a second from sample to sample; with `rate` of the controller alone.")
                 .if_missing("none")},
    .example = "{lower: 0, upper: [20, 5]}"};
namespace {

/// Numbers of what a sampled controller measures: one for all, or one a velocity coordinate.
KeyTable measurement_table(const char* name, const char* of_coordinates, const char* of_velocities,
                           const char* example) {
  return {.name = name,
          .keys = {profile("q", 0, k_not_negative, "rad or m").about(of_coordinates).by_default("0"),
                   profile("v", 0, k_not_negative, "rad/s or m/s").about(of_velocities).by_default("0")},
          .example = example};
}

}  // namespace

const KeyTable k_control_noise_table =
    measurement_table("control noise", "Standard deviation of measured coordinates; of quaternions that of the angle.",
                      "Standard deviation of measured velocities.", "{q: 1.0e-3, v: 0.01}");
const KeyTable k_control_resolution_table = measurement_table(
    "control resolution", "Measured coordinates are multiples of it; those of quaternions are left alone.",
    "Measured velocities are multiples of it.", "{q: 1.5e-3}");
namespace {

const KeyTable k_csv{
    .keys = {required(text("file"))
                 .about("CSV file with a line of names and a column `time` [s], relative to the file that names it."),
             required(names("columns")).about("Names of the columns, one a controlled coordinate.")}};
const KeyTable k_equilibrium_path{
    .keys = {
        required(other("targets", "a mapping from frames to positions", {named(signals("", 3, "m"))}))
            .about("Positions in the world, three [signals](#signal) each, by LINK.tip, LINK.base or a marker."),
        integer("samples", from_to(3, 100000)).about("Equilibria at equal times of the window.").by_default("101"),
        number("tolerance", k_not_negative, "m")
            .about(
                "How far a frame may stay from its path where no equilibrium holds all frames on theirs; the nearest "
                "ones, by the sum of squares, are taken there.")
            .by_default("0")}};

}  // namespace

const KeyVariants k_control_reference_variants{
    .name = "control reference",
    .selector = "type",
    .fixed = {{"csv", &k_csv, "Splines through the columns of a CSV file.",
               "{type: csv, file: torques.csv, columns: [shoulder]}"},
              {"equilibrium_path", &k_equilibrium_path,
               "Splines through equilibria of the robot, with the controller's inputs, that carry frames along paths "
               "during its `window`.",
               "{type: equilibrium_path, targets: {shoulder.tip: [0, 0, 0]}}"}}};

const KeyTable k_estimated_parameter_table{
    .name = "estimated parameter",
    .keys = {required(text("path"))
                 .about("[Path](#parameter-paths) of a parameter of the robot in which its forces are linear: a "
                        "stiffness, a damping, a mass, a density, gravity."),
             required(number("initial", k_any_number, k_unit_of_use)).about("Estimate when the window begins."),
             required(number("lower", k_any_number, k_unit_of_use)).about("Least estimate."),
             required(number("upper", k_any_number, k_unit_of_use)).about("Largest estimate.")},
    .example = "{path: robot.links.shoulder.body.mass, initial: 0.5, lower: 0.1, upper: 2}"};
const KeyTable k_frame_reference_table{
    .name = "reference of a frame",
    .keys = {required(signals("position", 3, "m")).about("Position in the world: three [signals](#signal)."),
             numbers("quaternion", 4, "1")
                 .about("Orientation in the world: w, x, y, z, normalized when it is read.")
                 .if_missing("free, and stiffness about all axes is zero")},
    .example = "{position: [0.2, 0, {type: cubic, start: 0, end: 1, from: 0.3, to: 0.4}], quaternion: [1, 0, 0, 0]}"};
const KeyTable k_known_parameter_table{
    .name = "parameter of a model",
    .keys = {required(text("path")).about("[Path](#parameter-paths) of a parameter of the robot."),
             required(number("value", k_any_number, k_unit_of_use)).about("What the law takes it for.")},
    .example = "{path: robot.links.shoulder.body.mass, value: 0.5}"};
const KeyTable k_law_model_table{
    .name = "model of a controller",
    .keys = {names("without").about("Links that are not in it, with all that hangs on them.").if_missing("none"),
             maps("parameters", k_known_parameter_table)
                 .about("Parameters that it has otherwise than the robot.")
                 .if_missing("none")},
    .rules = {{KeyRule::Kind::at_least_one, {"without", "parameters"}}},
    .example = "{without: [gripper]}"};
const KeyTable k_equilibrium_table{
    .name = "equilibrium of a controller",
    .keys = {other("inputs", "a mapping from actuators to numbers", {named(number("", k_any_number, k_unit_of_use))})
                 .about("Inputs in the equilibrium, by the names of actuators' inputs; those of other controllers too.")
                 .by_default("{}", "0")},
    .example = "{inputs: {motor: 0}}"};

namespace {

Key reference_key() {
  return required(other("reference", "a list of signals, or a mapping of type csv or equilibrium_path",
                        {list(-1, signal("", k_unit_of_use)), map("", k_control_reference_variants)}))
      .about(
          "[Signals](#signal), one a controlled coordinate, or columns of a CSV file; their first and second "
          "derivatives "
          "are exact.");
}

Key gain_key(const char* name, const char* about) {
  return other(name, "a number, a list of numbers, or a matrix by rows",
               {number("", k_any_number, k_unit_of_use), numbers("", 0, k_unit_of_use),
                list(-1, numbers("", 0, k_unit_of_use))})
      .about(about)
      .by_default("0");
}

/// Keys of the settings that a law shows.
class SettingKeys final : public SettingVisitor {
 public:
  std::vector<Key> keys{required(name("name")).about("Unique name.")};

  void inputs(std::vector<std::string>& /*names*/) override {
    add(names("inputs")
            .about("Inputs that it drives, in this order: names of actuators or of single inputs of them.")
            .if_missing("all of actuators"));
  }
  void links(ControlledLinks& /*names*/) override {
    add(names("links").about("Links whose coordinates it controls, in this order.").if_missing("all"));
  }
  void reference(ReferenceSettings& /*settings*/) override { add(reference_key()); }
  void gain(const char* key, std::vector<double>& /*values*/, const char* about) override { add(gain_key(key, about)); }
  void weight(const char* key, std::vector<double>& /*values*/, const char* about) override {
    Key weight = gain_key(key, about);
    weight.default_value.clear();
    add(required(weight));
  }
  void number(const char* key, double& value, const char* unit, const char* about) override {
    add(key::number(key, k_not_negative, unit).about(about).by_default(fmt::format("{}", value).c_str()));
  }
  void text(const char* key, std::string& /*value*/, const char* about) override {
    add(required(key::text(key)).about(about));
  }
  void model(LawModel& /*model*/) override {
    add(other("model", "complete, rigid or {without: [links], parameters: [..]}",
              {choice("", {"complete", "rigid"}), map("", k_law_model_table)})
            .about("What of the robot the law knows: all; all, with every deforming body a rigid one in its rest "
                   "shape; all but some links and what hangs on them; or other numbers. Actuators, elements and loads "
                   "that cannot act on that are not known either.")
            .by_default("complete"));
  }
  void fed_inputs(FeedForwardSettings& /*settings*/) override {
    add(other("inputs", "a list of names, or a mapping from names of inputs to signals",
              {names(""), named(signal("", k_unit_of_use))})
            .about("Inputs that it drives: names of actuators or of single inputs of them, or the [signals](#signal) "
                   "that they follow, by such names.")
            .if_missing("all of actuators"));
    Key reference = reference_key();
    reference.required = false;
    add(reference.if_missing("none: `inputs` has signals"));
  }
  void estimates(std::vector<EstimatedParameter>& /*parameters*/) override {
    add(required(maps("parameters", k_estimated_parameter_table)).about("What it does not know of the robot."));
  }
  void frame_reference(OperationalSpaceSettings& /*settings*/) override {
    add(required(map("reference", k_frame_reference_table)).about("Where the frame is to be."));
  }
  void impedance(OperationalSpaceSettings& /*settings*/) override {
    add(required(numbers("stiffness", 6, "N m/rad, N/m", k_not_negative))
            .about("About x, y, z, then along x, y, z of the world."));
    add(required(numbers("damping", 6, "N m s/rad, N s/m", k_not_negative))
            .about("Likewise; a direction with neither stiffness nor damping is free."));
  }
  void equilibrium(std::map<std::string, double>& /*inputs*/) override {
    add(map("equilibrium", k_equilibrium_table)
            .about("Where it holds the robot: what the zero configuration leads to, with these inputs.")
            .by_default("{}", "without inputs"));
  }
  void program(ExternalProgram& /*program*/) override {
    add(required(other("command", "a list of texts", {list(-1, key::text(""))}))
            .about("Program, found by PATH, and its arguments; it works in the directory of this file."));
    add(key::number("timeout", k_positive, "s")
            .about("For an answer, also for the first one, for which the program must start.")
            .if_missing("10 s"));
  }
  void common(ControlSettings& /*settings*/) override {
    keys.insert(
        keys.end(),
        {numbers("window", 2, "s").about("When it begins and ends; outside it sets nothing.").if_missing("always"),
         key::number("rate", k_positive, "Hz")
             .about("Samples a second, held in between, the first one when the window begins.")
             .if_missing("continuous"),
         key::number("delay", k_not_negative, "s")
             .about("From a sample to its output; with `rate` alone.")
             .by_default("0"),
         map("noise", k_control_noise_table)
             .about("Noise of what it measures, from `seed`; with `rate` alone.")
             .by_default("{}", "none"),
         map("resolution", k_control_resolution_table)
             .about("Steps of what it measures; with `rate` alone.")
             .by_default("{}", "none"),
         map("limits", k_control_limits_table).about("Limits of its outputs.").by_default("{}", "none")});
  }

 private:
  void add(const Key& key) { keys.push_back(key); }
};

}  // namespace

std::vector<Key> controller_keys(const LibraryLaw& law) {
  SettingKeys found;
  law.show(found);
  return std::move(found.keys);
}

}  // namespace cuttle
