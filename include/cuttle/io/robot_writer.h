#pragma once

#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/io/robot_file.h"

namespace CUTTLE_API cuttle {

/// A robot as text: a robot file, and the files that it names.
struct WrittenRobot {
  std::string yaml;
  FileTexts files;  ///< meshes, networks, tables, by their names
};

/// The robot as a robot file, whatever it comes from. It reads back equal: numbers to the last bit, rotations to 1e-15;
/// what a robot leaves open (an empty parent) as what a Model takes it for. Defaults are left out.
/// @param visuals  shapes to draw (RobotFile::visuals).
/// @throws ModelError that names what has no text, or what a robot file cannot say: "arm: body: found a body of type
/// function_body, which has no text, expected rigid, rod, volume or continuum_joint".
WrittenRobot write_robot(const Robot& robot, const std::vector<LinkVisual>& visuals = {});

/// Writes the robot into files: itself at `path`, what it names beside it, as write_robot. These files get names that
/// are free, or those of files with the same content.
/// @param replace  whether a file at `path` may be replaced.
/// @param head  lines that stand at the head of the file as comments.
/// @throws ModelError as write_robot; FileError if there is such a file, or one cannot be written.
void write_robot_file(const Robot& robot, const std::string& path, bool replace = false,
                      const std::vector<LinkVisual>& visuals = {}, const std::string& head = "");

/// What write_robot has written.
/// @param name  stands for the file in messages.
Robot read_robot(const WrittenRobot& written, const std::string& name);

}  // namespace cuttle
