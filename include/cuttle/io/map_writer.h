#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/error.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/io/yaml_tree.h"
#include "cuttle/model/robot.h"
#include "cuttle/spatial/vector3.h"

namespace CUTTLE_API cuttle {

/// What all writers of one robot share.
struct WriteContext {
  const Robot* robot = nullptr;
  std::string stem = {};                            ///< of the names of files: what the part at hand is called
  std::string material = {};                        ///< name of the material of the body at hand; empty: none
  double volume_length = 0.0, volume_radius = 0.0;  ///< of the shape of the volume at hand [m]
  FileTexts* files = nullptr;                       ///< gets what stands in other files; null: nobody wants it
  /// Whether a file may have this name and this text.
  std::function<bool(const std::string&, const std::string&)> is_free = {};
};

/// A mapping of a robot file while it is written: the counterpart of YamlMap. Keys stand in the order in which they are
/// given, and errors get the keys that lead to them.
class MapWriter {
 public:
  explicit MapWriter(WriteContext& context) : context_(&context) {}

  void number(const std::string& key, double value);
  void number(const std::string& key, double value, double usual);          ///< nothing if it is the default
  void number(const std::string& key, const std::optional<double>& value);  ///< nothing if there is none
  void integer(const std::string& key, long value);
  void integer(const std::string& key, long value, long usual);
  void flag(const std::string& key, bool value);  ///< nothing if false
  void text(const std::string& key, const std::string& value);
  void text(const std::string& key, const std::string& value, const std::string& usual);
  void numbers(const std::string& key, const std::vector<double>& values);
  /// One value as a number; none: nothing.
  void profile(const std::string& key, const std::vector<double>& values);
  void vector(const std::string& key, const Vector3& value);
  void vector(const std::string& key, const Vector3& value, const Vector3& usual);
  void node(const std::string& key, YamlNode value);
  void list(const std::string& key, std::vector<YamlNode> items);
  /// A mapping, filled by `write(MapWriter&)`; nothing if it stays empty.
  template <typename Write>
  void map(const std::string& key, const Write& write) {
    MapWriter inner(*context_);
    at_place(key, "", [&] { write(inner); });
    if (!inner.entries_.empty()) node(key, inner.take());
  }
  /// A list of mappings, each filled by `write(part, MapWriter&)`; nothing if there are no parts.
  template <typename Parts, typename Write>
  void maps(const std::string& key, const Parts& parts, const Write& write) {
    std::vector<YamlNode> items;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      MapWriter inner(*context_);
      at_place({key, i}, "", [&] { write(parts[i], inner); });
      items.push_back(inner.take());
    }
    if (!items.empty()) list(key, std::move(items));
  }
  /// Puts a text into a file of its own, and that file's name under the key.
  /// @param extension  ".msh"
  /// @param make  makes the text.
  void file(const std::string& key, const std::string& extension, const std::function<std::string()>& make);

  bool has(const std::string& key) const;
  WriteContext& context() const { return *context_; }
  YamlNode take();

 private:
  WriteContext* context_;
  std::vector<YamlEntry> entries_;
};

/// Parts that several kinds have: the counterparts of PartReader's getters.
void write_rotation(const Matrix3& rotation, MapWriter& map);
void write_pose(const Pose& pose, MapWriter& map);
/// Keys link and at, without a pose: a point of a link that does not deform is one of its base.
void write_material_place(const Place& place, MapWriter& map);
/// Keys link, at and pose.
void write_place(const Place& place, MapWriter& map);
/// Three of them; nothing if all are zero.
void write_signals(const std::string& key, const Signal* signals, MapWriter& map);

}  // namespace cuttle
