#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/bodies/body.h"
#include "cuttle/model/cloned_by_cast.h"
#include "cuttle/spatial/dual.h"

namespace CUTTLE_API cuttle {

/// A state of an element: what its law integrates along the motion.
struct ElementStateInfo {
  std::string name;  ///< within the element
  std::string unit;
  double start = 0.0;  ///< at the start of a simulation
};

/// An output of an element: what results record of it beside its states.
struct ElementOutputInfo {
  std::string name;  ///< within the element
  std::string unit;  ///< "1": none; left empty, that of the effort on its first transmission (N or N m of a joint)
};

/// What the law of an element sees. Lists of its transmissions, its inputs and its states.
template <typename S>
struct EffortArgumentsT {
  double time = 0.0;         ///< [s]
  const S* rest = nullptr;   ///< of tendons and distances the length at q = 0 [m], of others 0
  const S* y = nullptr;      ///< actuation coordinates [rad, m, m^3]; of tendons and distances rest minus length
  const S* rate = nullptr;   ///< dy/dt
  const S* input = nullptr;  ///< u
  const S* state = nullptr;  ///< x
  S* scratch = nullptr;      ///< memory for the call, EffortLawT::scratch_count() numbers of any value
};

template <typename S>
class LawBesideActuatorsT;

/// The law of an element: efforts on its transmissions (an effort f on y makes the generalized force (dy/dq)^T f) and
/// the rates of its states as functions of its own few arguments. Const, without memory of its own: what a call needs
/// is lent to it. Written once, as `EffortLaw`.
template <typename S>
class EffortLawT {
 public:
  virtual ~EffortLawT() = default;

  virtual std::string type_name() const = 0;  ///< as in the file
  virtual int transmission_count() const = 0;
  virtual int input_count() const = 0;  ///< how many the law reads: as many as inputs() names
  virtual int state_count() const = 0;  ///< and as many states as states() names
  virtual int output_count() const { return 0; }
  /// Numbers that each of the calls below may use at `scratch`.
  virtual int scratch_count() const { return 0; }
  virtual std::vector<CoordinateInfo> inputs() const { return {}; }  ///< names within the element; "" for its own name
  virtual std::vector<ElementStateInfo> states() const { return {}; }
  virtual std::vector<ElementOutputInfo> outputs() const { return {}; }

  /// @param efforts, state_rates  results, overwritten.
  virtual void evaluate(const EffortArgumentsT<S>& at, S* efforts, S* state_rates) const = 0;
  /// Derivatives of efforts, then state rates (rows) by y, rate, state, input (columns); by rows, overwritten.
  virtual void derivatives(const EffortArgumentsT<S>& at, S* matrix) const = 0;
  /// What is recorded. @param efforts  as evaluate gives them. @param outputs  results, overwritten.
  virtual void evaluate_outputs(const EffortArgumentsT<S>& /*at*/, const S* /*efforts*/, S* /*outputs*/) const {}
  /// Stored energy [J], a function of y and the states; 0 if the law keeps none.
  virtual S stored_energy(const EffortArgumentsT<S>& at) const = 0;
  /// Its change along y and the states at their rates [W]. @param state_rates  as evaluate gives them.
  virtual S stored_power(const EffortArgumentsT<S>& at, const S* state_rates) const = 0;
  /// Inputs under which the efforts are these, all else as in `at`: of a law that drives an actuator, for controllers
  /// that solve for efforts. @return false, and nothing written: the law has no inverse.
  virtual bool inputs_for(const EffortArgumentsT<S>& /*at*/, const S* /*efforts*/, S* /*inputs*/) const {
    return false;
  }
  /// Times at which the law itself jumps or bends.
  virtual std::vector<double> discontinuities() const { return {}; }
  /// Of the library: what it is besides if it acts beside actuators, by their inputs; null: it does not.
  virtual const LawBesideActuatorsT<S>* beside_actuators() const { return nullptr; }

