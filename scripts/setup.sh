#!/usr/bin/env bash
# The one list of every Debian package that Cuttle needs, and the script that installs what is missing of it.
#
#   scripts/setup.sh [build|test|bench|sanitize|layout|lint|deb|site|meshes]...     default: build; each of the others includes what it builds on
#   scripts/setup.sh --list [GROUP]...              only print the packages
#
# Safe to repeat: with everything installed it needs neither the network nor root. Otherwise it needs root or sudo.
#
# It knows Debian 12 and 13 and Ubuntu 22.04 and 24.04, whose packages are called and aged differently (docs/installing.md says
# on which it was run). Elsewhere it changes nothing and ends with code 3; so it does where packages are too old to build
# Cuttle. CUTTLE_ANY_SYSTEM=1 tries all the same. Codes: 0 all is there, 1 something failed, 3 not on this system.
set -euo pipefail

build_packages=(
  g++ make cmake ninja-build ccache
  libeigen3-dev       # vectors and matrices, also in the public headers
  libyaml-cpp-dev     # robot and scenario files
  libpugixml-dev      # robots in URDF, MJCF and SDF
  nlohmann-json3-dev  # output of `cuttle eval`
  libcli11-dev        # command line
  libfmt-dev          # text
  libhdf5-dev         # result files
  libsundials-dev     # stiff integrators
  libtbb-dev          # threads of batches
  libspectra-dev      # vibration modes of meshes
  libmetis-dev        # orders the nodes of meshes for sparse factors
  zlib1g-dev          # reports and the viewer's page, compressed
  libboost-dev        # Boost.Beast: the server of `cuttle live`; Boost.Multiprecision: references of tests
  nodejs npm          # the viewer's page; not needed if another Node.js >= 18 is there
  python3-venv python3-dev  # the Python package: in a virtual environment, by `pip install .`
)
test_packages=(
  libgtest-dev libgmock-dev
  python3-h5py python3-matplotlib  # docs/tutorial.md is run
  python3-jsonschema python3-yaml  # the schemas of docs/schema against files
  fish                # its completion is run
  openmpi-bin         # a sweep by two ranks
  chromium            # the viewer's page is tested in it
  clang               # the installed library is used from another compiler
)
bench_packages=(
  libbenchmark-dev
  python3             # scripts/bench_table.py
  libmujoco-dev       # the library to compare with
)
sanitize_packages=(
  clang llvm           # llvm: names of functions in reports
  libclang-rt-dev      # the sanitizers' run-time libraries
)
site_packages=(
  doxygen              # comments of the headers, for the site's reference
  python3 python3-venv # Sphinx, in an environment below build/
)
layout_packages=(clang-format python3)  # python3: scripts/check_words.py
lint_packages=(clang-tidy)
deb_packages=(
  dpkg-dev file        # what the packages of `make deb` depend on
)
mesh_packages=(gmsh)  # scripts/meshes: only to make the meshes of models/ again

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

system=$(. "${CUTTLE_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}" || true)  # the variable: for tests
without=() too_old=""  # packages that this system does not have; what it has, but too old
case $system in
  "debian 12") ;;
  "debian 13") build_packages+=(libopenmpi-dev) ;;  # what SUNDIALS' headers include there
  "ubuntu 24.04") without=(chromium) ;;  # there a package that installs a snap: tests of the page need another Chromium
  "ubuntu 22.04")
    without=(chromium cmake nodejs npm libsundials-dev libmujoco-dev libclang-rt-dev)
    too_old="CMake (3.22, expected 3.25 or newer), SUNDIALS (5, expected 6 or 7) and Node.js (12, expected 18 or newer)" ;;
esac
# under the name that it has on this system, or none
of_system() {
  local package name
  for package in "$@"; do
    for name in "${without[@]}"; do
      if [ "$package" = "$name" ]; then continue 2; fi
    done
    if [ "$system" = "ubuntu 22.04" ] && [ "$package" = g++ ]; then package=g++-12; fi
    echo "$package"
  done
}

