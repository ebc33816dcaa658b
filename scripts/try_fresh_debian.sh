#!/usr/bin/env bash
# Proves that `make test` and `make demo` work on a machine where nothing was installed by hand: runs them in a bare
# Debian 12 root (debootstrap + chroot), then `make demo` once more without a network.
#
#   sudo scripts/try_fresh_debian.sh              the last commit
#   sudo scripts/try_fresh_debian.sh --worktree   the working tree as it is
#   KEEP=1 ...                                    keep the root and say where it is
#
# Run by hand, as root, on a Debian machine with debootstrap and git; 15 to 20 minutes, 3 GB below ${TMPDIR:-/tmp}.
# Packages come from the mirrors that this machine's apt uses, with its settings for fetching.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "try_fresh_debian.sh: $*" >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || fail "needs root: debootstrap, chroot and mount"
command -v debootstrap >/dev/null || fail "needs the package debootstrap"
case "${1:-}" in
  "" | --worktree) ;;
  *) fail "found '$1', expected nothing or --worktree" ;;
esac

# one line a mirror and suite: "URI SUITE COMPONENT"
mirrors=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$2 ~ /^bookworm(-updates|-security)?$/' | sort -u)
mirror=$(awk '$2 == "bookworm" && $3 == "main" { print $1; exit }' <<<"$mirrors")
[ -n "$mirror" ] || fail "this machine's apt knows no mirror with the suite bookworm"

root=$(mktemp -d "${TMPDIR:-/tmp}/cuttle-debian.XXXXXX")
chmod 755 "$root"  # apt fetches as a user of its own
clean_up() {
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  if [ -n "${KEEP:-}" ]; then echo "kept: $root"; else rm -rf --one-file-system "$root"; fi
}
trap clean_up EXIT

step() {  # NAME COMMAND...: runs it and says how long it took
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" </dev/null
  echo "== $name: $((SECONDS - start)) s"
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${proxies[@]}" sh -ec "$1"; }
inside_offline() { unshare --net chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 sh -ec "$1"; }
proxies=()
for name in http_proxy https_proxy no_proxy; do
  if [ -n "${!name:-}" ]; then proxies+=("$name=${!name}"); fi
done

debootstrap_root() {
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; fail "debootstrap failed"; }
  rm -f "$root.log"
  awk '{ print "deb", $1, $2, $3 }' <<<"$mirrors" >"$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' >"$root/etc/apt/apt.conf.d/99mirror" || true
  cp /etc/hosts /etc/resolv.conf "$root/etc/"
  mount -t proc proc "$root/proc"
}
copy_sources() {
  mkdir "$root/root/cuttle"
  if [ "${1:-}" = --worktree ]; then
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read
  else
    git archive HEAD
  fi | tar --extract --directory "$root/root/cuttle"
}

step "bare Debian 12" debootstrap_root
copy_sources "${1:-}"
step "apt install make" inside 'apt-get -qq update && apt-get -qq install --no-install-recommends make >/dev/null 2>&1'
step "make test" inside 'cd /root/cuttle && make test'
step "make demo" inside 'cd /root/cuttle && make demo'
step "make demo, offline" inside_offline 'cd /root/cuttle && make demo'
echo "All of it works on a bare Debian 12."
