#include "json_input.h"

#include <fmt/format.h>

#include <cmath>

#include "cuttle/error.h"
#include "json_output.h"

namespace cuttle {

VectorXd read_json_vector(const std::string& option, const std::optional<std::string>& given, const VectorXd& missing,
                          const char* size_name, const std::string& robot) {
  if (!given) return missing;
  const std::string& text = *given;
  const auto size = missing.size();
  const std::string expected =
      fmt::format("a JSON array of {} finite number{} ({} of '{}')", size, size == 1 ? "" : "s", size_name, robot);
  const auto fail = [&](const std::string& found) {
    throw ArgumentError(fmt::format("{}: found {}, expected {}", option, found, expected));
  };
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) fail("'" + text + "'");
  if (static_cast<Eigen::Index>(json.size()) != size) {
    fail(fmt::format("{} value{}", json.size(), json.size() == 1 ? "" : "s"));
  }
  VectorXd values(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Json& entry = json[static_cast<std::size_t>(i)];
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) fail(fmt::format("{} at [{}]", entry.dump(), i));
    values[i] = entry.get<double>();
  }
  return values;
}

}  // namespace cuttle
