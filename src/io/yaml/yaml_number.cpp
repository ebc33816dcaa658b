#include "io/yaml/yaml_number.h"

#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <string_view>

#include "cuttle/io/decimal.h"

namespace cuttle {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/// Digits of a base, with the underscores of YAML 1.1 (not first).
std::optional<double> parse_digits(std::string_view text, int base) {
  if (text.empty() || text.front() == '_') return std::nullopt;
  double value = 0.0;
  for (const char c : text) {
    if (c == '_') continue;
    if (digit_value(c) >= base) return std::nullopt;
    value = value * base + digit_value(c);
  }
  return value;
}

/// Decimal number without sign, with the underscores of YAML 1.1 before the exponent (not first).
std::optional<double> parse_unsigned(std::string_view text) {
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  std::string digits(text.substr(0, text.find_first_of("eE")));
  const std::string_view exponent = text.substr(digits.size());
  std::erase(digits, '_');
  return parse_decimal(digits.append(exponent));
}

/// YAML 1.1's base 60: 1:30 is 90, 1:30:15.5 is 5415.5.
std::optional<double> parse_sexagesimal(std::string_view text) {
  double value = 0.0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (part.empty() || part.find_first_of("eE") != part.npos) return std::nullopt;
    if (colon != text.npos && part.find('.') != part.npos) return std::nullopt;
    const auto digits = parse_unsigned(part);
    if (!digits) return std::nullopt;
    value = 60.0 * value + *digits;
    if (colon == text.npos) return value;
    text.remove_prefix(colon + 1);
    const bool tens = text.size() > 1 && is_digit(text[1]);
    if (text.empty() || !is_digit(text.front()) || (tens && text.front() > '5')) return std::nullopt;
  }
}

}  // namespace

std::optional<YamlNumber> parse_yaml_number(const std::string& text) {
  std::string_view rest = text;
  double sign = 1.0;
  if (!rest.empty() && (rest.front() == '+' || rest.front() == '-')) {
    if (rest.front() == '-') sign = -1.0;
    rest.remove_prefix(1);
  }
  const bool has_sign = rest.size() < text.size();
  if (rest.empty()) return std::nullopt;
  if (rest == ".inf" || rest == ".Inf" || rest == ".INF") {
    return YamlNumber{sign * std::numeric_limits<double>::infinity(), {}};
  }
  if (!has_sign && (rest == ".nan" || rest == ".NaN" || rest == ".NAN")) {
    return YamlNumber{std::numeric_limits<double>::quiet_NaN(), {}};
  }
  const auto signed_number = [sign](std::optional<double> value) {
    return value ? std::optional<YamlNumber>({sign * *value, {}}) : std::nullopt;
  };
  if (rest.size() > 2 && rest[0] == '0') {
    const std::string_view digits = rest.substr(2);
    if (rest[1] == 'x') return signed_number(parse_digits(digits, 16));
    if (rest[1] == 'o') return signed_number(parse_digits(digits, 8));
    if (rest[1] == 'b') return signed_number(parse_digits(digits, 2));
  }
  if (rest.find(':') != rest.npos) return signed_number(parse_sexagesimal(rest));
  const auto decimal = parse_unsigned(rest);
  if (!decimal) return std::nullopt;
  YamlNumber number{sign * *decimal, {}};
  if (rest.size() > 1 && rest[0] == '0') {
    const auto octal = parse_digits(rest, 8);  // YAML 1.1 only; fails for 0.5 and 08
    if (octal && *octal != *decimal) {
      number.ambiguity = fmt::format("{:g} in YAML 1.1 but {:g} in YAML 1.2", sign * *octal, number.value);
    }
  }
  return number;
}

std::optional<bool> parse_yaml_boolean(const std::string& text) {
  for (const char* spelling : {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}) {
    if (text == spelling) return true;
  }
  for (const char* spelling : {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}) {
    if (text == spelling) return false;
  }
  return std::nullopt;
}

}  // namespace cuttle
