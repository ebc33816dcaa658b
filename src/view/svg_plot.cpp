#include "cuttle/view/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "cuttle/error.h"
#include "io/result_block.h"
#include "view/svg_canvas.h"
#include "view/svg_side_view.h"

namespace cuttle {
namespace {

using Range = SvgPanel::Range;

SvgUnit energy_unit(double largest) {
  if (largest < 1e-4) return {1e6, "\u00b5J"};
  if (largest < 0.1) return {1e3, "mJ"};
  return largest < 1e4 ? SvgUnit{1.0, "J"} : SvgUnit{1e-3, "kJ"};
}

struct Curve {
  std::string name, color;
  std::vector<double> values;
  bool dashed = false;
};

/// Curves over time, their names in a row above.
void draw_curves(SvgCanvas& canvas, const SvgPanel::Frame& frame, const std::vector<double>& time,
                 const std::vector<Curve>& curves, const std::string& y_label) {
  Range y{1e300, -1e300};
  for (const Curve& curve : curves) {
    for (const double value : curve.values) y.include(value);
  }
  const SvgPanel panel(canvas, frame, {time.front(), std::max(time.back(), time.front() + 1e-9)}, y.widened(0.06));
  panel.draw_axes("time [s]", y_label, 6, 5);
  canvas.begin_group("stroke-width=\"1.7\" stroke-linejoin=\"round\"");
  for (const Curve& curve : curves) {
    panel.curve(time, curve.values,
                fmt::format("stroke=\"{}\"{}", curve.color, curve.dashed ? " stroke-dasharray=\"5 4\"" : ""));
  }
  canvas.end_group();
  constexpr double k_line = 20, k_letter = 6.5, k_gap = 14;  // widths in the row of names [px]
  double row = 0.0;
  for (const Curve& curve : curves) row += k_line + k_gap + k_letter * static_cast<double>(curve.name.size());
  const double gap = k_gap - std::max(0.0, (row - frame.width) / static_cast<double>(curves.size()));
  double x = frame.left + 2;
  for (const Curve& curve : curves) {
    canvas.line({x, frame.top - 11}, {x + k_line - 4, frame.top - 11},
                fmt::format("stroke=\"{}\" stroke-width=\"2.2\"{}", curve.color,
                            curve.dashed ? " stroke-dasharray=\"5 3\"" : ""));
    canvas.text({x + k_line, frame.top - 7}, curve.name, k_svg_small_text);
    x += k_line + gap + k_letter * static_cast<double>(curve.name.size());
  }
}

/// The curves in a unit that keeps their numbers readable.
SvgUnit rescale(std::vector<Curve>& curves, SvgUnit (*unit_for)(double)) {
  double largest = 0.0;
  for (const Curve& curve : curves) {
    for (const double value : curve.values) largest = std::max(largest, std::abs(value));
  }
  const SvgUnit unit = unit_for(largest);
  for (Curve& curve : curves) {
    for (double& value : curve.values) value *= unit.factor;
  }
  return unit;
}

std::vector<Curve> tip_curves(const std::vector<Sample>& samples) {
  std::vector<Curve> curves{{"x", "#0072b2", {}}, {"y", "#009e73", {}}, {"z", "#d55e00", {}}};
  for (const Sample& sample : samples) {
    for (int i = 0; i < 3; ++i) curves[i].values.push_back(tip_of(sample)[i]);
  }
  return curves;
}

/// Energies from their value at the start, works since then, and the sum that is zero if nothing is lost.
std::vector<Curve> energy_curves(const std::vector<Sample>& samples) {
  struct Term {
    const char* name;
    const char* color;
    double Sample::*member;
    double sign;
    bool always;
  };
  const Term terms[] = {
      {"kinetic", "#0072b2", &Sample::kinetic, 1, true},  {"gravity", "#009e73", &Sample::gravity, 1, true},
      {"elastic", "#d55e00", &Sample::elastic, 1, false}, {"dissipated", "#8c6bb1", &Sample::dissipated, 1, false},
      {"input", "#cc79a7", &Sample::input, -1, false},    {"load", "#b58900", &Sample::load, -1, false}};
  std::vector<Curve> curves;
  Curve sum{"sum", "#22272d", std::vector<double>(samples.size(), 0.0), true};
  for (const Term& term : terms) {
    Curve curve{term.name, term.color, {}};
    bool used = term.always;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double change = samples[i].*term.member - samples.front().*term.member;
      used = used || change != 0.0;
      curve.values.push_back(change);
      sum.values[i] += term.sign * change;
    }
    if (used) curves.push_back(std::move(curve));
  }
  curves.push_back(std::move(sum));
  return curves;
}

std::string summary(const std::vector<Sample>& samples) {
  double peak = 0.0, error = 0.0;
  for (const Sample& s : samples) {
    const double work = s.input + s.load - s.dissipated;
    peak = std::max(peak, s.kinetic);
    error = std::max(error, std::abs(s.energy() - samples.front().energy() - work));
  }
  return fmt::format("{:.4g} s simulated; energy balance error {:.1e} J, peak kinetic energy {:.3g} J",
                     samples.back().time - samples.front().time, error, peak);
}

}  // namespace

std::string svg_plot(const Robot& robot, const std::vector<Sample>& samples, const SvgPlotOptions& options) {
  if (samples.empty()) throw ArgumentError("svg_plot: found no sample, expected at least one");
  SvgCanvas canvas(1120, 610);
  const std::string title = options.title.empty() ? robot.name : options.title;
  canvas.text({24, 32}, title, "font-size=\"17\" font-weight=\"bold\" fill=\"#14181d\"");
  canvas.text({canvas.width() - 28, 26}, summary(samples), "font-size=\"12\" fill=\"#5a636e\" text-anchor=\"end\"");
  const auto letter = [&canvas](double x, double y, const char* text) {
    canvas.text({x, y}, text, "font-size=\"14\" font-weight=\"bold\" fill=\"#14181d\"");
  };

  draw_side_view(canvas, {78, 58, 500, 488}, robot, samples, options.transients);
  letter(24, 66, "a");

  std::vector<double> time;
  time.reserve(samples.size());
  for (const Sample& sample : samples) time.push_back(sample.time);
  const std::string tip = robot.links.empty() ? "tip" : robot.links.back().name + " tip";
  std::vector<Curve> position = tip_curves(samples), energy = energy_curves(samples);
  const SvgUnit length = rescale(position, length_unit), joule = rescale(energy, energy_unit);
  draw_curves(canvas, {680, 58, 412, 192}, time, position, fmt::format("{} [{}]", tip, length.name));
  letter(612, 66, "b");
  draw_curves(canvas, {680, 338, 412, 208}, time, energy, fmt::format("energy since start [{}]", joule.name));
  letter(612, 346, "c");
  return canvas.document(
      title,
      "(a) side view at several times and the path of the last link's tip, (b) position of that "
      "tip, (c) changes of the energies, and work of damping, inputs and loads; the sum, works of inputs and "
      "loads counted negative, is zero if energy is balanced");
}

void write_svg_plot(const std::string& path, const Robot& robot, const std::vector<Sample>& samples,
                    const SvgPlotOptions& options) {
  const std::string text = svg_plot(robot, samples, options);
  create_folders_for(path);
  std::ofstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot create the file: " + std::strerror(errno));
  file << text;
  file.close();
  if (!file) throw FileError(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace cuttle
