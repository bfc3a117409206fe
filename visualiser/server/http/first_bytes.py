"""Scripts at the very start of the page, before gradio's own.

gradio inserts `launch(head=…)` only after it has chosen a language and loaded its translations, too late for a link's
``lang=``. So a short script runs first: it makes the browser report the link's language, from which gradio picks its
labels. It also preloads plotly.js and our modules, so that they load while gradio starts. Before all this, another
script replaces gradio's way to turn text into functions with one that a strict policy allows. Type and sizes are there
from the first bytes as well, so that a link with ``present=1`` never shows the ordinary page first.
"""

import json
import re
from collections.abc import Mapping
from functools import cache

from visualiser.locale import LANGUAGES
from visualiser.server.http import assets
from visualiser.state.parameters import EXPLORE, PAGES

_BASE = re.compile(rb"<base[^>]*>")

_SCRIPT = """<script>
(() => {
  const link = new URLSearchParams(location.search);
  const asked = link.get("lang");
  if (link.get("present") === "1") document.documentElement.classList.add("presenting");
  const lang = %s.includes(asked) ? asked : null;
  if (lang) {
    Object.defineProperty(navigator, "language", { get: () => lang });
    Object.defineProperty(navigator, "languages", { get: () => [lang] });
  }
})();
</script>"""

_CONFIG = """<script>
{
  let config;
  Object.defineProperty(window, "gradio_config", {
    configurable: true,
    get: () => config,
    set: (given) => {
      config = given;
      if (given?.page?.[%(page)s]) given.page[""] = given.page[%(page)s];
      if (given) given.space_id = null;
    },
  });
}
</script>"""
"""Corrections of gradio's configuration.

gradio's server reads the page from ``?page=`` but its script reads it from the path, so the script is told the same
page. On a Space it would add the Space's header above the page, from huggingface.co and with Google's fonts.
"""


@cache
def _functions() -> str:
    return f"<script>{(assets.ROOT / 'first' / 'functions.js').read_text(encoding='utf-8')}</script>"


@cache
def _styles() -> str:
    """Return the styles that gradio would change: sizes by the window, and all that hangs on the root element."""
    files = (assets.ROOT / "css" / f"{name}.css" for name in ("root", "present"))
    return f"<style>{''.join(file.read_text(encoding='utf-8') for file in files)}</style>"


def html(page: str) -> str:
    """Return the text to insert after ``<base>``, with the modules of this page and those that all pages share."""
    base = "gradio_api/headlight/assets"
    icon = '<link rel="icon" href="favicon.ico">'  # else browsers ask for one at the host's root
    modules = [name for name in assets.scripts() if re.fullmatch(rf"js/({page}/)?[^/]+", name)]
    preloads = [f'<link rel="modulepreload" href="{base}/{assets.version()}/{name}">' for name in modules]
    preloads.append(f'<link rel="preload" as="script" href="{base}/{assets.plotly_version()}/plotly.min.js">')
    config = _CONFIG % {"page": json.dumps(page if page != EXPLORE else "")}
    return _functions() + _SCRIPT % json.dumps(list(LANGUAGES)) + config + icon + _styles() + "".join(preloads)


def asked_page(query: Mapping[str, str]) -> str:
    """Return the page that a link names, or the first one if there is none. Pass gradio only known names."""
    return query["page"] if query.get("page") in PAGES else EXPLORE


def insert(document: bytes, page: str) -> bytes:
    """Return `document` with `html(page)` after its <base>, which resolves relative addresses."""
    return _BASE.sub(lambda found: found[0] + html(page).encode(), document, count=1)
