#include "io/sweeps/sweep_identified.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"

namespace cuttle {

Eigen::MatrixXd semidefinite_factor(const Eigen::MatrixXd& covariance) {
  constexpr double k_rounding = 1e-10;  // of a variance, left of what depends on others alone
  const Eigen::Index n = covariance.rows();
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double left = covariance(j, j) - L.row(j).head(j).squaredNorm();
    if (!(left >= -k_rounding * std::abs(covariance(j, j)))) {
      throw ArgumentError(
          fmt::format("found a covariance with the negative variance {:g} in row {}, expected none", left, j));
    }
    for (Eigen::Index i = j; i < n; ++i) {
      if (std::abs(covariance(i, j) - covariance(j, i)) > k_rounding * std::abs(covariance(i, j))) {
        throw ArgumentError(fmt::format("found a covariance that is not symmetric in row {}, column {}", i, j));
      }
      if (left > k_rounding * covariance(j, j)) {
        L(i, j) = (covariance(i, j) - L.row(i).head(j).dot(L.row(j).head(j))) / std::sqrt(left);
      }
    }
  }
  return L;
}

IdentifiedNumbers read_identified(const std::string& text, const std::string& name) {
  using Json = nlohmann::json;
  const auto fail = [&name](const std::string& found, const std::string& expected) {
    throw FileError(fmt::format("{}: found {}, expected {}", name, found, expected));
  };
  const std::string what = "a report of `cuttle identify --json`";
  const Json report = Json::parse(text, nullptr, false);
  if (!report.is_object() || !report.contains("parameters") || !report["parameters"].is_array()) {
    fail("no list 'parameters'", what);
  }
  const Json& list = report["parameters"];
  const auto n = static_cast<Eigen::Index>(list.size());
  if (n == 0) fail("no parameter", "at least one");
  if (!report.contains("covariance") || !report["covariance"].is_array() ||
      report["covariance"].size() != list.size()) {
    fail(fmt::format("no 'covariance' of {} rows", n), what);
  }
  IdentifiedNumbers numbers;
  numbers.values.resize(n);
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Json& one = list[at];
    const bool good = one.is_object() && one.contains("path") && one["path"].is_string() && one.contains("value") &&
                      one["value"].is_number();
    if (!good) fail(fmt::format("parameters[{}] without a path and a value", i), what);
    numbers.paths.push_back(one["path"].get<std::string>());
    numbers.values[i] = one["value"].get<double>();
    const Json& row = report["covariance"][at];
    if (!row.is_array() || row.size() != list.size()) fail(fmt::format("covariance[{}] of another size", i), what);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (!row[j].is_number()) {
        fail(fmt::format("no covariance of '{}'", printable(numbers.paths.back())),
             "parameters that the data determine: leave it out of --free, or give it a --prior");
      }
      covariance(i, static_cast<Eigen::Index>(j)) = row[j].get<double>();
    }
  }
  try {
    numbers.factor = semidefinite_factor(covariance);
  } catch (const ArgumentError& error) {
    throw FileError(fmt::format("{}: covariance: {}", name, error.what()));
  }
  return numbers;
}

}  // namespace cuttle
