#include "io/kinds/controller_keys.h"

#include <algorithm>

#include "io/csv_column.h"
#include "io/robot/part_readers.h"
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

std::vector<Key> controller_keys(ControlKeys what, std::vector<Key> own) {
  std::vector<Key> keys{required(name("name")).about("Unique name.")};
  if (std::none_of(own.begin(), own.end(), [](const Key& key) { return key.name == "inputs"; })) {
    keys.push_back(names("inputs")
                       .about("Inputs that it drives, in this order: names of actuators or of single inputs of them.")
                       .if_missing("all of actuators"));
  }
  if (what == ControlKeys::configuration) {
    keys.push_back(names("links").about("Links whose coordinates it controls, in this order.").if_missing("all"));
  }
  keys.insert(keys.end(), own.begin(), own.end());
  const Key frame[] = {
      numbers("window", 2, "s").about("When it begins and ends; outside it sets nothing.").if_missing("always"),
      number("rate", k_positive, "Hz")
          .about("Samples a second, held in between, the first one when the window begins.")
          .if_missing("continuous"),
      number("delay", k_not_negative, "s").about("From a sample to its output; with `rate` alone.").by_default("0"),
      map("noise", k_control_noise_table)
          .about("Noise of what it measures, from `seed`; with `rate` alone.")
          .by_default("{}", "none"),
      map("resolution", k_control_resolution_table)
          .about("Steps of what it measures; with `rate` alone.")
          .by_default("{}", "none"),
      map("limits", k_control_limits_table).about("Limits of its outputs.").by_default("{}", "none")};
  keys.insert(keys.end(), std::begin(frame), std::end(frame));
  return keys;
}

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

std::vector<double> read_gain(const YamlMap& map, const std::string& name) {
  std::vector<double> values;
  const auto at = map.knows(name) ? map.at(name) : std::nullopt;
  if (!at) return values;
  const Key &rule = map.rule(name), &one = rule.forms[0], &row = rule.forms[1];
  if (at->kind() != YamlNode::Kind::list) {
    if (const auto value = at->number(one)) values.push_back(*value);
    return values;
  }
  for (const YamlCursor& item : at->items(rule.expected())) {
    if (item.kind() == YamlNode::Kind::list) {
      const auto numbers = item.numbers(row);
      if (numbers && numbers->size() != at->size()) item.fail("as many numbers as there are rows");
      if (numbers) values.insert(values.end(), numbers->begin(), numbers->end());
    } else if (const auto value = item.number(one)) {
      values.push_back(*value);
    }
  }
  return values;
}

namespace {

std::vector<Signal> read_columns(const YamlMap& csv, const KeyReader<double>& part) {
  std::vector<Signal> signals;
  const auto file = part.files().read(csv, "file", "a CSV table");
  const auto columns = csv.names("columns");
  if (!file || !columns) return signals;
  for (CsvColumn& table : read_csv_columns(*file, *columns)) {
    signals.push_back(Signal::spline(std::move(table.times), std::move(table.values)));
  }
  return signals;
}

PathReference read_path(const YamlMap& map, const KeyReader<double>& part) {
  PathReference path;
  path.samples = static_cast<int>(map.integer("samples").value_or(path.samples));
  path.tolerance = map.number<double>("tolerance").value_or(path.tolerance);
  const Key& rule = map.rule("targets");
  const auto targets = map.at("targets");
  if (!targets) return path;
  for (const auto& [name, position] : targets->named_items(rule.expected())) {
    const Key& one = rule.forms[0].forms[0];
    const std::vector<YamlCursor> items = position.items(one.expected());
    if (items.size() != 3) {
      if (position.kind() == YamlNode::Kind::list) position.fail(one.expected());
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      path.targets[name][i] = read_signal(items[i], one, part.files()).value_or(Signal());
    }
  }
  if (path.targets.empty()) targets->fail("at least one frame");
  return path;
}

void read_reference(const KeyReader<double>& part, ControlSettings& settings) {
  if (!part.map().knows("reference") || part.map().rule("reference").kind == Key::Kind::map) return;
  const auto at = part.map().at("reference");
  if (!at) return;
  const Key& rule = part.map().rule("reference");
  if (at->kind() != YamlNode::Kind::map) {
    for (const YamlCursor& item : at->items(rule.expected())) {
      settings.reference.push_back(read_signal(item, rule.forms[0].forms[0], part.files()).value_or(Signal()));
    }
    return;
  }
  const auto map = at->map(k_control_reference_variants);
  if (!map) return;
  if (map->variant() == "csv") {
    settings.reference = read_columns(*map, part);
  } else {
    settings.path = read_path(*map, part);
  }
}

/// Two lists of numbers of a mapping that may be missing.
std::vector<double> numbers_of(const std::optional<YamlMap>& map, const char* name) {
  return map ? map->numbers(name).value_or(std::vector<double>()) : std::vector<double>();
}

}  // namespace

ControlSettings read_control_settings(const KeyReader<double>& part) {
  const YamlMap& map = part.map();
  ControlSettings settings;
  if (map.knows("inputs") && map.rule("inputs").kind == Key::Kind::names) {
    settings.inputs = map.names("inputs").value_or(std::vector<std::string>());
  }
  if (map.knows("links")) settings.links = map.names("links").value_or(std::vector<std::string>());
  if (part.has("window")) {
    const std::vector<double> window = part.numbers("window");
    settings.begin = window.at(0), settings.end = window.at(1);
  }
  settings.rate = part.optional_number("rate");
  settings.delay = part.number("delay");
  const auto noise = map.map("noise"), resolution = map.map("resolution"), limits = map.map("limits");
  settings.noise = {numbers_of(noise, "q"), numbers_of(noise, "v")};
  settings.resolution = {numbers_of(resolution, "q"), numbers_of(resolution, "v")};
  settings.limits = {numbers_of(limits, "lower"), numbers_of(limits, "upper"), numbers_of(limits, "rate")};
  read_reference(part, settings);
  settings.kp = read_gain(map, "kp"), settings.kd = read_gain(map, "kd"), settings.ki = read_gain(map, "ki");
  return settings;
}

}  // namespace cuttle
