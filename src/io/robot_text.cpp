#include "cuttle/io/robot_text.h"

#include <utility>

#include "io/robot/robot_source.h"

namespace cuttle {

RobotFile load_robot_text(const std::string& text, const std::string& name, const std::optional<FileTexts>& files,
                          const Overrides& overrides) {
  NamedFiles named = files ? NamedFiles(*files, name) : NamedFiles(directory_of(name));
  return read_robot_source({text, name, std::move(named)}, overrides);
}

}  // namespace cuttle
