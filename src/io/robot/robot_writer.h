#pragma once

#include <memory>
#include <vector>

#include "cuttle/io/map_writer.h"
#include "cuttle/io/visual.h"
#include "cuttle/model/robot.h"

namespace cuttle {

/// The tree of a robot file, as reading makes it. Its places say "robot 'NAME'".
/// @throws ModelError that names the first part without text. Markers are left out.
YamlNode robot_tree(const Robot& robot, const std::vector<LinkVisual>& visuals, WriteContext& context);

}  // namespace cuttle
