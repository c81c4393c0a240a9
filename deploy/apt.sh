# install_packages NAME…: install Debian packages, as root or with sudo, and print their names first.
install_packages() {
  local sudo=""
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "please install: $*" >&2
    return 1
  elif [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; then
    echo "please install as root: apt-get install $*" >&2
    return 1
  fi
  echo "installing $* …" >&2
  $sudo apt-get update -qq
  # `env` after sudo, which passes on no variables of its caller.
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
