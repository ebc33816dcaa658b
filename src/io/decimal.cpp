#include "cuttle/io/decimal.h"

#include <charconv>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace cuttle {

std::optional<double> parse_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  // from_chars would take "inf", "nan" and a second sign
  if (text.empty() || !(text.front() == '.' || (text.front() >= '0' && text.front() <= '9'))) return std::nullopt;
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say on which side: a stream gives 0 for the tiny and fails for the huge
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    if (!(stream >> value)) value = std::numeric_limits<double>::infinity();
  }
  return negative ? -value : value;
}

}  // namespace cuttle
