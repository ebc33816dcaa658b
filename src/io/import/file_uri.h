#pragma once

#include <string>
#include <vector>

namespace cuttle {

/// A file as the file of a robot names it.
struct FileUri {
  std::string package;  ///< of package://PACKAGE/PATH, model://PACKAGE/PATH and $(find PACKAGE)/PATH; empty: none
  std::string path;     ///< in the package, or as a file has it: from the folder of the file that names it

  /// The path as it may stand on the disk: as it is, with its %20 and the like decoded (they are URIs, though many
  /// programs write them otherwise), and with / for \.
  std::vector<std::string> spellings() const;
};

/// @param name  with a scheme - package:, model:, file: - or a plain path.
FileUri parse_file_uri(const std::string& name);

/// Folders that hold packages, from the environment: those of ROS_PACKAGE_PATH, and share/ in those of
/// AMENT_PREFIX_PATH (ROS 2).
std::vector<std::string> ros_package_folders();

}  // namespace cuttle
