#include "cuttle/identification/column_map.h"

#include <cmath>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/plain_text.h"
#include "cuttle/io/yaml_tree.h"

namespace cuttle {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void add_entries(const std::string& text, std::vector<std::string>& entries) {
  std::istringstream stream(text);
  std::string entry;
  while (std::getline(stream, entry, ',')) {
    if (const std::string inside = trimmed(entry); !inside.empty()) entries.push_back(inside);
  }
}

/// FACTOR, FACTOR+OFFSET or FACTOR-OFFSET. @return whether it is one.
bool read_factor(const std::string& text, ColumnMap& map) {
  std::size_t sign = text.find_first_of("+-", 1);
  while (sign != text.npos && (text[sign - 1] == 'e' || text[sign - 1] == 'E'))
    sign = text.find_first_of("+-", sign + 1);
  const auto factor = parse_decimal(trimmed(text.substr(0, sign)));
  const auto offset = sign == text.npos ? 0.0 : parse_decimal(trimmed(text.substr(sign + 1)));
  if (!factor || !offset || !std::isfinite(*factor) || !std::isfinite(*offset) || *factor == 0.0) return false;
  map.factor = *factor, map.offset = sign != text.npos && text[sign] == '-' ? -*offset : *offset;
  return true;
}

}  // namespace

std::vector<std::string> listed_entries(const std::vector<std::string>& texts) {
  std::vector<std::string> entries;
  for (const std::string& text : texts) {
    if (!text.starts_with('@')) {
      add_entries(text, entries);
      continue;
    }
    const std::string list = read_text_file(text.substr(1), "a list, one entry a line");
    std::istringstream file{std::string(without_byte_order_mark(list))};
    std::string line;
    while (std::getline(file, line)) add_entries(line.substr(0, line.find('#')), entries);
  }
  return entries;
}

std::vector<ColumnMap> parse_column_maps(const std::vector<std::string>& texts) {
  std::vector<ColumnMap> maps;
  for (const std::string& entry : listed_entries(texts)) {
    const auto equals = entry.find('=');
    ColumnMap map;
    bool good = equals != entry.npos;
    if (good) {
      map.column = trimmed(entry.substr(0, equals));
      const std::string rest = entry.substr(equals + 1);
      const auto star = rest.find('*');
      map.quantity = trimmed(rest.substr(0, star));
      if (star != rest.npos) {
        good = read_factor(trimmed(rest.substr(star + 1)), map);
      } else if (const auto sign = rest.find_first_of("+-");
                 sign != rest.npos && trimmed(rest.substr(0, sign)) == "time") {
        map.quantity = "time";  // names of others may have signs
        good = read_factor("1" + rest.substr(sign), map);
      }
    }
    if (!good || map.column.empty() || map.quantity.empty()) {
      throw ArgumentError("--map: found '" + entry +
                          "', expected COLUMN=QUANTITY or COLUMN=QUANTITY*FACTOR, as tip_x=tip.x*0.001, or with an "
                          "offset as clock=time-12.5, t_ms=time*0.001-12.5");
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace cuttle
