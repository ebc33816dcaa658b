#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/io/result_file.h"
#include "cuttle/simulation/recorded_quantities.h"

namespace cuttle {

// What else stands in a result in HDF5, for who writes it and who reads it.
inline constexpr int k_result_format = 1;
/// Begins robot_yaml or scenario_yaml of a run with a part that has no text; the reason follows.
inline constexpr const char* k_not_written = "# not written: ";
inline constexpr const char* k_files_group = "files";
inline constexpr const char* k_file_of = "of";  ///< robot | scenario: which of the two names the file
inline constexpr const char* k_file_name = "name";
inline constexpr const char* k_content = "content";  ///< path | table | modes; none: a simulation

/// One dataset of a result: a number or a row of numbers an output time.
struct ResultBlock {
  using Column = RecordedDataset::Column;
  std::string path;                                          ///< in HDF5
  bool scalar = false;                                       ///< [T], else [T, columns]
  std::vector<Column> columns;                               ///< whose headers are unique in CSV
  std::function<void(const Sample&, double*)> read;          ///< writes the columns of one sample
  std::function<void(const double*, Sample&)> restore = {};  ///< the reverse, into a sample of `sized_sample`
  std::optional<std::size_t> outputs = {};                   ///< as RecordedDataset::outputs
  std::vector<std::string> labels = {};                      ///< what numbers 0, 1, .. of a scalar stand for
  const RecordedQuantity* quantity = nullptr;  ///< that it begins with, of recorded_quantities(); null: of none

  std::size_t width() const { return columns.size(); }
};

/// The list of everything that results hold, in the order of CSV columns; `time` is the first.
std::vector<ResultBlock> result_blocks(const Model& model, const std::vector<RecordedController>& controllers,
                                       const std::vector<RecordedMotion>& motion = {});

/// @throws ArgumentError if a sequence has not as many rows.
void check_sequence(const ResultSequence& sequence, std::size_t rows);

/// What a sequence has beside these, in its order. The sample's time says which row; the sequence must outlive them.
std::vector<ResultBlock> sequence_blocks(const ResultSequence& sequence);

/// Makes the folders above a file that is about to be written. @throws FileError.
void create_folders_for(const std::string& path);

}  // namespace cuttle
