#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuttle/control/controllers.h"
#include "cuttle/model/model.h"

// What a controller of the library is made of: a law (OutputLaw), and the frame around it (clocked_controller.h), which
// knows windows, clocks, noise and limits.

namespace cuttle {

/// Where a controller acts, and what it controls.
struct ControlPlaces {
  std::vector<int> inputs;  ///< of the model
  std::vector<char> pulls;  ///< whether such an input is a tendon that cannot push
  std::vector<int> q, v;    ///< controlled coordinates: places in configuration and velocity
  int input_count() const { return static_cast<int>(inputs.size()); }
  int coordinate_count() const { return static_cast<int>(v.size()); }
};

/// Bounds of the outputs at an instant.
struct OutputBounds {
  VectorXd lower, upper;
  /// Whether the lower bound is minus what other inputs pull already.
  std::vector<char> lower_follows;
};

/// How what a law is given changes with the motion, by displacements of q or by v.
struct GivenSlopes {
  GivenSlopes(const MatrixXd& of_inputs) : inputs(of_inputs) {}
  GivenSlopes(const MatrixXd& of_inputs, const MatrixXd* of_lower, const MatrixXd* of_upper)
      : inputs(of_inputs), lower(of_lower), upper(of_upper) {}
  const MatrixXd& inputs;  ///< u of ControlArguments, nu x nv
  /// OutputBounds, an input of the controller a row. Null: they are constant, or follow u as lower_follows says.
  const MatrixXd *lower = nullptr, *upper = nullptr;
};
struct InputSlopes {
  GivenSlopes by_q, by_v;
};

class Reference;

/// What a law says: outputs for its inputs, as functions of the motion.
class OutputLaw {
 public:
  virtual ~OutputLaw() = default;
  /// Outputs, one an input of the controller; the frame clips those that do not respect the bounds.
  virtual void outputs(const ControlArguments& at, const OutputBounds& bounds, VectorXd& out) = 0;
  /// Their derivatives by displacements of q and by v, after `outputs` of the same arguments; rows of outputs that a
  /// bound holds are those of the bound. With at.factor states follow the motion.
  virtual void derivatives(const ControlArguments& at, const OutputBounds& bounds, const VectorXd& out,
                           const InputSlopes& before, MatrixXd& by_q, MatrixXd& by_v) = 0;
  virtual int state_count() const { return 0; }
  virtual void rates(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, VectorOutT<double> rates) {
    rates.setZero();
  }
  /// How `rates` of the same arguments changes with the motion, states x nv each.
  virtual void rate_slopes(const ControlArguments& /*at*/, const OutputBounds& /*bounds*/, MatrixXd& by_q,
                           MatrixXd& by_v) {
    by_q.setZero(), by_v.setZero();
  }
  virtual void start(VectorOutT<double> state) const { state.setZero(); }
  /// Of a law with a clock, whose states take steps: brings them back to where they may be.
  virtual void project(VectorOutT<double> /*state*/) const {}
  /// What it records, but the inputs.
  virtual void describe(ControlColumns& /*columns*/) const {}
  virtual void observe(const ControlArguments& /*at*/, VectorOutT<double> /*reference*/, VectorOutT<double> /*error*/) {
  }
  /// Of the last `outputs` of a law that says a force: how much of it the inputs do not make, from 0 to 1.
  virtual std::optional<double> allocation_residual() const { return {}; }
  /// Its reference, one signal a recorded column of it; null: it has none that somebody may change.
  virtual Reference* reference() { return nullptr; }
};

/// Reference of some coordinates with two derivatives.
class Reference {
 public:
  /// @throws ArgumentError if there are not as many signals as coordinates, or one without derivatives.
  Reference(const std::vector<Signal>& signals, int coordinates);
  const VectorXd& at(double time);
  const VectorXd& rate_at(double time);
  const VectorXd& acceleration_at(double time);

  const std::vector<Signal>& signals() const { return signals_; }
  void set(std::size_t index, const Signal& signal) { signals_[index] = signal; }

 private:
  std::vector<Signal> signals_;
  VectorXd value_, rate_, acceleration_;
};

/// A gain as a matrix. @param values  none, one, n or n^2 by rows. @throws ArgumentError naming the key.
MatrixXd gain_matrix(const char* key, const std::vector<double>& values, int n);

enum class Controls { inputs, configuration };

}  // namespace cuttle
