"""Points of a volume's surface that touch: derivatives take them as they are."""

import pytest

import cuttle


def lying(radius, length):
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
        "contacts": [{"name": "touch", "a": "can", "b": "ground", "friction": 0, "modulus": 5e4}]})


def test_derivatives_by_its_size_are_refused():
    robot = lying(0.0125, 0.025)
    run = dict(duration=1e-3, output_step=1e-3, integrator={"type": "generalized_alpha", "step": 2e-4})
    with pytest.raises(cuttle.Error, match="a derivative by the size of 'can', a volume that touches"):
        robot.sensitivities(["q"], by=["links.can.body.shape.radius"], **run)
    found = robot.sensitivities(["q"], by=["contacts.touch.modulus"], **run).derivatives[-1, :, 0]
    assert abs(found).max() > 0
