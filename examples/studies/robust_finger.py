"""A robust design: how far from its axis a finger's tendon should run, so that castings bend alike (docs/sweeps.md).

    python3 robust_finger.py [SAMPLES]      of each of five designs

All designs bend the finger by the same moment, pull times offset, so that they differ in how errors of casting count.
"""

import sys
from pathlib import Path

import numpy as np

import cuttle

FINGER = Path(__file__).with_name("finger.yaml")
OFFSETS = [0.003, 0.004, 0.005, 0.006, 0.007]  # of the tendon from the axis [m]
MOMENT = 0.012  # [N m]
MODULUS, OFFSET, RADIUS = "materials.silicone.young_modulus", "actuators.pull.routing[0].offset[0]", "links.finger.body.section.radius"


def main(samples=2000, engine=None, output=None):
    """The sweep of all designs, one after the other. engine: of `cuttle.sweep`."""
    random = np.random.default_rng(1)
    designs = np.repeat(OFFSETS, samples)
    table = {
        "pull": MOMENT / designs,
        OFFSET: designs + random.normal(0, 2e-4, len(designs)),  # the channel lies 0.2 mm off
        RADIUS: random.normal(8e-3, 5e-5, len(designs)),
        MODULUS: random.normal(4e5, 1e4, len(designs)),
    }
    return cuttle.sweep(FINGER, table=table, keep=["finger.tip.x", "finger.tip.z"], statics=True, engine=engine, output=output)


def scatter(found, samples):
    """Of each design the mean of the tip's place and the root mean square distance from it [m], and how many failed."""
    for i, offset in enumerate(OFFSETS):
        rows = found.rows[i * samples : (i + 1) * samples]
        tips = np.array([row["outputs"][:2] for row in rows if row["status"] == "complete"])
        yield offset, tips.mean(0), np.sqrt(np.mean(np.sum((tips - tips.mean(0)) ** 2, axis=1))), len(rows) - len(tips)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    found = main(count, output="robust_finger.h5")
    print("offset [mm]  pull [N]  tip x, z [mm]   scatter [mm]  failed")
    for offset, (x, z), rms, failed in scatter(found, count):
        print(f"{1e3 * offset:10.0f} {MOMENT / offset:9.2f} {1e3 * x:8.1f} {1e3 * z:6.1f} {1e3 * rms:13.2f} {failed:8}")
