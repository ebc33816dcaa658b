#include "cuttle/identification/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "cuttle/error.h"
#include "cuttle/model/spelling.h"
#include "io/csv_cells.h"

namespace cuttle {
namespace {

constexpr double k_unknown_value = std::numeric_limits<double>::quiet_NaN();

const NumberColumn* column_named(const ComparedTable& table, const std::string& name) {
  const auto found =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const auto& column) { return column.name == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

/// @throws ArgumentError for a column that would be one of numbers but for a text.
void refuse_stray(const ComparedTable& table, const std::string& name) {
  if (const auto stray = table.strays.find(name); stray != table.strays.end()) throw ArgumentError(stray->second);
}

/// Both must count in the same unit; one that says none has the SI's. What the map converts is in the SI's, and so must
/// the other be. @throws ArgumentError.
void require_same_unit(const ComparedTable& run, const NumberColumn& values, const ComparedTable& reference,
                       const NumberColumn& measured, const ColumnMap& map) {
  if (values.unit == measured.unit && map.factor == 1.0 && map.offset == 0.0) return;
  const auto refuse = [](const ComparedTable& table, const NumberColumn& column, const char* what_to_do) {
    if (const std::string trouble = unit_trouble(column.unit); !trouble.empty()) {
      throw ArgumentError(fmt::format("{}: {}: {}: {}", table.label, column.name, trouble, what_to_do));
    }
  };
  refuse(run, values, "convert the column");
  if (map.factor == 1.0) refuse(reference, measured, "--map COLUMN=NAME*FACTOR converts it");
}

const NumberColumn& require_column(const ComparedTable& table, const std::string& name) {
  if (const NumberColumn* column = column_named(table, name)) return *column;
  refuse_stray(table, name);
  std::vector<std::string> known;
  for (const NumberColumn& column : table.columns) known.push_back(column.name);
  throw ArgumentError(fmt::format("{}: found no column of numbers '{}', expected one of its {}{}", table.label, name,
                                  known.size(), did_you_mean(name, known)));
}

/// Whether a column is a component of a frame's position. What an actuator does work on ends in .y too, but has no .x
/// or .z beside it.
bool is_position(const ComparedTable& table, const std::string& name) {
  constexpr const char* k_others[] = {"sensors.", "elements.", "controllers.", "loops.", "motion."};
  const bool other =
      std::any_of(std::begin(k_others), std::end(k_others), [&](const char* start) { return name.starts_with(start); });
  if (other) return false;
  if (name.ends_with(".x") || name.ends_with(".z")) return true;
  const std::string frame = name.substr(0, name.size() - std::min<std::size_t>(name.size(), 2));
  return name.ends_with(".y") &&
         (column_named(table, frame + ".x") != nullptr || column_named(table, frame + ".z") != nullptr);
}

/// Unit of a quantity by its name, for tables in CSV, which say none.
std::string unit_by_name(const ComparedTable& run, const ComparedTable& reference, const std::string& name) {
  if (is_position(run, name) || is_position(reference, name)) return "m";
  return name.starts_with("energy.") ? "J" : "";
}

void check_times(const ComparedTable& table, const NumberColumn& time) {
  for (std::size_t i = 0; i < time.values.size(); ++i) {
    const bool later = i == 0 || time.values[i] >= time.values[i - 1];
    if (std::isfinite(time.values[i]) && later) continue;
    throw ArgumentError(fmt::format("{}: {}: found {:g} in row {}, expected times that do not fall", table.label,
                                    time.name, time.values[i], i));
  }
}

/// A table over time; rows count as times where there are none.
struct OverTime {
  const ComparedTable& table;
  std::vector<double> times;

  /// @param clock  what seconds of the column are.
  OverTime(const ComparedTable& compared, const NumberColumn* time, const ColumnMap& clock = {}) : table(compared) {
    if (time != nullptr) {
      NumberColumn scaled = *time;
      for (double& value : scaled.values) value = clock.in_si(value);
      check_times(table, scaled);
      times = std::move(scaled.values);
      return;
    }
    const std::size_t rows = table.columns.empty() ? 0 : table.columns.front().values.size();
    for (std::size_t i = 0; i < rows; ++i) times.push_back(static_cast<double>(i));
  }

  /// Where an instant lies: row and part of the way to the next; nothing outside, by more than rounding of either file.
  std::optional<std::pair<std::size_t, double>> place(double time) const {
    if (times.empty()) return std::nullopt;
    const double rounding = 1e-9 * std::max(std::abs(times.front()), std::abs(times.back()));
    if (time < times.front() - rounding || time > times.back() + rounding) return std::nullopt;
    time = std::clamp(time, times.front(), times.back());
    const auto after = std::upper_bound(times.begin(), times.end(), time);
    const auto row = static_cast<std::size_t>(after - times.begin()) - 1;
    if (after == times.end() || times[row] == time) return std::pair(row, 0.0);
    return std::pair(row, (time - times[row]) / (times[row + 1] - times[row]));
  }
};

double interpolate(const std::vector<double>& values, const std::pair<std::size_t, double>& place) {
  const auto [row, part] = place;
  return part == 0.0 ? values[row] : (1.0 - part) * values[row] + part * values[row + 1];
}

void summarize(const std::vector<double>& times, ComparedChannel& channel) {
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double difference = std::abs(channel.values[i] - channel.reference[i]);
    if (!std::isfinite(difference)) continue;
    sum += difference * difference, ++count;
    if (count == 1 || difference > channel.max) channel.max = difference, channel.at = times[i];
  }
  channel.rms = count > 0 ? std::sqrt(sum / static_cast<double>(count)) : k_unknown_value;
  if (count == 0) channel.max = channel.at = k_unknown_value;
}

/// Channels FRAME.NAME of a frame, in order; nothing if one is missing.
template <std::size_t N>
std::optional<std::array<std::size_t, N>> parts_of(const std::vector<ComparedChannel>& channels,
                                                   const std::string& frame, const std::array<const char*, N>& names) {
  std::array<std::size_t, N> parts{};
  for (std::size_t k = 0; k < N; ++k) {
    const std::string name = frame + names[k];
    const auto found = std::find_if(channels.begin(), channels.end(), [&](const auto& c) { return c.name == name; });
    if (found == channels.end()) return std::nullopt;
    parts[k] = static_cast<std::size_t>(found - channels.begin());
  }
  return parts;
}

/// Distances between positions and angles between orientations, of frames of which all is known.
void add_frames(std::size_t instants, std::vector<ComparedChannel>& channels) {
  const std::size_t given = channels.size();
  for (std::size_t c = 0; c < given; ++c) {
    const std::string name = channels[c].name;
    if (name.ends_with(".x")) {
      const std::string frame = name.substr(0, name.size() - 2);
      const auto xyz = parts_of<3>(channels, frame, {".x", ".y", ".z"});
      if (!xyz) continue;
      ComparedChannel distance{frame + ".position", channels[c].unit, 0, 0, 0, {}, std::vector<double>(instants, 0.0)};
      for (std::size_t i = 0; i < instants; ++i) {
        double square = 0.0;
        for (const std::size_t k : *xyz) square += std::pow(channels[k].values[i] - channels[k].reference[i], 2);
        distance.values.push_back(std::sqrt(square));
      }
      channels.push_back(std::move(distance));
    }
    if (name.ends_with(".qw")) {
      const std::string frame = name.substr(0, name.size() - 3);
      const auto parts = parts_of<4>(channels, frame, {".qw", ".qx", ".qy", ".qz"});
      if (!parts) continue;
      ComparedChannel angle{frame + ".rotation", "rad", 0, 0, 0, {}, std::vector<double>(instants, 0.0)};
      for (std::size_t i = 0; i < instants; ++i) {
        double dot = 0.0, norm = 0.0, other_norm = 0.0;
        for (const std::size_t k : *parts) {
          dot += channels[k].values[i] * channels[k].reference[i];
          norm += std::pow(channels[k].values[i], 2), other_norm += std::pow(channels[k].reference[i], 2);
        }
        double apart = 0.0;  // |q -+ p| of unit quaternions is 2 sin(angle / 4)
        for (const std::size_t k : *parts) {
          double& value = channels[k].values[i];
          if (dot < 0.0) value = -value;
          apart += std::pow(value / std::sqrt(norm) - channels[k].reference[i] / std::sqrt(other_norm), 2);
        }
        angle.values.push_back(4.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(apart))));
      }
      channels.push_back(std::move(angle));
    }
  }
}

}  // namespace

