#include <nanobind/stl/variant.h>

#include "bindings.h"
#include "cuttle/error.h"
#include "cuttle/io/scenario_file.h"
#include "cuttle/simulation/robot_dynamics.h"
#include "cuttle/simulation/rollout_function.h"
#include "doc.h"
#include "values.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<DynamicsSlopes> = std::tuple(&DynamicsSlopes::A, &DynamicsSlopes::B, &DynamicsSlopes::C,
                                                             &DynamicsSlopes::D);

namespace {

/// A robot as a function, with the robot.
struct Dynamics {
  Dynamics(ModelPointer its_model, const ScenarioFile& file)
      : model(std::move(its_model)), function(*model, file.scenario.integrator) {}
  ModelPointer model;
  RobotDynamics function;
};

Array along(Eigen::Index count, Eigen::Index rows, Eigen::Index columns, double*& numbers) {
  return new_array({count, rows, columns}, numbers);
}

/// Rows of x and u, as many steps as u has. @throws ArgumentError for other sizes.
void require_rows(const Dynamics& f, const Numbers& x, const Numbers& u) {
  const auto states = x.rows("x");
  const auto inputs = u.rows("u");
  const std::string expected =
      "(" + std::to_string(inputs.rows()) + " or one more, " + std::to_string(f.function.state_size()) + ")";
  if (states.cols() != f.function.state_size() ||
      (states.rows() != inputs.rows() && states.rows() != inputs.rows() + 1)) {
    throw ArgumentError("x", "shape " + x.shape_text(), expected);
  }
  if (inputs.cols() != f.function.input_size()) {
    throw ArgumentError("u", "shape " + u.shape_text(), "(steps, " + std::to_string(f.function.input_size()) + ")");
  }
}

void bind_dynamics_function(nb::module_& m) {
  by_members(nb::class_<DynamicsSlopes>(m, "DynamicsSlopes", doc("DynamicsSlopes")))
      .def_prop_ro(
          "A", [](const DynamicsSlopes& s) { return to_numpy(s.A); }, doc("DynamicsSlopes::A"))
      .def_prop_ro(
          "B", [](const DynamicsSlopes& s) { return to_numpy(s.B); }, doc("DynamicsSlopes::B"))
      .def_prop_ro(
          "C", [](const DynamicsSlopes& s) { return to_numpy(s.C); }, doc("DynamicsSlopes::C"))
      .def_prop_ro(
          "D", [](const DynamicsSlopes& s) { return to_numpy(s.D); }, doc("DynamicsSlopes::D"))
      .def(
          "__iter__",
          [](const DynamicsSlopes& s) {
            return nb::iter(nb::make_tuple(to_numpy(s.A), to_numpy(s.B), to_numpy(s.C), to_numpy(s.D)));
          },
          "A, B, C, D");
  is_working_memory(
      nb::class_<Dynamics>(m, "RobotDynamics", doc("RobotDynamics")),
      "cuttle.RobotDynamics: found working memory, which is neither pickled nor copied, expected one made where it is "
      "needed: robot.dynamics(..)")
      .def(nb::init<ModelPointer, const ScenarioFile&>(), "model"_a, "scenario"_a,
           "Robot.dynamics is what people use: the integrator is that of the scenario.")
      .def_prop_ro(
          "nx", [](const Dynamics& f) { return f.function.state_size(); }, doc("RobotDynamics::state_size"))
      .def_prop_ro(
          "ndx", [](const Dynamics& f) { return f.function.tangent_size(); }, doc("RobotDynamics::tangent_size"))
      .def_prop_ro(
          "nu", [](const Dynamics& f) { return f.function.input_size(); }, doc("RobotDynamics::input_size"))
      .def_prop_ro(
          "length", [](const Dynamics& f) { return f.function.length(); }, doc("RobotDynamics::length"))
      .def_prop_ro(
          "model", [](const Dynamics& f) { return std::const_pointer_cast<Model>(f.model); }, "of the robot")
      .def(
          "reset", [](const Dynamics& f) { return to_numpy(f.function.start()); }, doc("RobotDynamics::start"))
      .def(
          "__call__",
          [](Dynamics& f, double t, const Numbers& x, const Numbers& u) {
            const auto at = x.vector("x"), by = u.vector("u");
            return to_numpy([&]() -> const VectorXd& {
              const Unlocked unlocked(*f.model);
              return f.function.rate(t, at, by);
            }());
          },
          "t"_a, "x"_a, "u"_a, doc("RobotDynamics::rate"))
      .def(
          "step",
          [](Dynamics& f, const Numbers& x, const Numbers& u, double t) {
            const auto at = x.vector("x"), by = u.vector("u");
            return to_numpy([&]() -> const VectorXd& {
              const Unlocked unlocked(*f.model);
              return f.function.step(at, by, t);
            }());
          },
          "x"_a, "u"_a, "time"_a = 0.0, doc("RobotDynamics::step"))
      .def(
          "rollout",
          [](Dynamics& f, const Numbers& x, const Numbers& u, double t) {
            const VectorXd start = x.vector("x");
            const RowMatrix inputs = u.rows("u");
            const auto watch = signal_watch();
            RowMatrix states(inputs.rows() + 1, start.size());
            {
              const nb::gil_scoped_release unlocked;
              states.row(0) = start.transpose();
              VectorXd at = start, by;
              for (Eigen::Index k = 0; k < inputs.rows(); ++k) {
                watch();
                by = inputs.row(k).transpose();
                at = f.function.step(at, by, t + static_cast<double>(k) * f.function.length().value_or(0.0));
                states.row(k + 1) = at.transpose();
              }
            }
            return to_numpy(states);
          },
          "x"_a, "u"_a, "time"_a = 0.0,
          "States after so many steps, (steps + 1, nx), from x, (nx,), under inputs u, (steps, nu), with x first.")
      .def(
          "linearise",
          [](Dynamics& f, const Numbers& x, const Numbers& u, double t,
             const std::variant<std::string, std::vector<std::string>>& of) {
            const auto at = x.vector("x"), by = u.vector("u");
            const auto* one = std::get_if<std::string>(&of);
            const Unlocked unlocked(*f.model);
            return DynamicsSlopes(f.function.linearise(t, at, by, one ? std::vector{*one} : std::get<1>(of)));
          },
          "x"_a, "u"_a, "time"_a = 0.0, "of"_a = std::vector<std::string>(), doc("RobotDynamics::linearise"))
      .def(
          "linearise_step",
          [](Dynamics& f, const Numbers& x, const Numbers& u, double t) {
            const auto at = x.vector("x"), by = u.vector("u");
            const Unlocked unlocked(*f.model);
            return DynamicsSlopes(f.function.linearise_step(at, by, t));
          },
          "x"_a, "u"_a, "time"_a = 0.0, doc("RobotDynamics::linearise_step"))
      .def(
          "linearise_along",
          [](Dynamics& f, const Numbers& x, const Numbers& u, double t, bool rolled_out) {
            require_rows(f, x, u);
            const RowMatrix states = x.rows("x"), inputs = u.rows("u");
            if (rolled_out && states.rows() != inputs.rows() + 1) {
              throw ArgumentError("x", "shape " + x.shape_text(), "one row more than u has, where its steps lead");
            }
            const Eigen::Index n = f.function.tangent_size();
            double *A = nullptr, *B = nullptr;
            Array all_A = along(inputs.rows(), n, n, A), all_B = along(inputs.rows(), n, inputs.cols(), B);
            const auto watch = signal_watch();
            {
              const nb::gil_scoped_release unlocked;
              VectorXd at, by, next;
              for (Eigen::Index k = 0; k < inputs.rows(); ++k) {
                watch();
                at = states.row(k).transpose(), by = inputs.row(k).transpose();
                const double time = t + static_cast<double>(k) * f.function.length().value_or(0.0);
                if (rolled_out) next = states.row(k + 1).transpose();
                const DynamicsSlopes& found = rolled_out ? f.function.linearise_step(at, by, next, time)
                                                         : f.function.linearise_step(at, by, time);
                Eigen::Map<RowMatrix>(A, n, n) = found.A, Eigen::Map<RowMatrix>(B, n, inputs.cols()) = found.B;
                A += n * n, B += n * inputs.cols();
              }
            }
            return nb::make_tuple(all_A, all_B);
          },
          "x"_a, "u"_a, "time"_a = 0.0, "rolled_out"_a = false,
          nb::sig("def linearise_along(self, x: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, time: float = 0.0, "
                  "rolled_out: bool = False) -> tuple[numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "A_k, (steps, ndx, ndx), and B_k, (steps, ndx, nu), of the steps from x[k] under u[k] (linearise_step).\n\n"
          "x: (steps, nx), or one row more.   u: (steps, nu).   time: when the first step begins [s].\n"
          "rolled_out: x[k + 1] is where step k leads, as `rollout` gives it: steps are not solved for again.");
}

}  // namespace

void bind_functions(nb::module_& m) {
  bind_dynamics_function(m);
  struct Function {
    Function(ModelPointer its_model, const ScenarioFile& file, const std::vector<std::string>& of,
             const std::vector<double>& times, const std::vector<std::string>& by)
        : model(std::move(its_model)), run(*model, file.scenario, of, times, by) {}
    ModelPointer model;
    RolloutFunction run;
  };
  is_working_memory(
      nb::class_<Function>(m, "RolloutFunction", doc("RolloutFunction")),
      "cuttle.RolloutFunction: found the records of a run, which are neither pickled nor copied, expected "
      "one made where it is needed: robot.rollout_function(..)")
      .def(nb::init<ModelPointer, const ScenarioFile&, const std::vector<std::string>&, const std::vector<double>&,
                    const std::vector<std::string>&>(),
           "model"_a, "scenario"_a, "of"_a, "times"_a, "by"_a, "Robot.rollout_function is what people use.")
      .def_prop_ro(
          "outputs", [](const Function& f) { return f.run.outputs(); }, doc("RolloutFunction::outputs"))
      .def_prop_ro(
          "output_sizes", [](const Function& f) { return f.run.output_sizes(); }, doc("RolloutFunction::output_sizes"))
      .def_prop_ro(
          "parameters", [](const Function& f) { return f.run.parameters(); }, doc("RolloutFunction::parameters"))
      .def_prop_ro(
          "sizes", [](const Function& f) { return f.run.sizes(); }, doc("RolloutFunction::sizes"))
      .def_prop_ro(
          "times", [](const Function& f) { return to_numpy(f.run.times()); }, doc("RolloutFunction::times"))
      .def(
          "run",
          [](Function& f, const Numbers& numbers) {
            const VectorXd given = numbers.vector("numbers");
            RunOptions options;
            options.progress = [watch = signal_watch()](const Progress&) { watch(); };
            return to_numpy([&]() -> const MatrixXd& {
              const nb::gil_scoped_release unlocked;
              return f.run.run(given, options);
            }());
          },
          "numbers"_a, doc("RolloutFunction::run"))
      .def(
          "back",
          [](Function& f, const Numbers& by_outputs) {
            const MatrixXd given = by_outputs.rows("by_outputs");
            return to_numpy([&] {
              const nb::gil_scoped_release unlocked;
              return f.run.back(given);
            }());
          },
          "by_outputs"_a, doc("RolloutFunction::back"))
      .def(
          "hvp",
          [](Function& f, const Numbers& numbers, const Numbers& direction, const nb::callable& worth, double tolerance,
             double step) {
            const VectorXd given = numbers.vector("numbers"), along = direction.vector("direction");
            RunOptions options;
            options.progress = [watch = signal_watch()](const Progress&) { watch(); };
            const auto worth_of = [&](const MatrixXd& outputs) -> MatrixXd {
              const nb::gil_scoped_acquire locked;
              const nb::object given_worth = worth(to_numpy(outputs));
              Numbers found;
              found.take(given_worth.ptr());
              return found.rows("worth");
            };
            const HessianProduct found = [&] {
              const nb::gil_scoped_release unlocked;
              return f.run.hvp(given, along, worth_of, {tolerance, step}, options);
            }();
            return nb::make_tuple(to_numpy(found.product), found.error, found.gradients);
          },
          "numbers"_a, "direction"_a, "worth"_a, "tolerance"_a, "step"_a, doc("RolloutFunction::hvp"));
}

}  // namespace cuttle::python
