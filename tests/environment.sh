# Sourced by tests/run.sh and .ci/run from the repository's root: sets PYTHON to an environment that holds requirements.txt and
# tests/requirements.txt, each package in the version and with the hash of the two locks (docs/supply-chain.md). Made once as
# .venv-tests, and again only when the requirements, the locks, the Python or the choice of torch change.
#
#   HEADLIGHT_PYTHON=/path/to/python   which Python makes the environment (3.11 or later; otherwise the first one found)
#   HEADLIGHT_TORCH=cpu                take torch's CPU build (a few hundred MB instead of several GB on Linux)

stop() {
  printf 'tests: %s\n' "$1" >&2
  exit 1
}

recent_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
  local candidate
  if [ -n "${HEADLIGHT_PYTHON:-}" ]; then
    recent_enough "$HEADLIGHT_PYTHON" || stop "HEADLIGHT_PYTHON=$HEADLIGHT_PYTHON is no Python 3.11 or later."
    printf '%s\n' "$HEADLIGHT_PYTHON"
    return
  fi
  for candidate in python3 python3.12 python3.11 python; do
    if recent_enough "$candidate"; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  stop "Python 3.11 or later is needed and none is on PATH; install one, or name it with HEADLIGHT_PYTHON=/path/to/python."
}

make_environment() {
  local base fingerprint indexes=()
  base=$(find_python) || exit 1
  case "${HEADLIGHT_TORCH:-}" in
    "") ;;
    cpu) indexes=(--extra-index-url https://download.pytorch.org/whl/cpu) ;;
    *) stop "HEADLIGHT_TORCH must be cpu or unset; it is $HEADLIGHT_TORCH." ;;
  esac
  fingerprint=$("$base" -c '
import hashlib, pathlib, sys
paths = [folder + name for folder in ("", "tests/") for name in ("requirements.txt", "requirements.lock")]
requirements = b"".join(pathlib.Path(path).read_bytes() for path in paths)
print(hashlib.sha256(requirements + sys.version.encode() + sys.argv[1].encode()).hexdigest())
' "${HEADLIGHT_TORCH:-}") || exit 1
  PYTHON=$PWD/.venv-tests/bin/python
  if [ -x "$PYTHON" ] && [ "$(cat .venv-tests/fingerprint 2>/dev/null)" = "$fingerprint" ]; then
    return
  fi
  "$base" -m venv --clear .venv-tests ||
    stop "$base cannot make a virtual environment (on Debian and Ubuntu: apt-get install python3-venv)."
  # --no-deps, since entmax asks for torch, which has no hash here; pip check asks for whatever else might be missing
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    -r requirements.lock -r tests/requirements.lock || stop "pip could not install the locked packages; its message is above."
  # torch alone is not locked: each build, and each mirror's, has a hash of its own. Everything else is there by now.
  "$PYTHON" -m pip install --quiet --disable-pip-version-check ${indexes[@]+"${indexes[@]}"} \
    -r requirements.txt || stop "pip could not install torch; its message is above."
  "$PYTHON" -m pip check || stop "the locks lack a package; pip names it above."
  # written last: an installation that was interrupted is made again
  printf '%s\n' "$fingerprint" >.venv-tests/fingerprint
}

make_environment
