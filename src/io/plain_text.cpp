#include "cuttle/io/plain_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cuttle/error.h"

namespace cuttle {
namespace {

/// One character of a text in UTF-8, or a byte that is none.
struct Character {
  std::size_t size = 1;  ///< bytes
  bool valid = false;
  char32_t code = 0;

  bool is_control() const { return valid && (code < 0x20 || (code >= 0x7f && code < 0xa0)); }
};

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true, lead};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  char32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const char32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;  // less: more bytes than it needs
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least || code > 0x10ffff || surrogate) return {};
  return {size, true, code};
}

/// Calls use(at, character) for each character; stops where it returns false.
template <typename Use>
void for_each_character(std::string_view text, const Use& use) {
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    if (!use(at, character)) return;
    at += character.size;
  }
}

/// What a terminal would take for commands as \x1b, and bytes that are not UTF-8.
std::string escaped(std::string_view text, bool keep_line_breaks) {
  std::string result;
  for_each_character(text, [&](std::size_t at, const Character& character) {
    const std::string_view bytes = text.substr(at, character.size);
    if (character.valid && (!character.is_control() || (keep_line_breaks && character.code == '\n'))) {
      result += bytes;
    } else {
      for (const char byte : bytes) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    return true;
  });
  return result;
}

}  // namespace

void require_plain_text(std::string_view text, const std::string& source) {
  constexpr char32_t k_next_line = 0x85;  // which YAML takes for the end of a line
  std::size_t line = 1, line_begin = 0;
  for_each_character(text, [&](std::size_t at, const Character& character) {
    if (character.valid && character.code == '\n') ++line, line_begin = at + 1;
    const bool of_text = !character.is_control() || character.code == '\n' || character.code == '\r' ||
                         character.code == '\t' || character.code == k_next_line;
    if (character.valid && of_text) return true;
    const std::string what =
        character.valid ? fmt::format("the control character U+{:04X}", static_cast<unsigned>(character.code))
                        : fmt::format("the byte {:02X}, which is not UTF-8", static_cast<unsigned char>(text[at]));
    throw FileError(
        fmt::format("{}:{}:{}: found {}, expected text in UTF-8", printable(source), line, at - line_begin + 1, what));
  });
}

bool has_control_character(std::string_view text) {
  bool found = false;
  for_each_character(text, [&found](std::size_t, const Character& character) {
    found = character.is_control();
    return !found;
  });
  return found;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view k_mark = "\xEF\xBB\xBF";
  return text.starts_with(k_mark) ? text.substr(k_mark.size()) : text;
}

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

std::string beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = 0;
  for_each_character(text, [&](std::size_t at, const Character& character) {
    if (at + character.size > most) return false;
    end = at + character.size;
    return true;
  });
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace cuttle
