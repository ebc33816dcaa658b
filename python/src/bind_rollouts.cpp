#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_rollouts.h"
#include "doc.h"
#include "failures.h"
#include "values.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<ControlledRollout> = std::tuple(&ControlledRollout::rollout,
                                                                &ControlledRollout::u_samples);
template <>
inline constexpr auto k_members<RolloutDerivatives> = std::tuple(&RolloutDerivatives::times,
                                                                 &RolloutDerivatives::values,
                                                                 &RolloutDerivatives::derivatives,
                                                                 &RolloutDerivatives::failures);

namespace {

/// What the functions below take of a scenario: controllers, inputs, times and the seed.
struct Rollouts {
  RolloutRobots robots;
  RolloutOptions options;
};

Rollouts rollouts(const ScenarioFile& file, const Numbers& q, const Numbers& v, const std::vector<std::string>& paths,
                  const std::optional<Numbers>& values, const std::optional<Numbers>& held_inputs,
                  const std::string& method, double step, bool samples) {
  const Scenario& scenario = file.scenario;
  Rollouts found;
  found.robots.q = q.rows("q"), found.robots.v = v.rows("v");
  found.robots.paths = paths;
  if (values) found.robots.values = values->rows("values");
  found.robots.controllers = scenario.controllers, found.robots.seed = scenario.seed;
  found.options.method = method, found.options.step = step, found.options.duration = scenario.duration;
  if (samples) found.options.output_step = scenario.output_step;
  found.options.inputs = scenario.inputs;
  found.options.heartbeat = signal_watch(), found.options.raise_on_failure = false;
  if (!held_inputs) return found;
  held_inputs->require("held_inputs");
  if (held_inputs->dimensions() != 3) {
    throw ArgumentError("held_inputs", "an array of shape " + held_inputs->shape_text(), "(robots, intervals, nu)");
  }
  found.options.held_inputs = Eigen::Map<const RowMatrix>(held_inputs->data(), held_inputs->extent(0),
                                                          held_inputs->extent(1) * held_inputs->extent(2));
  return found;
}

/// One after the other.
RowMatrixXd stacked(const std::vector<ControlledRollout>& parts, const auto& member) {
  Eigen::Index rows = 0;
  for (const ControlledRollout& part : parts) rows += member(part).rows();
  RowMatrixXd all(rows, member(parts.front()).cols());
  rows = 0;
  for (const ControlledRollout& part : parts) {
    all.middleRows(rows, member(part).rows()) = member(part);
    rows += member(part).rows();
  }
  return all;
}

ControlledRollout joined(const std::vector<ControlledRollout>& parts) {
  if (parts.empty()) throw ArgumentError("roll-outs: found no robots, expected at least one");
  ControlledRollout all;
  Rollout& rollout = all.rollout;
  rollout.times = parts.front().rollout.times;
  for (RowMatrixXd Rollout::*const member :
       {&Rollout::q, &Rollout::v, &Rollout::q_samples, &Rollout::v_samples, &Rollout::last_q, &Rollout::last_v}) {
    rollout.*member =
        stacked(parts, [member](const ControlledRollout& part) -> const RowMatrixXd& { return part.rollout.*member; });
  }
  all.u_samples = stacked(parts, [](const ControlledRollout& part) -> const RowMatrixXd& { return part.u_samples; });
  for (const ControlledRollout& part : parts) {
    const Rollout& own = part.rollout;
    rollout.failure_time.insert(rollout.failure_time.end(), own.failure_time.begin(), own.failure_time.end());
    rollout.failures.insert(rollout.failures.end(), own.failures.begin(), own.failures.end());
  }
  return all;
}

Array cube(const RowMatrix& samples, std::size_t times) {
  const auto count = static_cast<Eigen::Index>(times);
  double* numbers = nullptr;
  Array array = new_array({samples.rows(), count, count > 0 ? samples.cols() / count : 0}, numbers);
  std::copy_n(samples.data(), samples.size(), numbers);
  return array;
}

/// Computes with other threads going on.
template <typename Compute>
auto unlocked(const Compute& compute) {
  const nb::gil_scoped_release release;
  return compute();
}

}  // namespace

