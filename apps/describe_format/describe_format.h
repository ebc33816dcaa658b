#pragma once

#include <string>

#include "cuttle/io/key_table.h"

namespace cuttle {

/// docs/format.md from its template. In the template a line
/// - `{{keys NAME}}` stands for the table of keys of that part, with a column for the choice if it has variants,
/// - `{{keys NAME CHOICE}}` for that of one variant,
/// - `{{choices NAME}}` for the table of the variants,
/// - `{{example NAME PREFIX}}` for the examples of that part as YAML, each after PREFIX.
/// @throws Error if the template forgets a table, names one that is not there, or if a link leads nowhere.
std::string format_markdown(const std::string& text_of_template);

/// JSON Schema (draft 2020-12) of a kind of file.
std::string format_schema(const KeyTable& root);

}  // namespace cuttle
