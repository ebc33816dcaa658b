#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/robot_file.h"
#include "cuttle/model/place.h"

namespace CUTTLE_API cuttle {

class ImportBuilder;
struct NamedText;

/// A format of robots that other programs have. Who offers, documents or reads them asks the table of all.
struct ImportFormat {
  std::string name;                  ///< "URDF"
  std::string key;                   ///< of `include` in a robot file
  std::string about;                 ///< of that key, for users
  std::string root;                  ///< tag of the root element, which tells files apart
  std::vector<std::string> endings;  ///< of the names of files, the usual one first
  void (*read)(const NamedText& file, const std::string& name, ImportBuilder& to);  ///< of the library
};
const std::vector<ImportFormat>& import_formats();
/// One text of each: "URDF, MJCF or SDF". @param last  stands before the last one.
std::string import_format_list(std::string ImportFormat::*text, const std::string& last = " or ");

/// Something of an imported file that is lost, changed or chosen, docs/importing.md.
struct ImportNote {
  std::string place;               ///< FILE:LINE of the first of them
  std::string what;                ///< "friction of a joint: left out"
  std::vector<std::string> names;  ///< of what it concerns, in file order

  /// On a line: "arm.urdf:12: friction of a joint: left out (2: elbow, wrist)".
  std::string text() const;
};

/// @throws FileError for robots in formats of other programs, by the file's name, with what makes one in YAML of it.
void check_robot_extension(const std::string& path);

struct ImportOptions {
  std::string prefix = {};                      ///< of all names
  Place mount = {"base", PortLocation::tip()};  ///< what the root hangs on, or each body of MJCF's world
  bool floating = false;                        ///< the root of a URDF can move freely: the base floats
  std::vector<std::string> package_roots = {};  ///< folders that hold packages of package://NAME/..
  bool draws = true;                            ///< with shapes to draw
};

/// A robot from another program's file, and all that it lost on the way.
struct ImportedRobot {
  Robot robot;
  std::vector<LinkVisual> visuals;
  std::vector<ImportNote> notes;
};

/// Format of a file, by its root element: <robot>, <mujoco> or <sdf>.
/// @throws FileError if it is none of these.
const ImportFormat& import_format(const std::string& path);

/// Reads a robot of another program.
///
/// A link or body becomes a link of the same name, whose tip frame is the frame that it has there; its joint becomes
/// that link's joint. Of several joints of a body in MJCF each but the last gets a link of its own. Coordinates are
/// those of the file, in MJCF measured from `ref`, or from where a body with a free joint stands.
/// @throws FileError with all errors, a line each: FILE:LINE:COLUMN: element[name].attribute: found X, expected Y.
ImportedRobot import_robot(const std::string& path, const ImportOptions& options = {});

}  // namespace cuttle
