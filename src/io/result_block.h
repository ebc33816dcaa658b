#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuttle/simulation/recorder.h"

namespace cuttle {

/// One dataset of a result: a number or a row of numbers an output time.
struct ResultBlock {
  struct Column {
    std::string name;  ///< in the dataset's attribute `names`
    std::string unit;
    std::string header;  ///< in a CSV file, unique there
  };
  std::string path;     ///< in HDF5
  bool scalar = false;  ///< [T], else [T, columns]
  std::vector<Column> columns;
  std::function<void(const Sample&, double*)> read;  ///< writes the columns of one sample

  std::size_t width() const { return columns.size(); }
};

/// The list of everything that results hold, in the order of CSV columns; `time` is the first.
std::vector<ResultBlock> result_blocks(const Model& model);

/// Makes the folders above a file that is about to be written. @throws FileError.
void create_folders_for(const std::string& path);

}  // namespace cuttle
