#!/usr/bin/env python3
"""Runs cuttle_bench once for each instruction set of this machine and prints one table (valid Markdown).

  scripts/bench_table.py [EXECUTABLE]            default build/cuttle_bench; writes bench.json beside it
  scripts/bench_table.py --from build/bench.json print the table of an earlier run again

Times are CPU times; a value is the median over the repetitions, whose order is random across all benchmarks, so that a
busy minute of the machine does not fall on one side of a ratio. "spread" is (max - min) / median of the value.
A missed target is reported, not an error.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

INSTRUCTION_SETS = ("baseline", "avx2", "avx512")  # values of CUTTLE_ISA, narrowest first
ROD_SECTIONS = (10, 20, 40)
CHAIN_LENGTHS = (6, 24, 96, 384)
BODY_COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def fail(message):
    sys.exit(f"bench_table.py: {message}")


class Run:
    """Results of the executable with one instruction set."""

    def __init__(self, isa, report):
        self.isa = isa
        self.results = {}
        for entry in report["benchmarks"]:
            if entry.get("error_occurred"):
                fail(f"{isa}: {entry['name']}: {entry['error_message']}")
            if entry["run_type"] == "iteration":
                scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[entry["time_unit"]]
                values = self.results.setdefault(entry["run_name"], {})
                for key, value in entry.items():
                    if isinstance(value, (int, float)):
                        values.setdefault(key, []).append(value * scale if key.endswith("_time") else value)

    def __contains__(self, name):
        return name in self.results

    def median(self, name, key="cpu_time"):
        return statistics.median(self.results[name][key])

    def spread(self, name, key="cpu_time"):
        values = self.results[name][key]
        return (max(values) - min(values)) / statistics.median(values)


def amount(value, unit):
    """0.0000123, "s" -> "12.3 us"."""
    if unit.split("/")[0] == "s":
        for scale, prefix in ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms"), (1.0, "s")):
            if value < 999.5 * scale or prefix == "s":
                return f"{value / scale:.3g} {prefix}{unit[1:]}"
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"


SHORT = "|".join((
    "rigid chain, (6|24|96) joints: (inverse_dynamics|forward_dynamics|mass_matrix)",
    "rod (pcs|pac), 10 points: inverse_dynamics",
    "rod, n_B = 6: (mass_inverse_dynamics|mass_matrix|forward_dynamics)",
    "planar CC chain, (20|1000) bodies: (inertial_inverse_dynamics|forward_dynamics)",
    "(1 PCS rod|8 PCS rods in series), tsit5 at 1e-4 s, as cuttle simulate",
    "batch, rigid chain of 24: (inverse_dynamics|forward_dynamics)",
    "batch, PCS rod, 10 points: (inverse_dynamics|forward_dynamics)",
    "batch, (PCS rod|32 PCS rods in series), tsit5 at 1e-4 s",
))


class Table:
    def __init__(self):
        self.rows = []

    def add(self, run, figure, name, key="cpu_time", unit="s", divisor=1.0, reference=None, reference_name="",
            at_most=None, ratio_at_most=None, at_least=None, scalar=False):
        """One row if the run has the figure. `reference` is a value in the same unit, or None; `scalar`: the code is the
        same for every instruction set."""
        if name not in run or (reference_name and reference is None):
            return
        value = run.median(name, key) / divisor
        ratio = value / reference if reference is not None else None
        target, met = "", None
        if ratio_at_most is not None:
            target, met = f"<= {ratio_at_most:.3g}x", ratio <= ratio_at_most
        elif at_most is not None:
            target, met = f"<= {amount(at_most, unit)}", value <= at_most
        elif at_least is not None:
            target, met = f">= {amount(at_least, unit)}", value >= at_least
        self.rows.append({
            "figure": figure, "instruction_set": "any" if scalar else run.isa, "value": value, "unit": unit,
            "spread": run.spread(name, key), "reference": reference, "reference_name": reference_name, "ratio": ratio,
            "target": target, "met": met})

    def short(self):
        """The rows of docs/performance.md: a few of each kind."""
        kept = Table()
        kept.rows = [row for row in self.rows if re.fullmatch(SHORT, row["figure"])
                     and row["instruction_set"] in ("any", "avx2", "avx512")]
        return kept

    def text(self):
        head = ("figure", "ISA", "value", "spread", "reference in the same run", "ratio", "target", "met")
        lines = [head]
        for row in self.rows:
            reference = f"{row['reference_name']} {amount(row['reference'], row['unit'])}" if row["reference_name"] else ""
            lines.append((row["figure"], row["instruction_set"], amount(row["value"], row["unit"]),
                          f"{100 * row['spread']:.0f} %", reference, f"{row['ratio']:.2f}" if row["ratio"] else "",
                          row["target"], {None: "", True: "yes", False: "NO"}[row["met"]]))
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        lines.insert(1, tuple("-" * width for width in widths))
        return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
                         for line in lines)


def median_if(run, name, key="cpu_time"):
    return run.median(name, key) if name in run else None


def add_chains(table, run):
    targets = {"inverse": dict.fromkeys(CHAIN_LENGTHS, 0.5), "forward": {6: 1.0, 24: 0.7, 96: 0.2}}
    for kind in targets:
        for n in CHAIN_LENGTHS:
            family = f"chain/{kind}_dynamics"
            table.add(run, f"rigid chain, {n} joints: {kind}_dynamics", f"{family}/cuttle/{n}", "per_joint", "s/joint",
                      reference=median_if(run, f"{family}/mujoco/{n}", "per_joint"), reference_name="MuJoCo",
                      ratio_at_most=targets[kind].get(n), scalar=True)
    for n in CHAIN_LENGTHS:
        table.add(run, f"rigid chain, {n} joints: mass_matrix", f"chain/mass_matrix/cuttle/{n}",
                  reference=median_if(run, f"chain/mass_matrix/mujoco/{n}"), reference_name="MuJoCo, one half")


def add_rods(table, run):
    """A point of a rod against a joint of MuJoCo's chain of 24."""
    reference = median_if(run, "chain/inverse_dynamics/mujoco/24", "per_joint")
    for strain in ("pcs", "pac", "pcc"):
        for n in ROD_SECTIONS:
            table.add(run, f"rod {strain}, {n} points: inverse_dynamics", f"rod/inverse_dynamics/{strain}/{n}",
                      "per_point", "s/point", reference=reference, reference_name="MuJoCo",
                      ratio_at_most=1.0 if run.isa == "baseline" else 0.7)


