#include "cuttle/identification/column_map.h"

#include <cmath>
#include <sstream>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
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

}  // namespace

std::vector<std::string> listed_entries(const std::vector<std::string>& texts) {
  std::vector<std::string> entries;
  for (const std::string& text : texts) {
    if (!text.starts_with('@')) {
      add_entries(text, entries);
      continue;
    }
    std::istringstream file(read_text_file(text.substr(1), "a list, one entry a line"));
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
    if (equals != entry.npos) {
      map.column = trimmed(entry.substr(0, equals));
      const auto star = entry.find('*', equals);
      map.quantity = trimmed(entry.substr(equals + 1, star == entry.npos ? star : star - equals - 1));
      if (star != entry.npos) map.factor = parse_decimal(trimmed(entry.substr(star + 1))).value_or(NAN);
    }
    if (map.column.empty() || map.quantity.empty() || !std::isfinite(map.factor) || map.factor == 0.0) {
      throw ArgumentError("--map: found '" + entry +
                          "', expected COLUMN=QUANTITY or COLUMN=QUANTITY*FACTOR, as tip_x=tip.x*0.001");
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace cuttle
