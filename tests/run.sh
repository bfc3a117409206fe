#!/usr/bin/env bash
# The gate: what a change has to pass, the same cases every time, in an environment of its own: bash tests/run.sh
#   bash tests/run.sh -m quick             what takes no browser, no server and no second, for work from day to day
#   bash tests/run.sh tests/a/test_b.py    any arguments of pytest
#   HEADLIGHT_GRADIO=6.30.0 bash tests/run.sh -m "quick or smoke"    with another gradio (docs/contributing.md)
# HEADLIGHT_CHROMIUM=/path/to/chromium names the browser; tests/environment.sh has the other variables. tests/night.sh has
# every test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/environment.sh

# Another gradio lies over the locked environment in one of its own, with those packages alone that it asks for in other versions.
if [ -n "${HEADLIGHT_GRADIO:-}" ]; then
  site='import sysconfig; print(sysconfig.get_path("purelib"))'
  locked=$("$PYTHON" -c "$site")
  "$PYTHON" -m venv --clear .venv-gradio
  PYTHON=$PWD/.venv-gradio/bin/python
  # what Python 3.11 puts into each new environment would lie over the locked one
  "$PYTHON" -m pip uninstall --quiet --disable-pip-version-check --yes setuptools
  printf '%s\n' "$locked" >"$("$PYTHON" -c "$site")/locked.pth"
  "$PYTHON" -m pip install --quiet --disable-pip-version-check "gradio==$HEADLIGHT_GRADIO" ||
    stop "pip could not install gradio $HEADLIGHT_GRADIO; its message is above."
fi

# the quick tests need no browser
[ "$*" = "-m quick" ] || . tests/chromium.sh

# what is compiled once serves every process of every run
unset PYTHONDONTWRITEBYTECODE
# file by file in the processes of tests/conftest.py, in the order of tests/tiers.py; with `-n 0` in one, which a debugger can stop
exec "$PYTHON" -m tests.gate "$@"
