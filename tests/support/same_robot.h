#pragma once

#include "cuttle/model/robot.h"

namespace cuttle::test {

/// The same pose: position exactly, rotation to 1e-15.
void expect_same(const Pose& a, const Pose& b);
/// The same robot: numbers exactly, rotations to 1e-15.
void expect_same(const Robot& a, const Robot& b);
/// The same generalized force at one random state, to rounding.
void expect_same_dynamics(const Robot& a, const Robot& b);

}  // namespace cuttle::test
