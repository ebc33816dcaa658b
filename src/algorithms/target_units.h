#pragma once

#include "cuttle/model/data.h"

namespace cuttle {

/// Largest distance of a link's tip from the base, of a robot in its neutral configuration [m]; 1 if there is none.
double reach_of(const Model& model, Data& data);
/// Of each velocity coordinate, what turns or moves some link's tip by about a radian or the robot's length.
Eigen::VectorXd units_of(const Model& model, Data& data, double length);

}  // namespace cuttle
