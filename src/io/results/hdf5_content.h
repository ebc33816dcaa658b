#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/regular_file.h"
#include "io/results/byte_stream.h"

namespace cuttle {

/// Texts or a number that an object of a file has. What could not be read says why in `trouble`.
struct Hdf5Attribute {
  std::string trouble;
  bool is_text = false;
  std::vector<std::string> texts;
  std::uint64_t count = 0;  ///< of numbers
  double number = 0.0;      ///< if there is one
};

/// A group or dataset. What could not be read says why in `trouble`.
struct Hdf5Object {
  std::string trouble;
  std::vector<std::pair<std::string, Hdf5Attribute>> attributes;  ///< in their order in the file
  bool is_dataset = false, is_numeric = false;
  std::vector<std::uint64_t> shape;
  std::vector<double> values;  ///< of no more rows than the dataset `time` has
  std::string bytes;           ///< instead of values, if its numbers are bytes

  const Hdf5Attribute* attribute(const std::string& name) const;  ///< null if there is none
};

/// What a file in HDF5 holds of all that results have.
struct Hdf5Content {
  std::map<std::string, Hdf5Object> objects;  ///< by path; "/" is the file itself
};

/// Reads a file in HDF5, of which every byte may be wrong. HDF5 itself may crash, never end or take all memory then, so
/// it works in a process of its own, which has limits and is ended with the call.
/// @param what  it is to be, with its article: "a result in HDF5".
/// @param write  called in that process: opens the file and writes what it has, and flushes.   @param read  called
/// here.
/// @throws FileError naming the file if the process ends early, or there is no such file; at once if it is a pipe, a
/// device or a folder.
void read_in_own_process(const std::string& path, const std::string& what,
                         const std::function<void(const RegularFile&, ByteWriter&)>& write,
                         const std::function<void(ByteReader&)>& read);

/// Reads all that results have, in a process of its own.
/// @param with_rows  else the values of datasets are left out.
/// @throws FileError naming the file if it is none, or cannot be read; at once if it is a pipe, a device or a folder.
Hdf5Content read_hdf5_content(const std::string& path, bool with_rows);

}  // namespace cuttle
