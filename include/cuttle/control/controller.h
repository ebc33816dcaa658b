#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/model/model.h"

namespace CUTTLE_API cuttle {

/// What a controller sees at an instant.
struct ControlArguments {
  double time;
  const VectorXd& q;  ///< nq, on the manifold
  const VectorXd& v;  ///< nv
  const VectorXd& u;  ///< nu: signals, and what controllers before this one set
  /// The law's own states (ControlLaw::state_count), those of this instant.
  const VectorXd& state;
  /// Auxiliary states of the robot without those of controllers (state_layout): works, integrals of loads, states of
  /// elements. Within an implicit step they and the law's states are `offset + factor rate`, with the rates of this
  /// instant, and these are the offsets; states of elements have a factor of their own.
  const VectorXd& robot_state;
  double factor = 0.0, stiff_factor = 0.0;
  /// What the robot's sensors measure, in the order of recorded_sensors: with the inputs up to now, as exact as they
  /// are. At samples of a law with a clock; else null.
  const VectorXd* sensors = nullptr;
  /// What the sensors of ControlLaw::sensors measure, one after the other, with the inputs before this controller; null
  /// for a law that names none.
  const VectorXd* readings = nullptr;
  /// In add_derivatives: how readings change with the motion, readings x nv each, by displacements of q and by v.
  const MatrixXd *readings_by_q = nullptr, *readings_by_v = nullptr;
  /// At samples: to be called with the time [s] while a law waits for something outside. What it throws ends the run.
  const std::function<void(double)>* heartbeat = nullptr;
};

/// A constant reference, which somebody may move while the law runs.
struct SetPoint {
  CoordinateInfo coordinate;  ///< as in ControlColumns::reference
  double value;
};

/// One of the constant references of a run's controllers.
struct ControllerSetPoint {
  int controller, index;  ///< of the controllers, of its own (ControlLaw::set_points)
  SetPoint set_point;
};

/// What a controller records, for results: names and units of its columns. What it sets is recorded in any case.
struct ControlColumns {
  std::vector<int> inputs;  ///< of the model: those that it may set
  std::vector<CoordinateInfo> reference, error, state;
  int size() const { return static_cast<int>(inputs.size() + reference.size() + error.size() + state.size()); }
};

class HeldOutputs;  // src/control/held_outputs.h

/// A controller at work on one robot in one run, with memory of its own: inputs as a function of the motion. Its power
/// is input power in the energy account.
class ControlLaw {
 public:
  virtual ~ControlLaw() = default;
  /// Adds what it sets to u (nu). At one instant it is called many times, also for motions that only an integrator
  /// tries: a function of its arguments.
  virtual void add_inputs(const ControlArguments& at, VectorXd& u) = 0;
  /// Adds the derivatives of that, nu x nv each: by displacements of q (velocity coordinates) and by v. In them are
  /// those of the controllers before, for one that reads u. The implicit methods ask for them.
  virtual void add_derivatives(const ControlArguments& at, MatrixXd& by_q, MatrixXd& by_v) = 0;

  /// Names of sensors of the robot that it reads at every instant, in ControlArguments::readings. Those that measure
  /// accelerations are refused: the inputs would depend on what they make. A law with a clock has all at its samples.
  virtual std::vector<std::string> sensors() const { return {}; }

  /// Its constant references, and how to move one of them, by its index there; it may jump.
  virtual std::vector<SetPoint> set_points() const { return {}; }
  virtual void move_set_point(int /*index*/, double /*value*/) {}

  /// States that are integrated with the motion, as the integral of an error; by the same method.
  virtual int state_count() const { return 0; }
  virtual void start(VectorOutT<double> state) const { state.setZero(); }
  /// Rates of the states. Within an implicit step `at.state` are their offsets here, and add_derivatives includes how
  /// the states then follow the motion.
  virtual void state_rates(const ControlArguments& /*at*/, VectorOutT<double> rates) { rates.setZero(); }
  /// How `state_rates` of the same arguments changes with the motion, states x nv each, by displacements of q and by v.
  /// Gradients go back along runs through these. @return false: the law does not say, and differences are taken.
  virtual bool rate_derivatives(const ControlArguments& /*at*/, MatrixXd& /*by_q*/, MatrixXd& /*by_v*/) {
    return false;
  }

  /// What it records: without more, all inputs, and its states by number.
  virtual ControlColumns columns(const Model& model) const;
  /// What stands in these columns, after `add_inputs` of the same arguments.
  virtual void record(const ControlArguments& at, VectorOutT<double> reference, VectorOutT<double> error,
                      VectorOutT<double> state);

