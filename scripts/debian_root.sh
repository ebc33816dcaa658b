# To be sourced, as root, by scripts that prove something in a bare Debian root (debootstrap + chroot). They get
#
#   debian_root [SUITE]      makes the root at $root, with this machine's way to the network; SUITE: bookworm or trixie
#   inside COMMAND           runs a shell command there;  inside_offline: without a network
#   copy_sources [--worktree]   Cuttle's last commit, or the working tree as it is, at /root/cuttle there
#   step NAME COMMAND...     runs it and says how long it took
#   fail TEXT...
#
# DEBIAN_BASE=FOLDER copies a root that debootstrap made before instead of asking it again. KEEP=1 keeps the root and
# says where it is. The way to the network is this machine's: mirrors and fetching as its apt has them; proxies;
# certificates (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, as the environment says: hence sudo -E); registry, proxies, certificates
# and .npmrc as its npm has them; the index of its pip. A root that is kept has a copy of that .npmrc, whatever is in it.

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}
[ "$(id -u)" -eq 0 ] || fail "needs root: debootstrap, chroot and mount"
[ -n "${DEBIAN_BASE:-}" ] || command -v debootstrap >/dev/null || fail "needs the package debootstrap"

clean_up() {
  if mountpoint -q "$root/proc"; then umount "$root/proc"; fi
  if [ -n "${KEEP:-}" ]; then echo "kept: $root"; else rm -rf --one-file-system "$root"; fi
}
step() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" </dev/null
  echo "== $name: $((SECONDS - start)) s"
}
in_root=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8)
inside() { chroot "$root" "${in_root[@]}" "${network[@]}" sh -ec "$1"; }
inside_offline() { unshare --net chroot "$root" "${in_root[@]}" sh -ec "$1"; }

network=()  # variables that say how to reach the network
pass_certificates() {  # NAME FILE: the root gets a copy, at a place that no package writes to
  [ -r "$2" ] || fail "$1: found '$2', expected a file with certificates"
  mkdir -p "$root/root/certificates"
  cp --dereference "$2" "$root/root/certificates/$1.pem"
  network+=("$1=/root/certificates/$1.pem")
}
pass_npm_settings() {
  local key value user_settings
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
pass_network_settings() {
  local name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL; do
    if [ -n "${!name:-}" ]; then network+=("$name=${!name}"); fi
  done
  for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE PIP_CERT; do
    if [ -n "${!name:-}" ]; then pass_certificates "$name" "${!name}"; fi
  done
  pass_npm_settings
}

debootstrap_root() {
  if [ -n "${DEBIAN_BASE:-}" ]; then
    cp -a --one-file-system "$DEBIAN_BASE/." "$root/"
  else
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
      { tail -n 20 "$root.log" >&2; fail "debootstrap failed"; }
    rm -f "$root.log"
  fi
  awk '{ print "deb", $1, $2, $3 }' <<<"$mirrors" >"$root/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' >"$root/etc/apt/apt.conf.d/99mirror" || true
  cp /etc/hosts /etc/resolv.conf "$root/etc/"
  mount -t proc proc "$root/proc"
}
debian_root() {
  suite=${1:-bookworm}
  local own
  own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # one line a mirror and suite, "URI SUITE COMPONENT": those of this machine's Debian, for another one with its name
  mirrors=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v own="$own" -v suite="$suite" '$2 ~ "^" own "(-updates|-security)?$" { sub("^" own, suite, $2); print }' | sort -u)
  mirror=$(awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }' <<<"$mirrors")
  [ -n "$mirror" ] || fail "this machine's apt knows no mirror of Debian, expected one with the suite '$own'"
  root=$(mktemp -d "${TMPDIR:-/tmp}/cuttle-debian.XXXXXX")
  chmod 755 "$root"  # apt fetches as a user of its own
  trap clean_up EXIT
  step "bare Debian, $suite" debootstrap_root
  pass_network_settings
}
copy_sources() {
  mkdir "$root/root/cuttle"
  if [ "${1:-}" = --worktree ]; then
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read
  else
    git archive HEAD
  fi | tar --extract --directory "$root/root/cuttle"
}
