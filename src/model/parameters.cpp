#include "cuttle/model/parameters.h"

#include "cuttle/model/robot.h"

namespace cuttle {

std::shared_ptr<const ParameterSource> parameter_source(const Robot& robot) {
  if (robot.source) {
    Robot read = robot.source->robot();
    read.source = robot.source;
    if (robot == read) return robot.source;
  }
  return describe(robot);
}

}  // namespace cuttle