def add_blocks(table, run):
    for algorithm in ("mass_inverse_dynamics", "mass_matrix", "forward_dynamics"):
        for n in (3, 6, 12, 24):
            one = median_if(run, f"blocks/inverse_dynamics/{n}")
            table.add(run, f"rod, n_B = {n}: {algorithm}", f"blocks/{algorithm}/{n}",
                      reference=one and (n + 1) * one, reference_name=f"{n + 1} inverse_dynamics",
                      ratio_at_most=1.0 if algorithm == "mass_inverse_dynamics" else None)


def add_tangents(table, run):
    """All derivatives of one rod, against n inverse dynamics of the same rod."""
    for points in (10, 20):
        for n in (3, 6, 9, 12, 20):
            one = median_if(run, f"tangent/rod/inverse_dynamics/{n}/{points}")
            table.add(run, f"rod, n_B = {n}, {points} points: derivatives by q, v, a",
                      f"tangent/rod/derivatives/{n}/{points}", reference=one and n * one,
                      reference_name=f"{n} inverse dynamics", ratio_at_most=0.7)


def add_derivatives(table, run, widest):
    """All derivatives of whole robots, against one inverse dynamics of the same robot."""
    figures = []
    if widest:
        figures += [("chain", n, f"rigid chain, {n} joints", most) for n, most in ((6, 4), (24, None), (96, 7))]
    for points in (10, 20):
        figures += [("pcs_rod", points, f"PCS rod, {points} points", 0.7 * 6),
                    ("three_pcc_rods", points, f"3 pcc rods, {points} points each", 0.7 * 9)]
    for robot, n, name, most in figures:
        reference = median_if(run, f"derivatives/{robot}/inverse_dynamics/{n}")
        for kind in ("inverse", "forward"):
            table.add(run, f"{name}: {kind}_dynamics_derivatives", f"derivatives/{robot}/{kind}_dynamics_derivatives/{n}",
                      reference=reference, reference_name="inverse_dynamics",
                      ratio_at_most=most if kind == "inverse" else None)


