#!/usr/bin/env bash
# Proves that a wheel of scripts/make_wheel.py works on a bare Debian (debootstrap + chroot) with Python alone: no compilers, no
# packages of libraries. In a virtual environment there the package simulates and draws, and the command runs, offline.
#
#   sudo -E scripts/try_wheel.sh [SUITE] [WHEEL]      SUITE: bookworm (Debian 12, Python 3.11) if nothing is said, or trixie (13, 3.13);
#                                                     WHEEL: that of this Python in build/dist
#
# Run by hand, as root, on a Debian machine with debootstrap; two minutes. What else the environment says:
# scripts/debian_root.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian_root.sh

suite=${1:-bookworm}
case $suite in
  bookworm) tag=cp311-cp311 ;;
  trixie) tag=cp312-abi3 ;;
  *) fail "found '$suite', expected bookworm or trixie" ;;
esac
wheel=${2:-$(ls build/dist/cuttle-*-"$tag"-*.whl 2>/dev/null | head -n 1)}
[ -r "$wheel" ] || fail "found no wheel '$wheel' for $tag, expected that of scripts/make_wheel.py"
debian_root "$suite"
mkdir "$root/root/wheel"
cp "$wheel" "$root/root/wheel/"
step "Python" inside 'apt-get -qq update && apt-get -qq install -y --no-install-recommends python3-venv >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }
  ! command -v cc && ! command -v g++ && test -z "$(dpkg-query -W "libhdf5*" "libsundials*" "libyaml*" 2>/dev/null)"'
step "install the wheel" inside 'python3 -m venv /root/env && /root/env/bin/pip install --quiet --disable-pip-version-check /root/wheel/*.whl && du -sh /root/wheel/*.whl'
step "use the package" inside_offline 'cd /root && /root/env/bin/python - <<"PYTHON"
import cuttle
robot = cuttle.load(cuttle.example("tendon_arm"))
run = robot.simulate(duration=0.2, output_step=0.02)
print(run.frame("tip").position[-1], run.energy.balance[-1])
run.save("arm.h5")
run.page("arm.html")
assert cuttle.load_run("arm.h5").q.shape == run.q.shape
print(robot.statics({"right": 2.0}).stability, [round(mode.frequency, 2) for mode in robot.modes()][:2])
PYTHON
  grep -q cuttle-page arm.html'
step "use the command" inside_offline 'cd /root && . env/bin/activate
  cuttle --version && cuttle new arm.yaml && cuttle check arm_scenario.yaml && cuttle simulate arm_scenario.yaml -o new.h5 --svg
  cuttle view new.h5 -o new.html --no-open && test -s env/lib/python3*/site-packages/cuttle/licenses/libhdf5-103-1.txt
  test "$(ldd env/lib/python3*/site-packages/cuttle/_core*.so | grep -c "not found")" = 0'
step "demo" inside_offline 'cd /root && . env/bin/activate && cuttle demo --no-open && grep -q cuttle-page hybrid_arm.html
  cuttle info tendon_arm >/dev/null && cuttle simulate pcc_arm -o pcc.h5'
echo "The wheel works on a bare $suite with Python alone."
