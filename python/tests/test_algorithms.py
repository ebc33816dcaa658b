"""Algorithms of C++ by way of NumPy: what one says must follow from others, which tells arguments and results apart."""

import copy
import pickle
import threading

import numpy as np
import pytest
from conftest import random_state
from hypothesis import given, settings
from hypothesis import strategies as st

import cuttle

EPS = np.finfo(float).eps


@pytest.mark.parametrize("seed", [1, 2])
def test_columns_of_the_mass_matrix_are_forces_of_unit_accelerations(robot, seed):
    q, v, _ = random_state(robot, seed)
    model, data = robot.model, robot.data
    M = cuttle.mass_matrix(model, data, q)
    assert M.shape == (robot.nv, robot.nv) and M.dtype == np.float64 and M.flags.c_contiguous
    bias = cuttle.inertial_inverse_dynamics(model, data, q, v, np.zeros(robot.nv))
    for j in range(robot.nv):
        column = cuttle.inertial_inverse_dynamics(model, data, q, v, np.eye(robot.nv)[j]) - bias
        assert np.linalg.norm(column - M[:, j]) < 1000 * EPS * (np.linalg.norm(M) + np.linalg.norm(bias))


def test_forward_dynamics_undoes_inverse_dynamics(robot):
    q, v, a = random_state(robot, 3)
    tau = robot.inverse_dynamics(q, v, a)
    condition = np.linalg.cond(robot.mass_matrix(q))
    assert np.linalg.norm(robot.forward_dynamics(q, v, tau) - a) < 1e4 * EPS * condition * (1 + np.linalg.norm(a))


def test_terms_add_up_and_the_mass_comes_with_the_force(robot):
    q, v, a = random_state(robot, 4)
    model, data = robot.model, robot.data
    tau, M = cuttle.mass_inverse_dynamics(model, data, q, v, a)
    terms = [
        M @ a,
        cuttle.coriolis_force(model, data, q, v),
        cuttle.gravity_force(model, data, q),
        cuttle.elastic_force(model, data, q),
        cuttle.damping_force(model, data, q, v),
    ]
    assert np.allclose(sum(terms), tau, rtol=0, atol=1000 * EPS * sum(np.linalg.norm(term) for term in terms))
    assert cuttle.kinetic_energy(model, data, q, v) == pytest.approx(0.5 * v @ M @ v, rel=1e-12)


def test_forces_are_gradients_of_energies(robot):
    q, _, _ = random_state(robot, 5)
    model, data = robot.model, robot.data
    h = 1e-5
    for energy, force in (
        (cuttle.gravity_energy, cuttle.gravity_force),
        (cuttle.elastic_energy, cuttle.elastic_force),
    ):
        slopes = [
            energy(model, data, cuttle.integrate(model, q, h * e)) - energy(model, data, cuttle.integrate(model, q, -h * e))
            for e in np.eye(robot.nv)
        ]
        exact = force(model, data, q)
        # central differences: h^2 of the third derivative, and rounding of the energy over h
        bound = 1e-7 * (1 + np.abs(exact).max()) + 100 * EPS * abs(energy(model, data, q)) / h
        assert np.abs(np.array(slopes) / (2 * h) - exact).max() < bound


def test_jacobian_times_velocity_is_the_twist_of_the_tip(robot):
    q, v, _ = random_state(robot, 6)
    tip = robot.model.links[-1].tip
    twist = cuttle.forward_kinematics(robot.model, robot.data, q, v).velocity_of(tip)
    assert np.allclose(cuttle.frame_jacobian(robot.model, robot.data, q, tip) @ v, twist, rtol=0, atol=1e-13)


