#include "identify_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.h"
#include "json_output.h"
#include "progress_line.h"
#include "text_table.h"

namespace cuttle {
namespace {

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json fits_as_json(const std::vector<ChannelFit>& fits) {
  Json result = Json::object();
  for (const ChannelFit& fit : fits) {
    result[fit.name] = {
        {"rms", number_or_null(fit.rms)}, {"max", number_or_null(fit.max)}, {"count", fit.count}, {"unit", fit.unit}};
  }
  return result;
}

Json fits_as_json(const std::vector<std::string>& labels, const std::vector<ExperimentFit>& fits) {
  Json result = Json::object();
  for (std::size_t e = 0; e < fits.size(); ++e) {
    Json missing = Json::array();
    for (const UnpredictedRows& rows : fits[e].missing) {
      missing.push_back({{"first", rows.first}, {"last", rows.last}, {"why", rows.why}});
    }
    result[labels[e]] = {{"channels", fits_as_json(fits[e].channels)},
                         {"frames", fits_as_json(fits[e].frames)},
                         {"not_predicted", std::move(missing)}};
  }
  return result;
}

std::string percent_text(const IdentifyOptions& options, const ChannelFit& fit) {
  if (!options.length || fit.unit != "m" || fit.count == 0) return "";
  return fmt::format("{:.3g}", 100.0 * fit.rms / *options.length);
}

void add_fits(const IdentifyOptions& options, const char* kind, const std::vector<std::string>& labels,
              const std::vector<ExperimentFit>& fits, TextTable& table) {
  for (std::size_t e = 0; e < fits.size(); ++e) {
    const auto add = [&](const ChannelFit& fit) {
      const auto number = [&](double value) { return fit.count > 0 ? fmt::format("{:.4g}", value) : "-"; };
      table.add({kind, labels[e], fit.name, fit.unit, number(fit.rms), number(fit.max), percent_text(options, fit),
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

}  // namespace

std::string measurements_text(const Identification& found) {
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return counted(found.measurement_count, "measurement") +
         (found.prior_count > 0 ? " and " + counted(found.prior_count, "prior") : "");
}

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

std::string interval_text(const IdentifiedParameter& one, const char* format) {
  if (one.at_bound) return "at its bound";
  if (!std::isfinite(one.lower95) || !std::isfinite(one.upper95)) return "not known";
  const double half = std::max(one.upper95 - one.value, one.value - one.lower95);
  return fmt::format(fmt::runtime(format), meaningful_digits(one.lower95, half), meaningful_digits(one.upper95, half));
}

std::vector<std::string> unpredicted_texts(const std::string& rows, const std::string& label,
                                           const ExperimentFit& fit) {
  constexpr std::size_t k_most = 3;
  std::vector<std::string> texts;
  for (const UnpredictedRows& missing : fit.missing) {
    if (texts.size() == k_most) {
      texts.push_back(fmt::format("{}: {}: {} more rows not predicted", rows, label, fit.missing.size() - k_most));
      break;
    }
    const std::string which = missing.first == missing.last ? fmt::format("row {}", missing.first)
                                                            : fmt::format("rows {} to {}", missing.first, missing.last);
    texts.push_back(fmt::format("{}: {}: {} not predicted: {}", rows, label, which, missing.why));
  }
  return texts;
}

void print_as_json(const IdentifyOutcome& outcome) {
  const Identification& found = outcome.found;
  Json result;
  result["parameters"] = Json::array();
  for (const IdentifiedParameter& one : found.parameters) {
    result["parameters"].push_back({{"path", one.name},
                                    {"value", one.value},
                                    {"interval95", {number_or_null(one.lower95), number_or_null(one.upper95)}},
                                    {"unit", one.unit},
                                    {"start", one.start},
                                    {"at_bound", one.at_bound}});
  }
  result["rms"] = found.rms, result["rms_unit"] = found.rms_unit;
  result["correlation"] = to_json(found.correlation);
  result["covariance"] = Json::array();
  for (Eigen::Index i = 0; i < found.covariance.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < found.covariance.cols(); ++j) row.push_back(number_or_null(found.covariance(i, j)));
    result["covariance"].push_back(std::move(row));
  }
  result["combinations"] = Json::array();
  for (const ParameterCombination& combination : found.combinations) {
    result["combinations"].push_back({{"singular_value", combination.singular_value},
                                      {"half_width95", number_or_null(combination.half_width)},
                                      {"undetermined", combination.undetermined()},
                                      {"direction", to_json(combination.direction)}});
  }
  result["data"] = fits_as_json(outcome.labels, found.fits);
  if (!outcome.held_out.empty()) result["held_out"] = fits_as_json(outcome.held_out_labels, outcome.held_out);
  if (outcome.cross) {
    result["cross_validation"] = {{"folds", outcome.cross->folds},
                                  {"rms", outcome.cross->rms},
                                  {"data", fits_as_json(outcome.labels, outcome.cross->fits)}};
  }
  result["status"] = found.message, result["converged"] = found.converged();
  result["hints"] = found.hints;
  if (found.loss_scale > 0.0) result["loss_scale"] = found.loss_scale;
  if (found.run_tolerance > 0.0) result["tolerance"] = found.run_tolerance;
  result["evaluations"] = found.evaluations, result["seconds"] = found.seconds;
  result["measurements"] = found.measurement_count, result["priors"] = found.prior_count;
  result["written"] = outcome.written;
  print_json(result);
}

void print_text(const IdentifyOutcome& outcome) {
  const Identification& found = outcome.found;
  fmt::print("{} from {} in {} ({} evaluations): {}\n", found.parameters.size(), measurements_text(found),
             time_text(found.seconds), found.evaluations, found.message);
  fmt::print("  RMS of all residuals: {:.4g} {}\n", found.rms, found.rms_unit);
  for (const std::string& text : method_texts(outcome.options.solving, found)) fmt::print("  {}\n", text);
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
                  {outcome.options.length ? "RMS %" : "", true},
                  {"count", true}});
  add_fits(outcome.options, "fitted", outcome.labels, found.fits, fits);
  if (outcome.cross) add_fits(outcome.options, "left out", outcome.labels, outcome.cross->fits, fits);
  add_fits(outcome.options, "held out", outcome.held_out_labels, outcome.held_out, fits);
  fmt::print("{}", fits.text());
  if (outcome.cross) {
    const bool all = outcome.cross->folds == outcome.options.folds;
    fmt::print("\ncross-validation, {} folds{}: RMS of {} rows, each predicted without itself: {:.4g} {}\n",
               outcome.cross->folds, all ? "" : fmt::format(" of {}", outcome.options.folds), all ? "all" : "their",
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
