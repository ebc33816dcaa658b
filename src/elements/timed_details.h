#pragma once

#include <string>
#include <vector>

#include "cuttle/model/load_law.h"

namespace cuttle {

inline std::vector<LoadDetail> details_of(const TimedWrench& wrench) {
  return {{"force", values_at_start(wrench.force)},
          {"torque", values_at_start(wrench.torque)},
          {"frame", std::string(wrench.axes == Axes::world ? "world" : "body")}};
}

}  // namespace cuttle
