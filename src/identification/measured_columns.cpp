#include "identification/measured_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"

namespace cuttle {
namespace {

bool is_measurable(const Model& model, const std::string& name) {
  if (!frame_of_quaternion(name).empty()) return true;
  try {
    named_quantity(model, name);
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

void add_channel(const std::string& column, const NamedQuantity& quantity, const std::vector<double>& values,
                 MeasuredColumns& columns) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isfinite(values[row])) columns.points.push_back({columns.channels.size(), row, values[row]});
  }
  columns.channels.push_back({column, quantity.name, quantity.unit, 1.0});
  columns.quantities.push_back(quantity.quantity);
}

/// Of a part of a quaternion, .qw=COLUMN.
std::string column_of(const std::string& part) { return part.substr(part.find('=') + 1); }

/// @param parts  .qw=COLUMN, ..
void add_rotation(const Model& model, const MeasuredTable& table, const std::string& frame,
                  std::vector<std::string>& parts, MeasuredColumns& columns) {
  std::sort(parts.begin(), parts.end());  // .qw, .qx, .qy, .qz
  if (parts.size() != 4) {
    throw ArgumentError(fmt::format("{}: frame '{}': found {} parts of a quaternion, expected qw, qx, qy and qz",
                                    table.place(frame), frame, parts.size()));
  }
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::string part = parts[k].substr(0, parts[k].find('='));
    if (parts[k - 1].substr(0, parts[k - 1].find('=')) != part) continue;
    throw ArgumentError(fmt::format("{}: frame '{}': found two columns of '{}{}', expected one of each part",
                                    table.place(column_of(parts[k])), frame, frame, part));
  }
  std::vector<std::vector<double>> measured(table.row_count);
  std::vector<double> zero(table.row_count, 0.0);
  for (const std::string& part : parts) {
    const NumberColumn& column = *table.number(column_of(part));
    for (std::size_t row = 0; row < table.row_count; ++row) {
      measured[row].push_back(column.values[row]);
      if (!std::isfinite(column.values[row])) zero[row] = column.values[row];
    }
  }
  for (std::size_t row = 0; row < table.row_count; ++row) {
    double square = 0.0;
    for (const double x : measured[row]) square += x * x;
    if (std::isnan(square) || square > 0.0) continue;
    const std::string column = column_of(parts.front());
    throw ArgumentError(
        fmt::format("{}: column '{}', row {}: found a quaternion 0, 0, 0, 0 of '{}', which is no orientation, expected "
                    "one of length 1, or empty cells where nothing was tracked",
                    table.place(column, row), column, row, frame));
  }
  for (const NamedQuantity& quantity : rotation_quantities(model, frame, measured)) {
    add_channel(frame, quantity, zero, columns);
  }
}

MeasuredColumns::Input recorded_input(const MeasuredTable& table, const ColumnMap& map,
                                      const std::vector<double>& values) {
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isfinite(values[row])) continue;
    throw ArgumentError(fmt::format("{}: column '{}', row {}: found no number, expected what acts there",
                                    table.place(map.column, row), map.column, row));
  }
  return {map.column, map.quantity, values};
}

/// Two columns cannot both say what one input is, while one quantity may well be measured twice.
void require_one_column(const MeasuredTable& table, const ColumnMap& map, const MeasuredColumns& columns) {
  for (const MeasuredColumns::Input& input : columns.inputs) {
    if (input.quantity != map.quantity) continue;
    throw ArgumentError(
        fmt::format("{}: column '{}': found a second column of the input '{}', beside column '{}' at {}, expected one: "
                    "take the other out of the table, or call it something else",
                    table.place(map.column), map.column, map.quantity, input.column, table.place(input.column)));
  }
}

/// One column counts once for one quantity.
void require_distinct_entries(const MeasuredTable& table, const std::vector<ColumnMap>& maps) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (maps[i].column != maps[k].column || maps[i].quantity != maps[k].quantity) continue;
      throw ArgumentError(fmt::format("{}: found '{}={}' twice in --map, expected it once", table.place(maps[i].column),
                                      maps[i].column, maps[i].quantity));
    }
  }
}

}  // namespace

