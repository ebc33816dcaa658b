#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuttle/io/key_table.h"
#include "cuttle/io/yaml_tree.h"

namespace cuttle {

/// Puts one `PATH=VALUE` into the tree of a file, before anything reads it; the new value's mark is "--set PATH=VALUE".
/// A key that is missing is added (whoever reads the file knows whether it exists); a list's entry and a material must
/// be there, but for the components of a robot's gravity, which has a default.
/// @param skip  leading keys of the path that name the file itself: 1 for `robot.` in a robot file.
void apply_override(YamlNode& root, const std::string& override_text, std::size_t skip, FileErrors& errors);

/// The value at a path as overrides have it, from the tree's root on; null if there is none.
const YamlNode* find_value(const YamlNode& root, const std::string& path);

/// First key of the path: "robot" of "robot.gravity[2]=-1".
std::string override_root(const std::string& override_text);

/// "; did you mean 'PREFIX.PATH=VALUE'?" for an override that names no file: if its first key is one of a table, the
/// prefix of that; if its first key is nearly a prefix, that in its place. Nothing otherwise.
/// @param files  first keys that name a file ("robot"), and the keys that it has there.
std::string missing_root(const std::string& override_text,
                         const std::vector<std::pair<std::string, const KeyTable*>>& files);

/// The text of a file with what was overridden in it as comments, for the result file: however many lines an override
/// has, all of them are comments.
std::string with_comments(const std::string& text, const std::vector<std::string>& overrides);

/// What `with_comments` has put at the end of a text; a "\r" of an override comes back as "\n".
std::vector<std::string> overrides_in_comments(const std::string& text);

}  // namespace cuttle
