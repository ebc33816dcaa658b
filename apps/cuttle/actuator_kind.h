#pragma once

#include "cuttle/model/robot.h"

namespace cuttle {

/// Name as in files.
inline const char* actuator_kind_name(Actuator::Kind kind) {
  switch (kind) {
    case Actuator::Kind::linear:
      return "linear";
    case Actuator::Kind::joint:
      return "joint";
    case Actuator::Kind::tendon:
      return "tendon";
    case Actuator::Kind::chamber:
      return "chamber";
    case Actuator::Kind::wrench:
      return "wrench";
    case Actuator::Kind::distance:
      return "distance";
  }
  return "";
}

}  // namespace cuttle
