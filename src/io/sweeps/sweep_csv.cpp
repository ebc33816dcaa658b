#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/version.h"
#include "io/csv_cells.h"
#include "io/results/csv_field.h"
#include "io/sweeps/sweep_formats.h"

namespace cuttle {
namespace {

constexpr const char *k_plan = "# plan: ", *k_count = "# runs: ", *k_hash = "# hash: ", *k_parameter = "# varied: ",
                     *k_output = "# kept: ", *k_argument = "# argument: ";

void add_number(std::string& text, double value) {
  text += ',';
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(text), "{:.17g}", value);
}

/// In files of several lines, as a value of YAML may be, the ends of lines are blanks.
std::string without_breaks(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// NAME [UNIT], as sweep_csv has it behind the mark of a column.
SweepColumn read_column(const std::string& text) {
  const std::size_t open = text.rfind(" [");
  return {text.substr(0, open), text.substr(open + 2, text.size() - open - 3)};
}

}  // namespace

std::string sweep_csv(const SweepTable& table) {
  std::string text = fmt::format("# written by Cuttle {}: a sweep, docs/sweeps.md\n{}{}\n{}{}\n{}{}\n", k_version,
                                 k_plan, table.head.plan, k_count, table.head.count, k_hash, table.head.hash);
  for (const std::string& word : table.head.arguments) text += k_argument + without_breaks(word) + "\n";
  std::string names = "row";
  for (const auto& [mark, columns] :
       {std::pair(k_parameter, &table.head.parameters), {k_output, &table.head.outputs}}) {
    for (const SweepColumn& column : *columns) {
      text += fmt::format("{}{} [{}]\n", mark, column.name, column.unit);
      names += "," + csv_field(column.name);
    }
  }
  text += names + ",status,reason,seconds,version,instruction_set,hash,run_as\n";
  for (const SweepRow& row : table.rows) {
    text += std::to_string(row.number);
    for (const double value : row.parameters) add_number(text, value);
    for (const double value : row.outputs) add_number(text, value);
    text += fmt::format(",{},{}", sweep_status_name(row.status), csv_field(row.reason));
    add_number(text, row.seconds);
    text += fmt::format(",{},{},{},{}\n", row.version, row.instruction_set, row.hash, row.run_as);
  }
  return text;
}

SweepTable read_sweep_csv(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path + ": cannot be read: found no such file, expected a sweep in CSV");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  SweepTable table;
  std::istringstream lines(text);
  bool has_plan = false;
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const auto behind = [&line](const char* mark) { return line.substr(std::string_view(mark).size()); };
    if (line.starts_with(k_plan)) table.head.plan = behind(k_plan), has_plan = true;
    if (line.starts_with(k_hash)) table.head.hash = behind(k_hash);
    if (line.starts_with(k_argument)) table.head.arguments.push_back(behind(k_argument));
    if (line.starts_with(k_count)) {
      table.head.count = static_cast<std::int64_t>(parse_decimal(behind(k_count)).value_or(0.0));
    }
    if (line.starts_with(k_parameter)) table.head.parameters.push_back(read_column(behind(k_parameter)));
    if (line.starts_with(k_output)) table.head.outputs.push_back(read_column(behind(k_output)));
  }
  if (!has_plan)
    throw FileError(path + ": found no line '# plan:', expected a sweep in CSV as `cuttle sweep` writes it");
  const NamedText named{path, text};
  const CsvReader reader(named);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < reader.names().size(); ++i) places[reader.names()[i].text] = i;
  reader.for_each_row([&](int line, const std::vector<CsvCell>& cells) {
    const auto cell = [&](const std::string& name) {
      const auto place = places.find(name);  // a column without any text is not there
      return place == places.end() ? std::string() : cells[place->second].text;
    };
    const auto number = [&](const std::string& name) {
      const std::string given = cell(name);
      if (given.empty()) return std::numeric_limits<double>::quiet_NaN();
      const auto value = parse_decimal(given);
      if (!value) throw FileError(fmt::format("{}:{}: {}: found '{}', expected a number", path, line, name, given));
      return *value;
    };
    SweepRow row;
    row.number = static_cast<std::int64_t>(number("row"));
    for (const SweepColumn& column : table.head.parameters) row.parameters.push_back(number(column.name));
    for (const SweepColumn& column : table.head.outputs) row.outputs.push_back(number(column.name));
    const std::string status = cell("status");
    bool known = false;
    for (const SweepStatus one : {SweepStatus::complete, SweepStatus::failed, SweepStatus::killed}) {
      if (status == sweep_status_name(one)) row.status = one, known = true;
    }
    if (!known) {
      throw FileError(
          fmt::format("{}:{}: status: found '{}', expected complete, failed or killed", path, line, status));
    }
    row.reason = cell("reason"), row.seconds = number("seconds"), row.version = cell("version");
    row.instruction_set = cell("instruction_set"), row.hash = cell("hash"), row.run_as = cell("run_as");
    table.rows.push_back(std::move(row));
  });
  return table;
}

}  // namespace cuttle
