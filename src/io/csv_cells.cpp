#include "io/csv_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "cuttle/error.h"
#include "cuttle/io/plain_text.h"
#include "io/yaml/yaml_number.h"

namespace cuttle {
namespace {

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

/// A name in a unit. @param factor  how many of the SI's it is; 0 if no number says it
struct UnitName {
  const char* name;
  const char* si;
  double factor;
};
constexpr double k_degree = 0.017453292519943295, k_pound = 4.4482216152605;
constexpr const char* k_si_names[] = {
    "1",        "s",         "m",      "rad",     "kg",     "N",       "J",        "Pa",
    "W",        "V",         "A",      "K",       "Hz",     "C",       "T",        "F",
    "H",        "S",         "mol",    "cd",      "sr",     "ohm",     "\u03a9",   "\u2126",
    "Nm",       "Nms",       "Ns",     "sec",     "second", "seconds", "meter",    "meters",
    "metre",    "metres",    "radian", "radians", "newton", "newtons", "pascal",   "pascals",
    "kilogram", "kilograms", "joule",  "joules",  "watt",   "watts",   "volt",     "volts",
    "amp",      "amps",      "ampere", "amperes", "kelvin", "hertz",   "unitless", "dimensionless"};
constexpr UnitName k_other_names[] = {
    {"ms", "s", 1e-3},
    {"msec", "s", 1e-3},
    {"millisecond", "s", 1e-3},
    {"milliseconds", "s", 1e-3},
    {"us", "s", 1e-6},
    {"usec", "s", 1e-6},
    {"\u00b5s", "s", 1e-6},
    {"\u03bcs", "s", 1e-6},
    {"microsecond", "s", 1e-6},
    {"microseconds", "s", 1e-6},
    {"ns", "s", 1e-9},
    {"nsec", "s", 1e-9},
    {"nanosecond", "s", 1e-9},
    {"nanoseconds", "s", 1e-9},
    {"min", "s", 60.0},
    {"minute", "s", 60.0},
    {"minutes", "s", 60.0},
    {"h", "s", 3600.0},
    {"hour", "s", 3600.0},
    {"hours", "s", 3600.0},
    {"deg", "rad", k_degree},
    {"degree", "rad", k_degree},
    {"degrees", "rad", k_degree},
    {"\u00b0", "rad", k_degree},
    {"mrad", "rad", 1e-3},
    {"rev", "rad", 360.0 * k_degree},
    {"dps", "rad/s", k_degree},
    {"rpm", "rad/s", 6.0 * k_degree},
    {"mm", "m", 1e-3},
    {"millimeter", "m", 1e-3},
    {"millimeters", "m", 1e-3},
    {"millimetre", "m", 1e-3},
    {"millimetres", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"centimeter", "m", 1e-2},
    {"centimeters", "m", 1e-2},
    {"centimetre", "m", 1e-2},
    {"centimetres", "m", 1e-2},
    {"dm", "m", 1e-1},
    {"km", "m", 1e3},
    {"um", "m", 1e-6},
    {"\u00b5m", "m", 1e-6},
    {"\u03bcm", "m", 1e-6},
    {"micrometer", "m", 1e-6},
    {"micrometers", "m", 1e-6},
    {"micron", "m", 1e-6},
    {"microns", "m", 1e-6},
    {"in", "m", 0.0254},
    {"inch", "m", 0.0254},
    {"inches", "m", 0.0254},
    {"ft", "m", 0.3048},
    {"feet", "m", 0.3048},
    {"gram", "kg", 1e-3},
    {"grams", "kg", 1e-3},
    {"mN", "N", 1e-3},
    {"kN", "N", 1e3},
    {"MN", "N", 1e6},
    {"kgf", "N", 9.80665},
    {"gf", "N", 9.80665e-3},
    {"lbf", "N", k_pound},
    {"Nmm", "N m", 1e-3},
    {"mNm", "N m", 1e-3},
    {"MNm", "N m", 1e6},
    {"kNm", "N m", 1e3},
    {"Ncm", "N m", 1e-2},
    {"mJ", "J", 1e-3},
    {"kJ", "J", 1e3},
    {"mW", "W", 1e-3},
    {"kW", "W", 1e3},
    {"mPa", "Pa", 1e-3},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"GPa", "Pa", 1e9},
    {"hPa", "Pa", 1e2},
    {"mbar", "Pa", 1e2},
    {"bar", "Pa", 1e5},
    {"Mbar", "Pa", 1e11},
    {"psi", "Pa", 6894.757293168},
    {"mV", "V", 1e-3},
    {"kV", "V", 1e3},
    {"mA", "A", 1e-3},
    {"kHz", "Hz", 1e3},
    {"MHz", "Hz", 1e6},
    {"mHz", "Hz", 1e-3},
    {"%", "1", 1e-2},
    {"percent", "1", 1e-2},
    {"g", "", 0.0},
    {"mg", "", 0.0},
    {"degC", "", 0.0},
    {"\u00b0C", "", 0.0},
    {"celsius", "", 0.0},
    {"degF", "", 0.0},
    {"\u00b0F", "", 0.0},
    {"count", "", 0.0},
    {"counts", "", 0.0},
    {"ticks", "", 0.0},
    {"px", "", 0.0},
    {"pixel", "", 0.0},
    {"pixels", "", 0.0},
};

/// In any capitals only long names are known, and where these mean one thing: mPa and MPa do not.
std::optional<UnitName> unit_name(const std::string& text) {
  for (const char* si : k_si_names) {
    if (text == si) return UnitName{si, si, 1.0};
  }
  for (const UnitName& other : k_other_names) {
    if (text == other.name) return other;
  }
  std::optional<UnitName> found;
  if (text.size() < 3) return found;
  const std::string any = lower(text);
  for (const char* si : k_si_names) {
    if (any == lower(si)) found = UnitName{si, si, 1.0};
  }
  for (const UnitName& other : k_other_names) {
    if (any != lower(other.name)) continue;
    if (found && found->factor != other.factor) return std::nullopt;
    found = other;
  }
  return found;
}

/// A unit that is known: a product of names with powers, as mm/s^2 or N/(m s).
struct Unit {
  std::string si;       ///< the same with the SI's names
  double factor = 1.0;  ///< how many of these it is; 0 if no number says it
};
std::optional<Unit> read_unit(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> k_signs[] = {
      {"\u00b9", "^1"}, {"\u00b2", "^2"}, {"\u00b3", "^3"}, {"\u207b^", "^-"}, {"\u00b7", "*"}, {"\u22c5", "*"}};
  for (const auto& [sign, plain] : k_signs) {
    for (std::size_t at = 0; (at = text.find(sign)) != text.npos;) text.replace(at, sign.size(), plain);
  }
  constexpr std::string_view k_between = " */.-()";
  Unit unit;
  int names = 0, outer = 1, sign = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (k_between.find(c) != k_between.npos) {
      if (c == '/') sign = -sign;
      if (c == '(') outer = sign, sign = 1;
      if (c == ')') outer = 1;
      unit.si += text[at++];
      continue;
    }
    std::size_t end = std::min(text.find_first_of(" */.-()^23456789", at), text.size());
    const std::optional<UnitName> name = unit_name(text.substr(at, end - at));
    if (!name) return std::nullopt;
    unit.si += name->factor == 1.0 ? text.substr(at, end - at) : name->si;
    const std::size_t power_at = end;
    if (end < text.size() && text[end] == '^') ++end;
    const bool inverse = end > power_at && end < text.size() && text[end] == '-';
    if (inverse) ++end;
    int power = 1;
    if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
      power = text[end++] - '0';
    } else if (end > power_at) {
      return std::nullopt;
    }
    unit.si += text.substr(power_at, end - power_at);
    const double one = name->factor == 0.0 ? 0.0 : std::pow(name->factor, outer * sign * (inverse ? -power : power));
    unit.factor *= one;
    sign = 1, at = end, ++names;
  }
  return names > 0 ? std::optional(unit) : std::nullopt;
}

