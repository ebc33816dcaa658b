#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cuttle/api.h"
#include "cuttle/control/controller.h"
#include "cuttle/model/model.h"
#include "cuttle/simulation/integrator.h"

namespace CUTTLE_API cuttle {

/// A result has one row of everything an output time.
struct Sample {
  double time = 0.0;            ///< [s]
  VectorXd q, v;                ///< configuration and velocity
  VectorXd u;                   ///< actuator inputs
  VectorXd y;                   ///< actuation coordinates: u does work on them
  VectorXd control;             ///< what controllers record: recorded_controllers
  VectorXd element_states;      ///< of all elements, units of Model::element_state_info
  VectorXd element_outputs;     ///< likewise, of Model::element_output_info
  VectorXd contacts;            ///< what contacts do: recorded_contacts
  VectorXd sensors;             ///< of all sensors, units of recorded_sensors; NaN where a reading is not known
  std::vector<Pose> tips;       ///< pose of each link's tip in the world
  std::vector<Pose> markers{};  ///< pose of each marker in the world
  VectorXd loop_residual;       ///< of all loops' rows: how far they are open, units of Model::constraint_info
  VectorXd multipliers;         ///< of the same rows [N or N m]; NaN if the integrator gives none
  VectorXd motion;              ///< efforts of what is driven: recorded_motion; NaN where they are not known
  double kinetic = 0.0;         ///< energies [J]
  double gravity = 0.0;
  double elastic = 0.0;
  double elements = 0.0;    ///< that elements store
  double contact = 0.0;     ///< that contacts store
  double dissipated = 0.0;  ///< since the start: work that damping took, >= 0 [J]
  double input = 0.0;       ///< work that the actuators gave
  double load = 0.0;        ///< work that the loads gave

  double energy() const { return kinetic + gravity + elastic + elements + contact; }
  EnergyBalance balance() const {
    return {.kinetic = kinetic,
            .energy = energy(),
            .work = input + load - dissipated,
            .gravity = gravity,
            .elastic = elastic + elements,
            .dissipated = dissipated,
            .input = input,
            .load = load,
            .contacts = contact};
  }
};

/// The energies that came and went in a run [J]: what an error of their balance is to be compared with. A motion that
/// creeps has hardly any kinetic energy, however much its springs take and its weight gives.
class EnergyExchange {
 public:
  /// A state of the run. Works count from anywhere.
  void add(const EnergyBalance& state);
  struct Amount {
    double value = 0.0;     ///< [J]
    const char* name = "";  ///< with article: "the peak kinetic energy"
  };
  /// The largest of the peak kinetic energy, of the changes of the energies of gravity, of elasticity (elements
  /// included) and of contacts, of the works of inputs and of loads and of what was dissipated: largest value less
  /// smallest.
  Amount largest() const;

 private:
  static constexpr std::size_t k_count = 7;
  bool begun_ = false;
  std::array<double, k_count> least_{}, most_{};
};

enum class RunStatus { complete, interrupted, failed };
const char* run_status_name(RunStatus status);

/// How a run ended.
struct Outcome {
  RunStatus status = RunStatus::interrupted;
  std::string message;  ///< why it did not complete
  /// What a user should know about the numbers of a run that went through: one sentence each.
  std::vector<std::string> warnings;
  double time = 0.0;  ///< reached [s]
  double wall_seconds = 0.0;
  std::string integrator;  ///< the method that was used
  IntegratorStatistics statistics;
  double peak_kinetic = 0.0;  ///< largest kinetic energy at an output [J]
  double peak_energy = 0.0;   ///< largest |energy()| at an output [J]
  double energy_error = 0.0;  ///< largest |E - E(0) - work| at an output [J]
  EnergyExchange exchange;    ///< over the outputs, and the steps between where the integrator tells of them
  /// Sizes of the terms whose differences energies are, at the start: weight by distance, efforts by lengths [J].
  double energy_terms = 0.0;
  double loop_energy = 0.0;  ///< largest sum of |multiplier change| [J], of residuals since their rows are held
  /// Names of the loops' rows that follow from the others (ConstraintRows) all the time; their multipliers are 0.
  std::vector<std::string> redundant_rows;
  Sample last;  ///< of the last output

  /// Energy errors below this are rounding: 1e-13 of the energies and of their terms, and of loops what their
  /// equations leave [J].
  double energy_rounding() const;
};

/// Receives what a simulation produces. Every sample is given once, in order of time.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const Model& model, const Scenario& scenario) = 0;
  virtual void record(const Sample& sample) = 0;
  /// Called several times a second while the simulation works, between samples too: the time to save what there is.
  virtual void tick(const IntegratorStatistics&) {}
  /// Called once, whatever happened after `begin`; what was recorded before is good.
  virtual void finish(const Outcome& outcome) = 0;
};

/// Keeps every sample in memory.
class MemoryRecorder final : public Recorder {
 public:
  void begin(const Model&, const Scenario&) override { samples_.clear(); }
  void record(const Sample& sample) override { samples_.push_back(sample); }
  void finish(const Outcome&) override {}
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  std::vector<Sample> samples_;
};

}  // namespace cuttle
