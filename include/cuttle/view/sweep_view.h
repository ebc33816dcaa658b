#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/sweep.h"
#include "cuttle/io/sweep_file.h"

namespace CUTTLE_API cuttle {

/// The parts of runs that lie below the curves of a band.
inline constexpr std::array<double, 5> k_band_quantiles{0.05, 0.25, 0.5, 0.75, 0.95};

/// A column over time as many runs have it.
struct SweepBand {
  SweepColumn column;
  std::array<std::vector<double>, k_band_quantiles.size()> quantiles;  ///< a value a time
};

/// Columns over time, of the runs of a sweep.
struct SweepBands {
  std::size_t runs = 0;       ///< that they are of
  std::vector<double> times;  ///< of the longest run [s]; a shorter one counts as long as it lasts
  std::vector<SweepBand> bands;
};

/// Simulates some runs of a sweep again, chosen by chance - always the same - among those that are complete, and has
/// quantiles of columns at every time: of n sorted values x, the one at (n - 1) p, linear between neighbors. Runs with
/// other times than the longest one's are straight lines between theirs.
/// @param columns  named as Sweep::curves has them.   @param most  runs, > 0.   @param threads  0: one a core.
/// @param stop  where it becomes true, no further run is begun, and the bands are of those so far.
/// @throws ArgumentError for no complete run, equilibria, and columns that the robot does not have.
SweepBands sweep_bands(const Sweep& sweep, const SweepTable& table, const std::vector<std::string>& columns,
                       std::size_t most, int threads = 0, const std::atomic<bool>* stop = nullptr);

/// Columns of a sweep that are shown: what varies, what is kept, `row` or `seconds`.
struct SweepAxes {
  std::string x;      ///< empty: the first that varies, or `row`
  std::string y;      ///< empty: the first that is kept
  std::string color;  ///< empty: the second that varies, or none
};
/// All of them said. @throws ArgumentError that names the axis and the columns that there are.
SweepAxes chosen_axes(const SweepTable& table, const SweepAxes& wanted);

struct SweepFigureOptions {
  SweepAxes axes;
  std::string title = {};             ///< above the figure; empty: none
  double width = 84.0;                ///< [mm]
  std::optional<double> height = {};  ///< of all [mm]; nothing: each panel is 50 mm high
};

/// A sweep as SVG for papers: a point a run, and below it bands over time, if there are any. A run that is not complete
/// is a cross, at the lower edge where it has no y.
/// @throws ArgumentError for a sweep without rows, columns that it does not have, and sizes that are not > 0.
std::string sweep_figure(const SweepTable& table, const SweepBands& bands, const SweepFigureOptions& options);

struct SweepPageOptions {
  std::string title;
  SweepAxes axes;
  std::string file;     ///< the sweep, for the command that shows a run
  bool served = false;  ///< whether /run/NUMBER of the page's server is the page of that run
};

/// The viewer's page with a sweep in it. @param page  as report_page has it.
/// @throws ArgumentError as sweep_figure; a page without the element for data.
std::string sweep_page(std::string_view page, const SweepTable& table, const SweepBands& bands,
                       const SweepPageOptions& options);

}  // namespace cuttle
