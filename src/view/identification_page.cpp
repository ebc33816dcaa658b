#include "cuttle/view/identification_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "cuttle/bodies/rigid_body.h"
#include "cuttle/error.h"
#include "cuttle/io/result_file.h"
#include "cuttle/model/joint.h"
#include "cuttle/version.h"
#include "cuttle/view/line_figure.h"
#include "cuttle/view/report.h"
#include "view/svg_canvas.h"

namespace cuttle {
namespace {

/// What a page about an identification shows.
struct IdentificationPage {
  struct Data {
    std::string rows;   ///< fitted | left out | held out
    std::string label;  ///< as it stands in the output
    Experiment* experiment;
    const ExperimentFit* fit;
  };
  std::string title;
  const FreedRobot& robot;  ///< with what was found
  std::vector<LinkVisual> visuals;
  const Identification& found;
  std::vector<Data> data;
  std::optional<double> length;  ///< errors in percent of it [m]
  std::string_view viewer;
};

constexpr const char* k_style = R"(<style>
body{font:15px/1.45 system-ui,sans-serif;color:#14181d;max-width:1100px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;margin:.8em 0}td,th{padding:.2em .7em;border-bottom:1px solid #dde1e6;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}h2{margin-top:1.8em}svg{max-width:100%;height:auto}
iframe{width:100%;height:620px;border:1px solid #dde1e6}.figures{display:flex;flex-wrap:wrap;gap:1em}
.figures>*{flex:1 1 420px}.warn{background:#fff4e0;padding:.5em 1em}</style>)";

/// A figure within a page: without what only a file of its own has.
std::string inline_svg(const std::string& svg) { return svg.substr(svg.find("<svg")); }

std::string parameters_table(const IdentificationPage& page) {
  std::string html = "<table><tr><th>parameter<th class=n>start<th class=n>value<th>95 % interval<th>unit</tr>\n";
  for (const IdentifiedParameter& one : page.found.parameters) {
    const double half = std::max(one.upper95 - one.value, one.value - one.lower95);
    html +=
        fmt::format("<tr><td>{}<td class=n>{:.4g}<td class=n>{}<td>{}<td>{}</tr>\n", escape_xml(one.name), one.start,
                    meaningful_digits(one.value, half), interval_text(one, "{} to {}"), escape_xml(one.unit));
  }
  return html + "</table>\n";
}

std::string fits_table(const IdentificationPage& page) {
  std::string html = fmt::format(
      "<table><tr><th>rows<th>data<th>quantity<th>unit<th class=n>RMS<th class=n>largest{}<th class=n>count</tr>\n",
      page.length ? "<th class=n>RMS %" : "");
  for (const auto& data : page.data) {
    const auto add = [&](const ChannelFit& fit) {
      const auto number = [&](double value) { return fit.count > 0 ? fmt::format("{:.4g}", value) : "-"; };
      const bool in_percent = fit.unit == "m" && fit.count > 0;
      html += fmt::format("<tr><td>{}<td>{}<td>{}<td>{}<td class=n>{}<td class=n>{}{}<td class=n>{}</tr>\n", data.rows,
                          escape_xml(data.label), escape_xml(fit.name), escape_xml(fit.unit), number(fit.rms),
                          number(fit.max),
                          !page.length ? ""
                          : in_percent ? fmt::format("<td class=n>{:.3g}", 100.0 * fit.rms / *page.length)
                                       : "<td>",
                          fit.count);
    };
    for (const ChannelFit& frame : data.fit->frames) add(frame);
    for (const ChannelFit& channel : data.fit->channels) add(channel);
  }
  return html + "</table>\n";
}

/// Correlations as a table, strong ones in color.
std::string correlation_table(const Identification& found) {
  constexpr std::size_t k_most = 24;
  const std::size_t n = found.parameters.size();
  if (n < 2 || n > k_most) return "";
  std::string html = "<h2>Correlation</h2>\n<table><tr><th>";
  for (std::size_t i = 0; i < n; ++i) html += fmt::format("<th class=n>{}", i + 1);
  for (std::size_t i = 0; i < n; ++i) {
    html += fmt::format("</tr>\n<tr><td>{} {}", i + 1, escape_xml(found.parameters[i].name));
    for (std::size_t j = 0; j < n; ++j) {
      const double r = found.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      html += fmt::format("<td class=n style=\"background:rgba({},{:.2f})\">{:.2f}", r > 0 ? "213,94,0" : "0,114,178",
                          i == j ? 0.0 : 0.7 * r * r, r);
    }
  }
  return html + "</tr></table>\n";
}

/// Where a row stands along the axis of figures: its time, or its number.
double place_on_axis(const Experiment& experiment, std::size_t row) {
  return experiment.times().empty() ? static_cast<double>(row) : experiment.times()[row];
}

/// Channels of a motion over time: measured points, and the model's curve; a panel a frame, or a channel.
std::string motion_figure(const IdentificationPage::Data& data) {
  constexpr std::size_t k_most_panels = 24;
  const Experiment& experiment = *data.experiment;
  if (experiment.times().empty()) return "";
  const auto& channels = experiment.channels();
  std::vector<std::pair<FigureCurve, FigureCurve>> curves(channels.size());  // measured, the model's
  for (std::size_t i = 0; i < experiment.points().size(); ++i) {
    const MeasuredPoint& point = experiment.points()[i];
    auto& [measured, model] = curves[point.channel];
    const double predicted = data.fit->predicted[static_cast<Eigen::Index>(i)];
    for (FigureCurve* curve : {&measured, &model}) curve->x.push_back(place_on_axis(experiment, point.row));
    measured.y.push_back(std::isfinite(predicted) ? point.value : predicted), model.y.push_back(predicted);
  }
  std::vector<FigurePanel> panels;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (curves[c].first.x.empty()) continue;
    const std::string& name = channels[c].quantity;
    const bool of_frame = channels[c].unit == "m" && name.size() > 2 && name[name.size() - 2] == '.';
    const std::string label = of_frame ? name.substr(0, name.size() - 2) : name;
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const FigurePanel& p) { return p.label == label; });
    if (panel == panels.end() && panels.size() == k_most_panels) continue;
    if (panel == panels.end()) panel = panels.insert(panels.end(), {label, channels[c].unit, {}});
    auto& [measured, model] = curves[c];
    measured.style = FigureCurve::Style::points;
    measured.color = model.color = panel->curves.size() / 2;
    model.name = (of_frame ? name.substr(name.size() - 1) + ", " : "") + "model", measured.name = "data";
    panel->curves.push_back(std::move(measured)), panel->curves.push_back(std::move(model));
  }
  if (panels.empty()) return "";
  return inline_svg(line_figure(panels, {"data and model", "time", "s", 190.0, 46.0}));
}

/// Residuals of each channel over the rows, in groups of one frame.
std::string residual_figure(const IdentificationPage::Data& data) {
  std::vector<FigurePanel> panels;
  const auto& channels = data.experiment->channels();
  std::vector<FigureCurve> curves(channels.size());
  for (std::size_t i = 0; i < data.experiment->points().size(); ++i) {
    const MeasuredPoint& point = data.experiment->points()[i];
    const double difference = data.fit->predicted[static_cast<Eigen::Index>(i)] - point.value;
    if (!std::isfinite(difference)) continue;
    curves[point.channel].x.push_back(place_on_axis(*data.experiment, point.row));
    curves[point.channel].y.push_back(difference);
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (curves[c].x.empty()) continue;
    const std::string& name = channels[c].quantity;
    const std::string group = name.substr(0, name.rfind('.'));
    const auto same = [&](const FigurePanel& panel) { return panel.label == group && panel.unit == channels[c].unit; };
    auto panel = std::find_if(panels.begin(), panels.end(), same);
    if (panel == panels.end()) panel = panels.insert(panels.end(), {group, channels[c].unit, {}});
    curves[c].name = name.substr(name.rfind('.') + 1), curves[c].color = panel->curves.size();
    curves[c].style = FigureCurve::Style::points;
    panel->curves.push_back(std::move(curves[c]));
  }
  if (panels.empty()) return "";
  const bool motion = !data.experiment->times().empty();
  return inline_svg(line_figure(panels, {"model - data", motion ? "time" : "row", motion ? "s" : "", 190.0, 34.0}));
}

/// The position of a frame in a row, as measured and as predicted. Several columns of a component count as their mean.
struct FramePositions {
  std::array<double, 3> measured_sums{}, predicted_sums{}, counts{};
  bool complete() const {
    return std::all_of(counts.begin(), counts.end(), [](double count) { return count > 0.0; });
  }
  std::vector<double> measured() const { return mean(measured_sums); }
  std::vector<double> predicted() const { return mean(predicted_sums); }

