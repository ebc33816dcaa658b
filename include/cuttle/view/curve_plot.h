#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"
#include "cuttle/view/shown_run.h"

namespace CUTTLE_API cuttle {

/// What a figure of curves over time shows.
struct CurvePlotOptions {
  /// Panels, one below the other: groups (q, v, u, y, energy, works, tip, LINK.tip, tips, frames, elements, contacts,
  /// motion, sensors, loops, multipliers, and of controllers reference, error, output, control_state) or columns of the
  /// result by name, `*` and
  /// `?` standing for any text and any letter; `+` puts several into one panel. A name means all columns whose names go
  /// on from it after a dot. None: q, error if there are controllers with references, tip, energy; of a path of
  /// equilibria the coordinate of the last tip that changes most.
  std::vector<std::string> what = {};
  std::optional<double> from = {}, to = {};  ///< rows outside are left out [s]; of a path by what changes along it
  std::string title = {};                    ///< above the figure; empty: none
  double width = 84.0;                       ///< of the figure: a column of a paper [mm]
  std::optional<double> height = {};         ///< [mm]; nothing: as the number of panels asks for
};

/// Draws curves over time as one figure in SVG, in panels that share the axis of time. A panel has one unit, with the
/// SI prefix that suits its numbers: what has several units gets a panel each. Several runs lie over each other, solid,
/// dashed, dotted ..; colors can be told apart by color-blind people. Of paths of equilibria the figure has what
/// changes along them over each quantity: solid where stable, else dashed, with folds and branch points. Rows of a
/// table stand in place of time.
/// @throws ArgumentError for names that a run does not have, no row in the span of time, a size that is too small.
std::string curve_plot(const std::vector<ShownRun>& runs, const CurvePlotOptions& options = {});

/// All that `what` can name of a robot's results: groups first, then columns.
/// @param controllers, motion  what the results have of controllers and of driven coordinates.
std::vector<std::string> curve_names(const Robot& robot, const std::vector<RecordedController>& controllers = {},
                                     const std::vector<RecordedMotion>& motion = {});

}  // namespace cuttle
