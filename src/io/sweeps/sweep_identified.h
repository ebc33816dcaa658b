#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace cuttle {

/// Parameters of a robot as `cuttle identify --json` found them: normal, with their covariance L L^T.
struct IdentifiedNumbers {
  std::vector<std::string> paths;
  Eigen::VectorXd values;
  Eigen::MatrixXd factor;  ///< L, lower triangular; zero rows of parameters at their bounds, which have no interval

  /// Of independent standard normal numbers z, size paths: values + L z.
  double at(Eigen::Index i, const Eigen::VectorXd& z) const { return values[i] + factor.row(i).dot(z); }
};

/// @param text  of the report.   @param name  of its file, for errors.
/// @throws FileError for another text, and for parameters that the data did not determine.
IdentifiedNumbers read_identified(const std::string& text, const std::string& name);

/// L of a symmetric positive semidefinite matrix. @throws ArgumentError for another one.
Eigen::MatrixXd semidefinite_factor(const Eigen::MatrixXd& covariance);

}  // namespace cuttle
