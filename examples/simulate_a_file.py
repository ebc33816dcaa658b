"""simulate_a_file.cpp in Python: reads a scenario and its robot, simulates it, and says where the tip went."""

import sys

import cuttle

scenario = sys.argv[1] if len(sys.argv) > 1 else cuttle.example("pendulum_scenario")
run = cuttle.simulate(scenario)  # a mistake in a file or a run that fails raises: what, where, what was expected
tip = run.frame("tip").position
for time, position in zip(run.time, tip):
    print(f"{time:g} s: {position} m")
