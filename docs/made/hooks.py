"""mkdocs calls these while it builds the site."""

from pathlib import Path
from typing import Any

from docs.made import decisions
from docs.made.foreign import foreign
from docs.made.marks import filled


def on_config(config: Any, **_: Any) -> None:
    """Put every decision into the navigation, in the place of the folder's name."""
    for section in config["nav"]:
        for pages in section.values():
            for page in pages if isinstance(pages, list) else []:
                if page == {"Decisions": "decisions"}:
                    page["Decisions"] = decisions.navigation()


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill the marks of a page."""
    return filled(markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """End the build if the site needs another host."""
    site = Path(config["site_dir"])
    for path in (*site.rglob("*.html"), *site.rglob("*.css")):
        if found := foreign(path.read_text(encoding="utf-8")):
            raise ValueError(f"{path.relative_to(site)} fetches {found[0]}")
