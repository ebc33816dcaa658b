#include <nanobind/stl/map.h>

#include <chrono>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/simulation/batch.h"
#include "doc.h"
#include "failures.h"
#include "values.h"

namespace cuttle::python {
namespace {

/// A batch, and what it was made of, by which it is pickled, copied and compared.
class Batch final : public cuttle::Batch {
 public:
  Batch(ModelPointer model, int count, int threads)
      : cuttle::Batch(*model, count, threads), model_(std::move(model)), threads_(threads) {}
  Batch(ModelPointer model, const std::vector<std::string>& paths, const RowMatrix& values, int threads)
      : cuttle::Batch(*model, paths, values, threads),
        model_(std::move(model)),
        paths_(paths),
        values_(values),
        threads_(threads) {}
  /// Arguments that make one like it.
  nb::tuple arguments() const {
    const auto model = std::const_pointer_cast<Model>(model_);
    if (values_.size() == 0) return nb::make_tuple(model, size(), threads_);
    return nb::make_tuple(model, paths_, to_numpy(values_), threads_);
  }
  bool operator==(const Batch& other) const {
    return size() == other.size() && paths_ == other.paths_ &&
           bytes_of(values_, true) == bytes_of(other.values_, true) && same_robot(*model_, *other.model_);
  }

 private:
  ModelPointer model_;
  std::vector<std::string> paths_;
  RowMatrix values_;
  int threads_;
};

using Signals = std::map<std::string, Signal>;

RolloutOptions rollout_options(double step, double duration, const std::string& method, double start,
                               double output_step, const Signals& inputs, const std::optional<Numbers>& held_inputs,
                               const std::optional<Numbers>& states = std::nullopt) {
  RolloutOptions options;
  options.method = method, options.step = step, options.duration = duration;
  options.start = start, options.output_step = output_step;
  options.inputs = inputs;
  if (states) options.states = states->rows("states");
  if (held_inputs) held_inputs->require("held_inputs");
  if (held_inputs && held_inputs->dimensions() != 3) {
    throw ArgumentError("held_inputs", "an array of shape " + held_inputs->shape_text(), "(robots, intervals, nu)");
  }
  if (held_inputs) {
    options.held_inputs = Eigen::Map<const RowMatrix>(held_inputs->data(), held_inputs->extent(0),
                                                      held_inputs->extent(1) * held_inputs->extent(2));
  }
  return options;
}

/// Samples of each robot side by side, robots x samples x size.
Array cube(const RowMatrix& samples, Eigen::Index size) {
  double* numbers = nullptr;
  Array array = new_array({samples.rows(), size > 0 ? samples.cols() / size : 0, size}, numbers);
  std::copy_n(samples.data(), samples.size(), numbers);
  return array;
}

/// Computes with other threads going on.
template <typename Compute>
const RowMatrix& unlocked(const Compute& compute) {
  const nb::gil_scoped_release release;
  return compute();
}
template <typename Compute>
Array rows_of(const Compute& compute) {
  return to_numpy(unlocked(compute));
}

struct BatchRollout {
  Rollout result;
  Eigen::Index nq = 0, nv = 0;
  double wall_seconds = 0.0;
  RowMatrix states = {};  ///< of the result, taken out of it: roll-outs of one robot have none
};

}  // namespace

template <>
inline constexpr auto k_members<BatchRollout> = std::tuple(&BatchRollout::result, &BatchRollout::nq, &BatchRollout::nv,
                                                           &BatchRollout::wall_seconds, &BatchRollout::states);

template <>
inline constexpr auto k_compared<BatchRollout> = std::tuple(&BatchRollout::result, &BatchRollout::nq, &BatchRollout::nv,
                                                            &BatchRollout::states);

namespace {

void bind_rollout(nb::module_& m) {
  by_members(nb::class_<BatchRollout>(m, "Rollout", doc("Rollout")))
      .def_prop_ro(
          "times", [](const BatchRollout& r) { return to_numpy(r.result.times); }, "of the samples [s]")
      .def_prop_ro(
          "q", [](const BatchRollout& r) { return to_numpy(r.result.q); }, "final, shape (robots, nq)")
      .def_prop_ro(
          "v", [](const BatchRollout& r) { return to_numpy(r.result.v); }, "final, shape (robots, nv)")
      .def_prop_ro(
          "states", [](const BatchRollout& r) { return to_numpy(r.states); }, doc("Rollout::states"))
      .def_prop_ro(
          "q_samples", [](const BatchRollout& r) { return cube(r.result.q_samples, r.nq); },
          "shape (robots, samples, nq)")
      .def_prop_ro(
          "v_samples", [](const BatchRollout& r) { return cube(r.result.v_samples, r.nv); },
          "shape (robots, samples, nv)")
      .def_prop_ro(
          "last_q", [](const BatchRollout& r) { return to_numpy(r.result.last_q); }, doc("Rollout::last_q"))
      .def_prop_ro(
          "last_v", [](const BatchRollout& r) { return to_numpy(r.result.last_v); }, "likewise")
      .def_prop_ro(
          "failure_time", [](const BatchRollout& r) { return to_numpy(r.result.failure_time); },
          doc("Rollout::failure_time"))
      .def_prop_ro(
          "failures", [](const BatchRollout& r) { return r.result.failures; }, doc("Rollout::failures"))
      .def_ro("wall_seconds", &BatchRollout::wall_seconds, "that C++ took [s]");
}

}  // namespace

void bind_batch(nb::module_& m) {
  bind_rollout(m);
  nb::class_<Batch>(m, "Batch", doc("Batch", "No robots with closed loops."))
      .def(nb::init<ModelPointer, int, int>(), "model"_a, "count"_a, "threads"_a = 0, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>(), doc("Batch::Batch"))
      .def(
          "__init__",
          [](Batch* self, const ModelPointer& model, const std::vector<std::string>& paths, const Numbers& values,
             int threads) {
            const RowMatrix rows = values.rows("values");
            const nb::gil_scoped_release release;
            new (self) Batch(model, paths, rows, threads);
          },
          "model"_a, "paths"_a, "values"_a, "threads"_a = 0, nb::keep_alive<1, 2>(),
          "Robots that differ in parameters.   values: shape (robots, paths), of the paths as of Model.parameters().")
      .def("__reduce__",
           [](const nb::object& self) { return nb::make_tuple(self.type(), nb::cast<const Batch&>(self).arguments()); })
      .def(
          "__eq__", [](const Batch& a, const nb::object& b) { return answer_equal(a, b, std::equal_to<Batch>()); },
          "other"_a.none(), nb::sig("def __eq__(self, other: object) -> bool"), "Whether both are of the same robots.")
      .def("__hash__", [](const Batch& batch) { return nb::hash(nb::int_(batch.size())); })
      .def("__len__", &Batch::size)
      .def_prop_ro("size", &Batch::size, "robots")
      .def_prop_ro("width", &Batch::width, doc("Batch::width"))
      .def_prop_ro("nq", &Batch::nq, "size of a configuration")
      .def_prop_ro("nv", &Batch::nv, "size of a velocity")
      .def_prop_ro("nu", &Batch::nu, "number of inputs")
      .def_prop_ro("state_count", &Batch::state_count, doc("Batch::state_count"))
      .def(
          "inverse_dynamics",
          [](Batch& self, const Numbers& q, const Numbers& v, const Numbers& a) {
            return rows_of(
                [&]() -> const RowMatrix& { return self.inverse_dynamics(q.rows("q"), v.rows("v"), a.rows("a")); });
          },
          "q"_a, "v"_a, "a"_a, doc("Batch::inverse_dynamics"))
      .def(
          "forward_dynamics",
          [](Batch& self, const Numbers& q, const Numbers& v, const Numbers& tau) {
            return rows_of(
                [&]() -> const RowMatrix& { return self.forward_dynamics(q.rows("q"), v.rows("v"), tau.rows("tau")); });
          },
          "q"_a, "v"_a, "tau"_a, doc("Batch::forward_dynamics"))
      .def(
          "mass_matrix",
          [](Batch& self, const Numbers& q) {
            const RowMatrix& result = unlocked([&]() -> const RowMatrix& { return self.mass_matrix(q.rows("q")); });
            return cube(result, self.nv());
          },
          "q"_a, "Shape (robots, nv, nv).")
      .def(
          "energies",
          [](Batch& self, const Numbers& q, const Numbers& v) {
            return rows_of([&]() -> const RowMatrix& { return self.energies(q.rows("q"), v.rows("v")); });
          },
          "q"_a, "v"_a, doc("Batch::energies"))
      .def(
          "rollout",
          [](Batch& self, const Numbers& q, const Numbers& v, double duration, double step, const std::string& method,
             double start, double output_step, const Signals& inputs, const std::optional<Numbers>& held_inputs,
             bool raise_on_failure, const std::optional<Numbers>& states) {
            BatchRollout done{{}, self.nq(), self.nv()};
            {
              const nb::gil_scoped_release release;
              RolloutOptions options =
                  rollout_options(step, duration, method, start, output_step, inputs, held_inputs, states);
              options.heartbeat = signal_watch(), options.raise_on_failure = false;
              const auto begin = std::chrono::steady_clock::now();
              done.result = self.rollout(q.rows("q"), v.rows("v"), options);
              done.states = std::move(done.result.states);
              done.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            }
            if (raise_on_failure) raise_failures(done.result.failures, done);
            return done;
          },
          "q"_a, "v"_a, "duration"_a = 1.0, "step"_a = 1e-3, "method"_a = "tsit5", "start"_a = 0.0,
          "output_step"_a = 0.0, "inputs"_a = Signals(), "held_inputs"_a = nb::none(), "raise_on_failure"_a = true,
          "states"_a = nb::none(),
          doc("Batch::rollout",
              "method: 'tsit5' or 'rk4', with fixed steps of at most `step` [s].\noutput_step: samples are kept every "
              "so many seconds; 0: none.\ninputs: signals by actuator input, the same for all.\nheld_inputs: shape "
              "(robots, intervals, nu), held over equal intervals of the duration, added to "
              "`inputs`.\nraise_on_failure: whether "
              "robots that fail raise SimulationError, with all results in `rollout` of the error; else see "
              "`failures`.\nstates: shape (robots, state_count), with which contacts, elements and loads begin, as a "
              "Rollout has them; None, and rows of NaN: as a run begins."))
      .def_prop_ro(
          "status",
          [](const Batch& self) {
            std::vector<std::string> names;
            for (const RobotStatus status : self.status()) names.emplace_back(robot_status_name(status));
            return names;
          },
          "of the last call, one a robot: 'good', 'bad argument', 'singular mass matrix', 'not finite' or 'undefined "
          "shape'")
      .def_prop_ro("all_good", &Batch::all_good, "whether every status is 'good'");
}

}  // namespace cuttle::python
