#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"

namespace CUTTLE_API cuttle {

struct SvgPlotOptions {
  std::string title;   ///< empty: the robot's name
  int transients = 9;  ///< configurations drawn between the first and the last
  /// Peaks and energy error of the whole run, where the samples are only some of it; null: they are all.
  const Outcome* balance = nullptr;
};

/// Draws a simulation as one figure: stroboscopic side view of the robot with the path of the last link's tip (equal
/// scales; first and last configuration in blue, transients in gray), the tip's position and the energies over time.
/// The view is along the horizontal world axis across which the robot moves least.
/// @throws FileError if the file cannot be written; ArgumentError if there is no sample.
void write_svg_plot(const std::string& path, const Robot& robot, const std::vector<Sample>& samples,
                    const SvgPlotOptions& options = {});

/// The same figure as text.
std::string svg_plot(const Robot& robot, const std::vector<Sample>& samples, const SvgPlotOptions& options = {});

}  // namespace cuttle
