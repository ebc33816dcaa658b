#include "live_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"

namespace cuttle {

void refuse(const Json& message, const char* key, const std::string& expected) {
  const std::string found = message.contains(key) ? message[key].dump() : "nothing";
  throw ArgumentError(fmt::format("{}: {}: found {}, expected {}", message["type"].get<std::string>(), key,
                                  found.substr(0, 100), expected));
}
double number_of(const Json& message, const char* key) {
  if (!message.contains(key) || !message[key].is_number()) refuse(message, key, "a number");
  return message[key].get<double>();
}
bool flag_of(const Json& message, const char* key) {
  if (!message.contains(key) || !message[key].is_boolean()) refuse(message, key, "true or false");
  return message[key].get<bool>();
}
Vector3 vector_of(const Json& message, const char* key) {
  const bool good = message.contains(key) && message[key].is_array() && message[key].size() == 3 &&
                    std::all_of(message[key].begin(), message[key].end(), [](const Json& x) { return x.is_number(); });
  if (!good) refuse(message, key, "three numbers");
  const Json& x = message[key];
  return {x[0].get<double>(), x[1].get<double>(), x[2].get<double>()};
}

int index_of(const Json& message, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (message.contains("name") && message["name"] == names[i]) return static_cast<int>(i);
  }
  refuse(message, "name",
         names.empty() ? "no such message: there are none" : fmt::format("one of: {}", fmt::join(names, ", ")));
}

bool replaces(const std::string& newer, const std::string& older) {
  const Json a = Json::parse(newer, nullptr, false), b = Json::parse(older, nullptr, false);
  if (!a.is_object() || !b.is_object()) return false;
  const auto same = [&](const char* key) { return a.contains(key) && b.contains(key) && a[key] == b[key]; };
  if (!same("type")) return false;
  const bool slides = a["type"] == "input" || a["type"] == "joint" || a["type"] == "setPoint";
  return a["type"] == "pushMove" || (slides && same("name"));
}

}  // namespace cuttle
