#!/usr/bin/env bash
# Makes the meshes of models/ again: those of bricks and tubes by scripts in Python, others from the .geo files beside
# this script with the program gmsh (made with 4.8.4 of Debian 12: scripts/setup.sh meshes). Another version may make
# other tetrahedra of the same solids.
#
#   scripts/meshes/make.sh [trimmed_helicoid] [beam] [finger]      default: all; the first takes two minutes
set -euo pipefail
cd "$(dirname "$0")/../.."

python3 scripts/meshes/beam.py
python3 scripts/meshes/bent_tube.py
python3 scripts/meshes/bellows_finger.py
python3 scripts/meshes/cushion.py
if [ "$*" = beam ]; then exit; fi
command -v gmsh >/dev/null || {
  echo "make.sh: found no program gmsh. Install it: scripts/setup.sh meshes" >&2
  exit 1
}
declare -A target=(
  [trimmed_helicoid]=models/pustina2025/helicoid.msh
  [finger]=models/examples/finger.msh
)
if [ $# -eq 0 ]; then set -- trimmed_helicoid finger; fi
for name in "$@"; do
  if [ "$name" = beam ]; then continue; fi
  file=${target[$name]:-}
  if [ -z "$file" ]; then
    echo "make.sh: found '$name', expected ${!target[*]}" >&2
    exit 1
  fi
  echo "$file"
  gmsh -3 -nt 1 -v 2 "scripts/meshes/$name.geo" -o "$file"
done
