#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cuttle/io/yaml_tree.h"
#include "io/io_support.h"

namespace cuttle {

/// A robot or scenario file for tests of the file format. Files that it names are those of write_sample_companions.
struct FormatSample {
  std::string name, text;
  bool scenario = false;
};
inline std::ostream& operator<<(std::ostream& out, const FormatSample& sample) { return out << sample.name; }

/// Files that together have every key of the format, and where a key has a default a value other than that.
std::vector<FormatSample> format_samples();
/// Writes the robot `arm.yaml`, the table `table.csv`, the mesh `body.msh` and the network `body.json`, which samples
/// name.
void write_sample_companions(const TemporaryDirectory& directory);

/// One change of a file: in this mapping, the key gets a value (YAML), or another name, or goes away.
struct YamlChange {
  const YamlNode* mapping = nullptr;
  std::string key;
  std::optional<std::string> value = {};
  std::optional<std::string> new_name = {};
};
/// YAML text of a tree, changed on the way; in flow style.
std::string yaml_text(const YamlNode& node, const YamlChange& change = {});

struct CommandOutput {
  int code = -1;
  std::string output;  ///< standard output, then standard error
};
/// Runs a command line of the shell.
CommandOutput run_command(const std::string& command);

/// What the JSON Schemas of docs/schema say of files, by a validator that knows nothing of Cuttle.
class SchemaJudge {
 public:
  void add(bool scenario, const std::string& text);
  /// "ok" or what is wrong, for each file in the order in which they were added.
  std::vector<std::string> answers() const;

 private:
  TemporaryDirectory directory_;
  std::string requests_;
  int count_ = 0;
};

}  // namespace cuttle
