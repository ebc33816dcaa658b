#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/named_files.h"
#include "cuttle/io/yaml_cursor.h"
#include "cuttle/model/signal.h"
#include "cuttle/spatial/pose.h"

namespace CUTTLE_API cuttle {

/// Reads the keys of a mapping of a file by its table. Each getter gives a value of the table's type and range in any
/// case: what stands there; if nothing does, the table's default value; and if it is wrong or missing, which is then
/// reported with its place, some value that lets the reader go on, so that one run finds all errors. What is made of
/// such values is thrown away, and so are the errors that come of them.
///
/// Real numbers are read as `S`, double or ForwardDual: each is a parameter of the robot as soon as it is read here.
/// Names that the table does not have, and keys that may be missing but have neither a default value nor a getter for
/// that, are mistakes in the program: std::logic_error.
template <typename S>
class KeyReader {
 public:
  /// @param files  that the file names; outlive the reader.
  KeyReader(YamlMap map, NamedFiles& files) : map_(std::move(map)), files_(&files) {}

  bool has(const std::string& name) const { return map_.has(name); }
  S number(const std::string& name) const;
  std::optional<S> optional_number(const std::string& name) const;  ///< nothing if it is missing
  std::vector<S> numbers(const std::string& name) const;            ///< kinds numbers and profile
  Vector3T<S> vector(const std::string& name) const;                ///< three numbers
  Vector3T<S> axis(const std::string& name) const;                  ///< three numbers, not all 0
  PoseT<S> pose(const std::string& name) const;                     ///< the identity if it is missing
  int integer(const std::string& name) const;
  bool boolean(const std::string& name) const;
  std::string text(const std::string& name) const;  ///< kinds text, name and choice
  Signal signal(const std::string& name) const;     ///< its numbers are no parameters
  std::array<Signal, 3> signals(const std::string& name) const;
  /// The text of the file that a key names. @param what  it should be: "a table of pressures".
  std::optional<NamedText> file(const std::string& name, const std::string& what) const;

  /// Reports on the value of a key: "a number < radius [m]".
  void fail(const std::string& name, const std::string& expected) const;
  /// The mapping itself, for what has no getter here.
  const YamlMap& map() const { return map_; }
  NamedFiles& files() const { return *files_; }

 private:
  YamlMap map_;
  NamedFiles* files_;
};

}  // namespace cuttle
