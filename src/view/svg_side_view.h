#pragma once

#include <string>
#include <vector>

#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"
#include "view/svg_canvas.h"

namespace cuttle {

/// A scale that keeps numbers readable.
struct SvgUnit {
  double factor;
  const char* name;
};
SvgUnit length_unit(double largest);

/// Style of short texts.
inline const std::string k_svg_small_text = "font-size=\"12\" fill=\"#22272d\"";

/// Position of the last link's tip [m].
Vector3 tip_of(const Sample& sample);

/// Draws the stroboscopic view of svg_plot.h into a frame.
void draw_side_view(SvgCanvas& canvas, const SvgPanel::Frame& frame, const Robot& robot,
                    const std::vector<Sample>& samples, int transients);

}  // namespace cuttle
