#pragma once

#include "io/kinds/kind_list.h"

namespace cuttle {

// The kinds of the library that have a source file of their own.

BodyKind rigid_kind();
BodyKind rod_kind();
BodyKind volume_kind();
BodyKind continuum_joint_kind();

KinematicsKind lvp_kind();
KinematicsKind ritz_kind();
KinematicsKind fem_kind();
KinematicsKind radial_kind();
KinematicsKind neural_kind();

ActuatorKind joint_actuator_kind();
ActuatorKind linear_actuator_kind();
ActuatorKind tendon_kind();
ActuatorKind chamber_kind();
ActuatorKind wrench_actuator_kind();
ActuatorKind distance_actuator_kind();

ElementKind spring_kind();
ElementKind joint_limit_kind();

}  // namespace cuttle
