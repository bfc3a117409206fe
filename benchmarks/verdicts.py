"""The browser that benchmarks drive, and a target as met or missed."""

import os
import shutil

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """Return the browser to drive; None leaves the choice to playwright."""
    return os.environ.get("HEADLIGHT_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


def verdict(met: bool, sentence: str) -> str:
    """Return a target as met or missed."""
    return f"  {'met   ' if met else 'missed'}  {sentence}"
