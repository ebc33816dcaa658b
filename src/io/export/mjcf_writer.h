#pragma once

#include <pugixml.hpp>
#include <string>

#include "io/export/export_tree.h"
#include "io/export/xml_attribute.h"

namespace cuttle {

/// Sections <tendon>, <actuator> and <equality> of what acts on a robot, as far as MJCF has it; the rest is noted. Adds
/// the sites to the tree through which tendons go.
void write_mjcf_effects(const Robot& robot, ExportTree& tree, pugi::xml_node root);

}  // namespace cuttle