def add_shipped_robots(table, run):
    """All derivatives of robots with volumes, against one inverse dynamics: at most 2 n_v, 8 below four coordinates."""
    for name in sorted(run.results):
        if name.startswith("shipped/") and name.endswith("/derivatives"):
            robot = name.split("/")[1]
            n = run.median(name, "nv")
            table.add(run, f"{robot}, n_v = {n:.0f}: inverse_dynamics_derivatives", name,
                      reference=median_if(run, f"shipped/{robot}/inverse_dynamics"), reference_name="inverse_dynamics",
                      ratio_at_most=max(2 * n, 8))
    table.add(run, "simulation1, quadrature reduced by 1e-4: mass_inverse_dynamics",
              "shipped/simulation1_reduced/mass_inverse_dynamics",
              reference=median_if(run, "shipped/simulation1/mass_inverse_dynamics"), reference_name="all points",
              at_most=1e-3)


def add_sensitivities(table, run):
    """Derivatives of a run by k numbers, against the run alone: aim 2 + k runs."""
    for robot in ("tendon_arm", "hybrid_arm", "cantilever_soft"):
        for method, how in (("shipped", "as shipped"), ("fixed", "generalized_alpha, 5 ms")):
            name = f"sensitivities/{robot}/{method}/"
            for k in (1, 3, 8):
                table.add(run, f"{robot}, {how}: derivatives by {k} numbers", f"{name}{k}",
                          reference=median_if(run, f"{name}run"), reference_name="the run", ratio_at_most=2 + k)


def add_controllers(table, run):
    """From a state to inputs, and one evaluation of a closed loop against 1.3 times that of the open one and one sweep
    for M and the forces, which is what a law needs."""
    robots = {"hybrid_arm": ("hybrid_arm, PFBL of 6 motors", 20e-6),
              "simulation2_controlled": ("simulation2_controlled, PFBL and PD", 50e-6),
              "simulation1_reduced": ("simulation1, reduced by 1e-4, PFBL of 9 tendons", 1e-3)}
    for robot, (text, most) in robots.items():
        name = f"control/{robot}"
        table.add(run, f"{text}: state to inputs", f"{name}/inputs", at_most=most)
        if f"{name}/closed_loop" in run:
            parts = 1.3 * run.median(f"{name}/open_loop") + run.median(f"{name}/mass_inverse_dynamics")
            table.add(run, f"{text}: closed loop", f"{name}/closed_loop", reference=parts,
                      reference_name="1.3 open loops + mass_inverse_dynamics", ratio_at_most=1.0)
    for target in ("position", "pose"):
        table.add(run, f"hybrid_arm: inverse_kinematics of a {target} from the last one",
                  f"control/hybrid_arm/inverse_kinematics/{target}", at_most=50e-6)


def bodies(count):
    return "1 body" if count == 1 else f"{count} bodies"


def add_planar_chains(table, run):
    for n in (1, 20, 100, 1000):
        table.add(run, f"planar CC chain, {bodies(n)}: Robot + Model + Data", f"planar_chain/build/{n}",
                  at_most=10e-3 if n == 20 else None)
    for algorithm in ("inertial_inverse_dynamics", "forward_dynamics"):
        names = {n: f"planar_chain/{algorithm}/{n}" for n in BODY_COUNTS if f"planar_chain/{algorithm}/{n}" in run}
        for n in names:
            # constant within 15 % up to 100 bodies and 40 % up to 1000: against the fastest of that range
            largest, allowed = (100, 1.15) if n <= 100 else (1000, 1.4)
            fastest = min(run.median(name, "per_body") for count, name in names.items() if count <= largest)
            table.add(run, f"planar CC chain, {bodies(n)}: {algorithm}", names[n], "per_body", "s/body",
                      reference=fastest, reference_name="fastest N", ratio_at_most=allowed)
    for n in (1, 20, 1000):
        name = f"planar_chain/inertial_inverse_dynamics/{n}"
        table.add(run, f"planar CC chain, {bodies(n)}: Data without n x n matrices", name, "data_bytes", "B/body",
                  divisor=n, scalar=True)


