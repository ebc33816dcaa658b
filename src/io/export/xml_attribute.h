#pragma once

#include <pugixml.hpp>
#include <string>

namespace cuttle {

inline void set_attribute(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute).set_value(value.c_str());
}

}  // namespace cuttle
