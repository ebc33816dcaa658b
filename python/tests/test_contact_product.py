"""Contacts crossed with the rest: each kind of body, ground that rests and that moves, loops, loads with a state, floating
bases and controllers, with each integrator. Every robot begins just where it touches, and moves along the ground and down."""

import numpy as np
import pytest

import cuttle
from contact_robots import ADAPTIVE, BODIES, CELLS, EXPLICIT, IMPLICIT, METHODS, OBSTACLES, method, robot, start, untied

DURATION = 0.02
ACCURATE = method("bdf", tolerance=1e-8)
# What explicit methods want: the ground slides by less than mu d / 1.2 in a step, d the depth (docs/contact.md).
STEP = {"rigid": 1e-4, "rod": 2e-5, "volume": 3e-5}
cells = pytest.mark.parametrize("cell", CELLS, ids="-".join)


def run(of, integrator, lifts=True, **keys):
    """Moves along and down, so that rods bounce off, or only along. Bristles are not right where bdf and explicit methods
    of fixed steps lift off (docs/contact.md): they do not."""
    begin = start(of) if lifts else start(of, along=0.05, down=0.0)
    return of.simulate(duration=DURATION, output_step=DURATION / 4, integrator=integrator, **{**begin, **keys})


def steps(name, body, parts=1):
    return method(name, (STEP[body] if name in EXPLICIT else 1e-4) / parts, 1e-7)


@pytest.fixture(scope="module")
def accurate():
    """Runs at tight tolerances, made once; for loops of the robot without one."""
    found = {}

    def of(cell, lifts):
        if (cell, lifts) not in found:
            free = untied(*cell[:2]) if cell[2] == "loop" else robot(*cell)
            found[cell, lifts] = run(free, ACCURATE, lifts)
        return found[cell, lifts]

    return of


def moved(run):
    """Energy that came and went [J]."""
    e = run.energy
    return max(e.kinetic.max(), np.abs(e.dissipated).max(), np.abs(e.load).max(), np.abs(e.input).max())


@cells
@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_the_same_motion_and_closes_the_book(cell, name, accurate):
    body, _, carrier = cell
    of, lifts = robot(*cell), name in (*IMPLICIT, "erk", "bdf")
    if carrier == "loop" and name not in IMPLICIT:
        with pytest.raises(cuttle.ArgumentError, match="cannot hold the closed loop 'tie'"):
            run(of, steps(name, body))
        return
    expected = accurate(cell, lifts)
    way, errors, books = expected.v[0].max() * DURATION, [], []
    for parts in (1, 2) if carrier in ("cart", "loop") and body != "volume" and name not in ADAPTIVE else (1,):
        found = run(of, steps(name, body, parts), lifts)
        assert found.status == "complete" and found.warnings == []
        assert found.contacts["floor"].dissipated[-1] > 1e-6 and found.contacts["floor"].normal.max() > 0.1
        errors.append(np.abs(found.q[:, : expected.q.shape[1]] - expected.q).max() / way)
        books.append(np.abs(found.energy.balance).max() / moved(found))
        if carrier == "loop":
            assert found.q[:, -2:] == pytest.approx(found.q[:, :2], abs=1e-10)
    assert errors[0] < (2e-4 if name in ADAPTIVE else 5e-3)
    assert books[0] < (1e-12 if name == "energy_conserving" else 2e-5 if name in ADAPTIVE else 5e-3)
    if len(errors) > 1:  # at least of order 1 from corner to corner of the law, of 2 between them
        assert errors[1] < 0.5 * errors[0] + 2e-4
        assert books[1] < 0.5 * books[0] + 2e-5
