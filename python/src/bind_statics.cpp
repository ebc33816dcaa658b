#include <nanobind/stl/complex.h>

#include "bindings.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/equilibrium_gradient.h"
#include "cuttle/algorithms/inverse_kinematics.h"
#include "cuttle/algorithms/inverse_statics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/algorithms/modes.h"
#include "cuttle/algorithms/statics.h"
#include "cuttle/error.h"
#include "cuttle/simulation/recorded_contacts.h"
#include "doc.h"
#include "interpreter_end.h"
#include "values.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<StaticEquilibrium> =
    std::tuple(&StaticEquilibrium::q, &StaticEquilibrium::multipliers, &StaticEquilibrium::element_states,
               &StaticEquilibrium::site_states, &StaticEquilibrium::start, &StaticEquilibrium::residual,
               &StaticEquilibrium::load_steps, &StaticEquilibrium::all_at_once, &StaticEquilibrium::by_path,
               &StaticEquilibrium::iterations, &StaticEquilibrium::smallest_stiffness, &StaticEquilibrium::stability,
               &StaticEquilibrium::growth_rate);
template <>
inline constexpr auto k_members<Mode> = std::tuple(&Mode::eigenvalue, &Mode::rounding, &Mode::shape, &Mode::states);
template <>
inline constexpr auto k_members<FrameTarget> = std::tuple(&FrameTarget::frame, &FrameTarget::kind, &FrameTarget::goal,
                                                          &FrameTarget::axis, &FrameTarget::direction,
                                                          &FrameTarget::weight, &FrameTarget::name);
template <>
inline constexpr auto k_members<TargetError> = std::tuple(&TargetError::position, &TargetError::angle);
template <>
inline constexpr auto k_members<InverseKinematicsResult> =
    std::tuple(&InverseKinematicsResult::converged, &InverseKinematicsResult::q, &InverseKinematicsResult::residual,
               &InverseKinematicsResult::errors, &InverseKinematicsResult::iterations, &InverseKinematicsResult::starts,
               &InverseKinematicsResult::active_limits, &InverseKinematicsResult::least_energy,
               &InverseKinematicsResult::elastic_energy);
template <>
inline constexpr auto k_members<InverseStaticsResult> =
    std::tuple(&InverseStaticsResult::converged, &InverseStaticsResult::u, &InverseStaticsResult::equilibrium,
               &InverseStaticsResult::residual, &InverseStaticsResult::errors, &InverseStaticsResult::iterations,
               &InverseStaticsResult::active_limits, &InverseStaticsResult::least_inputs);

