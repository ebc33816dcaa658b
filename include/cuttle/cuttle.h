#pragma once

/// Everything that a program with robots of its own needs; files and simulation have headers of their own.
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/parameter_gradient.h"
#include "cuttle/bodies/function_body.h"
#include "cuttle/bodies/point_body.h"
#include "cuttle/bodies/rigid_body.h"
#include "cuttle/bodies/rod_body.h"
#include "cuttle/bodies/rod_refinement.h"
#include "cuttle/error.h"
#include "cuttle/model/data.h"
#include "cuttle/model/model.h"
#include "cuttle/spatial/eigen.h"
#include "cuttle/version.h"
