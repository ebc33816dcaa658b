#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// A curve of a figure, or the points of a measurement.
struct FigureCurve {
  enum class Style { solid, dashed, points };
  std::string name;       ///< in the legend; empty: not there
  std::size_t color = 0;  ///< curves of one color belong together; colors can be told apart by color-blind people
  Style style = Style::solid;
  std::vector<double> x, y;  ///< gaps where y is not finite
};

/// A rectangle with axes.
struct FigurePanel {
  std::string label;  ///< of the axis of y
  std::string unit;   ///< SI; the figure takes the prefix that suits its numbers
  std::vector<FigureCurve> curves;
};

struct LineFigureOptions {
  std::string title = {};        ///< above the figure; empty: none
  std::string x_label = "time";  ///< of the lowest axis
  std::string x_unit = "s";      ///< empty: none
  double width = 150.0;          ///< [mm]
  double panel_height = 42.0;    ///< [mm]
};

/// Curves in panels one below the other that share the axis of x, as SVG: figures of comparisons and residuals.
/// @throws ArgumentError for no panel, a curve with as many x as y, or none at all.
std::string line_figure(const std::vector<FigurePanel>& panels, const LineFigureOptions& options = {});

/// Points in space as they are seen from the side and a little from above: what is measured beside what a model says.
struct SpaceCurve {
  std::string name;
  std::size_t color = 0;
  FigureCurve::Style style = FigureCurve::Style::solid;
  std::vector<std::vector<double>> points;  ///< three coordinates each, in the world [m]
};
/// @param azimuth  of who looks, about z from the x axis [rad].   @throws ArgumentError for no point.
std::string space_figure(const std::vector<SpaceCurve>& curves, double azimuth, const std::string& title = {});

}  // namespace cuttle
