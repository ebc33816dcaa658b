#pragma once

#include <string>
#include <vector>

#include "cuttle/model/robot.h"
#include "cuttle/simulation/recorder.h"
#include "io/results/result_block.h"

namespace cuttle {

/// One column of a result over time.
struct ResultCurve {
  std::string name;   ///< as in the header of a CSV file: unique
  std::string label;  ///< the same, as short as it stays clear among the curves of its group
  std::string unit;
  std::vector<double> values;
};

/// Curves that belong together: one panel of a figure.
struct ResultCurves {
  std::string title;  ///< "q", "hand.tip"
  std::vector<ResultCurve> curves;
};

/// Finds columns of a result by the names of CurvePlotOptions::what.
class CurveFinder {
 public:
  /// @param controllers  what the samples have of controllers.
  /// @param motion  likewise, of driven coordinates.
  explicit CurveFinder(const Robot& robot, const std::vector<RecordedController>& controllers = {},
                       const std::vector<RecordedMotion>& motion = {});

  /// Panels for one item of `what`, without regard to units.
  /// @throws ArgumentError `found X, expected ..` for a name that stands for nothing.
  std::vector<ResultCurves> find(const std::string& item, const std::vector<Sample>& samples) const;
  /// Names of groups, then of columns.
  std::vector<std::string> names() const;
  /// Groups that a figure has if nobody says more: q, errors of controllers if there are any, tip, energy.
  std::vector<std::string> usual() const;

 private:
  struct Column {
    std::size_t block, index;  // of blocks_
    std::string name, label, unit;
  };
  struct Panel {
    std::string title;
    std::vector<Column> columns;
  };
  struct Group {
    std::string name;
    std::vector<Panel> panels;  // none: this robot has none of it
  };

  void add_group(const std::string& name, const std::string& title, std::vector<Column> columns);
  std::vector<Panel> panels_of(const std::string& name) const;
  std::string expected(const std::string& name) const;
  std::vector<Column> columns_of(const std::string& path_prefix, const std::string& name_prefix) const;
  std::vector<Column> named(const std::string& pattern) const;
  ResultCurves curves(const Panel& panel, const std::vector<Sample>& samples) const;

  std::string robot_name_;
  std::vector<ResultBlock> blocks_;
  std::vector<Group> groups_;
};

}  // namespace cuttle
