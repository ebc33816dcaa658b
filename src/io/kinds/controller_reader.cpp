// Settings of controllers from scenario files.
#include "io/csv_column.h"
#include "io/kinds/controller_keys.h"
#include "io/robot/part_readers.h"
#include "io/scenario/scenario_tables.h"

namespace cuttle {
namespace {

/// Numbers of a gain: one, one a coordinate, or a matrix by rows.
std::vector<double> read_gain(const YamlMap& map, const std::string& name) {
  std::vector<double> values;
  const auto at = map.at(name);
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

/// Two lists of numbers of a mapping that may be missing.
std::vector<double> numbers_of(const std::optional<YamlMap>& map, const char* name) {
  return map ? map->numbers(name).value_or(std::vector<double>()) : std::vector<double>();
}

/// Fills the settings that a law shows.
class SettingReader final : public SettingVisitor {
 public:
  explicit SettingReader(const KeyReader<double>& part) : part_(part), map_(part.map()) {}

  void inputs(std::vector<std::string>& names) override { read_names("inputs", names); }
  void links(ControlledLinks& names) override { read_names("links", names); }
  void reference(ReferenceSettings& settings) override {
    const auto at = map_.at("reference");
    if (!at) return;
    const Key& rule = map_.rule("reference");
    if (at->kind() != YamlNode::Kind::map) {
      for (const YamlCursor& item : at->items(rule.expected())) {
        settings.reference.push_back(read_signal(item, rule.forms[0].forms[0], part_.files()).value_or(Signal()));
      }
      return;
    }
    const auto map = at->map(k_control_reference_variants);
    if (!map) return;
    if (map->variant() == "csv") {
      settings.reference = read_columns(*map, part_);
    } else {
      settings.path = read_path(*map, part_);
    }
  }
  void gain(const char* key, std::vector<double>& values, const char* /*about*/) override {
    values = read_gain(map_, key);
  }
  void weight(const char* key, std::vector<double>& values, const char* /*about*/) override {
    values = read_gain(map_, key);
  }
  void number(const char* key, double& value, const char* /*unit*/, const char* /*about*/) override {
    value = part_.number(key);
  }
  void text(const char* key, std::string& value, const char* /*about*/) override { value = part_.text(key); }
  void model(LawModel& model) override {
    const auto at = map_.at("model");
    if (!at) return;
    const Key& rule = map_.rule("model");
    if (at->kind() != YamlNode::Kind::map) {
      const auto choice = at->as_text();
      if (choice != "complete" && choice != "rigid") at->fail(rule.expected());
      model.rigid = choice == "rigid";
      return;
    }
    const auto map = at->map(rule.forms[1]);
    if (!map) return;
    model.without = map->names("without").value_or(std::vector<std::string>());
    for (const YamlMap& entry : map->maps("parameters")) {
      const KeyReader<double> parameter(entry, part_.files());
      model.parameters.push_back({parameter.text("path"), parameter.number("value")});
    }
  }
  void fed_inputs(FeedForwardSettings& settings) override {
    reference(settings);
    const auto inputs = map_.at("inputs");
    const Key& rule = map_.rule("inputs");
    const bool signals = inputs && inputs->kind() == YamlNode::Kind::map;
    if (signals == part_.has("reference")) {
      return map_.cursor().fail(
          signals ? "`reference` and signals in `inputs`" : "neither `reference` nor signals in `inputs`",
          "one of them");
    }
    if (signals) {
      for (const auto& [name, value] : inputs->named_items(rule.expected())) {
        settings.inputs.push_back(name);
        settings.feed_inputs.push_back(read_signal(value, rule.forms[1].forms[0], part_.files()).value_or(Signal()));
      }
    } else if (inputs) {
      settings.inputs = inputs->names(rule.forms[0]).value_or(std::vector<std::string>());
    }
  }
  void estimates(std::vector<EstimatedParameter>& parameters) override {
    for (const YamlMap& map : map_.maps("parameters")) {
      const KeyReader<double> parameter(map, part_.files());
      parameters.push_back(
          {parameter.text("path"), parameter.number("initial"), parameter.number("lower"), parameter.number("upper")});
    }
  }
  void frame_reference(OperationalSpaceSettings& settings) override {
    const auto map = map_.map("reference");
    if (!map) return;
    const KeyReader<double> reference(*map, part_.files());
    const std::array<Signal, 3> position = reference.signals("position");
    settings.reference.assign(position.begin(), position.end());
    if (!reference.has("quaternion")) return;
    const std::vector<double> q = reference.numbers("quaternion");
    settings.quaternion = {q.at(0), q.at(1), q.at(2), q.at(3)};
  }
  void impedance(OperationalSpaceSettings& settings) override {
    settings.stiffness = part_.numbers("stiffness"), settings.damping = part_.numbers("damping");
  }
  void equilibrium(std::map<std::string, double>& values) override {
    const auto map = map_.map("equilibrium");
    const auto inputs = map ? map->at("inputs") : std::nullopt;
    if (!inputs) return;
    const Key& rule = map->rule("inputs");
    for (const auto& [name, value] : inputs->named_items(rule.expected())) {
      values[name] = value.number(rule.forms[0].forms[0]).value_or(0.0);
    }
  }
  void program(ExternalProgram& program) override {
    program.directory = part_.files().directory();
    program.timeout = part_.optional_number("timeout").value_or(program.timeout);
    const Key& rule = map_.rule("command");
    const auto command = map_.at("command");
    if (!command) return;
    for (const YamlCursor& item : command->items(rule.expected())) {
      program.command.push_back(item.text(rule.forms[0].forms[0]).value_or(""));
    }
  }
  void common(ControlSettings& settings) override {
    if (part_.has("window")) {
      const std::vector<double> window = part_.numbers("window");
      settings.begin = window.at(0), settings.end = window.at(1);
    }
    settings.rate = part_.optional_number("rate");
    settings.delay = part_.number("delay");
    const auto noise = map_.map("noise"), resolution = map_.map("resolution"), limits = map_.map("limits");
    settings.noise = {numbers_of(noise, "q"), numbers_of(noise, "v")};
    settings.resolution = {numbers_of(resolution, "q"), numbers_of(resolution, "v")};
    settings.limits = {numbers_of(limits, "lower"), numbers_of(limits, "upper"), numbers_of(limits, "rate")};
  }

 private:
  void read_names(const char* key, std::vector<std::string>& names) const {
    names = map_.names(key).value_or(std::vector<std::string>());
  }

  const KeyReader<double>& part_;
  const YamlMap& map_;
};

}  // namespace

std::shared_ptr<const Controller> read_controller(const LibraryLaw& law, const KeyReader<double>& part) {
  SettingReader reader(part);
  return law.read(reader);
}

}  // namespace cuttle
