#include "view/si_unit.h"

#include <cmath>

namespace cuttle {
namespace {

/// "-9" as superscript.
std::string superscript(int number) {
  static const char* const k_digits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = number < 0 ? "\u207b" : "";
  for (const char digit : std::to_string(std::abs(number))) text += k_digits[digit - '0'];
  return text;
}

/// With its exponents as superscripts: m^3 is m³.
std::string shown(const std::string& unit) {
  std::string text;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    const bool exponent = unit[i] == '^' && i + 1 < unit.size() && unit[i + 1] >= '0' && unit[i + 1] <= '9';
    text += exponent ? superscript(unit[++i] - '0') : std::string(1, unit[i]);
  }
  return text;
}

const char* prefix_of(int exponent) {
  switch (exponent) {
    case -9:
      return "n";
    case -6:
      return "\u00b5";
    case -3:
      return "m";
    case 0:
      return "";
    case 3:
      return "k";
    case 6:
      return "M";
    case 9:
      return "G";
    default:
      return nullptr;
  }
}

}  // namespace

SuitedUnit suited_unit(const std::string& unit, double largest) {
  if (!(largest > 0.0) || !std::isfinite(largest)) return {1.0, shown(unit)};
  if (unit == "m^3" && largest >= 1e-10 && largest < 1.0) {
    if (largest < 1e-7) return {1e9, shown("mm^3")};
    if (largest < 0.1) return {1e6, shown("cm^3")};
  }
  const int power = static_cast<int>(std::floor(std::log10(largest)));
  const int exponent = largest >= 0.1 && largest < 1000.0 ? 0 : 3 * static_cast<int>(std::floor(power / 3.0));
  if (exponent == 0) return {1.0, shown(unit)};
  const bool takes_prefix = unit != "1" && !unit.empty() && !unit.starts_with("1/") && unit.find('^') == unit.npos &&
                            !(unit.starts_with("rad") && exponent > 0) && unit.rfind("kg", 0) != 0;
  const char* const prefix = prefix_of(exponent);
  if (takes_prefix && prefix != nullptr) return {std::pow(10.0, -exponent), prefix + unit};
  if (largest >= 0.01 && largest < 1e4) return {1.0, shown(unit)};
  const std::string ten = "10" + superscript(exponent);
  return {std::pow(10.0, -exponent), unit == "1" || unit.empty() ? ten : ten + " " + shown(unit)};
}

}  // namespace cuttle
