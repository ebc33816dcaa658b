"""Keeps the swimmer's heading: more tension on one side, by the mean heading of the last beat of the tail.

A program for `type: external`: a line of JSON in, a line of JSON out. The head swings with each beat of 0.4 s, which is
20 samples at 50 Hz: their mean says where it swims.
"""

import collections
import json
import math
import sys

HEADING = 0.0  # about the world's z [rad], 0 as it starts
GAIN, INTEGRAL_GAIN = 160.0, 100.0  # N/rad, N/(rad s)
MOST = 12.0  # N
BEAT, SAMPLE = 20, 0.02  # samples, s

seen = collections.deque(maxlen=BEAT)
integral = 0.0
for line in sys.stdin:
    q = json.loads(line)["q"]  # of the base first: x, y, z, quaternion w, x, y, z; its y axis is the world's z
    seen.append(2.0 * math.atan2(q[5], q[3]))
    error = HEADING - sum(seen) / len(seen)
    more = GAIN * error + INTEGRAL_GAIN * integral
    if len(seen) == BEAT and abs(more) < MOST:  # the first beat is no whole one; no windup
        integral += SAMPLE * error
    more = max(-MOST, min(MOST, more))
    print(json.dumps({"u": [max(0.0, -more), max(0.0, more)]}), flush=True)  # left and right only pull more