def test_derivatives_are_those_of_differences(robot):
    q, v, a = random_state(robot, 7)
    model, data = robot.model, robot.data
    derivatives = cuttle.DerivativeData(model)
    cuttle.inverse_dynamics_derivatives(model, data, derivatives, q, v, a)
    h = 1e-5
    scale = 1 + np.abs(derivatives.by_q).max()
    for k, e in enumerate(np.eye(robot.nv)):
        ahead, behind = (robot.inverse_dynamics(cuttle.integrate(model, q, s * h * e), v, a) for s in (1, -1))
        assert np.abs((ahead - behind) / (2 * h) - derivatives.by_q[:, k]).max() < 1e-6 * scale
    assert np.allclose(derivatives.by_a, robot.mass_matrix(q), rtol=0, atol=1e-12 * scale)


def test_external_wrench_at_a_frame_is_its_jacobian_transposed(tendon_arm):
    q, v, a = random_state(tendon_arm, 8)
    model, data = tendon_arm.model, tendon_arm.data
    frame = model.frame("lower.tip")
    wrench = np.array([0.1, -0.2, 0.05, 1.0, 2.0, -0.5])
    J = cuttle.frame_jacobian(model, data, q, frame)
    with_wrench = cuttle.inverse_dynamics(model, data, q, v, a, [cuttle.ExternalWrench(frame, wrench)])
    assert np.allclose(tendon_arm.inverse_dynamics(q, v, a) - with_wrench, J.T @ wrench, rtol=0, atol=1e-12)


def test_actuation_is_a_matrix_and_its_coordinates_change_with_it(tendon_arm):
    q, v, _ = random_state(tendon_arm, 9)
    model, data = tendon_arm.model, tendon_arm.data
    A = cuttle.actuation_matrix(model, data, q)
    u = np.linspace(1, 2, tendon_arm.nu)
    assert np.allclose(cuttle.actuation_force(model, data, q, u), A @ u, rtol=1e-12)
    h = 1e-6
    ahead, behind = (cuttle.actuation_coordinates(model, data, cuttle.integrate(model, q, s * h * v)) for s in (1, -1))
    assert np.allclose((ahead - behind) / (2 * h), A.T @ v, rtol=0, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-2, 2), min_size=12, max_size=12))
def test_integrate_and_difference_undo_each_other(numbers):
    robot = cuttle.load(cuttle.example("floating_rod"))
    dv = np.resize(np.array(numbers), robot.nv) / 2
    q0 = robot.neutral()
    assert np.allclose(cuttle.difference(robot.model, q0, cuttle.integrate(robot.model, q0, dv)), dv, rtol=0, atol=1e-11)


def test_results_are_arrays_of_their_own(pendulum):
    first = pendulum.inverse_dynamics([0.1], [0.2], [0.3])
    kept = first.copy()
    second = pendulum.inverse_dynamics([1.1], [0.2], [0.3])
    assert np.array_equal(first, kept) and not np.array_equal(first, second)


@pytest.mark.parametrize(
    "given_q", [[0.3], (0.3,), np.array([0.3], dtype=np.float32), np.array([0.3, 9, 9])[::3], np.array([0.3])]
)
def test_whatever_numpy_makes_numbers_of_is_an_argument(pendulum, given_q):
    expected = pendulum.inverse_dynamics(np.array([0.3]), np.zeros(1), np.zeros(1))
    assert pendulum.inverse_dynamics(given_q, [0], [0]) == pytest.approx(expected, rel=1e-6)


def test_wrong_arguments_are_errors_with_their_names(pendulum):
    with pytest.raises(cuttle.ArgumentError, match="v: found size 2, expected 1 .n. of 'pendulum'"):
        pendulum.inverse_dynamics([0.1], [0.2, 0.3], [0.3])
    with pytest.raises(cuttle.ArgumentError, match="q: found an array of shape .1, 1., expected one of one dimension"):
        pendulum.inverse_dynamics([[0.1]], [0.2], [0.3])
    with pytest.raises(cuttle.ArgumentError, match="q") as caught:
        pendulum.inverse_dynamics([float("nan")], [0.2], [0.3])
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, cuttle.Error)
    with pytest.raises(TypeError):
        pendulum.inverse_dynamics("0.1", [0.2], [0.3])
    with pytest.raises(TypeError):
        pendulum.inverse_dynamics(None, [0.2], [0.3])


