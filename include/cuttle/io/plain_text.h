#pragma once

#include <string>
#include <string_view>

#include "cuttle/api.h"

namespace CUTTLE_API cuttle {

/// Refuses what no text file of Cuttle's may hold, since it would end up in results, in JSON and on terminals: bytes
/// that are not UTF-8, and control characters other than tabs and ends of lines.
/// @param source  name of the text in messages.
/// @throws FileError `SOURCE:LINE:COLUMN: found X, expected Y` at the first of them; columns count bytes, from 1.
void require_plain_text(std::string_view text, const std::string& source);

/// Whether a text has a control character: C0 (ends of lines and tabs too), DEL or C1.
bool has_control_character(std::string_view text);

/// A text without the mark of the byte order (in UTF-8) that some editors begin it with.
std::string_view without_byte_order_mark(std::string_view text);

/// For a message: control characters and bytes that are not UTF-8 as \x1b.
std::string printable(std::string_view text);
/// The same for a text of several lines, which stay.
std::string printable_lines(std::string_view text);

/// The first `most` bytes of a text and "..." if it is longer; never a part of a character.
std::string beginning(std::string_view text, std::size_t most);

}  // namespace cuttle