MeasuredColumns read_measured_columns(const Model& model, const MeasuredTable& table,
                                      const std::vector<ColumnMap>& given,
                                      const std::function<bool(const std::string& quantity, bool mapped)>& acts) {
  for (const ColumnMap& map : given) {
    if (table.number(map.column) != nullptr) continue;
    if (const std::string stray = table.stray_text(map.column); !stray.empty()) throw ArgumentError(stray);
    throw ArgumentError(fmt::format("{}: found no column of numbers '{}', which --map names{}", table.place(map.column),
                                    map.column, did_you_mean(map.column, table.names())));
  }
  require_distinct_entries(table, given);
  std::vector<ColumnMap> maps = given;
  for (const NumberColumn& column : table.numbers) {
    const bool mapped =
        std::any_of(given.begin(), given.end(), [&](const ColumnMap& map) { return map.column == column.name; });
    if (!mapped && (acts(column.name, false) || is_measurable(model, column.name))) {
      maps.push_back({column.name, column.name, 1.0});
    }
  }
  for (const TextColumn& column : table.texts) {
    const std::string stray = table.stray_text(column.name);
    if (!stray.empty() && (acts(column.name, false) || is_measurable(model, column.name))) throw ArgumentError(stray);
  }
  for (const ColumnMap& map : maps) table.require_si(map.column, map.factor);
  MeasuredColumns columns;
  std::map<std::string, std::vector<std::string>> quaternions;  // columns by frame
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const ColumnMap& map = maps[i];
    std::vector<double> values = table.number(map.column)->values;
    for (double& value : values) value = map.in_si(value);
    if (acts(map.quantity, i < given.size())) {
      require_one_column(table, map, columns);
      columns.inputs.push_back(recorded_input(table, map, values));
    } else if (const std::string frame = frame_of_quaternion(map.quantity); !frame.empty()) {
      quaternions[frame].push_back(map.quantity.substr(frame.size()) + "=" + map.column);
    } else {
      try {
        add_channel(map.column, named_quantity(model, map.quantity), values, columns);
      } catch (const ArgumentError& error) {
        throw ArgumentError(fmt::format("{}: {}: {}", table.place(map.column), map.column, error.what()));
      }
    }
  }
  for (auto& [frame, parts] : quaternions) add_rotation(model, table, frame, parts, columns);
  return columns;
}

std::vector<std::string> row_groups(const MeasuredTable& table, const std::string& column) {
  const TextColumn* const texts = table.text(column);
  const NumberColumn* const numbers = table.number(column);
  if (texts == nullptr && numbers == nullptr) {
    throw ArgumentError(fmt::format("{}: found no column '{}', which --group names{}", table.place(column), column,
                                    did_you_mean(column, table.names())));
  }
  if (texts != nullptr) return texts->values;
  std::vector<std::string> groups;
  for (const double value : numbers->values) groups.push_back(fmt::format("{:g}", value));
  return groups;
}

std::string own_constant(const std::string& name, const std::string& experiment) {
  const auto colon = name.find(':');
  if (colon == name.npos) return name;
  return name.compare(0, colon, experiment) == 0 ? name.substr(colon + 1) : "";
}

int free_constant(const std::vector<FreeParameter>& parameters, const std::string& experiment,
                  const std::string& constant) {
  int found = -1;
  const std::string own = fmt::format("{}:{}", experiment, constant);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].paths.empty()) continue;
    if (parameters[i].name == own) return static_cast<int>(i);
    if (parameters[i].name == constant) found = static_cast<int>(i);
  }
  return found;
}

void Experiment::set_label(const std::string& label) {
  label_ = label;
  name_ = std::filesystem::path(label).stem().string();
}

std::optional<SetUpConstant> Experiment::constant(const std::string& name) const {
  const std::string own = own_constant(name, name_);
  for (const std::string& column : scaled_columns_) {
    if (own == column + ".bias") return SetUpConstant{0.0};
    if (own == column + ".scale") return SetUpConstant{1.0};
  }
  return std::nullopt;
}

void Experiment::set_run_tolerance(double) {}
void Experiment::set_memory(const std::vector<VectorXd>&) {}

SetUpConstants set_up_constants(const std::vector<Experiment*>& experiments) {
  return [experiments](const std::string& name) -> std::optional<SetUpConstant> {
    std::optional<ArgumentError> refusal;
    for (const Experiment* experiment : experiments) {
      try {
        if (auto found = experiment->constant(name)) return found;
      } catch (const ArgumentError& error) {
        if (!refusal) refusal = error;
      }
    }
    if (refusal) throw *refusal;
    return std::nullopt;
  };
}

}  // namespace cuttle