/// A unit without brackets around it.
std::string bare_unit(const std::string& text) {
  for (const std::string_view pair : {"[]", "()", "{}"}) {
    if (text.size() < 2 || text.front() != pair[0] || text.back() != pair[1]) continue;
    const std::size_t from = text.find_first_not_of(" \t", 1), to = text.find_last_not_of(" \t", text.size() - 2);
    return from >= text.size() - 1 ? "" : text.substr(from, to - from + 1);
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

std::string unit_trouble(const std::string& text) {
  const std::optional<Unit> unit = read_unit(text);
  if (!unit || unit->factor == 1.0) return "";
  const std::string found = fmt::format("found the unit '{}'", printable(text));
  if (unit->factor != 0.0) return fmt::format("{}, expected {}, of which it is {:.10g}", found, unit->si, unit->factor);
  const bool of_two = text == "g" || text == "mg";
  return fmt::format("{}, expected one of the SI{}", found, of_two ? "; it is one of masses and of accelerations" : "");
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
  text_ = without_byte_order_mark(text_);
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
      fail_csv(path_, lines_[i].first, 1, "row", fmt::format("{} cell{}", cells.size(), cells.size() == 1 ? "" : "s"),
               fmt::format("{}, as many as the header has{}", width_,
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

/// A row without any number but 1, with a text above a number. Any other text there is none of units: it may be what a
/// sensor said that had failed.
void CsvReader::find_units() {
  if (lines_.size() < 3) return;
  std::vector<CsvCell> first = row(lines_[1].first, lines_[1].second);
  const std::vector<CsvCell> second = row(lines_[2].first, lines_[2].second);
  const auto number = [](const CsvCell& cell) { return csv_number(cell.text) || comma_in(cell.text).decimal; };
  bool above_number = false, has_one = false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    const bool one = first[c].text == "1";
    if (!one && number(first[c])) return;
    has_one = has_one || one;
    above_number = above_number || (!one && !is_missing(first[c].text) && number(second[c]));
  }
  if (!above_number) return;
  for (std::size_t c = 0; c < first.size(); ++c) {
    std::string& unit = first[c].text;
    if (is_missing(unit) || unit == "-") unit.clear();
    const std::string bare = bare_unit(unit);
    if (!bare.empty() && bare != "-" && !read_unit(bare)) {
      if (has_one) return;  // a row of numbers
      fail_csv(path_, lines_[1].first, first[c].column, names_[c].text, "'" + unit + "'",
               "a unit that is known, or a row of numbers");
    }
    unit = bare == "-" ? "" : bare;
  }
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
