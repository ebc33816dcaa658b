#pragma once

#include <string>
#include <vector>

#include "cuttle/view/curve_plot.h"

namespace cuttle {

/// Draws paths of equilibria: what changes along them over columns of the result, a panel each; stable parts solid,
/// others dashed, with folds and branch points.
/// @throws ArgumentError as curve_plot; for paths along different things.
std::string path_diagram(const std::vector<ShownRun>& runs, const CurvePlotOptions& options);

}  // namespace cuttle
