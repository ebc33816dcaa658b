#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/file_texts.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"

namespace CUTTLE_API cuttle {

/// Values that replace those of a file, each `PATH=VALUE` with a value in YAML: what `--set` takes. Paths are
/// `robot.KEY...` for robot files, `simulation.KEY...` for scenarios; an entry of a list goes by its name or index:
/// `robot.materials.silicone.density=900`, `robot.links.segment1.body.length=0.25`, `robot.gravity[2]=-1.62`. An entry
/// by index must be in the file; only gravity's components have a default to start from.
using Overrides = std::vector<std::string>;

/// A robot as described in a file or text (docs/format.md): what a Model is made of.
struct RobotFile {
  Robot robot;                        ///< that it describes
  std::string path;                   ///< as given
  std::string yaml;                   ///< its text; overrides stand at its end as comments
  std::vector<LinkVisual> visuals;    ///< shapes to draw, in the order of the file
  FileTexts files;                    ///< that it names, as they were
  std::vector<std::string> warnings;  ///< FILE:LINE:COLUMN: key: what is odd
  std::vector<std::string> notes;     ///< FILE:LINE:COLUMN: include: what is lost of robots of other programs
};

/// Reads and checks a robot file (docs/format.md); the robot is one that a Model can be built from.
/// @param overrides  values that replace those of the file, PATH=VALUE as `--set` of the command takes them:
/// `robot.gravity[2]=-1.62`.
/// @throws FileError with all errors found, a line each: `FILE:LINE:COLUMN: key.path: found X, expected Y`.
RobotFile load_robot_file(const std::string& path, const Overrides& overrides = {});

/// The robot alone.
Robot read_robot_file(const std::string& path, const Overrides& overrides = {});

/// The same from text; files that it names are relative to the current directory.
/// @param name  stands for the file in messages.
Robot read_robot_text(const std::string& text, const std::string& name, const Overrides& overrides = {});

}  // namespace cuttle
