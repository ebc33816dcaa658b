"""Points of a volume's surface that touch: what they hang on, and what derivatives know of them."""

import pytest

import cuttle


def lying(radius, length, **keys):
    """A soft cylinder, tilted, that presses a little on a plane."""
    return cuttle.Robot.from_dict({
        "cuttle": 1, "gravity": [0, 0, 0],
        "links": [{
            "name": "can", "joint": {"type": "free"},
            "attach": {"pose": {"position": [0, 0, 0.0006], "rpy": [0.1, 0.2, 0.3]}},
            "body": {"type": "volume", "shape": {"type": "cylinder", "radius": radius, "length": length},
                     "material": {"model": "neo_hookean", "density": 1000, "c1": 2e4, "lame_lambda": 1e5},
                     "kinematics": {"type": "ritz", "modes": [[{"powers": [0, 0, 1], "vector": [0, 0, 1]}]]}}}],
        "obstacles": [{"name": "ground", "shape": "plane"}],
        "contacts": [{"name": "touch", "a": "can", "b": "ground", "friction": 0, "modulus": 5e4} | keys]})


def force(radius, length):
    run = lying(radius, length).simulate(duration=1e-4, output_step=1e-4,
                                         integrator={"type": "generalized_alpha", "step": 1e-4})
    return run.contacts["touch"].normal[0]


@pytest.mark.parametrize("radius, length", [(0.0111, 0.03), (0.0125, 0.025), (0.02, 0.2)])
def test_rounding_of_a_size_changes_no_force(radius, length):
    """Points of symmetric bodies lie on the borders of cells in which they are taken for one."""
    whole = force(radius, length)
    assert whole > 1
    for part in (1e-12, -1e-12, 1e-9, -1e-9):
        assert force(radius * (1 + part), length) == pytest.approx(whole, rel=1e-5)
        assert force(radius, length * (1 + part)) == pytest.approx(whole, rel=1e-5)


def test_derivatives_by_its_size_are_refused():
    robot = lying(0.0125, 0.025)
    run = dict(duration=1e-3, output_step=1e-3, integrator={"type": "generalized_alpha", "step": 2e-4})
    with pytest.raises(cuttle.Error, match="a derivative by the size of 'can', a volume that touches"):
        robot.sensitivities(["q"], by=["links.can.body.shape.radius"], **run)
    found = robot.sensitivities(["q"], by=["contacts.touch.modulus"], **run).derivatives[-1, :, 0]
    assert abs(found).max() > 0
