#include "io/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// A number with a comma, and what the comma can be.
struct Comma {
  bool decimal = false, thousands = false;
};
Comma comma_in(const std::string& cell) {
  const std::size_t comma = cell.find(',');
  if (comma == cell.npos || cell.find(',', comma + 1) != cell.npos || cell.find('.') != cell.npos) return {};
  std::string decimal = cell;
  decimal[comma] = '.';
  if (!parse_yaml_number(decimal)) return {};
  const std::size_t sign = cell.front() == '-' || cell.front() == '+' ? 1 : 0;
  const bool three = cell.size() == comma + 4;  // behind it, and nothing else
  return {true, three && comma > sign && comma <= sign + 3 && cell[sign] != '0'};
}

/// A cell beyond the others' number of them is no trouble if nothing stands in it.
void drop_empty_end(std::vector<CsvCell>& cells, std::size_t width) {
  while (cells.size() > width && cells.back().text.empty()) cells.pop_back();
}

struct OtherUnit {
  const char* name;
  const char* si;
  double factor;
};
constexpr double k_degree = 0.017453292519943295, k_pound = 4.4482216152605;
constexpr std::array<OtherUnit, 42> k_other_units{{
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"\u00b5s", "s", 1e-6},
    {"\u03bcs", "s", 1e-6},
    {"ns", "s", 1e-9},
    {"min", "s", 60.0},
    {"h", "s", 3600.0},
    {"deg", "rad", k_degree},
    {"degree", "rad", k_degree},
    {"degrees", "rad", k_degree},
    {"\u00b0", "rad", k_degree},
    {"deg/s", "rad/s", k_degree},
    {"\u00b0/s", "rad/s", k_degree},
    {"rpm", "rad/s", 6.0 * k_degree},
    {"mm", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"km", "m", 1e3},
    {"um", "m", 1e-6},
    {"\u00b5m", "m", 1e-6},
    {"\u03bcm", "m", 1e-6},
    {"in", "m", 0.0254},
    {"ft", "m", 0.3048},
    {"mm/s", "m/s", 1e-3},
    {"cm/s", "m/s", 1e-2},
    {"g", "kg", 1e-3},
    {"mN", "N", 1e-3},
    {"kN", "N", 1e3},
    {"kgf", "N", 9.80665},
    {"gf", "N", 9.80665e-3},
    {"lbf", "N", k_pound},
    {"Nmm", "N m", 1e-3},
    {"N mm", "N m", 1e-3},
    {"mNm", "N m", 1e-3},
    {"mN m", "N m", 1e-3},
    {"Ncm", "N m", 1e-2},
    {"N cm", "N m", 1e-2},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"hPa", "Pa", 1e2},
    {"mbar", "Pa", 1e2},
    {"bar", "Pa", 1e5},
    {"psi", "Pa", 6894.757293168},
}};

