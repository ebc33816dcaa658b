#pragma once

#include <memory>

#include "cuttle/simulation/integrator.h"
#include "simulation/forward_system.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// Where a differentiated run is. Auxiliary states are those of ForwardSystem.
struct ForwardState {
  double time = 0.0;
  VectorXT<ForwardDual> q, v, auxiliary;
};

/// Advances a ForwardSystem in time: the run of an Integrator with its derivatives. Methods of fixed steps have those
/// of their own map, exact to rounding; so have implicit ones with chosen steps, the steps held. Others integrate the
/// derivatives beside the motion, within their tolerances.
class ForwardIntegrator {
 public:
  explicit ForwardIntegrator(ForwardSystem& system) : system_(system) {}
  virtual ~ForwardIntegrator() = default;
  ForwardIntegrator(const ForwardIntegrator&) = delete;
  ForwardIntegrator& operator=(const ForwardIntegrator&) = delete;

  /// Begins the run. @param end  of it.
  virtual void begin(const ForwardState& start, double end) = 0;
  /// Goes on from where it is after a jump of the inputs.
  virtual void go_on() = 0;
  /// As Integrator::advance.
  virtual void advance(double target, double limit) = 0;

  const ForwardState& state() const { return state_; }

 protected:
  ForwardSystem& system_;
  ForwardState state_;
};

/// By the options of an integrator, which make_integrator takes. @throws ArgumentError for a method that has no
/// derivatives.
std::unique_ptr<ForwardIntegrator> make_forward_integrator(ForwardSystem& system, const IntegratorOptions& options);

std::unique_ptr<ForwardIntegrator> make_forward_runge_kutta(ForwardSystem& system, const RungeKuttaTableau& tableau,
                                                            double step);
std::unique_ptr<ForwardIntegrator> make_forward_implicit(ForwardSystem& system, const ImplicitScheme& scheme,
                                                         const IntegratorOptions& options);
/// With an integrator of the library or a program: derivatives are further states of it.
std::unique_ptr<ForwardIntegrator> make_augmented(ForwardSystem& system, const IntegratorOptions& options);

}  // namespace cuttle
