"""Take the pictures of the pages anew: `python -m docs.pictures.pages`, with pngquant on the path.

They are those of README.md and docs/teaching.md: a page at 1280 × 720 as a first visitor sees it.
"""

import os
import shutil
import subprocess
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.served import serving

FOLDER = Path(__file__).parent
PAGES = {
    FOLDER.parents[1] / "assets" / "pictures" / "explore.png": "",
    FOLDER / "why.png": "page=why",
    FOLDER / "anatomy.png": "page=anatomy",
    FOLDER / "model.png": "page=model&layer=2&head=1",
    FOLDER / "map.png": "page=map",
    FOLDER / "present.png": "present=1&mask=causal",
}
"""The link behind each picture."""

_SHOWN = """() => {
  const places = [...document.querySelectorAll(".figure-place")].filter((one) => one.checkVisibility());
  return places.length && places.every((one) => one.dataset.painted !== undefined)
    && document.querySelector("#insight")?.dataset.painted !== undefined
    && !document.getElementById("outline");
}"""


def main() -> None:
    """Open each page and save what it shows, with few colours."""
    with serving() as app, sync_playwright() as driver:
        path = shutil.which(os.environ.get("HEADLIGHT_CHROMIUM", "chromium"))
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for picture, link in PAGES.items():
            context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 720})
            page = context.new_page()
            page.goto(f"{app.url}?{link}")
            page.wait_for_function(_SHOWN)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=picture)
            subprocess.run(
                ["pngquant", "--force", "--skip-if-larger", "--ext", ".png", "64", str(picture)], check=False
            )
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