  /// A law with a clock: adds the times in (0, until] at which it samples or changes its inputs.
  virtual void add_events(double /*until*/, std::vector<double>& /*times*/) const {}
  /// Called at the start and after each of these times, and of all others at which something jumps, with the motion
  /// that the robot has then; between two such calls `add_inputs` depends on what the law remembers.
  virtual void sample(const ControlArguments& /*at*/) {}
  /// Of what is random in it; before the start.
  virtual void seed(std::uint64_t /*seed*/) {}
  /// What it holds between samples, if gradients go back through these; else null.
  virtual HeldOutputs* held_outputs() { return nullptr; }
};

/// A number of a controller, by its key in a file: kp, kp[1], reference[0].to, ..
struct ControllerNumber {
  std::string key;
  double value;
};

/// A controller as a scenario has it: const, and shared by runs.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::string type_name() const = 0;  ///< as in the file
  /// @param model  outlives the law. @throws ArgumentError for a robot that it does not fit.
  virtual std::unique_ptr<ControlLaw> bind(const Model& model) const = 0;
  /// Times > 0 at which its inputs jump or bend: integrators stop there.
  virtual std::vector<double> discontinuities() const { return {}; }
  /// Whether the law solves the equation of motion, as if all coordinates were free: then scenarios that drive some are
  /// refused.
  virtual bool solves_motion() const { return false; }
  /// Numbers that a run can be differentiated by; none of a controller that cannot be made again with other ones.
  virtual std::vector<ControllerNumber> numbers() const { return {}; }
  /// The same controller with another value of one of `numbers`. @throws ArgumentError for another key.
  virtual std::shared_ptr<const Controller> with_number(const std::string& key, double value) const;
  /// Whether its law is a function of time, motion, inputs before it and its own states alone: no samples, no memory.
  /// What it sets then changes as ControlLaw::add_derivatives says, and runs go back along it (MotionAdjoint).
  virtual bool acts_at_every_instant() const { return false; }
  /// Whether laws that are bound to slightly different robots may run beside each other, as derivatives of a run want:
  /// not those that ask something outside of the run, which would be told of motions that are none.
  virtual bool runs_in_copies() const { return true; }
};

struct NamedController {
  std::string name;
  std::shared_ptr<const Controller> controller;
};

/// What a controller of a run records.
struct RecordedController {
  std::string name;
  ControlColumns columns;
};
/// Those of a scenario, in order: Sample::control has their numbers, of each reference, error, output and state.
/// @throws ArgumentError for one that the robot does not fit.
std::vector<RecordedController> recorded_controllers(const Model& model,
                                                     const std::vector<NamedController>& controllers);

/// A ControlLaw from one formula, written as a template on the scalar: `Law` derives from FeedbackLaw<Law> and has
///   template <T> void law(double time, const T* q, const T* v, T* u) const      (adds to u)
/// or, to read what `sensors` names,
///   template <T> void law(double time, const T* q, const T* v, const T* readings, T* u) const
/// Its derivatives are by forward differentiation, exact to rounding; those of readings are central differences.
template <typename Law>
class FeedbackLaw : public ControlLaw {
 public:
  explicit FeedbackLaw(const Model& model)
      : model_(&model), unit_(model.nv()), rate_(model.nq()), q_(model.nq()), v_(model.nv()), u_(model.nu()) {}

  void add_inputs(const ControlArguments& at, VectorXd& u) final {
    call(at.time, at.q.data(), at.v.data(), at.readings ? at.readings->data() : nullptr, u.data());
  }
  void add_derivatives(const ControlArguments& at, MatrixXd& by_q, MatrixXd& by_v) final {
    const int nv = model_->nv();
    readings_.resize(at.readings ? static_cast<std::size_t>(at.readings->size()) : 0);
    for (int first = 0; first < 2 * nv; first += k_forward_width) {
      for (int i = 0; i < model_->nq(); ++i) q_[i] = ForwardDual(at.q[i]);
      for (int i = 0; i < nv; ++i) v_[i] = ForwardDual(at.v[i]);
      std::fill(u_.begin(), u_.end(), ForwardDual(0.0));
      for (std::size_t i = 0; i < readings_.size(); ++i) {
        readings_[i] = ForwardDual((*at.readings)[static_cast<Eigen::Index>(i)]);
      }
      const int count = std::min(k_forward_width, 2 * nv - first);
      for (int k = 0; k < count; ++k) seed_direction(at, first + k, k);
      call(at.time, q_.data(), v_.data(), readings_.data(), u_.data());
      for (int k = 0; k < count; ++k) {
        MatrixXd& target = first + k < nv ? by_q : by_v;
        const int column = (first + k) % nv;
        for (int i = 0; i < model_->nu(); ++i) target(i, column) += u_[i].derivative[k];
      }
    }
  }

 private:
  /// Direction k is along coordinate `index` of q, then of v.
  void seed_direction(const ControlArguments& at, int index, int k) {
    const int nv = model_->nv();
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      const MatrixXd& slopes = index < nv ? *at.readings_by_q : *at.readings_by_v;
      readings_[i].derivative[k] = slopes(static_cast<Eigen::Index>(i), index % nv);
    }
    if (index >= nv) {
      v_[index - nv].derivative[k] = 1.0;
      return;
    }
    unit_.setZero(), unit_[index] = 1.0;
    configuration_rate<double>(*model_, at.q, unit_, rate_);
    for (int i = 0; i < model_->nq(); ++i) q_[i].derivative[k] = rate_[i];
  }
  template <typename T>
  void call(double time, const T* q, const T* v, const T* readings, T* u) const {
    if constexpr (requires { self().law(time, q, v, readings, u); }) {
      self().law(time, q, v, readings, u);
    } else {
      self().law(time, q, v, u);
    }
  }
  const Law& self() const { return static_cast<const Law&>(*this); }

  const Model* model_;
  VectorXd unit_, rate_;
  std::vector<ForwardDual> q_, v_, u_, readings_;
};

}  // namespace cuttle
