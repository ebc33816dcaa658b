#!/usr/bin/env bash
# Proves that `make test` and `make demo` work on a machine where nothing was installed by hand: runs them in a bare
# Debian 12 root (debootstrap + chroot), then `make demo` once more without a network.
#
#   sudo -E scripts/try_fresh_debian.sh              the last commit
#   sudo -E scripts/try_fresh_debian.sh --worktree   the working tree as it is
#   KEEP=1 ...                                       keep the root and say where it is
#
# Run by hand, as root, on a Debian machine with debootstrap and git; 15 to 20 minutes, 5 GB below ${TMPDIR:-/tmp}.
# The way to the network is this machine's: mirrors and fetching as its apt has them; proxies; certificates
# (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, as the environment says: hence -E); registry, proxies, certificates and .npmrc
# as its npm has them. A root that is kept has a copy of that .npmrc, whatever is in it.
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
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${network[@]}" sh -ec "$1"; }
inside_offline() { unshare --net chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 sh -ec "$1"; }
network=()  # variables that say how to reach the network
pass_certificates() {  # NAME FILE: the root gets a copy, at a place that no package writes to
  [ -r "$2" ] || fail "$1: found '$2', expected a file with certificates"
  mkdir -p "$root/root/certificates"
  cp --dereference "$2" "$root/root/certificates/$1.pem"
  network+=("$1=/root/certificates/$1.pem")
}
pass_network_settings() {
  local name key value user_settings
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [ -n "${!name:-}" ]; then network+=("$name=${!name}"); fi
  done
  for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE; do
    if [ -n "${!name:-}" ]; then pass_certificates "$name" "${!name}"; fi
  done
  if ! command -v npm >/dev/null; then return; fi
  # as variables: they go before every file, and npm's global file lies elsewhere in the root
  for key in registry proxy https-proxy noproxy strict-ssl cafile; do
    value=$(cd / && npm config get "$key" 2>/dev/null) || fail "npm config get $key: failed, expected npm's settings"
    case "$value" in
      "" | null | undefined) continue ;;
    esac
    if [ "$key" = cafile ]; then
      pass_certificates npm_config_cafile "$value"
    else
      network+=("npm_config_${key//-/_}=$value")
    fi
  done
  user_settings=$(cd / && npm config get userconfig 2>/dev/null) || fail "npm config get userconfig: failed, expected a file"
  if [ -r "$user_settings" ]; then install -m 600 "$user_settings" "$root/root/.npmrc"; fi
}

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
pass_network_settings
copy_sources "${1:-}"
step "apt install make" inside 'apt-get -qq update && apt-get -qq install --no-install-recommends make >/dev/null 2>&1'
step "make test" inside 'cd /root/cuttle && make test'
step "make demo" inside 'cd /root/cuttle && make demo'
step "make demo, offline" inside_offline 'cd /root/cuttle && make demo'
echo "All of it works on a bare Debian 12."
