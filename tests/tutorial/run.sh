#!/bin/sh
# run.sh CUTTLE TUTORIAL: run_tutorial.py with the first Python that has what the tutorial needs. A Python that somebody
# put before Debian's on the path usually has not. With --howto first it is ../howto/run_howto.py.
program="$(dirname "$0")/run_tutorial.py"
if [ "$1" = --howto ]; then
  program="$(dirname "$0")/../howto/run_howto.py"
  shift
fi
for python in /usr/bin/python3 python3; do
  if command -v "$python" >/dev/null && "$python" -c 'import h5py, matplotlib' 2>/dev/null; then
    exec "$python" -B "$program" "$@"
  fi
done
echo "tutorial: found no Python with h5py and matplotlib, expected both: 'make test' installs them" \
  "(or: apt install python3-h5py python3-matplotlib)" >&2
exit 1
