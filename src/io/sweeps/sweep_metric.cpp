#include "io/sweeps/sweep_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "cuttle/error.h"
#include "cuttle/io/key_table.h"
#include "cuttle/model/spelling.h"
#include "io/name_pattern.h"

namespace cuttle {
namespace {

constexpr double k_settled = 0.02;  // of the largest distance from the end
constexpr double k_no_row = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::pair<const char*, SweepMetric::Kind>, 7> k_kinds{{
    {"final", SweepMetric::Kind::final},
    {"max", SweepMetric::Kind::max},
    {"min", SweepMetric::Kind::min},
    {"mean", SweepMetric::Kind::mean},
    {"rms", SweepMetric::Kind::rms},
    {"integral", SweepMetric::Kind::integral},
    {"settling", SweepMetric::Kind::settling},
}};

using ColumnPlace = std::pair<std::size_t, std::size_t>;  // block, column

/// The columns that a name stands for.
std::vector<ColumnPlace> places_of(const Model& model, const std::vector<ResultBlock>& blocks,
                                   const std::string& name) {
  std::vector<ColumnPlace> exact, matching, longer, group;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const bool of_group = blocks[b].path == name || (name == "y" && blocks[b].path == "actuation/y");
    for (std::size_t i = 0; i < blocks[b].width(); ++i) {
      const std::string& header = blocks[b].columns[i].header;
      if (header == name) exact.emplace_back(b, i);
      if (of_group) group.emplace_back(b, i);
      if (matches_pattern(name, header)) matching.emplace_back(b, i);
      // "arm.kappa_x" means the coordinates, not their rates too
      if (header.starts_with(name + ".") && (longer.empty() || longer.front().first == b)) longer.emplace_back(b, i);
    }
    const bool last_tip = !model.links().empty() && blocks[b].path == "frames/" + model.links().back().name + ".tip";
    if (name == "tip" && last_tip) group = {{b, 0}, {b, 1}, {b, 2}};
  }
  for (const auto* found : {&exact, &matching, &longer, &group}) {
    if (!found->empty()) return *found;
  }
  std::vector<std::string> known;
  for (const ResultBlock& block : blocks) {
    for (const auto& column : block.columns) known.push_back(column.header);
  }
  const std::string nearest = did_you_mean(name, known);
  constexpr std::size_t k_most = 24;  // a robot may have hundreds of columns
  if (known.size() > k_most) {
    const std::size_t more = known.size() - k_most;
    known.resize(k_most), known.push_back(fmt::format("one of {} more columns", more));
  }
  throw ArgumentError(
      fmt::format("found '{}', which '{}' does not have, expected {}{}", name, model.name(), join_or(known), nearest));
}

std::string metric_unit(SweepMetric::Kind kind, const std::string& unit) {
  if (kind == SweepMetric::Kind::settling) return "s";
  if (kind != SweepMetric::Kind::integral) return unit == "1" ? "" : unit;
  return unit.empty() || unit == "1" ? "s" : unit + " s";
}

}  // namespace

SweepMetrics::SweepMetrics(const Model& model, const std::vector<ResultBlock>& blocks,
                           const std::vector<std::string>& texts, bool at_rest, const char* option) {
  for (const std::string& text : texts) {
    try {
      const std::size_t equals = text.find('=');
      const std::string name = equals == text.npos ? "" : text.substr(0, equals);
      std::string rest = equals == text.npos ? text : text.substr(equals + 1);
      SweepMetric metric;
      std::string word;
      if (const std::size_t colon = rest.find(':'); colon != rest.npos) {
        word = rest.substr(0, colon), rest = rest.substr(colon + 1);
        std::vector<std::string> known;
        known.reserve(k_kinds.size());
        const auto* const found =
            std::find_if(k_kinds.begin(), k_kinds.end(), [&](const auto& one) { return word == one.first; });
        for (const auto& one : k_kinds) known.emplace_back(one.first);
        if (found == k_kinds.end()) {
          throw ArgumentError(
              fmt::format("found '{}', expected {}{}", word, join_or(known), did_you_mean(word, known)));
        }
        metric.kind = found->second;
        if (at_rest && metric.kind != SweepMetric::Kind::final) {
          throw ArgumentError(fmt::format("found '{}' of a robot at rest, expected final", word));
        }
      }
      const std::vector<ColumnPlace> places = places_of(model, blocks, rest);
      if (!name.empty() && places.size() > 1) {
        throw ArgumentError(
            fmt::format("found the name '{}' for {} columns, expected one column", name, places.size()));
      }
      for (const auto& [block, column] : places) {
        const auto& source = blocks[block].columns[column];
        metric.block = block, metric.column = column;
        metric.made.name = !name.empty() ? name : word.empty() ? source.header : word + ":" + source.header;
        metric.made.unit = metric_unit(metric.kind, source.unit);
        metrics_.push_back(metric);
      }
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{} {}: {}", option, text, error.what()));
    }
  }
}

