#pragma once

#include <optional>
#include <string>

namespace cuttle {

/// What a plain YAML scalar means as a number.
struct YamlNumber {
  double value = 0.0;     ///< infinite or NaN if the text says so or is too large
  std::string ambiguity;  ///< not empty: YAML 1.1 and 1.2 read different numbers here; says which
};

/// Number in any spelling of YAML 1.1 or 1.2: 660000, 6.6e5, +.5, 1., 1e-5, 1_000, 0x1F, 0o17, 0b101, 1:30 (base 60),
/// .inf, .nan. Nothing if it is none.
std::optional<YamlNumber> parse_yaml_number(const std::string& text);

/// true | false | yes | no | on | off in the capitals that YAML allows. Nothing if it is none.
std::optional<bool> parse_yaml_boolean(const std::string& text);

}  // namespace cuttle
