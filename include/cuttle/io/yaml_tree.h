#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/file_errors.h"

namespace CUTTLE_API cuttle {

struct YamlEntry;

/// A value of a YAML document with the place where it stands; merge keys (<<) are resolved. What a scalar means is
/// decided by who reads it (YamlCursor). Copies are cheap: they share what they hold, as an alias shares it with its
/// anchor, and only `edit` makes it their own.
class YamlNode {
 public:
  enum class Kind { null, scalar, list, map };
  struct Content;

  YamlNode();  ///< null
  YamlNode(Content content, SourceMark place);

  Kind kind() const;
  const std::string& scalar() const;
  bool quoted() const;
  const std::vector<YamlNode>& items() const;
  const std::vector<YamlEntry>& entries() const;
  const YamlEntry* find(const std::string& key) const;  ///< null if there is none

  /// What this node holds, to be changed; those that shared it keep it as it was.
  Content& edit();

  SourceMark mark;

 private:
  std::shared_ptr<Content> content_;
};

struct YamlEntry {
  std::string key;
  SourceMark mark;
  YamlNode value;
};

struct YamlNode::Content {
  Kind kind = Kind::null;
  std::string scalar = {};              ///< as written, without quotes
  bool quoted = false;                  ///< 'x', "x", a block or !!str: text, whatever it looks like
  std::vector<YamlNode> items = {};     ///< of a list
  std::vector<YamlEntry> entries = {};  ///< of a map, in file order, duplicates kept; behind them what << brings
};

inline YamlNode::Kind YamlNode::kind() const { return content_->kind; }
inline const std::string& YamlNode::scalar() const { return content_->scalar; }
inline bool YamlNode::quoted() const { return content_->quoted; }
inline const std::vector<YamlNode>& YamlNode::items() const { return content_->items; }
inline const std::vector<YamlEntry>& YamlNode::entries() const { return content_->entries; }

/// Reads one YAML document. An empty one is a null node at line 1.
/// @param source  name of the text in messages.
/// @throws FileError at the place of a syntax error, or of what is no text (require_plain_text).
YamlNode parse_yaml(const std::string& text, const std::string& source);
/// The same for a value of the command line: its marks have no lines.
YamlNode parse_yaml_argument(const std::string& text, const std::string& source);

/// The whole file.
/// @throws FileError `FILE: found X, expected WHAT` if it cannot be read.
std::string read_text_file(const std::string& path, const std::string& what);

}  // namespace cuttle
