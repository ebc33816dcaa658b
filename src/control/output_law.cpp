#include "control/output_law.h"

#include <fmt/format.h>

#include "cuttle/error.h"

namespace cuttle {
namespace {

[[noreturn]] void refuse_count(const char* key, std::size_t found, const char* what, const std::string& expected) {
  throw ArgumentError(Diagnostic(key, fmt::format("{} {}{}", found, what, found == 1 ? "" : "s"), expected));
}

}  // namespace

Reference::Reference(const std::vector<Signal>& signals, int coordinates)
    : signals_(signals), value_(coordinates), rate_(coordinates), acceleration_(coordinates) {
  if (signals_.size() != static_cast<std::size_t>(coordinates)) {
    refuse_count("reference", signals_.size(), "signal", fmt::format("{}, one a controlled coordinate", coordinates));
  }
}
const VectorXd& Reference::at(double time) {
  for (Eigen::Index i = 0; i < value_.size(); ++i) value_[i] = signals_[static_cast<std::size_t>(i)].at(time);
  return value_;
}
const VectorXd& Reference::rate_at(double time) {
  for (Eigen::Index i = 0; i < rate_.size(); ++i) rate_[i] = signals_[static_cast<std::size_t>(i)].derivative(time);
  return rate_;
}
const VectorXd& Reference::acceleration_at(double time) {
  for (Eigen::Index i = 0; i < acceleration_.size(); ++i) {
    acceleration_[i] = signals_[static_cast<std::size_t>(i)].derivative(time, 2);
  }
  return acceleration_;
}

MatrixXd gain_matrix(const char* key, const std::vector<double>& values, int n) {
  const auto size = static_cast<std::size_t>(n);
  if (values.empty()) return MatrixXd::Zero(n, n);
  if (values.size() == 1) return values[0] * MatrixXd::Identity(n, n);
  if (values.size() == size) return Eigen::Map<const VectorXd>(values.data(), n).asDiagonal();
  if (values.size() == size * size) return Eigen::Map<const MatrixXd>(values.data(), n, n).transpose();
  refuse_count(key, values.size(), "number",
               fmt::format("one number, {} (one a coordinate), or {} (a matrix by rows)", n, n * n));
}

}  // namespace cuttle
