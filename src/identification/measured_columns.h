#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuttle/identification/experiment.h"

namespace cuttle {

/// What the columns of a table are.
struct MeasuredColumns {
  struct Input {
    std::string column, quantity;
    std::vector<double> values;  ///< in SI, a row each
  };
  std::vector<Input> inputs;
  std::vector<MeasuredChannel> channels;
  std::vector<std::shared_ptr<const MeasuredQuantity>> quantities;  ///< of the channels
  std::vector<MeasuredPoint> points;
};

/// @param maps  columns by name; others are what they are called.
/// @param acts  whether a quantity of a column is what acts; `mapped`: an entry of maps says so.
/// @throws ArgumentError for a column that is not there, a quantity that the robot has not.
MeasuredColumns read_measured_columns(const Model& model, const MeasuredTable& table,
                                      const std::vector<ColumnMap>& maps,
                                      const std::function<bool(const std::string& quantity, bool mapped)>& acts);

/// The text that each row has in a column. @throws ArgumentError if there is no such column.
std::vector<std::string> row_groups(const MeasuredTable& table, const std::string& column);

/// The free parameter that is this constant of an experiment: its own, NAME:CONSTANT, or else that of all. -1: none.
int free_constant(const std::vector<FreeParameter>& parameters, const std::string& experiment,
                  const std::string& constant);

/// A constant's name without that of the experiment; empty if it is another experiment's.
std::string own_constant(const std::string& name, const std::string& experiment);

/// scale and bias of a column, as far as they are free.
struct SensorConstants {
  int bias, scale;  ///< among the free parameters, or -1

  SensorConstants(const std::vector<FreeParameter>& parameters, const std::string& experiment,
                  const std::string& column)
      : bias(free_constant(parameters, experiment, column + ".bias")),
        scale(free_constant(parameters, experiment, column + ".scale")) {}
  template <typename S, typename ValueOf>
  S apply(const S& x, const ValueOf& value_of) const {
    S result = x;
    if (scale >= 0) result = value_of(scale) * result;
    if (bias >= 0) result = result + value_of(bias);
    return result;
  }
};

}  // namespace cuttle
