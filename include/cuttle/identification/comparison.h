#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/identification/column_map.h"
#include "cuttle/io/result_columns.h"

namespace CUTTLE_API cuttle {

/// Columns of a run or of a recording.
struct ComparedTable {
  std::string label;                  ///< for messages
  std::vector<NumberColumn> columns;  ///< `time` among them, if rows are instants
  /// Of columns that would be numbers but for some text: what is wrong, and where, by their names.
  std::map<std::string, std::string> strays = {};
};

/// Reads a result (.h5), or a CSV table: one that Cuttle wrote, or of measurements. Equilibria of a table have no
/// times.
/// @throws FileError as read_result_file and read_measured_table.
ComparedTable read_compared_table(const std::string& path);

/// How far two runs are apart in one quantity.
struct ComparedChannel {
  /// As results name it; FRAME.position is the distance, FRAME.rotation the angle between both. Of columns of the
  /// reference that mean the same, those behind the first have theirs in brackets: tip.x (camera2_x).
  std::string name;
  std::string unit;  ///< empty: not known
  double rms = 0.0;  ///< root of the mean square of the differences, over the instants where both are known
  double max = 0.0;  ///< largest absolute difference ..
  double at = 0.0;   ///< .. and when it is first reached [s], or in which row
  std::vector<double> values, reference;  ///< one an instant; of distances and angles reference is 0

  /// Of a frame between both: FRAME.position.
  bool is_distance() const;
  /// A value of a channel of lengths in percent of one; nothing of others, or if there is no length [m].
  std::optional<double> percent_of(const std::optional<double>& length, double value) const;
};

struct Comparison {
  bool rows = false;          ///< compared row by row: neither has times
  std::vector<double> times;  ///< of the reference that both know [s], or rows
  std::size_t left_out = 0;   ///< instants of the reference where the other has nothing
  std::size_t surplus = 0;    ///< compared row by row: rows of the run beyond those of the reference
  std::vector<ComparedChannel> channels;

  /// RMS of a channel in equal parts of the time: the errors over time. NaN where a part has no instant.
  std::vector<double> rms_over_time(const ComparedChannel& channel, int parts) const;
};

struct ComparisonOptions {
  /// Columns of the reference and what they are called in the other; only these are compared. COLUMN=time names the
  /// reference's times, COLUMN=time*0.001 of milliseconds. Empty: what has the same name in both.
  std::vector<ColumnMap> map = {};
};

/// Compares a run with a reference, at the reference's instants. Between its own instants the run is interpolated
/// linearly, which is wrong by up to h^2/8 times the second derivative for instants h apart: write results with an
/// output_step that is small beside what is compared. Quaternions keep the sign that is nearer to the reference's.
/// @throws ArgumentError for names that are not there, nothing to compare, one with times and one without.
Comparison compare(const ComparedTable& run, const ComparedTable& reference, const ComparisonOptions& options = {});

/// A comparison by files and words, as `cuttle compare` has its options.
struct ComparisonRequest {
  std::string run, reference;    ///< results, or tables in CSV
  std::string output;            ///< figure to write; empty: none
  std::vector<std::string> map;  ///< entries of parse_column_maps
  std::optional<double> length;  ///< differences of positions also in percent of it [m]
  bool force = false;            ///< the output may replace a file that no Cuttle wrote
};
/// Reads both and compares them, once it is sure that the output may be written.
/// @throws FileError as read_compared_table.
/// @throws ArgumentError as compare; `--length: ..`, `--output: ..`.
Comparison compare_files(const ComparisonRequest& request);

constexpr int k_parts_over_time = 10;  ///< of the time, for errors over time
/// One object of JSON, docs/format.md; numbers that are not finite are null.
std::string comparison_json(const ComparisonRequest& request, const Comparison& comparison);

}  // namespace cuttle