ComparedTable read_compared_table(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".h5" || extension == ".hdf5") {
    const ResultFile result = read_result_file(path);
    ComparedTable table{path, result_columns(result)};
    if (result.sequence.kind != ResultSequence::Kind::simulation) table.columns.erase(table.columns.begin());
    return table;
  }
  MeasuredTable measured = read_measured_file(path);
  ComparedTable table{path, {}};
  for (const TextColumn& column : measured.texts) {
    if (std::string stray = measured.stray_text(column.name); !stray.empty()) table.strays[column.name] = stray;
  }
  table.columns = std::move(measured.numbers);
  return table;
}

std::vector<double> Comparison::rms_over_time(const ComparedChannel& channel, int parts) const {
  std::vector<double> sums(static_cast<std::size_t>(parts), 0.0), counts(sums.size(), 0.0);
  const double begin = times.front(), span = times.back() - begin;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double difference = channel.values[i] - channel.reference[i];
    if (!std::isfinite(difference)) continue;
    const auto part = span > 0.0 ? static_cast<std::size_t>((times[i] - begin) / span * parts) : 0;
    const std::size_t place = std::min(part, sums.size() - 1);
    sums[place] += difference * difference, counts[place] += 1.0;
  }
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] = counts[k] > 0.0 ? std::sqrt(sums[k] / counts[k]) : k_unknown_value;
  }
  return sums;
}

