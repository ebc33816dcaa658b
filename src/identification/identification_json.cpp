#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/identification/identification_job.h"

namespace cuttle {
namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they were set

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

/// By rows.
Json matrix_as_json(const MatrixXd& matrix) {
  Json rows = Json::array();
  for (const auto& row : matrix.rowwise()) {
    Json numbers = Json::array();
    for (const double value : row) numbers.push_back(number_or_null(value));
    rows.push_back(std::move(numbers));
  }
  return rows;
}

}  // namespace

std::string identification_json(const IdentificationOutcome& outcome) {
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
  result["correlation"] = matrix_as_json(found.correlation), result["covariance"] = matrix_as_json(found.covariance);
  result["combinations"] = Json::array();
  for (const ParameterCombination& combination : found.combinations) {
    result["combinations"].push_back(
        {{"singular_value", combination.singular_value},
         {"half_width95", number_or_null(combination.half_width)},
         {"undetermined", combination.undetermined()},
         {"direction", std::vector<double>(combination.direction.begin(), combination.direction.end())}});
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
  result["start_costs"] = found.start_costs;
  result["measurements"] = found.measurement_count, result["priors"] = found.prior_count;
  result["written"] = outcome.written;
  return result.dump();
}

}  // namespace cuttle
