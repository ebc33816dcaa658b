#include "algorithms/actuation_info.h"

namespace cuttle {

std::vector<CoordinateInfo> actuation_info(const Model& model) {
  std::vector<CoordinateInfo> info = model.input_info();
  for (CoordinateInfo& coordinate : info) {
    coordinate.unit = coordinate.unit == "N m"  ? "rad"
                      : coordinate.unit == "N"  ? "m"
                      : coordinate.unit == "Pa" ? "m^3"
                                                : "";
  }
  return info;
}

}  // namespace cuttle
