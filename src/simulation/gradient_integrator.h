#pragma once

#include <memory>

#include "cuttle/simulation/integrator.h"
#include "simulation/gradient_system.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// Where a differentiated run is. Auxiliary states are those of GradientSystem.
struct GradientState {
  double time = 0.0;
  VectorXT<Gradient> q, v, auxiliary;
};

/// Advances a GradientSystem in time: the run of an Integrator with its derivatives. Methods of fixed steps have those
/// of their own map, exact to rounding; so have implicit ones with chosen steps, the steps held. Others integrate the
/// derivatives beside the motion, within their tolerances.
class GradientIntegrator {
 public:
  explicit GradientIntegrator(GradientSystem& system) : system_(system) {}
  virtual ~GradientIntegrator() = default;
  GradientIntegrator(const GradientIntegrator&) = delete;
  GradientIntegrator& operator=(const GradientIntegrator&) = delete;

  /// Begins the run. @param end  of it.
  virtual void begin(const GradientState& start, double end) = 0;
  /// Goes on from where it is after a jump of the inputs.
  virtual void go_on() = 0;
  /// As Integrator::advance.
  virtual void advance(double target, double limit) = 0;

  const GradientState& state() const { return state_; }

 protected:
  GradientSystem& system_;
  GradientState state_;
};

/// By the options of an integrator, which make_integrator takes. @throws ArgumentError for a method that has no
/// derivatives.
std::unique_ptr<GradientIntegrator> make_gradient_integrator(GradientSystem& system, const IntegratorOptions& options);

std::unique_ptr<GradientIntegrator> make_gradient_runge_kutta(GradientSystem& system, const RungeKuttaTableau& tableau,
                                                              double step);
std::unique_ptr<GradientIntegrator> make_gradient_implicit(GradientSystem& system, const ImplicitScheme& scheme,
                                                           const IntegratorOptions& options);
/// With an integrator of the library or a program: derivatives are further states of it.
std::unique_ptr<GradientIntegrator> make_augmented(GradientSystem& system, const IntegratorOptions& options);

}  // namespace cuttle