def test_data_of_another_robot_is_refused(pendulum, tendon_arm):
    with pytest.raises(cuttle.ArgumentError, match="tendon_arm"):
        cuttle.mass_matrix(pendulum.model, tendon_arm.data, pendulum.neutral())


def test_errors_survive_pickling(pendulum):
    with pytest.raises(cuttle.ArgumentError) as caught:
        pendulum.inverse_dynamics([0.1], [0.2, 0.3], [0.3])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is cuttle.ArgumentError and str(again) == str(caught.value) and again.path == caught.value.path


def test_models_and_robots_survive_pickling_and_copying(robot):
    q, v, a = random_state(robot, 10)
    expected = robot.inverse_dynamics(q, v, a)
    for again in (pickle.loads(pickle.dumps(robot)), copy.copy(robot), copy.deepcopy(robot)):
        assert np.allclose(again.inverse_dynamics(q, v, a), expected, rtol=1e-12, atol=1e-14)
    model = pickle.loads(pickle.dumps(robot.model))
    result = cuttle.inverse_dynamics(model, cuttle.Data(model), q, v, a)
    assert np.allclose(result, expected, rtol=1e-12, atol=1e-14)


def test_threads_have_memory_of_their_own(tendon_arm):
    q, v, a = random_state(tendon_arm, 11)
    expected = tendon_arm.inverse_dynamics(q, v, a)
    wrong = []

    def work():
        for _ in range(200):
            if not np.array_equal(tendon_arm.inverse_dynamics(q, v, a), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_batch_computes_what_single_robots_do(tendon_arm):
    states = [random_state(tendon_arm, seed) for seed in range(5)]
    q, v, a = (np.array([state[i] for state in states]) for i in range(3))
    stiffness = next(path for path in tendon_arm.parameters() if path.endswith("young_modulus"))
    values = tendon_arm.parameters()[stiffness].value * np.linspace(0.5, 2, 5)
    batch = cuttle.Batch(tendon_arm.model, [stiffness], values[:, None])
    tau = batch.inverse_dynamics(q, v, a)
    M = batch.mass_matrix(q)
    assert len(batch) == 5 and tau.shape == (5, tendon_arm.nv) and M.shape == (5, tendon_arm.nv, tendon_arm.nv)
    for i in range(5):
        alone = tendon_arm.with_({stiffness: values[i]})
        assert np.allclose(tau[i], alone.inverse_dynamics(*states[i]), rtol=1e-10, atol=1e-12)
        assert np.allclose(M[i], alone.mass_matrix(q[i]), rtol=1e-10, atol=1e-14)
    assert batch.all_good and batch.status == ["good"] * 5
    with pytest.raises(cuttle.ArgumentError, match="q"):
        batch.inverse_dynamics(q[:, :-1], v, a)


def test_a_roll_out_ends_where_the_simulation_with_the_same_method_does(pendulum):
    batch = cuttle.Batch(pendulum.model, 3)
    q = np.array([[0.1], [0.5], [1.0]])
    end = batch.rollout(q, np.zeros((3, 1)), duration=0.5, step=1e-2, output_step=0.1)
    assert end.q_samples.shape == (3, 6, 1) and end.times[-1] == 0.5
    for i in range(3):
        run = pendulum.simulate(0.5, q=q[i], integrator={"type": "tsit5", "step": 1e-2}, output_step=0.1)
        assert np.allclose(run.q, end.q_samples[i], rtol=0, atol=1e-12)


def test_the_lowest_modes_are_the_first_of_all(tendon_arm):
    every = [mode.eigenvalue for mode in tendon_arm.modes()]
    assert [mode.eigenvalue for mode in tendon_arm.modes(count=1)] == pytest.approx(every[:1], rel=1e-8)
    with pytest.raises(cuttle.ArgumentError, match="count: found 0, expected at least 1"):
        tendon_arm.modes(count=0)
