#!/usr/bin/env bash
# Proves that the packages of `make deb` work on a bare Debian 12 (debootstrap + chroot): they install with what Debian
# has, the command runs, a project of CMake finds the library, and nothing is left when they are removed.
#
#   make deb && sudo -E scripts/try_deb.sh [FOLDER]      FOLDER of the packages: build-deb if nothing is said
#
# Run by hand, as root, on a Debian machine with debootstrap; two minutes. What else the environment says:
# scripts/debian_root.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian_root.sh

packages=${1:-build-deb}
ls "$packages"/*.deb >/dev/null 2>&1 || fail "$packages: found no packages, expected those of make deb"
debian_root bookworm
mkdir "$root/root/packages"
cp "$packages"/*.deb "$root/root/packages/"
cp examples/two_segment_arm.cpp "$root/root/"
cat >"$root/root/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(cuttle 0.1 REQUIRED)
add_executable(two_segment_arm two_segment_arm.cpp)
target_link_libraries(two_segment_arm PRIVATE cuttle::cuttle)
PROJECT

install_packages() { inside "apt-get -qq install -y --no-install-recommends $* >/root/apt.log 2>&1 || { tail -n 20 /root/apt.log; exit 1; }"; }
step "package lists" inside 'apt-get -qq update'
step "install the command" install_packages '/root/packages/cuttle_*.deb /root/packages/libcuttle0*.deb'
step "use the command" inside_offline '
  cuttle --version
  test "$(ldd /usr/bin/cuttle | grep -c "not found")" = 0
  cd /root && cuttle new arm.yaml && cuttle check arm_scenario.yaml
  cuttle simulate arm_scenario.yaml -o arm.h5 --svg && cuttle view arm.h5 -o arm.html --no-open
  grep -q cuttle-page arm.html
  test -s /usr/share/bash-completion/completions/cuttle && test -s /usr/share/cuttle/cuttle-robot.schema.json
  dpkg --verify cuttle'
step "install the library's headers" install_packages '/root/packages/libcuttle-dev_*.deb g++ cmake ninja-build'
step "use the library" inside_offline 'cd /root && cmake -S . -B build -G Ninja >/dev/null && cmake --build build && build/two_segment_arm'
step "remove" inside '
  for package in $(dpkg-query -W -f "\${Package}\n" "*cuttle*"); do apt-get -qq purge -y $package >/dev/null 2>&1; done
  test -z "$(find /usr /etc -name "*cuttle*" ! -path "/usr/share/doc/*")" && test -z "$(ls -d /usr/share/doc/*cuttle* 2>/dev/null)"'
echo "The packages work on a bare Debian 12."
