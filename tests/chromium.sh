# Sourced after tests/environment.sh: sets HEADLIGHT_CHROMIUM to a browser that starts.

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
