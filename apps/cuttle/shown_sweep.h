#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/io/sweep.h"
#include "cuttle/io/sweep_file.h"
#include "cuttle/view/sweep_view.h"

namespace cuttle {

/// What `cuttle view` and `cuttle plot` take for a sweep.
struct ShownSweepOptions {
  SweepAxes axes;
  std::vector<std::string> bands;  ///< with commas
  std::size_t band_runs = 100;
  std::string source;  ///< robot or scenario, in place of what the sweep names
  bool given() const;
};
void add_sweep_view_options(CLI::App& command, ShownSweepOptions& options);

/// A sweep as it is shown.
struct ShownSweep {
  std::string file;
  SweepTable table;
  SweepBands bands;
  std::unique_ptr<const Sweep> runs;  ///< that make its runs again; null unless they were asked for
};

/// Reads a sweep. @param with_runs  whether its runs are to be made again.
/// @throws FileError for the file; ArgumentError if robot and scenario are others than the sweep's.
ShownSweep shown_sweep(const std::string& path, const ShownSweepOptions& options, bool with_runs);

/// The page of one run, which is made again. @throws Error if it has nothing to show: it says why.
std::string sweep_run_page(const ShownSweep& sweep, std::int64_t number, std::size_t frames);

struct ViewSweepOptions {
  ShownSweepOptions shown;
  std::optional<std::int64_t> run;
  int port = 8377;
};
/// `cuttle view SWEEP`: writes a page, of the sweep or of a run; without a name for it serves the sweep's.
void view_sweep(const std::string& path, const ViewSweepOptions& options, const std::string& output, std::size_t frames,
                bool no_open);

}  // namespace cuttle
