#pragma once

#include <functional>
#include <memory>
#include <span>

#include "cuttle/simulation/integrator.h"
#include "cuttle/simulation/robot_system.h"
#include "simulation/adjoint_numbers.h"
#include "simulation/implicit_scheme.h"

namespace cuttle {

/// The adjoint of a run: it is recorded, start by start and step by step, and along it the gradient of a scalar by the
/// state goes back. Configurations have gradients along integrate(q, dq), nv.
class AdjointRun {
 public:
  /// Takes the gradient by the numbers that act at a time, as AdjointNumbers counts them.
  using Use = std::function<void(double time, const VectorXd& worth)>;

  virtual ~AdjointRun() = default;

  /// Begins the run. @param end  of it.
  virtual void begin(const State& start, double end) = 0;
  /// Goes on from where it is after a jump of the inputs.
  virtual void go_on() = 0;
  /// As Integrator::advance.
  virtual void advance(double target, double limit) = 0;
  virtual const State& state() const = 0;

  /// Records, of which the last is gone back along first.
  virtual std::size_t size() const = 0;
  /// Numbers that it holds for those of which few are needed at a time; 0 where it holds all as they are.
  virtual std::size_t numbers_kept() const { return 0; }
  /// Adds to the gradient by the state after the last record, which is q and v.
  virtual void add(const VectorXd& q, const VectorXd& v, const VectorXd& by_q, const VectorXd& by_v) = 0;
  /// The same by the auxiliary states there that feed back.
  virtual void add_states(const VectorXd& by_states) = 0;
  /// From after the last record to before it, and drops it. Signals are read in the stretch that the system is in.
  virtual void go_back(AdjointNumbers& numbers, const Use& use) = 0;
  /// The gradient by the state before the first record.
  virtual const VectorXd& by_q() const = 0;
  virtual const VectorXd& by_v() const = 0;
  /// By the auxiliary states that feed back, with which the run began; empty without.
  virtual const VectorXd& by_states() const = 0;
};

/// Takes driven coordinates out of a matrix of equations: their motion is given, and nothing is worth anything to them.
void pin_driven(std::span<const int> driven, MatrixXd& matrix);
void drop_driven(std::span<const int> driven, VectorXd& gradient);

/// By the options of an integrator. @throws ArgumentError for a method, or a robot with it, that has none.
std::unique_ptr<AdjointRun> make_adjoint_run(RobotSystem& system, const IntegratorOptions& options);

std::unique_ptr<AdjointRun> make_adjoint_runge_kutta(RobotSystem& system, const RungeKuttaTableau& tableau,
                                                     double step);
std::unique_ptr<AdjointRun> make_adjoint_implicit(RobotSystem& system, const ImplicitScheme& scheme,
                                                  const IntegratorOptions& options);

}  // namespace cuttle
