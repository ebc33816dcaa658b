#pragma once

#include <memory>

#include "simulation/adjoint_run.h"
#include "simulation/sundials_integrator.h"

namespace cuttle {

/// Of a method whose steps end where its error control wants: the differential equation of the gradient is solved
/// backwards along the motion, with backward differentiation formulas under the method's relative tolerance.
/// @param integrator  of the system.
std::unique_ptr<AdjointRun> make_adjoint_flow(RobotSystem& system, std::unique_ptr<SundialsIntegrator> integrator,
                                              const IntegratorOptions& options);

}  // namespace cuttle