void bind_rollouts(nb::module_& m) {
  using Controlled = ControlledRollout;
  by_members(nb::class_<Controlled>(m, "ControlledRollout", doc("ControlledRollout", "One row a robot.")))
      .def_prop_ro(
          "times", [](const Controlled& r) { return to_numpy(r.rollout.times); }, "of the samples [s]")
      .def_prop_ro(
          "q", [](const Controlled& r) { return to_numpy(r.rollout.q); },
          "final, shape (robots, nq); of a robot that failed NaN, as all below from its failure on")
      .def_prop_ro(
          "v", [](const Controlled& r) { return to_numpy(r.rollout.v); }, "shape (robots, nv)")
      .def_prop_ro(
          "q_samples", [](const Controlled& r) { return cube(r.rollout.q_samples, r.rollout.times.size()); },
          "shape (robots, samples, nq)")
      .def_prop_ro(
          "v_samples", [](const Controlled& r) { return cube(r.rollout.v_samples, r.rollout.times.size()); },
          "shape (robots, samples, nv)")
      .def_prop_ro(
          "u_samples", [](const Controlled& r) { return cube(r.u_samples, r.rollout.times.size()); },
          "inputs that act, shape (robots, samples, nu)")
      .def_prop_ro(
          "last_q", [](const Controlled& r) { return to_numpy(r.rollout.last_q); }, doc("Rollout::last_q"))
      .def_prop_ro(
          "last_v", [](const Controlled& r) { return to_numpy(r.rollout.last_v); }, "likewise")
      .def_prop_ro(
          "failure_time", [](const Controlled& r) { return to_numpy(r.rollout.failure_time); },
          doc("Rollout::failure_time"))
      .def_prop_ro(
          "failures", [](const Controlled& r) { return r.rollout.failures; }, doc("Rollout::failures"));
  by_members(nb::class_<RolloutDerivatives>(m, "RolloutDerivatives", doc("RolloutDerivatives")))
      .def_prop_ro(
          "times", [](const RolloutDerivatives& r) { return to_numpy(r.times); }, doc("RolloutDerivatives::times"))
      .def_prop_ro(
          "values",
          [](const RolloutDerivatives& r) {
            double* numbers = nullptr;
            const auto states = r.values.empty() ? 0 : r.values.front().front().size();
            Array array = new_array(
                {static_cast<Eigen::Index>(r.values.size()), static_cast<Eigen::Index>(r.times.size()), states},
                numbers);
            for (const auto& robot : r.values) {
              for (const VectorXd& state : robot) numbers = std::copy_n(state.data(), state.size(), numbers);
            }
            return array;
          },
          "q and v, shape (robots, samples, nq + nv)")
      .def_prop_ro(
          "derivatives",
          [](const RolloutDerivatives& r) {
            double* numbers = nullptr;
            const MatrixXd none;
            const MatrixXd& first = r.derivatives.empty() ? none : r.derivatives.front().front();
            Array array = new_array({static_cast<Eigen::Index>(r.derivatives.size()),
                                     static_cast<Eigen::Index>(r.times.size()), first.rows(), first.cols()},
                                    numbers);
            for (const auto& robot : r.derivatives) {
              for (const MatrixXd& slopes : robot) {
                Eigen::Map<RowMatrix>(numbers, slopes.rows(), slopes.cols()) = slopes;
                numbers += slopes.size();
              }
            }
            return array;
          },
          "by each number, shape (robots, samples, nq + nv, numbers); of a robot that failed NaN from its failure on")
      .def_ro("failures", &RolloutDerivatives::failures, doc("RolloutDerivatives::failures"));
  m.def(
      "controlled_rollout",
      [](const Model& model, const ScenarioFile& file, const Numbers& q, const Numbers& v,
         const std::vector<std::string>& paths, const std::optional<Numbers>& values,
         const std::optional<Numbers>& held_inputs, const std::string& method, double step, bool samples, int threads,
         bool raise_on_failure) {
        const Rollouts given = rollouts(file, q, v, paths, values, held_inputs, method, step, samples);
        Controlled found = unlocked([&] { return controlled_rollout(model, given.robots, given.options, threads); });
        if (raise_on_failure) raise_failures(found.rollout.failures, found);
        return found;
      },
      "model"_a, "scenario"_a, "q"_a, "v"_a, "paths"_a, "values"_a = nb::none(), "held_inputs"_a = nb::none(),
      "method"_a = "tsit5", "step"_a = 1e-3, "samples"_a = true, "threads"_a = 0, "raise_on_failure"_a = true,
      "Robot.rollouts is what people use: roll-outs of many robots with the controllers and inputs of a scenario.");
  m.def(
      "_joined_rollouts",
      [](const std::vector<Controlled>& parts, bool raise_on_failure) {
        Controlled all = joined(parts);
        if (raise_on_failure) raise_failures(all.rollout.failures, all);
        return all;
      },
      "parts"_a, "raise_on_failure"_a, "Roll-outs of all robots from those of some of them each.");
  m.def(
      "rollout_derivatives",
      [](const Model& model, const ScenarioFile& file, const Numbers& q, const Numbers& v,
         const std::vector<std::string>& by, const std::vector<std::string>& paths,
         const std::optional<Numbers>& values, const std::optional<Numbers>& held_inputs, const std::string& method,
         double step, bool samples, int threads, bool raise_on_failure) {
        const Rollouts given = rollouts(file, q, v, paths, values, held_inputs, method, step, samples);
        RolloutDerivatives found =
            unlocked([&] { return rollout_derivatives(model, given.robots, given.options, by, threads); });
        if (raise_on_failure) raise_failures(found.failures, found);
        return found;
      },
      "model"_a, "scenario"_a, "q"_a, "v"_a, "by"_a, "paths"_a, "values"_a = nb::none(), "held_inputs"_a = nb::none(),
      "method"_a = "tsit5", "step"_a = 1e-3, "samples"_a = true, "threads"_a = 0, "raise_on_failure"_a = true,
      "Robot.rollout_derivatives is what people use: derivatives of such roll-outs.");
}

}  // namespace cuttle::python
