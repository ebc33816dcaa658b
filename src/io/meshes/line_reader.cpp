#include "io/meshes/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cuttle/error.h"
#include "cuttle/io/decimal.h"
#include "cuttle/io/plain_text.h"

namespace cuttle {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

[[noreturn]] void throw_at(const std::string& path, int line, std::size_t column, const std::string& subject,
                           const std::string& found, const std::string& expected) {
  throw FileError(fmt::format("{}:{}:{}: {}{}found {}, expected {}", path, line, column, subject,
                              subject.empty() ? "" : ": ", beginning(printable(found), 100), expected));
}

}  // namespace

bool LineReader::next() {
  words_.clear();
  while (words_.empty()) {
    if (position_ >= text_.size()) return false;
    begin_ = position_;
    const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
    position_ = end + 1;
    ++line_;
    const std::string_view line = std::string_view(text_).substr(begin_, end - begin_);
    for (std::size_t i = 0; i < line.size();) {
      if (is_space(line[i])) {
        ++i;
        continue;
      }
      std::size_t stop = i;
      while (stop < line.size() && !is_space(line[stop])) ++stop;
      words_.push_back(line.substr(i, stop - i));
      i = stop;
    }
    if (!words_.empty()) rest_ = line.substr(words_.front().data() - line.data());
  }
  return true;
}

void LineReader::require_next(const std::string& subject, const std::string& expected) {
  if (!next()) throw_at(path_, line_, 1, subject, "the end of the file", expected);
}

long LineReader::integer(std::size_t word, const std::string& subject, const std::string& meaning) const {
  if (word >= words_.size()) fail(word, subject, "the end of the line", meaning);
  const std::string_view text = words_[word];
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail(word, subject, fmt::format("'{}'", text), meaning);
  return value;
}

double LineReader::finite(std::size_t word, const std::string& subject) const {
  if (word >= words_.size()) fail(word, subject, "the end of the line", "a coordinate [m]");
  const auto value = parse_decimal(words_[word]);
  if (!value || !std::isfinite(*value)) fail(word, subject, fmt::format("'{}'", words_[word]), "a finite number [m]");
  return *value;
}

void LineReader::fail(std::size_t word, const std::string& subject, const std::string& found,
                      const std::string& expected) const {
  const char* const begin = text_.data() + begin_;
  const std::size_t at = word < words_.size() ? static_cast<std::size_t>(words_[word].data() - begin)
                                              : words_.back().data() + words_.back().size() - begin;
  throw_at(path_, line_, at + 1, subject, found, expected);
}

void LineReader::fail_at_line(int line, const std::string& subject, const std::string& found,
                              const std::string& expected) const {
  throw_at(path_, line, 1, subject, found, expected);
}

}  // namespace cuttle
