"""A pile of capsules and boxes in a bin: it comes to rest, stays, and the bin carries it. The robot of scripts/contact_pile.py."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import cuttle

G = 9.81


@pytest.fixture(scope="module")
def contact_pile():
    spec = importlib.util.spec_from_file_location("contact_pile", Path(__file__).parents[2] / "scripts" / "contact_pile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_pile_of_twenty_comes_to_rest_and_stays(contact_pile):
    count = 20
    pile = contact_pile.pile(count)
    # nothing resists a capsule that rolls to and fro, for seconds, as the last digits of the fall have it: thick air, which
    # takes 0.3 s to slow down what moves. Against what presses it is nothing, so who creeps is seen
    for link in pile["links"]:
        mass, inertia = link["body"]["mass"], link["body"]["inertia"][0]
        link["joint"]["damping"] = [inertia / 0.3] * 3 + [mass / 0.3] * 3
    of = cuttle.Robot.from_dict(pile)
    run = of.simulate(duration=5.0, output_step=0.1, integrator={"type": "generalized_alpha", "step": 2e-3})
    assert run.status == "complete"
    places = np.stack([run.frame(f"b{k}.base").position for k in range(count)], axis=1)
    speeds = np.stack([np.linalg.norm(run.frame(f"b{k}.base").velocity, axis=1) for k in range(count)], axis=1)
    assert speeds.max() > 0.5  # they fell
    assert speeds[-1].max() < 2e-4  # and lie
    assert np.linalg.norm(places[-1] - places[-6], axis=1).max() < 5e-5  # half a second before
    lost = sum(contact.dissipated for name, contact in run.contacts.items() if "/" not in name)
    assert lost[-1] - lost[-6] < 1e-6 * lost[-1] and lost[-1] > 0.1
    # the bin carries the weight and takes no force along; what bodies do to each other cancels
    mass = sum((contact_pile.capsule_inertia() if k % 2 == 0 else contact_pile.box_inertia())[0] for k in range(count))
    assert run.contacts["bin"].force[-1] == pytest.approx([0, 0, mass * G], abs=1e-4 * mass * G)
    depths = [-contact.gap[-1] for name, contact in run.contacts.items() if "/" not in name]
    assert 0 < max(depths) < 0.1 * contact_pile.RADIUS
    # nobody is within another one's largest ball that fits, nor outside of the bin
    inner = min(contact_pile.RADIUS, min(contact_pile.BOX) / 2)
    apart = np.linalg.norm(places[-1][:, None] - places[-1][None], axis=2)[np.triu_indices(count, 1)]
    assert apart.min() > 2 * inner - 2 * max(depths)
    assert np.abs(places[-1][:, :2]).max() < contact_pile.HALF_BIN - inner + max(depths) and places[-1][:, 2].min() > inner - max(depths)


def test_slopes_of_many_bodies_are_those_of_differences():
    """Where many bodies float, each site's slopes are in the columns of its two bodies alone. Balls that do not turn."""
    count, radius = 6, 0.02
    random = np.random.default_rng(3)
    places = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.8, 0.1], [0.4, 0.3, 0.9], [1.4, 0.7, 0.5], [3.0, 0, 0]]) * 1.98 * radius
    small = "body: {type: rigid, mass: 0.01, inertia: [1.0e-5, 1.0e-5, 1.0e-5, 0, 0, 0]}"
    links = "".join(f"""
  - {{name: x{k}, parent: base, attach: {{pose: {{position: {places[k].tolist()}}}}}, joint: {{type: prismatic, axis: [1, 0, 0]}}, {small}}}
  - {{name: y{k}, joint: {{type: prismatic, axis: [0, 1, 0]}}, {small}}}
  - {{name: b{k}, joint: {{type: prismatic, axis: [0, 0, 1]}}, {small}, contact: {{shape: sphere, radius: {radius}}}}}""" for k in range(count))
    contacts = "".join(f"  - {{name: on_b{k}, a: b{k}, b: [{', '.join(f'b{j}' for j in range(k + 1, count))}], modulus: 1.0e+5}}\n"
                       for k in range(count - 1))
    of = cuttle.Robot.from_text(f"cuttle: 1\nlinks:{links}\ncontacts:\n{contacts}")
    motion = of.dynamics()
    states = len(motion.reset()) - of.nq - of.nv
    x = np.concatenate([np.zeros(of.nq), random.uniform(-0.1, 0.1, of.nv), random.uniform(-2e-5, 2e-5, states)])
    A, *_ = motion.linearise(x, [])
    for _ in range(4):
        direction = random.uniform(-1, 1, len(x)) * np.repeat([1e-2, 1, 1e-2], [of.nq, of.nv, states])
        h = 1e-6
        slope = (np.asarray(motion(0.0, x + h * direction, [])) - np.asarray(motion(0.0, x - h * direction, []))) / (2 * h)
        assert A @ direction == pytest.approx(slope, abs=1e-6 * np.abs(slope).max())
    pushes = np.abs(A[of.nv : 2 * of.nv, : of.nv])
    assert pushes[:3, 3:6].max() > 1 and pushes[:3, -3:].max() == 0  # the last one touches nobody