def add_rollouts(table, run, counts):
    for n in counts:
        rods = "1 PCS rod" if n == 1 else f"{n} PCS rods in series"
        table.add(run, f"{rods}, tsit5 at 1e-4 s, as cuttle simulate", f"rollout/simulate/{n}", "simulated",
                  "sim. s/s", at_least=8.0 if n == 1 else None)
        if n == 1:
            table.add(run, f"{rods}, tsit5 at 1e-4 s, motion only", f"rollout/motion_only/{n}", "simulated",
                      "sim. s/s")


def add_batches(table, runs):
    """Many robots on one core: per robot, against the same robots one after the other with the fastest instruction set."""
    for run in runs:
        avx2 = run.isa == "avx2"
        for kind, most in (("inverse", 25e-9), ("forward", 70e-9)):
            table.add(run, f"batch, rigid chain of 24: {kind}_dynamics", f"batch/chain24/{kind}_dynamics/batch",
                      "per_part", "s/joint", at_most=most if avx2 else None)
    for kind in ("inverse", "forward"):
        for n in (5, 10):
            singly = f"batch/rod/{kind}_dynamics/singly/{n}"
            fastest = min((run.median(singly, "per_part") for run in runs if singly in run), default=None)
            for run in runs:
                table.add(run, f"batch, PCS rod, {n} points: {kind}_dynamics",
                          f"batch/rod/{kind}_dynamics/batch/{n}", "per_part", "s/robot", reference=fastest,
                          reference_name="one by one", ratio_at_most=1 / 2.4 if run.isa != "baseline" else None)
    for run in runs:
        for n in (1, 2, 4, 8, 16, 32):
            rods = "PCS rod" if n == 1 else f"{n} PCS rods in series"
            table.add(run, f"batch, {rods}, tsit5 at 1e-4 s", f"batch/rollout/{n}", "simulated", "robot-s/s",
                      at_least=25.0 if n == 1 and run.isa == "avx2" else None)


def add_volumes(table, run):
    """[P] Simulation 1's bodies: 8 coordinates, 2,749 points each."""
    reference = median_if(run, "volume/terms/scalar")
    table.add(run, "volume, all terms of a body, in packs", "volume/terms/packed", reference=reference,
              reference_name="point by point", ratio_at_most=1 / 3 if run.isa == "avx2" else None)
    positions = median_if(run, "volume/positions/2749")
    table.add(run, "3 lvp volumes of 2749 points: mass_inverse_dynamics", "volume/mass_inverse_dynamics/2749",
              reference=positions, reference_name="f alone", ratio_at_most=12)
    positions = median_if(run, "volume/automatic/positions")
    table.add(run, "the same through the automatic door", "volume/automatic/mass_inverse_dynamics",
              reference=positions, reference_name="f alone", ratio_at_most=60)


def add_volume_scaling(table, run):
    for family, key, unit, what, counts in (
            ("volume/mass_inverse_dynamics", "per_point", "s/point", "3 lvp volumes of {} points: mass_inverse_dynamics",
             (500, 2749, 10996)),
            ("volume/inverse_dynamics", "per_body", "s/body", "{} lvp volumes of 500 points: inverse_dynamics",
             (1, 3, 10, 30)),
            ("volume/linear/mass_inverse_dynamics", "cpu_time", "s", "a ritz volume of {} points: mass_inverse_dynamics",
             (1000, 100000))):
        fastest = min((run.median(f"{family}/{n}", key) for n in counts if f"{family}/{n}" in run), default=None)
        for n in counts:
            table.add(run, what.format(n), f"{family}/{n}", key, unit, reference=fastest, reference_name="fastest N",
                      ratio_at_most=1.25)
    table.add(run, "9 tendons on 3 lvp volumes: actuation_matrix", "volume/actuation_matrix")


