#include "identify_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "progress_line.h"
#include "text_table.h"

namespace cuttle {
namespace {

std::string percent_text(const IdentificationRequest& request, const ChannelFit& fit) {
  if (!request.length || fit.unit != "m" || fit.count == 0) return "";
  return fmt::format("{:.3g}", 100.0 * fit.rms / *request.length);
}

void add_fits(const IdentificationRequest& request, const char* kind, const std::vector<std::string>& labels,
              const std::vector<ExperimentFit>& fits, TextTable& table) {
  for (std::size_t e = 0; e < fits.size(); ++e) {
    const auto add = [&](const ChannelFit& fit) {
      const auto number = [&](double value) { return fit.count > 0 ? fmt::format("{:.4g}", value) : "-"; };
      table.add({kind, labels[e], fit.name, fit.unit, number(fit.rms), number(fit.max), percent_text(request, fit),
                 fmt::format("{}", fit.count)});
    };
    for (const ChannelFit& frame : fits[e].frames) add(frame);
    for (const ChannelFit& channel : fits[e].channels) {
      const auto within = [&](const ChannelFit& frame) {
        const std::string start = frame.name.substr(0, frame.name.rfind('.') + 1);
        const std::string part = channel.name.substr(0, channel.name.find(" ("));  // without the name of a column
        return part.starts_with(start) && part.size() == start.size() + 1;
      };
      if (std::none_of(fits[e].frames.begin(), fits[e].frames.end(), within)) add(channel);
    }
  }
}

/// How a robust loss and runs were chosen: a sentence for each.
std::vector<std::string> method_texts(const IdentificationOptions& options, const Identification& found) {
  std::vector<std::string> texts;
  if (found.loss_scale > 0.0) {
    texts.push_back(
        fmt::format("the loss forgives residuals beyond {:.3g} {}{}", found.loss_scale,
                    options.deviations_known ? "deviations" : found.rms_unit,
                    options.loss_scale ? "" : ", by the robust deviation of all (--loss NAME:SCALE says another)"));
  }
  if (found.run_tolerance > 0.0) {
    texts.push_back(fmt::format(
        "runs have a relative tolerance of {:.2g}{}", found.run_tolerance,
        found.runs_settled ? ": finer ones move no value by more than 2 % of the half width of its interval" : ""));
  }
  return texts;
}

}  // namespace

void print_text(const IdentificationRequest& request, const IdentificationOutcome& outcome) {
  const Identification& found = outcome.found;
  fmt::print("{} from {} in {} ({} evaluations): {}\n", found.parameters.size(), measurements_text(found),
             time_text(found.seconds), found.evaluations, found.message);
  fmt::print("  RMS of all residuals: {:.4g} {}\n", found.rms, found.rms_unit);
  for (const std::string& text : method_texts(request.solving, found)) fmt::print("  {}\n", text);
  fmt::print("\n");
  TextTable parameters({{"parameter"}, {"start", true}, {"value", true}, {"95 % interval"}, {"unit"}});
  for (const IdentifiedParameter& one : found.parameters) {
    const double half = std::max(one.upper95 - one.value, one.value - one.lower95);
    parameters.add({one.name, fmt::format("{:.4g}", one.start), meaningful_digits(one.value, half),
                    interval_text(one, "[{}, {}]"), one.unit});
  }
  fmt::print("{}\n", parameters.text());
  TextTable fits({{"rows"},
                  {"data"},
                  {"quantity"},
                  {"unit"},
                  {"RMS", true},
                  {"largest", true},
                  {request.length ? "RMS %" : "", true},
                  {"count", true}});
  add_fits(request, "fitted", outcome.labels, found.fits, fits);
  if (outcome.cross) add_fits(request, "left out", outcome.labels, outcome.cross->fits, fits);
  add_fits(request, "held out", outcome.held_out_labels, outcome.held_out, fits);
  fmt::print("{}", fits.text());
  if (outcome.cross) {
    const bool all = outcome.cross->folds == request.folds;
    fmt::print("\ncross-validation, {} folds{}: RMS of {} rows, each predicted without itself: {:.4g} {}\n",
               outcome.cross->folds, all ? "" : fmt::format(" of {}", request.folds), all ? "all" : "their",
               outcome.cross->rms, found.rms_unit);
  }
  for (const std::string& text : undetermined_texts(found)) fmt::print("\n{}\n", text);
  std::vector<std::string> warnings = found.hints;
  const auto warn = [&](const char* rows, const std::vector<std::string>& labels,
                        const std::vector<ExperimentFit>& of) {
    for (std::size_t e = 0; e < of.size(); ++e) {
      for (std::string& text : unpredicted_texts(rows, labels[e], of[e])) warnings.push_back(std::move(text));
    }
  };
  warn("fitted", outcome.labels, found.fits);
  if (outcome.cross) warn("left out", outcome.labels, outcome.cross->fits);
  warn("held out", outcome.held_out_labels, outcome.held_out);
  print_warnings(warnings);
}

}  // namespace cuttle
