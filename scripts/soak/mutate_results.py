#!/usr/bin/env python3
"""Changes random bytes of results and lets `cuttle` read them, thousands of times.

    scripts/soak/mutate_results.py --tool build/cuttle --count 10000 RESULT.h5..

Each reading must end by itself with success or an error that names the file: no crash, no more than 10 s of computing,
no more than 2 GB of memory. Every second file is first given texts of any length, as results of earlier versions have them. Prints
the counts and keeps files that go wrong; exit code 1 if there are any. Needs h5py.
"""
import argparse
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py

SECONDS, WALL_SECONDS, MEMORY = 10, 120, 2 << 30
VALUES = (0x00, 0x01, 0x08, 0x7F, 0x80, 0xFF)


def as_earlier_versions(path):
    """Every text of an attribute becomes one of any length."""
    def change(_, thing):
        for name in list(thing.attrs):
            value = thing.attrs[name]
            if getattr(value, "dtype", None) is None or value.dtype.kind != "S":
                continue
            text = [item.decode() for item in value] if value.shape else value.decode()
            del thing.attrs[name]
            thing.attrs.create(name, text, dtype=h5py.string_dtype())

    with h5py.File(path, "r+") as result:
        change("/", result)
        result.visititems(change)


def mutated(original, generator):
    data = bytearray(original)
    kind = generator.random()
    if kind < 0.05:
        return data[: generator.randrange(len(data))]
    if kind < 0.15:
        begin = generator.randrange(len(data))
        end = min(len(data), begin + generator.choice((8, 64, 512, 4096)))
        data[begin:end] = bytes(end - begin) if generator.random() < 0.5 else generator.randbytes(end - begin)
        return data
    for _ in range(generator.choice((1, 1, 1, 2, 4, 16))):
        place = generator.randrange(len(data))
        while data[place] == 0 and generator.random() < 0.9:  # most of a file is filling
            place = generator.randrange(len(data))
        data[place] = generator.choice(VALUES) if generator.random() < 0.5 else generator.randrange(256)
    return data


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def computed():
    """Seconds of computing of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--tool", default="build/cuttle")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    good = errors = wrong = 0
    slowest = 0.0
    reasons = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        originals = []
        for i, path in enumerate(arguments.results):
            originals.append(path.read_bytes())
            old = folder / f"old_{i}.h5"
            shutil.copy(path, old)
            as_earlier_versions(old)
            originals.append(old.read_bytes())
        victim = folder / "victim.h5"
        for i in range(arguments.count):
            victim.write_bytes(mutated(originals[i % len(originals)], generator))
            begin = computed()
            trouble = ""
            try:
                ended = subprocess.run([arguments.tool, "plot", victim, "--what", "tip", "-o", folder / "figure.svg"],
                                       capture_output=True, timeout=WALL_SECONDS, preexec_fn=limit_memory)
                said = ended.stderr.decode(errors="replace")
                if ended.returncode == 0:
                    good += 1
                elif ended.returncode in (1, 2) and str(victim) in said:
                    errors += 1
                    for reason in ("crashes", "does not come to an end", "more memory"):
                        reasons[reason] = reasons.get(reason, 0) + (f"HDF5 {reason}" in said or reason in said)
                else:
                    trouble = f"exit code {ended.returncode}: {said[-400:]}"
            except subprocess.TimeoutExpired:
                trouble = f"not within {WALL_SECONDS} s"
            slowest = max(slowest, computed() - begin)
            if computed() - begin > SECONDS:
                trouble = trouble or f"{computed() - begin:.0f} s of computing"
            if trouble:
                wrong += 1
                kept = pathlib.Path(f"wrong_{arguments.seed}_{i}.h5")
                shutil.copy(victim, kept)
                print(f"{i}: {trouble} (kept as {kept})", flush=True)
            if (i + 1) % 1000 == 0:
                print(f"{i + 1}: {good} read, {errors} errors ({reasons}), {wrong} wrong, slowest {slowest:.1f} s",
                      flush=True)
    print(f"{arguments.count} files: {good} read, {errors} refused by an error that names the file, {wrong} wrong; "
          f"slowest {slowest:.1f} s; of the errors, where HDF5 {reasons}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
