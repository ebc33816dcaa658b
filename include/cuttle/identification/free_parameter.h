#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/data.h"

namespace CUTTLE_API cuttle {

/// A number that data are to tell: of the robot, or of the set-up with which it was measured.
struct FreeParameter {
  std::string name;  ///< as it was given, and as it stands in reports
  /// Of the robot (Model::parameters): one number for all of them. Empty: `name` is a constant of the set-up,
  /// COLUMN.bias or COLUMN.scale of a column of measurements: what is measured is scale * quantity + bias, and of a
  /// column of inputs the input is scale * column + bias; of motions also time.shift, and numbers of a scenario. Behind
  /// `NAME:` it is that of one experiment alone.
  std::vector<std::string> paths = {};
  std::string unit = {};
  double start = 0.0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool logarithmic = false;  ///< searched by its logarithm: > 0
  /// What is known beside the data: it is near `prior`, with this standard deviation. 0: nothing is known.
  double prior = 0.0, prior_deviation = 0.0;

  /// In what its uncertainty is small: two deviations of its prior, the width between its bounds, or, if logarithmic or
  /// without both bounds, its own size.
  double scale(double value) const;
};

/// A constant of a set-up that may be free.
struct SetUpConstant {
  double start = 0.0;
  std::string unit = {};
};
/// What constants there are, by name.
using SetUpConstants = std::function<std::optional<SetUpConstant>(const std::string& name)>;

/// Reads PATH[=lo:hi[:log]]. One of lo and hi may be empty. PATH may have `*` for any text: all paths that match are
/// one number, which starts at the first one's value; `+` joins paths in the same way.
/// @throws ArgumentError `--free: found X, expected ..`.
FreeParameter parse_free_parameter(const Model& model, const std::string& text, const SetUpConstants& set_up);
/// @param columns  of measurements: COLUMN.bias starts at 0, COLUMN.scale at 1.
FreeParameter parse_free_parameter(const Model& model, const std::string& text,
                                   const std::vector<std::string>& columns);

/// @throws ArgumentError for a number of the robot, or a constant of the set-up, that two of them stand for.
void require_distinct(const std::vector<FreeParameter>& parameters);

/// Adds what is known beside the data, NAME=VALUE:DEVIATION. @throws ArgumentError `--prior: ..`.
void apply_prior(const std::string& text, std::vector<FreeParameter>& parameters);

/// A robot with values of its free parameters, and with derivatives by them.
class FreedRobot {
 public:
  /// Derivatives in up to eight directions: some of the free parameters' paths, and constants of the set-up.
  struct Pass {
    ModelT<ForwardDual> model;
    std::vector<std::size_t> parameters;  ///< which free parameter each direction belongs to
  };
  /// @throws ModelError for values that the robot cannot have.
  FreedRobot(const Model& model, const std::vector<FreeParameter>& parameters, const VectorXd& values,
             bool derivatives);

  const Model& model() const { return model_; }
  const std::vector<FreeParameter>& parameters() const { return parameters_; }
  const VectorXd& values() const { return values_; }
  const std::vector<Pass>& passes() const { return passes_; }

 private:
  const std::vector<FreeParameter>& parameters_;
  VectorXd values_;
  Model model_;
  std::vector<Pass> passes_;
};

}  // namespace cuttle
