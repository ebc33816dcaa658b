#include "cuttle/view/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/io/whole_file.h"
#include "cuttle/simulation/energy_account.h"
#include "cuttle/simulation/recorded_quantities.h"
#include "view/si_unit.h"
#include "view/svg_canvas.h"
#include "view/svg_curves.h"
#include "view/svg_side_view.h"

namespace cuttle {
namespace {

/// Curves over time, their names above.
void draw_over_time(SvgCanvas& canvas, const SvgPanel::Frame& frame, const std::vector<SvgCurve>& curves,
                    const std::string& y_label) {
  const std::vector<double>& time = curves.front().x;
  const SvgPanel panel(canvas, frame, {time.front(), std::max(time.back(), time.front() + 1e-9)}, curve_range(curves));
  panel.draw_axes("time [s]", y_label, 6, 5);
  draw_curves(canvas, panel, curves);
  const SvgLegend legend(curves, frame.width);
  legend.draw(canvas, {frame.left + 2, frame.top - 3 - legend.height()});
}

/// The curves in a unit that keeps their numbers readable.
std::string rescale(std::vector<SvgCurve>& curves, const char* si_unit) {
  double largest = 0.0;
  for (const SvgCurve& curve : curves) {
    for (const double value : curve.y) largest = std::max(largest, std::abs(value));
  }
  const SuitedUnit unit = suited_unit(si_unit, largest);
  for (SvgCurve& curve : curves) {
    for (double& value : curve.y) value *= unit.factor;
  }
  return unit.name;
}

std::vector<SvgCurve> tip_curves(const std::vector<double>& time, const std::vector<Sample>& samples) {
  std::vector<SvgCurve> curves;
  for (const char* name : {"x", "y", "z"}) curves.push_back({name, curve_color(curves.size()), "", time, {}});
  for (const Sample& sample : samples) {
    for (int i = 0; i < 3; ++i) curves[static_cast<std::size_t>(i)].y.push_back(tip_of(sample)[i]);
  }
  return curves;
}

/// Energies from their value at the start, works since then, and the sum that is zero if nothing is lost.
std::vector<SvgCurve> energy_curves(const std::vector<double>& time, const std::vector<Sample>& samples) {
  std::vector<SvgCurve> curves;
  SvgCurve sum{"sum", "#22272d", "5 4", time, std::vector<double>(samples.size(), 0.0)};
  for (const RecordedQuantity& term : recorded_quantities()) {
    if (term.balance == 0.0) continue;
    SvgCurve curve{term.name, curve_color(curves.size()), "", time, {}};
    bool used = term.name == "kinetic" || term.name == "gravity";  // what every robot has
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double change = term.number(samples[i]) - term.number(samples.front());
      used = used || change != 0.0;
      curve.y.push_back(change);
      sum.y[i] += term.balance * change;
    }
    if (used) curves.push_back(std::move(curve));
  }
  curves.push_back(std::move(sum));
  return curves;
}

std::string summary(const std::vector<Sample>& samples, const Outcome* balance) {
  Outcome energies;
  EnergyAccount account;
  for (const Sample& sample : samples) account.add(sample, energies);
  if (balance != nullptr) energies = *balance;
  return fmt::format("{:.4g} s simulated; energy balance error {:.1e} J, peak kinetic energy {:.3g} J",
                     samples.back().time - samples.front().time, energies.energy_error, energies.peak_kinetic);
}

}  // namespace

std::string svg_plot(const Robot& robot, const std::vector<Sample>& samples, const SvgPlotOptions& options) {
  if (samples.empty()) throw ArgumentError("svg_plot: found no sample, expected at least one");
  SvgCanvas canvas(1120, 610);
  const std::string title = options.title.empty() ? robot.name : options.title;
  canvas.text({24, 32}, title, "font-size=\"17\" font-weight=\"bold\" fill=\"#14181d\"");
  canvas.text({canvas.width() - 28, 26}, summary(samples, options.balance),
              "font-size=\"12\" fill=\"#5a636e\" text-anchor=\"end\"");
  const auto letter = [&canvas](double x, double y, const char* text) {
    canvas.text({x, y}, text, "font-size=\"14\" font-weight=\"bold\" fill=\"#14181d\"");
  };

  draw_side_view(canvas, {78, 58, 500, 488}, robot, samples, options.transients);
  letter(24, 66, "a");

  std::vector<double> time;
  time.reserve(samples.size());
  for (const Sample& sample : samples) time.push_back(sample.time);
  const std::string tip = robot.links.empty() ? "tip" : robot.links.back().name + " tip";
  std::vector<SvgCurve> position = tip_curves(time, samples), energy = energy_curves(time, samples);
  const std::string length = rescale(position, "m"), joule = rescale(energy, "J");
  draw_over_time(canvas, {680, 58, 412, 192}, position, fmt::format("{} [{}]", tip, length));
  letter(612, 66, "b");
  draw_over_time(canvas, {680, 338, 412, 208}, energy, fmt::format("energy since start [{}]", joule));
  letter(612, 346, "c");
  return canvas.document(
      title,
      "(a) side view at several times and the path of the last link's tip, (b) position of that "
      "tip, (c) changes of the energies, and work of damping, inputs and loads; the sum, works of inputs and "
      "loads counted negative, is zero if energy is balanced");
}

void write_svg_plot(const std::string& path, const Robot& robot, const std::vector<Sample>& samples,
                    const SvgPlotOptions& options) {
  write_whole_file(path, svg_plot(robot, samples, options));
}

}  // namespace cuttle