list_only=false
wanted=()
add_group() {
  case $1 in
    build) wanted+=("${build_packages[@]}") ;;
    test) wanted+=("${build_packages[@]}" "${test_packages[@]}") ;;
    bench) wanted+=("${build_packages[@]}" "${bench_packages[@]}") ;;
    sanitize) wanted+=("${build_packages[@]}" "${test_packages[@]}" "${sanitize_packages[@]}") ;;
    lint) wanted+=("${build_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}" "${layout_packages[@]}" "${lint_packages[@]}") ;;
    deb) wanted+=("${build_packages[@]}" "${deb_packages[@]}") ;;
    site) wanted+=(make "${site_packages[@]}") ;;
    layout) wanted+=(make "${layout_packages[@]}") ;;
    meshes) wanted+=("${mesh_packages[@]}") ;;
    --list) list_only=true ;;
    *) fail "found '$1', expected build, test, bench, sanitize, layout, lint, deb, site, meshes or --list" ;;
  esac
}
for argument in "$@"; do add_group "$argument"; done
if [ ${#wanted[@]} -eq 0 ]; then add_group build; fi
mapfile -t wanted < <(of_system "${wanted[@]}" | sort -u)

if $list_only; then
  printf '%s\n' "${wanted[@]}"
  exit 0
fi

not_here() {
  echo "setup.sh: $*
  Nothing was changed. Three ways on:
  - the Python package as a wheel, which needs no packages of the system and has the command in it (docs/python.md);
  - the counterparts of these, installed by hand: scripts/setup.sh --list; then cmake and ninja as the Makefile calls them;
  - to try here with packages of the names in that list: CUTTLE_ANY_SYSTEM=1 make ..." >&2
  exit 3
}
if [ "${CUTTLE_ANY_SYSTEM:-}" != 1 ]; then
  case $system in
    "debian 12" | "debian 13" | "ubuntu 24.04") ;;
    "ubuntu 22.04") not_here "Ubuntu 22.04: found in its packages too old: $too_old." ;;
    *) not_here "found system '${system:-unknown}', expected Debian 12 or 13 or Ubuntu 24.04." ;;
  esac
fi
if ! command -v apt-get >/dev/null; then
  not_here "no apt-get here, expected one."
fi

node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p' || true)
has_node=false
if [ "${node_major:-0}" -ge 18 ] && command -v npm >/dev/null; then has_node=true; fi

missing=()
for package in "${wanted[@]}"; do
  if $has_node && [[ $package == nodejs || $package == npm ]]; then continue; fi
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#wanted[@]} packages are installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}
  Installing them needs root, and there is no sudo here. As root run:
    apt-get install --no-install-recommends ${missing[*]}"
  as_root=(sudo)
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null; }
update() {
  echo "setup: reading the package lists (about 10 MB, some seconds) ..."
  apt update >/dev/null || fail "apt-get update failed: see above. Is there a network?"
}
# what apt would do: "Need to get 252 MB of archives" and the like, or nothing if a package is unknown to it
plan() {
  LC_ALL=C apt-get -o Debug::NoLocking=1 install --no-install-recommends --assume-no "${missing[@]}" \
    2>/dev/null </dev/null || true
}

plan_text=$(plan)
if ! grep -q 'newly installed' <<<"$plan_text"; then
  update
  plan_text=$(plan)
fi
grep -q 'newly installed' <<<"$plan_text" ||
  fail "apt cannot install: ${missing[*]}
  Is there a network? Ask it why: apt-get install --no-install-recommends ${missing[*]}"

count=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' <<<"$plan_text")
download=$(sed -n 's/^Need to get \(.*\) of archives.*/\1/p' <<<"$plan_text")
space=$(sed -n 's/^After this operation, \(.*\) of additional disk space.*/\1/p' <<<"$plan_text")
cat <<END
setup: installing ${missing[*]}
setup: with what they depend on $count Debian packages: download ${download:-nothing}, disk ${space:-no more} space,
       1 to 5 minutes on a usual connection.
END
install() { apt install -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}"; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# lists that are too old name files which the mirror no longer has: read them again, once
if ! install >"$log" 2>&1; then
  update
  install >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "apt-get install failed: see above"
  }
fi
echo "setup: done."
