#pragma once

#include <string>
#include <vector>

#include "cuttle/spatial/vector3.h"
#include "json_output.h"

namespace cuttle {

// What a message of a browser (viewer/src/contract.ts) says under a key. The message has a `type`.
/// @throws ArgumentError, here and below: type, key, what was found, what was expected.
[[noreturn]] void refuse(const Json& message, const char* key, const std::string& expected);
double number_of(const Json& message, const char* key);
bool flag_of(const Json& message, const char* key);
Vector3 vector_of(const Json& message, const char* key);
/// Of `name` in a list.
int index_of(const Json& message, const std::vector<std::string>& names);

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

/// Whether a newer message makes one of the same browser useless: the value of the same slider, the target of the push.
bool replaces(const std::string& newer, const std::string& older);

}  // namespace cuttle