namespace {

Vector3 vector3_of(const Numbers& numbers, const char* name) {
  const auto a = numbers.vector(name);
  if (a.size() != 3) throw ArgumentError(name, "an array of shape " + numbers.shape_text(), "3 numbers");
  return {a[0], a[1], a[2]};
}

/// Of complex numbers: n x 2, real and imaginary parts side by side, as NumPy sees them.
nb::object complex_array(const Eigen::VectorXcd& numbers) {
  double* parts = nullptr;
  const Array array = new_array({2 * numbers.size()}, parts);
  for (const std::complex<double>& z : numbers) *parts++ = z.real(), *parts++ = z.imag();
  return array.attr("view")("complex128");
}

/// Loads at rest: inputs, wrenches and the robot's own loads.
StaticLoads static_loads(const Model& model, const std::optional<Numbers>& u,
                         const std::vector<ExternalWrench>& external, std::optional<double> loads_at_time,
                         const std::string& friction = "from_start") {
  StaticLoads loads;
  if (friction == "none") {
    loads.friction = StaticLoads::Friction::none;
  } else if (friction != "from_start") {
    throw ArgumentError("friction", "'" + friction + "'", "'from_start' or 'none'");
  }
  loads.u = vector_or(u, "u", VectorXd::Zero(model.nu()));
  if (u) apply_slack<double>(model, loads.u);
  loads.external = external;
  if (loads_at_time) {
    for (const ExternalWrench& wrench : loads_at(model, *loads_at_time)) loads.external.push_back(wrench);
    loads.state_loads_at = loads_at_time;
  }
  return loads;
}

/// Limits of `count` numbers; either may be left out.
template <typename Limits>
Limits limits_from(const std::optional<Numbers>& lower, const std::optional<Numbers>& upper, Limits usual) {
  if (lower) usual.lower = lower->vector("lower");
  if (upper) usual.upper = upper->vector("upper");
  return usual;
}

void bind_equilibria(nb::module_& m) {
  by_members(nb::class_<StaticEquilibrium>(m, "StaticEquilibrium", doc("StaticEquilibrium")))
      .def_prop_ro(
          "q", [](const StaticEquilibrium& e) { return to_numpy(e.q); }, doc("StaticEquilibrium::q"))
      .def_prop_ro(
          "multipliers", [](const StaticEquilibrium& e) { return to_numpy(e.multipliers); }, "of closed loops")
      .def_prop_ro(
          "element_states", [](const StaticEquilibrium& e) { return to_numpy(e.element_states); },
          "of elements, at rest")
      .def_ro("residual", &StaticEquilibrium::residual, doc("StaticEquilibrium::residual"))
      .def_ro("load_steps", &StaticEquilibrium::load_steps, doc("StaticEquilibrium::load_steps"))
      .def_ro("all_at_once", &StaticEquilibrium::all_at_once,
              "the loads could not grow: found from all at once, perhaps on another branch")
      .def_ro("by_path", &StaticEquilibrium::by_path, doc("StaticEquilibrium::by_path"))
      .def_ro("iterations", &StaticEquilibrium::iterations, doc("StaticEquilibrium::iterations"))
      .def_ro("smallest_stiffness", &StaticEquilibrium::smallest_stiffness,
              doc("StaticEquilibrium::smallest_stiffness"))
      .def_prop_ro(
          "stability", [](const StaticEquilibrium& e) { return stability_name(e.stability); },
          "'stable', 'neutral', 'unstable' or 'unknown', of small motions")
      .def_ro("growth_rate", &StaticEquilibrium::growth_rate, "of the small motion that grows fastest [1/s]; 0: none")
      .def_prop_ro("stable", &StaticEquilibrium::stable, "whether no small motion grows");
  m.def(
      "static_equilibrium",
      [](const Model& model, Data& data, const std::optional<Numbers>& u, const std::optional<Numbers>& q0,
         const std::vector<ExternalWrench>& external, std::optional<double> loads_at_time,
         const std::string& friction) {
        const nb::gil_scoped_release unlocked;
        const StaticLoads loads = static_loads(model, u, external, loads_at_time, friction);
        const VectorXd start = vector_or(q0, "q0", model.neutral());
        return static_equilibrium(model, data, loads, start, {}, signal_watch());
      },
      "model"_a, "data"_a, "u"_a = nb::none(), "q0"_a = nb::none(), "external"_a = std::vector<ExternalWrench>(),
      "loads_at"_a = nb::none(), "friction"_a = "from_start",
      doc("static_equilibrium",
          "q0: where to start, shape (nq,); None: neutral.\nu: inputs, shape (nu,); None: zeros.\nexternal: wrenches "
          "that the world puts on frames.\nloads_at: time at which the robot's own loads act [s]; None: they do not.\n"
          "friction: of contacts, 'from_start' or 'none'."));
  m.def(
      "contacts_at_rest",
      [](const Model& model, Data& data, const StaticEquilibrium& equilibrium, std::optional<double> time) {
        nb::dict result;
        if (model.site_laws().empty()) return result;
        ContactReader reader(model);
        const VectorXd still = VectorXd::Zero(model.nv());
        const VectorXd& numbers = reader.read_at_rest(forward_kinematics<double>(model, data, equilibrium.q, still),
                                                      time.value_or(0.0), equilibrium.site_states);
        Eigen::Index first = 0;
        for (const RecordedContact& recorded : recorded_contacts(model)) {
          const auto count = static_cast<Eigen::Index>(recorded.columns.size());
          const VectorXd values = numbers.segment(first, count);
          first += count;
          const char* const name = recorded.contact.c_str();
          if (!result.contains(name)) result[name] = nb::dict();
          nb::object value =
              recorded.scalar ? nb::object(nb::float_(values[0])) : nb::object(nb::cast(to_numpy(values)));
          nb::cast<nb::dict>(result[name])[recorded.quantity.c_str()] = value;
        }
        return result;
      },
      "model"_a, "data"_a, "equilibrium"_a, "time"_a = nb::none(),
      "What contacts do in an equilibrium, by name: quantities as those of a run, at one instant.\n\n"
      "time: at which obstacles are where they are [s]; None: 0.");
  by_members(nb::class_<Mode>(m, "Mode", doc("Mode")))
      .def_ro("eigenvalue", &Mode::eigenvalue, "[1/s]; of two that are conjugate the one that turns forward")
      .def_prop_ro("frequency", &Mode::frequency, doc("Mode::frequency"))
      .def_prop_ro("damping_ratio", &Mode::damping_ratio, doc("Mode::damping_ratio"))
      .def_prop_ro(
          "shape", [](const Mode& mode) { return complex_array(mode.shape); },
          nb::sig("def shape(self) -> numpy.typing.NDArray[numpy.complex128]"), doc("Mode::shape"));
  m.def(
      "modes",
      [](const Model& model, Data& data, const StaticEquilibrium& equilibrium, const std::optional<Numbers>& u,
         const std::vector<ExternalWrench>& external, std::optional<double> loads_at_time, std::optional<int> count) {
        const nb::gil_scoped_release unlocked;
        const StaticLoads loads = static_loads(model, u, external, loads_at_time);
        if (count) return lowest_modes(model, data, loads, equilibrium, *count);
        return modes(linearized_motion(model, data, loads, equilibrium));
      },
      "model"_a, "data"_a, "equilibrium"_a, "u"_a = nb::none(), "external"_a = std::vector<ExternalWrench>(),
      "loads_at"_a = nb::none(), "count"_a = nb::none(),
      doc("modes",
          "Of small motions about the equilibrium under the same loads as it.\nu: inputs, shape (nu,); None: "
          "zeros.\nexternal: wrenches that the world puts on frames.\nloads_at: time at which the robot's own loads "
          "act [s]; None: they do not.\ncount: only so many of the lowest, which large robots need; None: all."));
  m.def(
      "equilibrium_by_inputs",
      [](const Model& model, Data& data, const StaticEquilibrium& equilibrium, const Numbers& u,
         std::optional<double> loads_at_time) {
        const RestLoads loads{.u = u.vector("u"), .time = loads_at_time};
        return to_numpy([&]() -> MatrixXd {
          const nb::gil_scoped_release unlocked;
          return cuttle::equilibrium_by_inputs(model, data, loads, equilibrium);
        }());
      },
      "model"_a, "data"_a, "equilibrium"_a, "u"_a, "loads_at"_a = nb::none(),
      doc("equilibrium_by_inputs",
          "u: inputs that the equilibrium was found for, shape (nu,).\nloads_at: time at which the robot's own loads "
          "act "
          "[s]; None: they do not."));
}

void bind_targets(nb::module_& m) {
  by_members(nb::class_<FrameTarget>(m, "FrameTarget", doc("FrameTarget")))
      .def_static(
          "at_position",
          [](const Frame& frame, const Numbers& position) {
            return FrameTarget::at_position(frame, vector3_of(position, "position"));
          },
          "frame"_a, "position"_a, "Its origin in the world, shape (3,) [m].")
      .def_static("at_pose", &FrameTarget::at_pose, "frame"_a, "pose"_a, "Its whole pose in the world.")
      .def_static(
          "in_direction",
          [](const Frame& frame, const Numbers& axis, const Numbers& direction) {
            return FrameTarget::in_direction(frame, vector3_of(axis, "axis"), vector3_of(direction, "direction"));
          },
          "frame"_a, "axis"_a, "direction"_a,
          "The direction in the world in which an axis of the frame points, shape (3,) each.")
      .def_rw("weight", &FrameTarget::weight, doc("FrameTarget::weight"))
      .def_rw("name", &FrameTarget::name, doc("FrameTarget::name"));
  by_members(nb::class_<TargetError>(m, "TargetError", "How far one frame is from its target."))
      .def_ro("position", &TargetError::position, "[m]")
      .def_ro("angle", &TargetError::angle, "[rad]");
  using Result = InverseKinematicsResult;
  by_members(nb::class_<Result>(m, "InverseKinematicsResult",
                                "A configuration that inverse kinematics found, and how far it is off."))
      .def_ro("converged", &Result::converged, "all targets are reached, within limits and with closed loops")
      .def_prop_ro(
          "q", [](const Result& r) { return to_numpy(r.q); }, "shape (nq,); not converged: the nearest one found")
      .def_ro("residual", &Result::residual, "largest of all errors, m and rad alike")
      .def_ro("errors", &Result::errors, "one a target")
      .def_ro("iterations", &Result::iterations, "of all starts together")
      .def_ro("starts", &Result::starts, "from how many configurations it looked")
      .def_ro("active_limits", &Result::active_limits, "coordinates of q at one of their limits")
      .def_ro("least_energy", &Result::least_energy, "whether the elastic energy is the least nearby")
      .def_ro("elastic_energy", &Result::elastic_energy, "of bodies and joint springs [J]");
  is_working_memory(nb::class_<InverseKinematics>(m, "InverseKinematics", doc("InverseKinematics")),
                    "cuttle.InverseKinematics: found a solver with its working memory, which is neither pickled nor "
                    "copied, expected one made where it is needed, of model and targets")
      .def(
          "__init__",
          [](InverseKinematics* self, const Model& model, const std::vector<FrameTarget>& targets,
             const std::optional<Numbers>& lower, const std::optional<Numbers>& upper, bool least_energy,
             double tolerance) {
            const nb::gil_scoped_release unlocked;
            InverseKinematicsOptions options;
            options.limits = limits_from(lower, upper, joint_limits(model));
            options.least_energy = least_energy;
            options.tolerance = tolerance;
            options.heartbeat = idle_signal_watch();
            new (self) InverseKinematics(model, targets, options);
          },
          "model"_a, "targets"_a, "lower"_a = nb::none(), "upper"_a = nb::none(), "least_energy"_a = true,
          "tolerance"_a = 1e-9, nb::keep_alive<1, 2>(),
          doc("InverseKinematics::InverseKinematics",
              "lower, upper: limits of the configuration, shape (nq,), infinite where there is none; without them "
              "those of the\nrobot's elements joint_limit."))
      .def("set_goal", &InverseKinematics::set_goal, "target"_a, "pose"_a, doc("InverseKinematics::set_goal"))
      .def(
          "solve",
          [](InverseKinematics& self, const Numbers& q0) {
            const nb::gil_scoped_release unlocked;
            const Work work;
            return self.solve(q0.vector("q0"));
          },
          "q0"_a, doc("InverseKinematics::solve"));
  using Statics = InverseStaticsResult;
  by_members(nb::class_<Statics>(m, "InverseStaticsResult",
                                 "Inputs that inverse statics found, where the robot rests, and how far it is off."))
      .def_ro("converged", &Statics::converged, "an equilibrium with all frames at their targets, inputs within limits")
      .def_prop_ro(
          "u", [](const Statics& r) { return to_numpy(r.u); }, "inputs, shape (nu,)")
      .def_ro("equilibrium", &Statics::equilibrium, "under u, with its stability")
      .def_ro("residual", &Statics::residual, "largest of all errors, m and rad alike")
      .def_ro("errors", &Statics::errors, "one a target")
      .def_ro("iterations", &Statics::iterations, "of all starts together")
      .def_ro("active_limits", &Statics::active_limits, "inputs at one of their limits")
      .def_ro("least_inputs", &Statics::least_inputs, "whether the inputs are the least nearby");
  m.def(
      "inverse_statics",
      [](const Model& model, const std::vector<FrameTarget>& targets, const std::optional<Numbers>& u,
         const std::optional<Numbers>& q0, const std::vector<int>& inputs, const std::optional<Numbers>& lower,
         const std::optional<Numbers>& upper, double tolerance, std::optional<double> loads_at_time,
         const std::string& friction) {
        const nb::gil_scoped_release unlocked;
        InverseStaticsOptions options;
        options.limits = limits_from(lower, upper, input_limits(model));
        options.inputs = inputs;
        options.tolerance = tolerance;
        options.heartbeat = signal_watch();
        const StaticLoads loads = static_loads(model, u, {}, loads_at_time, friction);
        const VectorXd start = vector_or(q0, "q0", model.neutral());
        return inverse_statics(model, targets, loads, start, options);
      },
      "model"_a, "targets"_a, "u"_a = nb::none(), "q0"_a = nb::none(), "inputs"_a = std::vector<int>(),
      "lower"_a = nb::none(), "upper"_a = nb::none(), "tolerance"_a = 1e-9, "loads_at"_a = nb::none(),
      "friction"_a = "from_start",
      "The least inputs within their limits that hold frames at their targets, and where the robot then rests.\n\n"
      "u: inputs to start from, and to keep of those that do not change, shape (nu,).   inputs: that may change; all.\n"
      "lower, upper: limits of the inputs, shape (nu,); tendons do not push.\n"
      "friction: of contacts, 'from_start' or 'none'.");
}

}  // namespace

void bind_statics(nb::module_& m) {
  bind_equilibria(m);
  bind_targets(m);
}

}  // namespace cuttle::python