def make_table(runs):
    """Rods, batches and the single rollout for every instruction set, the rest for the widest one."""
    table = Table()
    widest = runs[-1]
    add_chains(table, widest)
    for run in runs:
        add_rods(table, run)
    add_blocks(table, widest)
    for run in runs:
        add_tangents(table, run)
    for run in runs:
        add_derivatives(table, run, run is widest)
        if run is widest:
            add_shipped_robots(table, run)
            add_sensitivities(table, run)
            add_controllers(table, run)
    add_planar_chains(table, widest)
    for run in runs:
        add_rollouts(table, run, (1,))
    add_rollouts(table, widest, (2, 4, 8, 16, 32))
    add_batches(table, runs)
    for run in runs:
        add_volumes(table, run)
    add_volume_scaling(table, widest)
    return table


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def call(executable, isa, *arguments):
    environment = dict(os.environ, CUTTLE_ISA=isa)
    # stderr is shown only with a failure: Debian's Google Benchmark warns there that it was built with assertions
    done = subprocess.run([executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{executable} failed with {isa}:\n{done.stderr.strip()}")
    return done.stdout


def run_all(options):
    if not os.access(options.executable, os.X_OK):
        fail(f"'{options.executable}' is not there: `make bench` builds it")
    executable = os.path.abspath(options.executable)
    report = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "cpu": cpu_name(), "cores": os.cpu_count(),
              "load": os.getloadavg()[0], "runs": {}}
    seen = set()
    for isa in INSTRUCTION_SETS:
        name = call(executable, isa, "--instruction-set").strip()
        if name in seen:  # this CPU does not have it
            continue
        seen.add(name)
        # the rods' reference always belongs to it
        selection = [f"--benchmark_filter=({options.filter})|^chain/inverse_dynamics/mujoco/24$"]
        count = len(call(executable, isa, "--benchmark_list_tests", *selection).splitlines())
        seconds = 1.4 * count * options.repetitions * options.min_time
        print(f"{name}: {count} benchmarks, about {seconds:.0f} s ...", file=sys.stderr, flush=True)
        report["runs"][isa] = json.loads(call(
            executable, isa, "--benchmark_format=json", f"--benchmark_repetitions={options.repetitions}",
            "--benchmark_enable_random_interleaving=true", f"--benchmark_min_time={options.min_time}", *selection))
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("executable", nargs="?", default="build/cuttle_bench")
    parser.add_argument("--from", dest="source", metavar="FILE", help="print the table of an earlier run")
    parser.add_argument("--output", metavar="FILE", help="where to write (default: bench.json beside the executable)")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--min-time", type=float, default=0.1, help="of one repetition [s]")
    parser.add_argument("--filter", default=".", help="regular expression: only these benchmarks")
    parser.add_argument("--short", action="store_true", help="print the rows of docs/performance.md alone")
    options = parser.parse_args()

    if options.source:
        with open(options.source, encoding="utf-8") as file:
            report = json.load(file)
    else:
        report = run_all(options)
    table = make_table([Run(isa, run) for isa, run in report["runs"].items()])
    report["table"] = table.rows

    contexts = {isa: run["context"] for isa, run in report["runs"].items()}
    context = list(contexts.values())[-1]
    print(f"CPU: {report['cpu']}, {report['cores']} cores, load {report['load']:.1f} at the start; {report['date']}")
    print("Instruction sets: " + ", ".join(f"{isa} = {c['instruction_set']}" for isa, c in contexts.items()))
    print(f"Cuttle {context['cuttle']}, {context['compiler']}, {context['flags']}; MuJoCo {context['mujoco']} of Debian")
    print()
    print((table.short() if options.short else table).text())
    judged = [row for row in table.rows if row["met"] is not None]
    print(f"\n{sum(row['met'] for row in judged)} of {len(judged)} targets met.")
    if not options.source and report["load"] > 0.5:
        print(f"The machine was busy (load {report['load']:.1f}): do not quote these numbers.")
    if not options.source:
        output = options.output or os.path.join(os.path.dirname(options.executable), "bench.json")
        with open(output, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
        print(f"Written: {output}")


if __name__ == "__main__":
    main()
