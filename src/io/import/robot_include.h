#pragma once

#include <string>
#include <vector>

#include "cuttle/io/named_files.h"
#include "cuttle/io/visual.h"

namespace cuttle {

/// What robots of other programs bring along beside links.
struct IncludedRobots {
  std::vector<LinkVisual> visuals;
  FileTexts files;                 ///< that they name, as they were
  std::vector<std::string> notes;  ///< FILE:LINE:COLUMN: include: what is lost
};

/// Puts the links, actuators, .. of the robots that the key `include` names into the tree of a robot file, as if they
/// stood there: those on the base before its own links, others behind the link that they hang on. Links of the file
/// keep their parents, and everything that is put in has the place of its `include`.
/// @param files  that the robot file names: on the disk, or as a result keeps them.
IncludedRobots include_robots(YamlNode& tree, NamedFiles& files, FileErrors& errors);

}  // namespace cuttle
