#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cuttle/error.h"
#include "cuttle/view/sweep_view.h"
#include "simulation/worker_threads.h"
#include "view/sweep_columns.h"

namespace cuttle {
namespace {

constexpr double k_over = std::numeric_limits<double>::quiet_NaN();

/// A curve at ascending times, straight between its own; `k_over` beyond its end.
std::vector<double> curve_at(const std::vector<double>& times, const std::vector<double>& own,
                             const std::vector<double>& values) {
  if (times == own) return values;
  std::vector<double> result;
  result.reserve(times.size());
  std::size_t next = 0;
  for (const double t : times) {
    while (next < own.size() && own[next] < t) ++next;
    if (next == own.size()) {
      result.push_back(k_over);
    } else if (own[next] == t || next == 0) {
      result.push_back(values[next]);
    } else {
      const double part = (t - own[next - 1]) / (own[next] - own[next - 1]);
      result.push_back((1.0 - part) * values[next - 1] + part * values[next]);
    }
  }
  return result;
}

/// Of sorted values, at least one.
double quantile(const std::vector<double>& sorted, double p) {
  const double place = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(place);
  const double part = place - static_cast<double>(below);
  return part > 0.0 ? (1.0 - part) * sorted[below] + part * sorted[below + 1] : sorted[below];
}

}  // namespace

SweepBands sweep_bands(const Sweep& sweep, const SweepTable& table, const std::vector<std::string>& columns,
                       std::size_t most, int threads, const std::atomic<bool>* stop) {
  if (most == 0) throw ArgumentError("--band-runs: found 0, expected at least 1");
  std::vector<std::int64_t> complete;
  for (const SweepRow& row : table.rows) {
    if (row.status == SweepStatus::complete) complete.push_back(row.number);
  }
  if (complete.empty()) throw ArgumentError("--bands: found no complete run, expected at least one");
  order_by_chance(complete);
  const std::size_t count = std::min(most, complete.size());
  std::vector<std::optional<SweepCurves>> made(count);
  WorkerThreads workers("sweep_bands", threads);
  workers.for_each(count, [&](std::size_t i) {
    if (stop == nullptr || !*stop) made[i] = sweep.curves(complete[i], columns, stop);
  });
  std::vector<SweepCurves> curves;
  for (auto& one : made) {
    if (one) curves.push_back(std::move(*one));
  }
  SweepBands result;
  result.runs = curves.size();
  if (curves.empty()) return result;
  const auto longest = std::max_element(curves.begin(), curves.end(), [](const SweepCurves& a, const SweepCurves& b) {
    return a.times.back() < b.times.back();
  });
  result.times = longest->times;
  for (std::size_t c = 0; c < longest->columns.size(); ++c) {
    SweepBand& band = result.bands.emplace_back();
    band.column = longest->columns[c];
    std::vector<std::vector<double>> all;
    all.reserve(curves.size());
    for (const SweepCurves& one : curves) all.push_back(curve_at(result.times, one.times, one.values[c]));
    std::vector<double> values;
    for (std::size_t t = 0; t < result.times.size(); ++t) {
      values.clear();
      for (const auto& one : all) {
        if (std::isfinite(one[t])) values.push_back(one[t]);
      }
      std::sort(values.begin(), values.end());
      for (std::size_t k = 0; k < k_band_quantiles.size(); ++k) {
        band.quantiles[k].push_back(values.empty() ? k_over : quantile(values, k_band_quantiles[k]));
      }
    }
  }
  return result;
}

}  // namespace cuttle
