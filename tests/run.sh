#!/usr/bin/env bash
# Every test, the browser's included, in an environment of its own: bash tests/run.sh [pytest arguments]
# `bash tests/run.sh -m quick` runs what takes no browser, no server and no minute, for work from day to day.
# HEADLIGHT_GRADIO=6.30.0 bash tests/run.sh -m "quick or smoke" runs them with another gradio (docs/contributing.md).
# HEADLIGHT_CHROMIUM=/path/to/chromium names the browser; tests/environment.sh has the other variables.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/environment.sh

# Another gradio lies over the locked environment in one of its own, with those packages alone that it asks for in other versions.
if [ -n "${HEADLIGHT_GRADIO:-}" ]; then
  site='import sysconfig; print(sysconfig.get_path("purelib"))'
  locked=$("$PYTHON" -c "$site")
  "$PYTHON" -m venv --clear .venv-gradio
  PYTHON=$PWD/.venv-gradio/bin/python
  printf '%s\n' "$locked" >"$("$PYTHON" -c "$site")/locked.pth"
  "$PYTHON" -m pip install --quiet --disable-pip-version-check "gradio==$HEADLIGHT_GRADIO" ||
    stop "pip could not install gradio $HEADLIGHT_GRADIO; its message is above."
fi

# Chromium without its windows takes two thirds of the time: each page it opens costs no second process for a toolbar.
headless_shell() {
  command -v chromium-headless-shell
}

system_chromium() {
  local candidate
  for candidate in chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    candidate=$(command -v "$candidate") || continue
    # Ubuntu's chromium-browser may be a stub that only asks for a snap: what cannot tell its version is no browser
    if "$candidate" --version >/dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return
    fi
  done
  return 1
}

debian_chromium() {
  [ "$(id -u)" = 0 ] && grep -qsx 'ID=debian' /etc/os-release || return 1
  # the fonts draw Korean and emoji, which the tests photograph
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    chromium-headless-shell fonts-noto-cjk fonts-noto-color-emoji; } >&2 && headless_shell
}

playwright_chromium() {
  local dependencies=()
  [ "$(id -u)" != 0 ] || dependencies=(--with-deps)
  "$PYTHON" -m playwright install ${dependencies[@]+"${dependencies[@]}"} chromium >&2 || return 1
  "$PYTHON" -c 'from playwright.sync_api import sync_playwright
with sync_playwright() as driver:
    print(driver.chromium.executable_path)'
}

if [ -z "${HEADLIGHT_CHROMIUM:-}" ]; then
  HEADLIGHT_CHROMIUM=$(headless_shell || debian_chromium || system_chromium || playwright_chromium) ||
    stop "no Chromium found and none could be installed; install Chromium or Chrome, or name it with HEADLIGHT_CHROMIUM=/path/to/chromium."
fi
"$HEADLIGHT_CHROMIUM" --version >/dev/null 2>&1 ||
  stop "the browser $HEADLIGHT_CHROMIUM does not start; name another with HEADLIGHT_CHROMIUM=/path/to/chromium."
export HEADLIGHT_CHROMIUM

# tests/deploy runs the files of deploy/ with the first three, tests/visualiser/server/rooms rooms in Redis
programs="haproxy nginx openssl redis-server"

missing_programs() {
  local program
  for program in $programs; do
    PATH=$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin command -v "$program" >/dev/null || printf '%s ' "$program"
  done
}

apt_programs() {
  [ "$(id -u)" = 0 ] && grep -qsxE 'ID=(debian|ubuntu)' /etc/os-release || return 1
  local policy=/usr/sbin/policy-rc.d
  # no server starts by being installed: the tests start their own, on free ports
  [ -e $policy ] || { trap 'rm -f /usr/sbin/policy-rc.d' EXIT && printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy; }
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $programs &&
    { ! command -v systemctl >/dev/null || systemctl disable --quiet haproxy nginx redis-server || true; }; } >&2
}

if [ -n "$(missing_programs)" ] && ! (apt_programs); then
  printf 'tests: tests/deploy and the tests of rooms need %s: install them (on a Mac: brew install haproxy nginx redis), or those tests fail.\n' "$(missing_programs)" >&2
fi

# what is compiled once serves every process of every run
unset PYTHONDONTWRITEBYTECODE
# file by file in the processes of tests/conftest.py, in the order of tests/spread.py; with `-n 0` in one, which a debugger can stop
exec "$PYTHON" -m pytest -n auto --maxprocesses 8 --dist loadfile --no-loadscope-reorder "$@"
