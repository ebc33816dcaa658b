#pragma once

#include <string>
#include <vector>

#include "cuttle/io/key_table.h"
#include "cuttle/io/yaml_tree.h"

namespace cuttle {

/// One kind of mapping of a file: a table, or variants.
struct FormatPart {
  std::string name;
  const KeyTable* table = nullptr;
  const KeyVariants* variants = nullptr;
};

/// Every kind of mapping that a file of this kind can have, the file itself first, each once in the order in which a
/// reader from the top meets them.
std::vector<FormatPart> parts_of_file(const KeyTable& root);

/// A key that a mapping of a file has or could have, or the selector of its variants.
struct KeyPlace {
  std::string path;          ///< from the root, as --set takes it; entries of lists by name if they have one
  const YamlNode* mapping;   ///< where the key stands or could stand
  std::string name;          ///< of the key
  const Key* key = nullptr;  ///< null for a selector
  const KeyVariants* variants = nullptr;  ///< of a selector
  const KeyTable* table = nullptr;        ///< of the mapping; null for a selector
};

/// The keys of all mappings of a file and of those that it could have, in the order of the file and its tables. What
/// the tables do not know is passed over. The places point into `file`, or to an empty mapping that is in no file.
std::vector<KeyPlace> key_places(const YamlNode& file, const KeyTable& root);

}  // namespace cuttle
