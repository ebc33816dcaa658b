#!/bin/sh
# setup_test.sh SETUP.SH FOLDER: what the set-up script says on systems that are not this one. It installs nothing here.
set -eu
setup=$1 folder=$2
mkdir -p "$folder"

on() {  # ID VERSION ARGUMENTS...: runs it as if on that system; its text and code in $text and $code
  printf 'ID=%s\nVERSION_ID="%s"\n' "$1" "$2" >"$folder/os-release"
  shift 2
  code=0
  text=$(CUTTLE_OS_RELEASE=$folder/os-release CUTTLE_ANY_SYSTEM= "$setup" "$@" 2>&1) || code=$?
}
expect() {  # CODE PATTERN WHAT
  if [ "$code" != "$1" ] || ! printf '%s\n' "$text" | grep -q -- "$2"; then
    echo "$3: found code $code, expected $1 and a text with '$2'; printed:" "$text"
    exit 1
  fi
}

on fedora 41 build
expect 3 "found system 'fedora 41', expected Debian 12 or 13 or Ubuntu 24.04" "another system"
expect 3 "Nothing was changed" "another system"
on ubuntu 22.04 build
expect 3 "CMake (3.22, expected 3.25" "packages that are too old"
on ubuntu 22.04 --list test
expect 0 '^g++-12$' "the compiler of Ubuntu 22.04"
for system in "debian 12" "debian 13" "ubuntu 24.04"; do
  on $system --list test
  expect 0 '^libsundials-dev$' "$system"
done
expect 0 '^clang$' "Ubuntu 24.04"
on debian 13 --list build
expect 0 '^libopenmpi-dev$' "MPI of SUNDIALS 7"
on ubuntu 24.04 --list test
if printf '%s\n' "$text" | grep -qx chromium; then
  echo "Ubuntu 24.04: found chromium, expected none: it would install a snap"
  exit 1
fi
on debian 12 nonsense
expect 1 "found 'nonsense', expected build" "an unknown group"
