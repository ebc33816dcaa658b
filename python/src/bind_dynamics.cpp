#include <chrono>

#include "bindings.h"
#include "cuttle/algorithms/actuation.h"
#include "cuttle/algorithms/constraints.h"
#include "cuttle/algorithms/derivatives.h"
#include "cuttle/algorithms/energy.h"
#include "cuttle/algorithms/forward_dynamics.h"
#include "cuttle/algorithms/inverse_dynamics.h"
#include "cuttle/algorithms/kinematics.h"
#include "cuttle/error.h"
#include "cuttle/spatial/eigen.h"
#include "doc.h"
#include "values.h"

namespace cuttle::python {

template <>
inline constexpr auto k_members<Wrench> = std::tuple(&Wrench::torque, &Wrench::force);
template <>
inline constexpr auto k_members<ExternalWrench> = std::tuple(&ExternalWrench::frame, &ExternalWrench::wrench,
                                                             &ExternalWrench::axes);

namespace {

using Wrenches = std::vector<ExternalWrench>;

Array six(const Eigen::Matrix<double, 6, 1>& numbers) { return to_numpy(VectorXd(numbers)); }

Axes axes_from(const std::string& name) {
  if (name == "body") return Axes::body;
  if (name == "world") return Axes::world;
  throw ArgumentError("axes", "'" + name + "'", "body or world");
}

void bind_data(nb::module_& m) {
  is_working_memory(
      nb::class_<Data>(m, "Data", doc("Data")),
      "cuttle.Data: found the working memory of algorithms, which is neither pickled nor copied, expected "
      "one made where it is needed: cuttle.Data(model)")
      .def(nb::init<const Model&>(), "model"_a)
      .def_prop_ro(
          "tau", [](const Data& data) { return to_numpy(data.tau); }, doc("Data::tau"))
      .def_prop_ro(
          "a", [](const Data& data) { return to_numpy(data.a); }, doc("Data::a"));
  by_members(nb::class_<ExternalWrench>(m, "ExternalWrench", doc("ExternalWrench")))
      .def(
          "__init__",
          [](ExternalWrench* self, const Frame& frame, const Numbers& wrench, const std::string& axes) {
            const auto w = wrench.vector("wrench");
            if (w.size() != 6) throw ArgumentError("wrench", wrench.shape_text(), "6 numbers: torque [N m], force [N]");
            const Axes own = axes_from(axes);
            new (self) ExternalWrench{frame, {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}}, own};
          },
          "frame"_a, "wrench"_a, "axes"_a = "body",
          "wrench: torque, then force, at the frame's origin [N m, N].   axes: 'body', the frame's own, or 'world'.");
}

/// Computes what may take long, then makes an array of it.
template <typename Compute>
Array result_of(const Model& model, const Compute& compute) {
  const auto* result = [&] {
    const Unlocked unlocked(model);
    return &compute();
  }();
  return to_numpy(*result);
}

void bind_forces(nb::module_& m) {
  m.def(
      "inverse_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& a,
         const std::optional<Wrenches>& external) {
        return result_of(model, [&]() -> const VectorXd& {
          if (!external) return inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"));
          return inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"), *external);
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "a"_a, "external"_a = nb::none(),
      doc("inverse_dynamics", "With `external`, less sum J^T wrench of these wrenches."));
  m.def(
      "inertial_inverse_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& a) {
        return result_of(model, [&]() -> const VectorXd& {
          return inertial_inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "a"_a, doc("inertial_inverse_dynamics"));
  m.def(
      "mass_inverse_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& a) {
        {
          const Unlocked unlocked(model);
          mass_inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"));
        }
        return nb::make_tuple(to_numpy(data.tau), to_numpy(data.mass_matrix));
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "a"_a,
      nb::sig("def mass_inverse_dynamics(model: Model, data: Data, q: numpy.typing.ArrayLike, v: "
              "numpy.typing.ArrayLike, a: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64]]"),
      doc("mass_inverse_dynamics", "Returns both as arrays."));
  m.def(
      "mass_matrix",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const MatrixXd& { return mass_matrix<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, doc("mass_matrix"));
  m.def(
      "coriolis_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const VectorXd& {
          return coriolis_force<double>(model, data, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, doc("coriolis_force"));
  m.def(
      "gravity_force",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const VectorXd& { return gravity_force<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, doc("gravity_force"));
  m.def(
      "elastic_force",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const VectorXd& { return elastic_force<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, doc("elastic_force"));
  m.def(
      "damping_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const VectorXd& {
          return damping_force<double>(model, data, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, doc("damping_force"));
  m.def(
      "external_force",
      [](const Model& model, Data& data, const Numbers& q, const Wrenches& external) {
        return result_of(
            model, [&]() -> const VectorXd& { return external_force<double>(model, data, q.vector("q"), external); });
      },
      "model"_a, "data"_a, "q"_a, "external"_a, doc("external_force"));
  m.def(
      "forward_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& tau,
         const std::optional<Wrenches>& external) {
        return result_of(model, [&]() -> const VectorXd& {
          return forward_dynamics<double>(
              model, data, q.vector("q"), v.vector("v"), tau.vector("tau"),
              external ? std::span<const ExternalWrench>(*external) : std::span<const ExternalWrench>());
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "tau"_a, "external"_a = nb::none(), doc("forward_dynamics"));
}

/// For benchmarks: how long the same takes where C++ calls it.
void bind_clock(nb::module_& m) {
  m.def(
      "_seconds_of_inverse_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& a, long calls) {
        const auto begin = std::chrono::steady_clock::now();
        for (long i = 0; i < calls; ++i) {
          inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"));
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        return seconds.count() / static_cast<double>(calls);
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "a"_a, "calls"_a);
}

void bind_energies(nb::module_& m) {
  m.def(
      "kinetic_energy",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return kinetic_energy<double>(model, data, q.vector("q"), v.vector("v"));
      },
      "model"_a, "data"_a, "q"_a, "v"_a, doc("kinetic_energy"));
  m.def(
      "gravity_energy",
      [](const Model& model, Data& data, const Numbers& q) {
        return gravity_energy<double>(model, data, q.vector("q"));
      },
      "model"_a, "data"_a, "q"_a, doc("gravity_energy"));
  m.def(
      "elastic_energy",
      [](const Model& model, Data& data, const Numbers& q) {
        return elastic_energy<double>(model, data, q.vector("q"));
      },
      "model"_a, "data"_a, "q"_a, doc("elastic_energy"));
  m.def(
      "momentum",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return six(to_eigen(momentum<double>(model, data, q.vector("q"), v.vector("v"))));
      },
      "model"_a, "data"_a, "q"_a, "v"_a, doc("momentum"));
}

void bind_kinematics(nb::module_& m) {
  using Kinematics = KinematicsT<double>;
  is_working_memory(nb::class_<Kinematics>(m, "Kinematics", doc("Kinematics")),
                    "cuttle.Kinematics: found a part of a Data, which is neither pickled nor copied, expected poses "
                    "and velocities that it was asked for")
      .def(
          "pose", [](const Kinematics& kinematics, const Frame& frame) { return kinematics.pose(frame); }, "frame"_a,
          doc("Kinematics::pose"))
      .def(
          "velocity_of",
          [](const Kinematics& kinematics, const Frame& frame) { return six(to_eigen(kinematics.velocity_of(frame))); },
          "frame"_a, doc("Kinematics::velocity_of"))
      .def(
          "acceleration_of",
          [](const Kinematics& kinematics, const Frame& frame) {
            return six(to_eigen(kinematics.acceleration_of(frame)));
          },
          "frame"_a, doc("Kinematics::acceleration_of"));
  m.def(
      "forward_kinematics",
      [](const Model& model, Data& data, const Numbers& q, const std::optional<Numbers>& v,
         const std::optional<Numbers>& a) -> const Kinematics& {
        const Unlocked unlocked(model);
        if (a && !v) throw ArgumentError("v", "none beside a", "a velocity");
        if (a) return forward_kinematics<double>(model, data, q.vector("q"), v->vector("v"), a->vector("a"));
        if (v) return forward_kinematics<double>(model, data, q.vector("q"), v->vector("v"));
        return forward_kinematics<double>(model, data, q.vector("q"));
      },
      "model"_a, "data"_a, "q"_a, "v"_a = nb::none(), "a"_a = nb::none(), nb::rv_policy::reference,
      nb::keep_alive<0, 2>(),
      doc("forward_kinematics",
          "With v, shape (nv,), velocities too; with a, shape (nv,), accelerations, gravity not included. The result "
          "is in `data`."));
  m.def(
      "frame_jacobian",
      [](const Model& model, Data& data, const Numbers& q, const Frame& frame) {
        return result_of(
            model, [&]() -> const MatrixXd& { return frame_jacobian<double>(model, data, q.vector("q"), frame); });
      },
      "model"_a, "data"_a, "q"_a, "frame"_a, doc("frame_jacobian"));
}

void bind_actuation(nb::module_& m) {
  m.def(
      "actuation_matrix",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model,
                         [&]() -> const MatrixXd& { return actuation_matrix<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, doc("actuation_matrix"));
  m.def(
      "actuation_coordinates",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(
            model, [&]() -> const VectorXd& { return actuation_coordinates<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, doc("actuation_coordinates"));
  m.def(
      "actuation_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& u) {
        return result_of(model, [&]() -> const VectorXd& {
          return actuation_force<double>(model, data, q.vector("q"), u.vector("u"));
        });
      },
      "model"_a, "data"_a, "q"_a, "u"_a, doc("actuation_force"));
  m.def(
      "constraint_residual",
      [](const Model& model, Data& data, const Numbers& q) {
        ConstraintData constraints(model);
        return to_numpy(constraint_residual<double>(model, data, constraints, q.vector("q")));
      },
      "model"_a, "data"_a, "q"_a, doc("constraint_residual"));
  m.def(
      "constraint_jacobian",
      [](const Model& model, Data& data, const Numbers& q) {
        ConstraintData constraints(model);
        return to_numpy(constraint_jacobian<double>(model, data, constraints, q.vector("q")));
      },
      "model"_a, "data"_a, "q"_a, doc("constraint_jacobian"));
}

void bind_derivatives(nb::module_& m) {
  is_working_memory(nb::class_<DerivativeData>(m, "DerivativeData", doc("DerivativeData")),
                    "cuttle.DerivativeData: found working memory, which is neither pickled nor copied, expected its "
                    "arrays, or one made where it is needed")
      .def(nb::init<const Model&>(), "model"_a, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "by_q", [](const DerivativeData& d) { return to_numpy(d.by_q); }, doc("DerivativeData::by_q"))
      .def_prop_ro(
          "by_v", [](const DerivativeData& d) { return to_numpy(d.by_v); }, doc("DerivativeData::by_v"))
      .def_prop_ro(
          "by_a", [](const DerivativeData& d) { return to_numpy(d.by_a); }, doc("DerivativeData::by_a"));
  m.def(
      "inverse_dynamics_derivatives",
      [](const Model& model, Data& data, DerivativeData& derivatives, const Numbers& q, const Numbers& v,
         const Numbers& a, const std::optional<Numbers>& u, const Wrenches& external) {
        const nb::gil_scoped_release unlocked;
        const VectorXd inputs = vector_or(u, "u", {});
        Actions actions;
        if (u) actions.u = &inputs;
        actions.external = external;
        inverse_dynamics_derivatives(model, data, derivatives, q.vector("q"), v.vector("v"), a.vector("a"), actions);
      },
      "model"_a, "data"_a, "derivatives"_a, "q"_a, "v"_a, "a"_a, "u"_a = nb::none(), "external"_a = Wrenches(),
      doc("inverse_dynamics_derivatives", "u: inputs, shape (nu,), taken as they are; None: without."));
  m.def(
      "forward_dynamics_derivatives",
      [](const Model& model, Data& data, DerivativeData& derivatives, const Numbers& q, const Numbers& v,
         const Numbers& tau, const std::optional<Numbers>& u, const Wrenches& external) {
        const nb::gil_scoped_release unlocked;
        const VectorXd inputs = vector_or(u, "u", {});
        Actions actions;
        if (u) actions.u = &inputs;
        actions.external = external;
        forward_dynamics_derivatives(model, data, derivatives, q.vector("q"), v.vector("v"), tau.vector("tau"),
                                     actions);
      },
      "model"_a, "data"_a, "derivatives"_a, "q"_a, "v"_a, "tau"_a, "u"_a = nb::none(), "external"_a = Wrenches(),
      doc("forward_dynamics_derivatives", "u: inputs, shape (nu,), taken as they are; None: without."));
  m.def(
      "coriolis_matrix",
      [](const Model& model, Data& data, DerivativeData& derivatives, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const MatrixXd& {
          return coriolis_matrix(model, data, derivatives, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "derivatives"_a, "q"_a, "v"_a, doc("coriolis_matrix"));
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  bind_data(m);
  bind_forces(m);
  bind_clock(m);
  bind_energies(m);
  bind_kinematics(m);
  bind_actuation(m);
  bind_derivatives(m);
}

}  // namespace cuttle::python
