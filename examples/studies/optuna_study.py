"""An Optuna study in parallel: which damping time and which pull at the right tendon bring a soft arm to x = -60 mm, and there
to rest soonest.

    python3 optuna_study.py [ROUNDS]      needs `pip install cuttle[studies]`
"""

import sys

import optuna

import cuttle

SCENARIO = cuttle.example("examples/tendon_arm_scenario.yaml")
SPACE = {"robot.materials.silicone.damping_time": (0.02, 0.3), "simulation.inputs.right": (0.0, 3.0)}
# a constant takes the place of what the scenario pulls; that of the right tendon then varies
FIXED = {"simulation.inputs.right": 0.0, "simulation.inputs.left": 0.0, "simulation.duration": 2.0}
KEEP = {"x": "mean:lower.tip.x", "settling": "settling:lower.tip.x"}


def main(rounds=6, together=8, engine=None):
    """Asks for as many trials as run at once, and tells what came of them. engine: of `cuttle.sweep`."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1, constant_liar=True))
    space = {path: optuna.distributions.FloatDistribution(*bounds) for path, bounds in SPACE.items()}
    for _ in range(rounds):
        trials = [study.ask(space) for _ in range(together)]
        table = {path: [trial.params[path] for trial in trials] for path in SPACE}
        for trial, row in zip(trials, cuttle.sweep(SCENARIO, FIXED, table=table, keep=KEEP, engine=engine).rows):
            x, settling = row["outputs"]
            if row["status"] == "complete":
                study.tell(trial, ((x + 0.06) / 0.01) ** 2 + settling)
            else:
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
    return study


if __name__ == "__main__":
    found = main(*map(int, sys.argv[1:]))
    print(f"{len(found.trials)} trials, the best costs {found.best_value:.3f}: {found.best_params}")