/// A unit without brackets around it.
std::string bare_unit(std::string text) {
  for (const std::string_view pair : {"[]", "()", "{}"}) {
    if (text.size() >= 2 && text.front() == pair[0] && text.back() == pair[1]) return text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace

bool is_missing(const std::string& cell) {
  if (cell.size() > 5) return false;
  const std::string text = lower(cell);
  return text.empty() || text == "nan" || text == "na" || text == "n/a" || text == "#n/a" || text == "null" ||
         text == "none";
}

std::optional<double> csv_number(const std::string& cell) {
  if (const auto number = parse_yaml_number(cell)) return number->value;
  const std::string text = lower(cell);
  const std::string size = text.substr(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
  if (size != "inf" && size != "infinity") return std::nullopt;
  return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

std::string unit_trouble(const std::string& unit) {
  const auto* const other =
      std::find_if(k_other_units.begin(), k_other_units.end(), [&](const OtherUnit& one) { return unit == one.name; });
  if (other == k_other_units.end()) return "";
  return fmt::format("found the unit '{}', expected {}, of which it is {:.10g}", printable(unit), other->si,
                     other->factor);
}

void fail_csv(const std::string& path, int line, int column, const std::string& key, const std::string& found,
              const std::string& expected) {
  throw FileError(fmt::format("{}:{}:{}: {}: found {}, expected {}", path, line, column, printable(key),
                              beginning(printable(found), 100), printable(expected)));
}

CsvReader::CsvReader(const NamedText& source) : path_(source.path), text_(source.text) {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    fail_csv(path_, 1, 1, "table", "text in UTF-16", "text in UTF-8");
  }
  if (text_.starts_with(k_byte_order_mark)) text_.remove_prefix(k_byte_order_mark.size());
  require_plain_text(text_, path_);
  std::string_view rest = text_;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const std::string_view line = rest.substr(0, end);
    if (line.find_first_not_of(" \t,;\"") != line.npos && line.front() != '#') lines_.emplace_back(number, line);
    rest.remove_prefix(std::min(end + (rest.substr(end).starts_with("\r\n") ? 2 : 1), rest.size()));
  }
  constexpr std::size_t k_rows_to_see = 8;
  if (!lines_.empty() && lines_[0].second.size() == 5 && lines_[0].second.starts_with("sep=")) {
    separator_ = lines_[0].second[4];  // as spreadsheets say it
    lines_.erase(lines_.begin());
  } else {
    choose_separator(std::min(lines_.size(), 1 + k_rows_to_see));
  }
  const auto no_rows = [this] {
    fail_csv(path_, 1, 1, "table", "no rows", "a line of names and at least one row of numbers");
  };
  if (lines_.size() < 2) no_rows();
  read_names();
  leave_out_columns();
  find_units();
  if (lines_.size() < 2) no_rows();
  find_decimal_commas();
}

/// The one that divides the first lines into as many cells each, at least two, with most numbers.
void CsvReader::choose_separator(std::size_t end) {
  std::size_t most = 0;
  char best = ',';
  for (const char candidate : {',', ';', '\t'}) {
    separator_ = candidate;
    std::size_t width = 0, numbers = 1;  // that it divides the names alike counts too
    for (std::size_t i = 0; i < end && numbers > 0; ++i) {
      if (i == 0 && lines_[i].second.find(candidate) == std::string_view::npos) numbers = 0;
      if (numbers == 0) break;
      std::vector<CsvCell> cells = split(lines_[i].first, lines_[i].second);
      drop_empty_end(cells, 1);
      if (i == 0) width = cells.size();
      if (cells.size() > width) numbers = 0;
      for (const CsvCell& cell : cells) {
        const bool number = csv_number(cell.text) || (candidate != ',' && comma_in(cell.text).decimal);
        if (i > 0 && numbers > 0 && number) ++numbers;
      }
    }
    if (numbers > most) most = numbers, best = candidate;
  }
  separator_ = best;
}

std::vector<CsvCell> CsvReader::split(int line, std::string_view text) const {
  const std::string_view blank = separator_ == '\t' ? " " : " \t";
  std::vector<CsvCell> cells;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t begin = std::min(text.find_first_not_of(blank, at), text.size());
    std::string cell;
    std::size_t first = begin;  // of what is in it
    if (begin < text.size() && text[begin] == '"') {
      for (++begin;; ++begin) {
        if (begin >= text.size()) {
          fail_csv(path_, line, static_cast<int>(first) + 1, "a cell", "a quote without its end in the line",
                   "a closing quote");
        }
        if (text[begin] == '"') {
          if (begin + 1 >= text.size() || text[begin + 1] != '"') break;
          ++begin;  // two of them are one
        }
        cell += text[begin];
      }
      ++first, ++begin;
    }
    const std::size_t end = std::min(text.find(separator_, begin), text.size());
    cell += text.substr(begin, end - begin);
    const std::size_t from = cell.find_first_not_of(" \t"), to = cell.find_last_not_of(" \t");
    const bool empty = from == cell.npos;
    cells.push_back({empty ? "" : cell.substr(from, to - from + 1),
                     static_cast<int>(empty ? at : std::min(first + from, text.size())) + 1});
    at = end + 1;
  }
  return cells;
}

void CsvReader::read_names() {
  std::vector<CsvCell> cells = split(lines_[0].first, lines_[0].second);
  line_ = lines_[0].first;
  drop_empty_end(cells, 1);
  width_ = cells.size();
  names_ = std::move(cells);
  const bool numbers = std::all_of(names_.begin(), names_.end(), [](const CsvCell& cell) {
    return csv_number(cell.text) || comma_in(cell.text).decimal;
  });
  if (numbers) fail_csv(path_, line_, names_[0].column, "columns", "numbers", "a line of names");
}

/// Columns without a name: that at the beginning, and those without any text.
void CsvReader::leave_out_columns() {
  std::vector<char> empty(width_, 1);
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    std::vector<CsvCell> cells = split(lines_[i].first, lines_[i].second);
    drop_empty_end(cells, width_);
    if (cells.size() != width_) {
      if (const std::vector<CsvCell> all = split(line_, lines_[0].second);
          all.size() >= cells.size() && cells.size() > width_) {
        fail_csv(path_, line_, all[cells.size() - 1].column, "a column", "no name", "one of its own");
      }
      const bool halves = separator_ == ',' && cells.size() == 2 * width_;
      fail_csv(path_, lines_[i].first, 1, "row", fmt::format("{} cells", cells.size()),
               fmt::format("{}, as there are columns{}", width_,
                           halves ? "; numbers with decimal commas stand between semicolons or tabs" : ""));
    }
    for (std::size_t c = 0; c < width_; ++c) empty[c] = empty[c] != 0 && cells[c].text.empty();
  }
  std::vector<CsvCell> names;
  for (std::size_t c = 0; c < width_; ++c) {
    const CsvCell& cell = names_[c];
    if (cell.text.empty() && ((c == 0 && width_ > 1) || empty[c] != 0)) continue;
    if (cell.text.empty()) fail_csv(path_, line_, cell.column, "a column", "no name", "one of its own");
    for (const CsvCell& before : names) {
      if (before.text == cell.text) fail_csv(path_, line_, cell.column, cell.text, "two columns of this name", "one");
    }
    names.push_back(cell), kept_.push_back(c);
  }
  names_ = std::move(names);
}

