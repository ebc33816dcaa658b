#!/usr/bin/env bash
# Proves that `make test` and `make demo` work on a machine where nothing was installed by hand: runs them in a bare
# Debian root (debootstrap + chroot), then `make demo` once more without a network.
#
#   sudo -E scripts/try_fresh_debian.sh [--worktree] [SUITE]     the last commit, or the working tree as it is; SUITE: bookworm
#                                                                (Debian 12) if nothing is said, or trixie (13)
#   CONFIGURE_ONLY=1 ...                                         set up and configure, and compile nothing
#
# Run by hand, as root, on a Debian machine with debootstrap and git; 15 to 20 minutes, 5 GB below ${TMPDIR:-/tmp}. What
# else the environment says: scripts/debian_root.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian_root.sh

sources="" suite=bookworm
for argument in "$@"; do
  case $argument in
    --worktree) sources=$argument ;;
    bookworm | trixie) suite=$argument ;;
    *) fail "found '$argument', expected --worktree, bookworm or trixie" ;;
  esac
done
debian_root "$suite"
copy_sources "$sources"
step "apt install make" inside 'apt-get -qq update && apt-get -qq install --no-install-recommends make >/dev/null 2>&1'
if [ -n "${CONFIGURE_ONLY:-}" ]; then
  step "setup" inside 'cd /root/cuttle && scripts/setup.sh build'
  step "configure" inside 'cd /root/cuttle && cmake -S . -B build -G Ninja -DCUTTLE_BUILD_TESTS=OFF'
  echo "Set up and configured on a bare $suite; nothing was compiled."
  exit 0
fi
step "make test" inside 'cd /root/cuttle && make test'
step "make demo" inside 'cd /root/cuttle && make demo'
step "make demo, offline" inside_offline 'cd /root/cuttle && make demo'
echo "All of it works on a bare $suite."
