"""Holds the motor at 0.5 rad and pulls the cable more and more: a line of JSON in, a line of JSON out."""

import json
import sys

for line in sys.stdin:
    sample = json.loads(line)  # time [s], q and v of the whole robot in the order of `cuttle info`, sensors
    motor = 8.0 * (0.5 - sample["q"][0]) - 1.0 * sample["v"][0]  # N m
    cable = 4.0 * sample["time"]  # N
    print(json.dumps({"u": [motor, cable]}), flush=True)  # one number an input, in the order of `inputs`
