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

namespace cuttle::python {
namespace {

using Wrenches = std::vector<ExternalWrench>;

Array six(const Eigen::Matrix<double, 6, 1>& numbers) { return to_numpy(VectorXd(numbers)); }

Axes axes_from(const std::string& name) {
  if (name == "body") return Axes::body;
  if (name == "world") return Axes::world;
  throw ArgumentError("axes", "'" + name + "'", "body or world");
}

void bind_data(nb::module_& m) {
  nb::class_<Data>(
      m, "Data",
      "Working memory of the algorithms, made once for a Model and then reused; serves every model of the same\n"
      "sizes. One a thread.")
      .def(nb::init<const Model&>(), "model"_a)
      .def_prop_ro(
          "tau", [](const Data& data) { return to_numpy(data.tau); }, "last result of the inverse dynamics, (nv,)")
      .def_prop_ro(
          "a", [](const Data& data) { return to_numpy(data.a); }, "last result of the forward dynamics, (nv,)");
  nb::class_<ExternalWrench>(m, "ExternalWrench", "A wrench that the world puts on the robot at a frame.")
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
      "Generalized force M(q) a + c(q, v) + g(q) + s(q, v), less sum J^T wrench of external wrenches: with gravity,\n"
      "elasticity and damping, without actuation and loads.\n\n"
      "q: configuration, shape (nq,).   v, a: velocity and acceleration, shape (nv,).\n"
      "Returns an array of shape (nv,), N m or N as the coordinate is an angle or a length.\n"
      "Raises ArgumentError if a size is wrong or a value is not finite. Cost O(links + sections).");
  m.def(
      "inertial_inverse_dynamics",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v, const Numbers& a) {
        return result_of(model, [&]() -> const VectorXd& {
          return inertial_inverse_dynamics<double>(model, data, q.vector("q"), v.vector("v"), a.vector("a"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "a"_a, "Inertial force M(q) a + c(q, v) alone, shape (nv,) [N m or N].");
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
      "inverse_dynamics (nv,) and the mass matrix (nv, nv) from one sweep.");
  m.def(
      "mass_matrix",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const MatrixXd& { return mass_matrix<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, "M(q), shape (nv, nv), both halves, armature included.");
  m.def(
      "coriolis_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const VectorXd& {
          return coriolis_force<double>(model, data, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "c(q, v), shape (nv,) [N m or N].");
  m.def(
      "gravity_force",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const VectorXd& { return gravity_force<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, "g(q), shape (nv,) [N m or N].");
  m.def(
      "elastic_force",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model, [&]() -> const VectorXd& { return elastic_force<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, "s(q, 0), shape (nv,) [N m or N].");
  m.def(
      "damping_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const VectorXd& {
          return damping_force<double>(model, data, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "q"_a, "v"_a, "s(q, v) - s(q, 0), shape (nv,) [N m or N].");
  m.def(
      "external_force",
      [](const Model& model, Data& data, const Numbers& q, const Wrenches& external) {
        return result_of(
            model, [&]() -> const VectorXd& { return external_force<double>(model, data, q.vector("q"), external); });
      },
      "model"_a, "data"_a, "q"_a, "external"_a, "sum J^T wrench, shape (nv,) [N m or N].");
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
      "model"_a, "data"_a, "q"_a, "v"_a, "tau"_a, "external"_a = nb::none(),
      "Acceleration (nv,) of M a + c + g + s = tau + sum J^T wrench, in O(links).\n\n"
      "tau: generalized force on the coordinates, shape (nv,): actuation and whatever else [N m or N].\n"
      "Raises SingularMassError that names the link whose coordinates move no mass.");
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
      "model"_a, "data"_a, "q"_a, "v"_a, "1/2 v^T M v, armature included [J].");
  m.def(
      "gravity_energy",
      [](const Model& model, Data& data, const Numbers& q) {
        return gravity_energy<double>(model, data, q.vector("q"));
      },
      "model"_a, "data"_a, "q"_a, "-sum m g.p, zero for mass at the world's origin [J].");
  m.def(
      "elastic_energy",
      [](const Model& model, Data& data, const Numbers& q) {
        return elastic_energy<double>(model, data, q.vector("q"));
      },
      "model"_a, "data"_a, "q"_a, "Of bodies and joint springs, zero in the stress-free state [J].");
  m.def(
      "momentum",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& v) {
        return six(to_eigen(momentum<double>(model, data, q.vector("q"), v.vector("v"))));
      },
      "model"_a, "data"_a, "q"_a, "v"_a,
      "Of the whole robot about the world's origin, world axes: angular [kg m^2/s], linear [kg m/s], shape (6,).");
}

void bind_kinematics(nb::module_& m) {
  using Kinematics = KinematicsT<double>;
  nb::class_<Kinematics>(m, "Kinematics", "Motion of all frames of a robot, until the next call with the same Data.")
      .def(
          "pose", [](const Kinematics& kinematics, const Frame& frame) { return kinematics.pose(frame); }, "frame"_a,
          "Pose of the frame in the world.")
      .def(
          "velocity_of",
          [](const Kinematics& kinematics, const Frame& frame) { return six(to_eigen(kinematics.velocity_of(frame))); },
          "frame"_a, "Twist of the frame in its own axes: angular [rad/s], linear [m/s], shape (6,).")
      .def(
          "acceleration_of",
          [](const Kinematics& kinematics, const Frame& frame) {
            return six(to_eigen(kinematics.acceleration_of(frame)));
          },
          "frame"_a, "d/dt of that twist, component-wise, shape (6,) [rad/s^2, m/s^2].");
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
      "Poses of all frames; with v (nv,) velocities; with a (nv,) accelerations, gravity not included. Ask the result "
      "for\n"
      "the pose of a frame; it is in `data`, until the next call.");
  m.def(
      "frame_jacobian",
      [](const Model& model, Data& data, const Numbers& q, const Frame& frame) {
        return result_of(
            model, [&]() -> const MatrixXd& { return frame_jacobian<double>(model, data, q.vector("q"), frame); });
      },
      "model"_a, "data"_a, "q"_a, "frame"_a,
      "J, shape (6, nv), angular rows first: the frame's twist in its own axes is J v.");
}

void bind_actuation(nb::module_& m) {
  m.def(
      "actuation_matrix",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(model,
                         [&]() -> const MatrixXd& { return actuation_matrix<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a, "A(q), shape (nv, nu): the generalized force of inputs u is A u.");
  m.def(
      "actuation_coordinates",
      [](const Model& model, Data& data, const Numbers& q) {
        return result_of(
            model, [&]() -> const VectorXd& { return actuation_coordinates<double>(model, data, q.vector("q")); });
      },
      "model"_a, "data"_a, "q"_a,
      "y(q), shape (nu,), that the inputs do work on: a joint's coordinate [rad or m], how much a tendon is shorter "
      "than\n"
      "in the neutral configuration [m], the volume of a chamber [m^3].");
  m.def(
      "actuation_force",
      [](const Model& model, Data& data, const Numbers& q, const Numbers& u) {
        return result_of(model, [&]() -> const VectorXd& {
          return actuation_force<double>(model, data, q.vector("q"), u.vector("u"));
        });
      },
      "model"_a, "data"_a, "q"_a, "u"_a, "A(q) u, shape (nv,) [N m or N], of inputs u (nu,) taken as they are.");
  m.def(
      "constraint_residual",
      [](const Model& model, Data& data, const Numbers& q) {
        ConstraintData constraints(model);
        return to_numpy(constraint_residual<double>(model, data, constraints, q.vector("q")));
      },
      "model"_a, "data"_a, "q"_a, "Phi(q) of all closed loops, shape (constraint_count,); zero: they are closed.");
  m.def(
      "constraint_jacobian",
      [](const Model& model, Data& data, const Numbers& q) {
        ConstraintData constraints(model);
        return to_numpy(constraint_jacobian<double>(model, data, constraints, q.vector("q")));
      },
      "model"_a, "data"_a, "q"_a, "G, shape (constraint_count, nv), with dPhi/dt = G v.");
}

void bind_derivatives(nb::module_& m) {
  nb::class_<DerivativeData>(
      m, "DerivativeData",
      "Results and memory of derivatives, made once for a Model, beside its Data. One a thread; for this\n"
      "model alone.")
      .def(nb::init<const Model&>(), "model"_a, nb::keep_alive<1, 2>())
      .def_prop_ro(
          "by_q", [](const DerivativeData& d) { return to_numpy(d.by_q); }, "shape (nv, nv), column k by direction k")
      .def_prop_ro(
          "by_v", [](const DerivativeData& d) { return to_numpy(d.by_v); }, "shape (nv, nv), likewise")
      .def_prop_ro(
          "by_a", [](const DerivativeData& d) { return to_numpy(d.by_a); }, "shape (nv, nv), likewise");
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
      "Exact derivatives of inverse_dynamics(q, v, a) - A(q) u - sum J^T wrench by q, v and a (which is M), into\n"
      "derivatives.by_q, by_v and by_a, shape (nv, nv) each: column k along integrate(q, e e_k), with the components "
      "of v\n"
      "and a held.");
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
      "Derivatives of the acceleration by q and v at fixed tau (nv,), u and wrenches, into by_q and by_v; by_a "
      "becomes\n"
      "M^-1, the derivative by tau. data.a holds the acceleration.");
  m.def(
      "coriolis_matrix",
      [](const Model& model, Data& data, DerivativeData& derivatives, const Numbers& q, const Numbers& v) {
        return result_of(model, [&]() -> const MatrixXd& {
          return coriolis_matrix(model, data, derivatives, q.vector("q"), v.vector("v"));
        });
      },
      "model"_a, "data"_a, "derivatives"_a, "q"_a, "v"_a,
      "C(q, v), shape (nv, nv), with C v = coriolis_force and dM/dt - 2 C skew-symmetric along the motion.");
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