/// A row without any number, with a text above one.
void CsvReader::find_units() {
  if (lines_.size() < 3) return;
  std::vector<CsvCell> first = row(lines_[1].first, lines_[1].second);
  const std::vector<CsvCell> second = row(lines_[2].first, lines_[2].second);
  const auto number = [](const CsvCell& cell) { return csv_number(cell.text) || comma_in(cell.text).decimal; };
  if (std::any_of(first.begin(), first.end(), number)) return;
  bool above_number = false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    above_number = above_number || (!is_missing(first[c].text) && number(second[c]));
  }
  if (!above_number) return;
  for (CsvCell& cell : first) cell.text = bare_unit(std::move(cell.text));
  unit_line_ = lines_[1].first, units_ = std::move(first);
  lines_.erase(lines_.begin() + 1);
}

void CsvReader::find_decimal_commas() {
  const CsvCell* doubtful = nullptr;
  CsvCell found;
  int line = 0;
  bool certain = false, points = false;
  for_each_row([&](int at, const std::vector<CsvCell>& cells) {
    for (const CsvCell& cell : cells) {
      points = points || (cell.text.find('.') != cell.text.npos && csv_number(cell.text));
      const Comma comma = comma_in(cell.text);
      if (!comma.decimal) continue;
      certain = certain || !comma.thousands;
      if (doubtful == nullptr) found = cell, line = at, doubtful = &found;
    }
  });
  if (doubtful == nullptr) return;
  if (points || !certain) {
    fail_csv(path_, line, found.column, "a cell",
             "'" + found.text + "', whose comma may be of decimals or of thousands",
             "a number with a point, or no number with a point in the table and one with other than three digits "
             "behind its comma");
  }
  decimal_commas_ = true;
}

std::vector<CsvCell> CsvReader::row(int line, std::string_view text) const {
  std::vector<CsvCell> all = split(line, text), cells;
  cells.reserve(kept_.size());
  for (const std::size_t c : kept_) {
    cells.push_back(std::move(all[c]));
    std::string& number = cells.back().text;
    if (decimal_commas_ && comma_in(number).decimal) number[number.find(',')] = '.';
  }
  return cells;
}

void CsvReader::for_each_row(const Row& use) const {
  for (std::size_t i = 1; i < lines_.size(); ++i) use(lines_[i].first, row(lines_[i].first, lines_[i].second));
}

}  // namespace cuttle
