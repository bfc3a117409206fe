#!/usr/bin/env bash
# Build docs/ as a site in .site, strictly: a broken link, an undocumented parameter or a foreign host fails the build.
#   bash docs/build.sh          builds it
#   bash docs/build.sh serve    shows it on http://127.0.0.1:8000 and builds it again after each change
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/environment.sh

# beside the tests' environment, from which the generated pages import the app
packages=.venv-docs
fingerprint=$("$PYTHON" -c 'import hashlib, pathlib, sys
print(hashlib.sha256(pathlib.Path("docs/requirements.lock").read_bytes() + sys.version.encode()).hexdigest())')
if [ "$(cat $packages/fingerprint 2>/dev/null)" != "$fingerprint" ]; then
  rm -rf $packages
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --target $packages \
    -r docs/requirements.lock || stop "pip could not install what builds the pages; its message is above."
  printf '%s\n' "$fingerprint" >$packages/fingerprint
fi

# mkdocs-material prints an advertisement about mkdocs 2 otherwise
export NO_MKDOCS_2_WARNING=true PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH}
exec "$PYTHON" -m mkdocs "${@:-build}"