Comparison compare(const ComparedTable& run, const ComparedTable& reference, const ComparisonOptions& options) {
  std::string reference_time = "time";
  ColumnMap clock;
  std::vector<ColumnMap> pairs;
  for (const ColumnMap& entry : options.map) {
    if (entry.quantity == "time") {
      reference_time = entry.column, clock = entry;
      require_column(reference, reference_time);
    } else {
      pairs.push_back(entry);
    }
  }
  if (pairs.empty()) {
    for (const auto& [name, stray] : reference.strays) {
      if (column_named(run, name) != nullptr) throw ArgumentError(stray);
    }
    for (const NumberColumn& column : reference.columns) {
      if (column.name != reference_time && column.name != "time") refuse_stray(run, column.name);
      if (column.name != reference_time && column.name != "time" && column_named(run, column.name) != nullptr) {
        pairs.push_back({column.name, column.name, 1.0});
      }
    }
    if (pairs.empty()) {
      throw ArgumentError(fmt::format(
          "{} and {}: found no column of the same name in both, expected --map COLUMN=NAME for those to compare",
          run.label, reference.label));
    }
  }
  refuse_stray(run, "time");
  refuse_stray(reference, reference_time);
  const NumberColumn* const time = column_named(run, "time");
  const NumberColumn* const other_time = column_named(reference, reference_time);
  if ((time == nullptr) != (other_time == nullptr)) {
    throw ArgumentError(fmt::format(
        "{}: found no column of times, expected `time`, as {} has one{}", time == nullptr ? run.label : reference.label,
        time == nullptr ? reference.label : run.label, time == nullptr ? "" : "; --map COLUMN=time names it"));
  }
  if (time != nullptr) {
    require_same_unit(run, *time, run, {"time", "s", {}}, clock);
    require_same_unit(run, {"time", "s", {}}, reference, *other_time, clock);
  }
  const OverTime own(run, time), other(reference, other_time, clock);

  Comparison result;
  result.rows = time == nullptr;
  std::vector<std::pair<std::size_t, double>> places;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < other.times.size(); ++i) {
    const auto place = own.place(other.times[i]);
    if (!place) {
      ++result.left_out;
      continue;
    }
    places.push_back(*place), rows.push_back(i), result.times.push_back(other.times[i]);
  }
  if (result.times.empty()) {
    throw ArgumentError(
        fmt::format("{} and {}: found no time that both have, expected some: {:g} to {:g} s and "
                    "{:g} to {:g} s",
                    run.label, reference.label, own.times.empty() ? 0.0 : own.times.front(),
                    own.times.empty() ? 0.0 : own.times.back(), other.times.empty() ? 0.0 : other.times.front(),
                    other.times.empty() ? 0.0 : other.times.back()));
  }
  if (result.rows) result.surplus = own.times.size() - rows.size();
  for (const ColumnMap& pair : pairs) {
    const NumberColumn& values = require_column(run, pair.quantity);
    const NumberColumn& measured = require_column(reference, pair.column);
    require_same_unit(run, values, reference, measured, pair);
    ComparedChannel channel;
    channel.name = pair.quantity;
    const bool again = std::any_of(result.channels.begin(), result.channels.end(),
                                   [&](const ComparedChannel& one) { return one.name == channel.name; });
    if (again) channel.name = fmt::format("{} ({})", pair.quantity, pair.column);
    channel.unit = !values.unit.empty()     ? values.unit
                   : !measured.unit.empty() ? measured.unit
                                            : unit_by_name(run, reference, pair.quantity);
    for (std::size_t i = 0; i < places.size(); ++i) {
      channel.values.push_back(interpolate(values.values, places[i]));
      channel.reference.push_back(pair.in_si(measured.values[rows[i]]));
    }
    result.channels.push_back(std::move(channel));
  }
  add_frames(result.times.size(), result.channels);
  for (ComparedChannel& channel : result.channels) summarize(result.times, channel);
  return result;
}

}  // namespace cuttle
