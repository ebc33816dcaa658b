#pragma once

#include <string>

#include "io/yaml_cursor.h"

namespace cuttle {

/// Reports an error of a body, joint or model, whose text begins with a path of keys below the cursor
/// ("section.radius: found .., expected .."), at the deepest of those keys that the file has.
void fail_inside(const YamlCursor& cursor, const std::string& text);

/// The same for an error of the Model, whose text begins with a link, "links[i]", "loads[i]", "actuator 'NAME'".
/// @param robot  cursor at the robot file's root.
void fail_in_robot(const YamlCursor& robot, const std::string& text);

/// Place of what a text of the Model is about, with the path: "arm.yaml:3:5: links[0]".
std::string place_in_robot(const YamlCursor& robot, const std::string& text);

}  // namespace cuttle
