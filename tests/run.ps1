# The gate: what a change has to pass, in an environment of its own: powershell -ExecutionPolicy Bypass -File tests\run.ps1 [pytest arguments]
# $env:HEADLIGHT_GRADIO = "6.30.0" runs them with another gradio (docs/contributing.md).
# $env:HEADLIGHT_CHROMIUM names the browser; otherwise Chrome, Edge (a Chromium too) or Playwright's own is taken.
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..")

function Stop-Tests([string] $sentence) {
    [Console]::Error.WriteLine("tests: $sentence")
    exit 1
}

$base = $env:HEADLIGHT_PYTHON
if (-not $base) { $base = "python" }
& $base -c "import sys; sys.exit(sys.version_info < (3, 11))"
if ($LASTEXITCODE -ne 0) { Stop-Tests "Python 3.11 or later is needed; install it, or name it with HEADLIGHT_PYTHON." }

$listed = "requirements.txt", "requirements.lock", "tests\requirements.txt", "tests\requirements.lock"
$fingerprint = (($listed | ForEach-Object { (Get-FileHash $_).Hash }) -join "") + (& $base --version)
$python = Join-Path (Get-Location) ".venv-tests\Scripts\python.exe"
$written = ".venv-tests\fingerprint"
if (-not (Test-Path $python) -or -not (Test-Path $written) -or (Get-Content $written -Raw).Trim() -ne $fingerprint) {
    & $base -m venv --clear .venv-tests
    if ($LASTEXITCODE -ne 0) { Stop-Tests "$base cannot make a virtual environment." }
    # --no-deps, since entmax asks for torch, which has no hash here; pip check asks for whatever else might be missing
    & $python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock -r tests\requirements.lock
    if ($LASTEXITCODE -ne 0) { Stop-Tests "pip could not install the locked packages; its message is above." }
    # torch alone is not locked: each of its builds has a hash of its own. Everything else is there by now.
    & $python -m pip install --quiet --disable-pip-version-check -r requirements.txt
    if ($LASTEXITCODE -ne 0) { Stop-Tests "pip could not install torch; its message is above." }
    & $python -m pip check
    if ($LASTEXITCODE -ne 0) { Stop-Tests "the locks lack a package; pip names it above." }
    # written last: an installation that was interrupted is made again
    Set-Content -Path $written -Value $fingerprint
}

# Another gradio lies over the locked environment in one of its own, with those packages alone that it asks for in other versions.
if ($env:HEADLIGHT_GRADIO) {
    $site = "import sysconfig; print(sysconfig.get_path('purelib'))"
    $locked = & $python -c $site
    & $python -m venv --clear .venv-gradio
    if ($LASTEXITCODE -ne 0) { Stop-Tests "$python cannot make a virtual environment." }
    $python = Join-Path (Get-Location) ".venv-gradio\Scripts\python.exe"
    Set-Content -Path (Join-Path (& $python -c $site) "locked.pth") -Value $locked
    & $python -m pip install --quiet --disable-pip-version-check "gradio==$env:HEADLIGHT_GRADIO"
    if ($LASTEXITCODE -ne 0) { Stop-Tests "pip could not install gradio $env:HEADLIGHT_GRADIO; its message is above." }
}

if (-not $env:HEADLIGHT_CHROMIUM) {
    $candidates = @(
        "$env:ProgramFiles\Google\Chrome\Application\chrome.exe",
        "${env:ProgramFiles(x86)}\Google\Chrome\Application\chrome.exe",
        "$env:LocalAppData\Google\Chrome\Application\chrome.exe",
        "${env:ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe"
    )
    $env:HEADLIGHT_CHROMIUM = $candidates | Where-Object { Test-Path $_ } | Select-Object -First 1
}
if (-not $env:HEADLIGHT_CHROMIUM) {
    & $python -m playwright install chromium
    if ($LASTEXITCODE -eq 0) {
        $env:HEADLIGHT_CHROMIUM = & $python -c "from playwright.sync_api import sync_playwright as start; driver = start().start(); print(driver.chromium.executable_path); driver.stop()"
    }
}
if (-not $env:HEADLIGHT_CHROMIUM -or -not (Test-Path $env:HEADLIGHT_CHROMIUM)) {
    Stop-Tests "no Chromium found and none could be installed; install Chrome, or name a browser with HEADLIGHT_CHROMIUM."
}

& $python -m tests.gate @args
exit $LASTEXITCODE