  /// The same law for another scalar; null if it has only one.
  virtual std::shared_ptr<const EffortLawT<double>> clone_as(ScalarTag<double>) const { return nullptr; }
  virtual std::shared_ptr<const EffortLawT<long double>> clone_as(ScalarTag<long double>) const { return nullptr; }
  virtual std::shared_ptr<const EffortLawT<ForwardDual>> clone_as(ScalarTag<ForwardDual>) const { return nullptr; }
};

/// All of EffortLawT that follows from formulas written once, as templates on the scalar T. `Law<S>` derives from
/// EffortLaw<Law, S, transmissions, inputs, states, outputs> and has
///   template <T> void law(const EffortArgumentsT<T>& at, T* efforts, T* state_rates) const
///   template <T> T energy(const EffortArgumentsT<T>& at) const        (optional: what it stores; y and states only)
///   template <T> void outputs_law(const EffortArgumentsT<T>& at, const T* efforts, T* outputs) const (if it has some)
///   void inverse_law(const EffortArgumentsT<S>& at, const S* efforts, S* inputs) const   (optional: `inputs_for`)
///   template <T> Law<T> cast() const                                  (optional: then it exists for other scalars)
/// Derivatives are by forward differentiation, exact to rounding. `rest` is a constant to them.
template <template <typename> class Law, typename S, int k_transmissions, int k_inputs = 0, int k_states = 0,
          int k_outputs = 0>
class EffortLaw : public ClonedByCast<EffortLawT, Law, S> {
 public:
  int transmission_count() const final { return k_transmissions; }
  int input_count() const final { return k_inputs; }
  int state_count() const final { return k_states; }
  int output_count() const final { return k_outputs; }
  void evaluate(const EffortArgumentsT<S>& at, S* efforts, S* state_rates) const final {
    self().law(at, efforts, state_rates);
  }
  void derivatives(const EffortArgumentsT<S>& at, S* matrix) const final {
    constexpr int n = 2 * k_transmissions + k_states + k_inputs;
    using D = Dual<S, n>;
    Constants<D> x(at);
    Variables<D> v;
    for (int i = 0; i < k_transmissions; ++i) {
      v.y[i] = D::variable(at.y[i], i), v.rate[i] = D::variable(at.rate[i], k_transmissions + i);
    }
    for (int i = 0; i < k_states; ++i) v.state[i] = D::variable(at.state[i], 2 * k_transmissions + i);
    for (int i = 0; i < k_inputs; ++i) x.input[i] = D::variable(at.input[i], n - k_inputs + i);
    D result[k_transmissions + k_states + 1];
    self().law(EffortArgumentsT<D>{at.time, x.rest.data(), v.y, v.rate, x.input.data(), v.state}, result,
               result + k_transmissions);
    for (int r = 0; r < k_transmissions + k_states; ++r) {
      for (int k = 0; k < n; ++k) matrix[r * n + k] = result[r].derivative[k];
    }
  }
  void evaluate_outputs(const EffortArgumentsT<S>& at, const S* efforts, S* outputs) const final {
    if constexpr (k_outputs > 0) self().outputs_law(at, efforts, outputs);
  }
  bool inputs_for(const EffortArgumentsT<S>& at, const S* efforts, S* inputs) const final {
    if constexpr (requires(const Law<S>& law) { law.inverse_law(at, efforts, inputs); }) {
      self().inverse_law(at, efforts, inputs);
      return true;
    } else {
      return false;
    }
  }
  S stored_energy(const EffortArgumentsT<S>& at) const final {
    if constexpr (requires(const Law<S>& law) { law.energy(at); }) {
      return self().energy(at);
    } else {
      return S(0.0);
    }
  }
  S stored_power(const EffortArgumentsT<S>& at, const S* state_rates) const final {
    if constexpr (requires(const Law<S>& law) { law.energy(at); }) {
      using D = Dual<S, 1>;  // along the motion
      const Constants<D> x(at);
      Variables<D> v;
      for (int i = 0; i < k_transmissions; ++i) {
        v.y[i] = D(at.y[i]), v.y[i].derivative[0] = at.rate[i], v.rate[i] = D(at.rate[i]);
      }
      for (int i = 0; i < k_states; ++i) v.state[i] = D(at.state[i]), v.state[i].derivative[0] = state_rates[i];
      return self()
          .energy(EffortArgumentsT<D>{at.time, x.rest.data(), v.y, v.rate, x.input.data(), v.state})
          .derivative[0];
    } else {
      return S(0.0);
    }
  }

 private:
  template <typename D>
  struct Constants {
    explicit Constants(const EffortArgumentsT<S>& at) {
      for (int i = 0; i < k_transmissions; ++i) rest[i] = D(at.rest[i]);
      for (int i = 0; i < k_inputs; ++i) input[i] = D(at.input[i]);
    }
    std::array<D, k_transmissions> rest;
    std::array<D, k_inputs + 1> input;
  };
  template <typename D>
  struct Variables {
    D y[k_transmissions], rate[k_transmissions], state[k_states + 1];
  };
  using ClonedByCast<EffortLawT, Law, S>::self;
};

}  // namespace cuttle
