#include "cuttle/model/parameters.h"

#include "cuttle/error.h"
#include "cuttle/model/robot.h"

namespace cuttle {

const ParameterSource& parameter_source(const Robot& robot) {
  if (!robot.source) {
    throw ArgumentError("parameters", "robot '" + robot.name + "' described in C++",
                        "one from a file: change the fields of its Robot and build a Model from it; for gradients, "
                        "cast the Robot to the scalar Gradient first");
  }
  Robot read = robot.source->robot();
  read.source = robot.source, read.markers = robot.markers;
  if (!(robot == read)) {
    throw ArgumentError("parameters",
                        "robot '" + robot.name + "' changed in C++ after it was read from " + robot.source->name(),
                        "it as read: make these changes in the file, by parameters or overrides, or change the fields "
                        "of the Robot alone");
  }
  return *robot.source;
}

}  // namespace cuttle
