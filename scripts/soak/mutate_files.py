#!/usr/bin/env python3
"""Changes robot and scenario files, and the tables, networks and meshes that they name, at random, and runs `cuttle check`
on them, each under limits of time and memory. A run must end with exit code 0, or with 2 and errors that each begin with
the name of a file; what it says must be text without control characters. Prints how many runs ended how, and keeps the
files of those that did not end so.

  scripts/soak/mutate_files.py --count 20000 [--tool build/cuttle] [--seed 1] [--keep out/soak]
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
NUMBERS = (b"0", b"-1", b"1e-310", b"1e200", b"-1e200", b"1e-200", b".nan", b".inf", b"1000000000", b"9007199254740993",
           b"1e400", b"0x7fffffffffffffff", b"[]", b"{}", b"~", b"''", b"*a", b"1:30")
BYTES = (b"\x00", b"\x1b[31m", b"\xe9", b"\xff\xfe", b"\t", b"\r", b"\n", b": ", b"- ", b"{", b"}", b"[", b"]", b"&a ", b"*a",
         b"<<: ", b"#", b"'", b'"', b"|\n", b"---\n", b"!!str ", b",")
NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[A-Za-z_]\w+")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def mutate(text, others, rng):
    """One to four small changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.choice((1, 1, 2, 8, 40)))
        kind = rng.randrange(10)
        if kind == 0:
            text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
        elif kind == 1:
            text = text[:at] + text[end:]
        elif kind == 2:
            text = text[:at] + rng.choice(BYTES) + text[at:]
        elif kind == 3:
            text = text[:at] + text[at:end] * rng.choice((2, 3, 50)) + text[end:]
        elif kind in (4, 5):
            found = list(NUMBER.finditer(text))
            if found:
                number = rng.choice(found)
                text = text[:number.start()] + rng.choice(NUMBERS) + text[number.end():]
        elif kind == 6:
            found = list(WORD.finditer(text))
            if found:
                word, other = rng.choice(found), rng.choice(found)
                text = text[:word.start()] + other.group() + text[word.end():]
        elif kind == 7:
            lines = text.split(b"\n")
            i, k = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
            text = b"\n".join(lines)
        elif kind == 8:
            lines = text.split(b"\n")
            i = rng.randrange(len(lines))
            lines[i:i] = [rng.choice(lines)] * rng.choice((1, 1, 30))
            text = b"\n".join(lines)
        else:
            other = rng.choice(others)
            begin = rng.randrange(len(other) + 1)
            text = text[:at] + other[begin:begin + rng.choice((4, 30, 200))] + text[end:]
    return text


def subjects():
    """Pairs of a file to change and the file to check."""
    pairs = []
    for path in sorted(MODELS.rglob("*.yaml")):
        pairs.append((path, path))
        for name in set(re.findall(r"file: ([\w./]+)", path.read_text(encoding="utf-8"))):
            if (path.parent / name).is_file():
                pairs.append((path.parent / name, path))
    return pairs


def run(tool, path, seconds, megabytes):
    """Exit code (None: out of time), what it said."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        done = subprocess.run([tool, "check", path], capture_output=True, preexec_fn=limit, timeout=20 * seconds, check=False)
    except subprocess.TimeoutExpired:
        return None, b""
    return done.returncode, done.stdout + done.stderr if done.returncode == 0 else done.stderr


def verdict(code, output, folder):
    """Why this is no good end; nothing if it is one."""
    if code is None or code == -24:  # SIGXCPU
        return "out of time"
    if code < 0:
        return f"signal {-code}"
    if len(output) > 200_000:
        return f"{len(output)} bytes of messages"
    try:
        text = output.decode()
    except UnicodeDecodeError:
        return "a message that is not UTF-8"
    if CONTROL.search(text):
        return "control characters in a message"
    if code == 0:
        return None
    if code != 2:
        return f"exit code {code}: {text.strip()[-200:]}"
    lines = text.rstrip("\n").split("\n")
    for line in lines:
        if not line.startswith(f"{folder}/") and not re.fullmatch(r"and \d+ more", line):
            return f"an error without a file: {line[:200]}"
    return None


def attempt(job):
    options, seed, pairs, others = job
    rng = random.Random(seed)
    changed, checked = rng.choice(pairs)
    while (changed, checked) in options.slow:
        changed, checked = rng.choice(pairs)
    with tempfile.TemporaryDirectory(prefix="cuttle_soak_") as folder:
        for file in checked.parent.iterdir():
            (pathlib.Path(folder) / file.name).symlink_to(file)
        target = pathlib.Path(folder) / changed.relative_to(checked.parent)
        target.unlink()
        target.write_bytes(mutate(changed.read_bytes(), others, rng))
        path = pathlib.Path(folder) / checked.name
        began = time.monotonic()
        code, output = run(options.tool, path, options.seconds, options.megabytes)
        took = time.monotonic() - began
        why = verdict(code, output, folder)
        if why and options.keep:
            kept = pathlib.Path(options.keep) / str(seed)
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            (kept / "why.txt").write_text(f"{path.name}, {target.name} changed: {why}\n", encoding="utf-8")
        return seed, target.name, code, why, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(ROOT / "build" / "cuttle"))
    parser.add_argument("--count", type=int, default=1000, help="number of runs")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next have the next ones")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=30, help="of CPU time a run may take")
    parser.add_argument("--megabytes", type=int, default=2048, help="of address space a run may take")
    parser.add_argument("--slowest", type=float, default=1.0, help="leave out files whose check takes longer [s]")
    parser.add_argument("--keep", help="folder for the files of bad ends")
    options = parser.parse_args()
    pairs = subjects()
    options.slow = set()
    for changed, checked in pairs:
        began = time.monotonic()
        code, output = run(options.tool, checked, 10 * options.seconds, options.megabytes)
        if code != 0:
            sys.exit(f"mutate_files.py: {checked}: exit code {code}: {output.decode(errors='replace')}")
        if time.monotonic() - began > options.slowest:
            options.slow.add((changed, checked))
            print(f"left out, slow: {changed.name} by {checked.name}")
    others = [path.read_bytes() for path in MODELS.rglob("*.yaml")]
    jobs = [(options, options.seed + i, pairs, others) for i in range(options.count)]
    ends, bad, slowest = collections.Counter(), [], (0.0, 0, "")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, name, code, why, took in pool.map(attempt, jobs):
            ends["bad" if why else {0: "fine", 2: "named error"}[code]] += 1
            slowest = max(slowest, (took, seed, name))
            if why:
                bad.append(why)
                print(f"seed {seed}, {name}: {why}", flush=True)
    print(f"{options.count} runs of {len(pairs) - len(options.slow)} pairs of files, seeds from {options.seed}: "
          + ", ".join(f"{count} {end}" for end, count in ends.most_common()))
    print(f"slowest: {slowest[0]:.1f} s, seed {slowest[1]}, {slowest[2]}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
