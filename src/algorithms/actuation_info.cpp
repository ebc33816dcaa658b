#include "algorithms/actuation_info.h"

namespace cuttle {

std::vector<CoordinateInfo> actuation_info(const Model& model) {
  std::vector<CoordinateInfo> info = model.input_info();
  for (std::size_t i = 0; i < info.size(); ++i) {
    const std::string& effort = model.actuation().units[i];
    info[i].unit = effort == "N m" ? "rad" : effort == "N" ? "m" : effort == "Pa" ? "m^3" : "";
  }
  return info;
}

}  // namespace cuttle