 private:
  std::vector<double> mean(const std::array<double, 3>& sums) const {
    std::vector<double> result;
    for (std::size_t k = 0; k < 3; ++k) result.push_back(sums[k] / counts[k]);
    return result;
  }
};

/// By frame and row: where all three components are measured and predicted.
std::map<std::string, std::map<std::size_t, FramePositions>> frame_positions(const IdentificationPage::Data& data) {
  std::map<std::string, std::map<std::size_t, FramePositions>> frames;
  for (std::size_t i = 0; i < data.experiment->points().size(); ++i) {
    const MeasuredPoint& point = data.experiment->points()[i];
    const MeasuredChannel& channel = data.experiment->channels()[point.channel];
    const std::string& name = channel.quantity;
    const double predicted = data.fit->predicted[static_cast<Eigen::Index>(i)];
    if (channel.unit != "m" || name.size() < 3 || name[name.size() - 2] != '.' || !std::isfinite(predicted)) continue;
    const int component = name.back() - 'x';
    if (component < 0 || component > 2) continue;
    FramePositions& at = frames[name.substr(0, name.size() - 2)][point.row];
    const auto k = static_cast<std::size_t>(component);
    at.measured_sums[k] += point.value, at.predicted_sums[k] += predicted, at.counts[k] += 1.0;
  }
  for (auto& [frame, rows] : frames) std::erase_if(rows, [](const auto& row) { return !row.second.complete(); });
  std::erase_if(frames, [](const auto& frame) { return frame.second.empty(); });
  return frames;
}

/// All rows at once, from two sides.
std::string space_figures(const IdentificationPage::Data& data) {
  const auto frames = frame_positions(data);
  std::vector<SpaceCurve> curves;
  for (const auto& [frame, rows] : frames) {
    SpaceCurve measured{frame + ", measured", curves.size() / 2, FigureCurve::Style::points, {}};
    SpaceCurve apart{"", measured.color, FigureCurve::Style::solid, {}};
    for (const auto& [row, at] : rows) {
      measured.points.push_back(at.measured());
      apart.points.push_back(at.measured()), apart.points.push_back(at.predicted());
      apart.points.emplace_back(3, std::numeric_limits<double>::quiet_NaN());
    }
    curves.push_back(std::move(measured)), curves.push_back(std::move(apart));
  }
  if (curves.empty()) return "";
  return "<p>Each measured point, and a line from it to where the model has it.</p>\n<div class=figures>" +
         inline_svg(space_figure(curves, -1.2)) + inline_svg(space_figure(curves, 0.4)) + "</div>\n";
}

Link floating_ball(const std::string& name, const Color& color, double radius, std::vector<LinkVisual>& visuals) {
  Link link;
  link.name = name;
  link.parent.link = "base";
  link.joint = make_free_joint<double>();
  RigidParameters grain;  // a robot's parts have mass; nothing of it moves here
  grain.mass = 1e-6, grain.inertia = {1e-12, 1e-12, 1e-12, 0.0, 0.0, 0.0};
  link.body = std::make_shared<RigidBodyT<double>>(grain);
  Visual ball;
  ball.shape = Visual::Shape::sphere, ball.radius = radius, ball.color = color;
  visuals.push_back({name, LinkVisual::Frame::body, ball});
  return link;
}

/// Rows that the viewer shows: those with a frame of which all is known, or, if there is no such frame, those in which
/// anything is.
std::vector<std::size_t> rows_with_points(const IdentificationPage::Data& data,
                                          const std::map<std::string, std::map<std::size_t, FramePositions>>& frames) {
  std::set<std::size_t> rows;
  for (const auto& [frame, positions] : frames) {
    for (const auto& [row, at] : positions) rows.insert(row);
  }
  for (std::size_t i = 0; frames.empty() && i < data.experiment->points().size(); ++i) {
    if (std::isfinite(data.fit->predicted[static_cast<Eigen::Index>(i)])) rows.insert(data.experiment->points()[i].row);
  }
  return {rows.begin(), rows.end()};
}

/// The robot in rows with their measured points as balls, in the viewer: a page within the page.
std::string viewer_frame(const IdentificationPage& page, const IdentificationPage::Data& data) {
  constexpr std::size_t k_most_rows = 400;
  const auto frames = frame_positions(data);
  const Experiment& experiment = *data.experiment;
  if (frames.empty() && experiment.times().empty()) return "";
  const double size = page.length.value_or(0.3);
  ShownRun run;
  run.label = data.label, run.file = run.label;
  run.robot = page.robot.model().robot();
  run.robot.source = nullptr;
  run.visuals = page.visuals;
  std::vector<std::string> names;
  for (const auto& [frame, rows] : frames) {
    names.push_back(frame);
    run.robot.links.push_back(floating_ball("measured_" + frame, {0.84, 0.37, 0.0, 1.0}, 0.014 * size, run.visuals));
    run.robot.links.push_back(floating_ball("model_" + frame, {0.0, 0.45, 0.7, 1.0}, 0.012 * size, run.visuals));
  }
  const Pose world_base = page.robot.model().robot().base_pose;
  const std::vector<std::size_t> seen = rows_with_points(data, frames);
  const std::size_t step = (seen.size() + k_most_rows - 1) / k_most_rows;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < seen.size(); i += step) {
    const std::size_t row = seen[i];
    if (shown.empty() || place_on_axis(experiment, row) > place_on_axis(experiment, shown.back())) shown.push_back(row);
  }
  if (shown.empty()) return "";
  std::vector<Sample> samples = data.experiment->samples(page.robot, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::size_t row = shown[i];
    Sample& sample = samples[i];
    sample.time = place_on_axis(experiment, row);
    const auto nq = sample.q.size(), nv = sample.v.size(), count = static_cast<Eigen::Index>(2 * names.size());
    sample.q.conservativeResize(nq + 7 * count), sample.v.conservativeResize(nv + 6 * count);
    sample.v.tail(6 * count).setZero();
    Eigen::Index next = nq;
    // a ball of a frame that was not measured here hides in one of the same kind
    const FramePositions* hiding = nullptr;
    for (const auto& [frame, positions] : frames) {
      if (hiding == nullptr && positions.contains(row)) hiding = &positions.at(row);
    }
    for (const std::string& name : names) {
      const auto found = frames.at(name).find(row);
      const FramePositions& at = found != frames.at(name).end() ? found->second : *hiding;
      for (const bool measured : {true, false}) {
        const std::vector<double> p = measured ? at.measured() : at.predicted();
        const Vector3 world{p[0], p[1], p[2]};
        const Vector3 own = world_base.inverse().act(world);
        for (const double x : {own.x, own.y, own.z, 1.0, 0.0, 0.0, 0.0}) sample.q[next++] = x;
        sample.tips.push_back({world_base.rotation, world});
      }
    }
    run.samples.push_back(std::move(sample));
  }
  return fmt::format("<p>Orange: measured. Blue: the model's points.{}</p>\n<iframe srcdoc=\"{}\"></iframe>\n",
                     experiment.times().empty() ? " A second a row." : "", escape_xml(report_page(page.viewer, {run})));
}

std::string html_of(const IdentificationPage& page) {
  const Identification& found = page.found;
  std::string html = fmt::format(
      "<!doctype html><html lang=en><meta charset=utf-8><meta name=\"generator\" content=\"Cuttle {7}\">"
      "<title>{0}: identification</title>{1}\n<h1>{0}</h1>\n"
      "<p>{2} parameters from {3}: {4}. RMS of all residuals {5:.4g} {6}.</p>\n",
      escape_xml(page.title), k_style, found.parameters.size(), measurements_text(found), escape_xml(found.message),
      found.rms, escape_xml(found.rms_unit), k_version);
  for (const std::string& text : found.hints) html += "<p class=warn>" + escape_xml(text) + "</p>\n";
  html += parameters_table(page);
  for (const std::string& text : undetermined_texts(found)) html += "<p class=warn>" + escape_xml(text) + "</p>\n";
  for (const auto& data : page.data) {
    for (const std::string& text : unpredicted_texts(data.rows, data.label, *data.fit)) {
      html += "<p class=warn>" + escape_xml(text) + "</p>\n";
    }
  }
  html += "<h2>How far model and data are apart</h2>\n" + fits_table(page);
  bool viewer = false;
  for (const auto& data : page.data) {
    html += fmt::format("<h2>{}: {} rows</h2>\n", escape_xml(data.label), data.rows);
    html += motion_figure(data);
    html += space_figures(data);
    try {
      if (!viewer || data.rows == "held out") html += viewer_frame(page, data), viewer = true;
    } catch (const Error& error) {  // numbers are worth more than a picture
      html += "<p class=warn>found no picture of the robot: " + escape_xml(error.what()) + "</p>\n";
    }
    html += residual_figure(data);
  }
  html += correlation_table(found);
  return html + "</html>\n";
}

}  // namespace

std::string identification_page(const IdentificationJob& job, std::string_view viewer) {
  const IdentificationOutcome& outcome = job.outcome();
  const FreedRobot identified(job.model(), outcome.parameters, outcome.found.values, false);
  IdentificationPage page{std::filesystem::path(job.robot_path()).filename().string(),
                          identified,
                          job.visuals(),
                          outcome.found,
                          {},
                          job.request().length,
                          viewer};
  const auto add = [&](const char* rows, const std::vector<Experiment*>& of, const std::vector<std::string>& labels,
                       const std::vector<ExperimentFit>& fits) {
    for (std::size_t e = 0; e < of.size(); ++e) page.data.push_back({rows, labels[e], of[e], &fits[e]});
  };
  add("fitted", job.experiments(), outcome.labels, outcome.found.fits);
  if (outcome.cross) add("left out", job.experiments(), outcome.labels, outcome.cross->fits);
  add("held out", job.held_out(), outcome.held_out_labels, outcome.held_out);
  return html_of(page);
}

}  // namespace cuttle