std::vector<double> SweepMetrics::at_rest(const std::vector<ResultBlock>& blocks, const Sample& sample) const {
  std::vector<double> values, row;
  for (const SweepMetric& metric : metrics_) {
    row.resize(blocks[metric.block].width());
    blocks[metric.block].read(sample, row.data());
    values.push_back(row[metric.column]);
  }
  return values;
}

void MetricRecorder::begin(const Model& model, const Scenario& scenario) {
  blocks_ = sweep_blocks(model, scenario);
  rows_.assign(blocks_.size(), {});
  for (const SweepMetric& metric : metrics_.all()) {
    rows_[metric.block].resize(blocks_[metric.block].width());
    keep_times_ = keep_times_ || metric.kind == SweepMetric::Kind::settling;
  }
  running_.assign(metrics_.all().size(), {});
  times_.clear();
}

void MetricRecorder::record(const Sample& sample) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!rows_[b].empty()) blocks_[b].read(sample, rows_[b].data());
  }
  const bool first = times_.empty();
  const double step = first ? 0.0 : sample.time - times_.back();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const SweepMetric& metric = metrics_.all()[i];
    Running& now = running_[i];
    const double x = rows_[metric.block][metric.column];
    if (first) {
      now.largest = now.least = x;
    } else {
      now.largest = std::max(now.largest, x), now.least = std::min(now.least, x);
      now.integral += 0.5 * step * (now.previous + x);
      now.square += 0.5 * step * (now.previous * now.previous + x * x);
    }
    now.previous = x;
    if (metric.kind == SweepMetric::Kind::settling) now.all.push_back(x);
  }
  if (keep_times_ || times_.size() < 2) {
    times_.push_back(sample.time);
  } else {
    times_.back() = sample.time;
  }
}

std::vector<double> MetricRecorder::values() const {
  const auto settling = [this](const std::vector<double>& x) {
    double largest = 0.0;
    for (const double value : x) largest = std::max(largest, std::abs(value - x.back()));
    std::size_t k = x.size() - 1;
    while (k > 0 && std::abs(x[k - 1] - x.back()) <= k_settled * largest) --k;
    return times_[k];
  };
  std::vector<double> values;
  const double span = times_.empty() ? 0.0 : times_.back() - times_.front();
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Running& now = running_[i];
    const auto value = [&]() -> double {
      switch (metrics_.all()[i].kind) {
        case SweepMetric::Kind::final:
          return now.previous;
        case SweepMetric::Kind::max:
          return now.largest;
        case SweepMetric::Kind::min:
          return now.least;
        case SweepMetric::Kind::mean:
          return now.integral / span;
        case SweepMetric::Kind::rms:
          return std::sqrt(now.square / span);
        case SweepMetric::Kind::integral:
          return now.integral;
        case SweepMetric::Kind::settling:
          return settling(now.all);
      }
      return k_no_row;
    };
    values.push_back(times_.empty() ? k_no_row : value());
  }
  return values;
}

void CurveRecorder::begin(const Model& model, const Scenario& scenario) {
  blocks_ = sweep_blocks(model, scenario);
  rows_.assign(blocks_.size(), {});
  curves_ = {};
  for (const SweepMetric& column : columns_.all()) {
    rows_[column.block].resize(blocks_[column.block].width());
    curves_.columns.push_back(column.made);
  }
  curves_.values.resize(columns_.all().size());
}

void CurveRecorder::record(const Sample& sample) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (!rows_[b].empty()) blocks_[b].read(sample, rows_[b].data());
  }
  curves_.times.push_back(sample.time);
  for (std::size_t i = 0; i < curves_.values.size(); ++i) {
    const SweepMetric& column = columns_.all()[i];
    curves_.values[i].push_back(rows_[column.block][column.column]);
  }
}

std::vector<ResultBlock> sweep_blocks(const Model& model, const Scenario& scenario) {
  std::vector<ResultBlock> blocks =
      result_blocks(model, recorded_controllers(model, scenario.controllers), recorded_motion(model, scenario.motion));
  blocks.push_back({"energy/total", true, {{"energy.total", "J", "energy.total"}}, [](const Sample& s, double* row) {
                      *row = s.energy();
                    }});
  return blocks;
}

}  // namespace cuttle
