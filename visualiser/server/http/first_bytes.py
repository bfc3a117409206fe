"""Scripts at the very start of the page, before gradio's own.

gradio inserts `launch(head=…)` only after it has chosen a language and loaded its translations, too late for a link's
``lang=``. So a short script runs first: it makes the browser report the link's language, from which gradio picks its
labels. It also loads our modules, which ask for the first picture while gradio starts. Before all this, another script
replaces gradio's way to turn text into functions with one that a strict policy allows. Type and sizes are there from
the first bytes as well, so that a link with ``present=1`` never shows the ordinary page first.

A sandboxed frame without ``allow-same-origin`` gets none of our files, since its origin is no origin, and one without
``allow-scripts`` runs nothing. Both say so instead of staying empty.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape

from visualiser.locale import LANGUAGES, text
from visualiser.server.http import assets, script
from visualiser.server.http.outline import outline
from visualiser.state.parameters import EXPLORE, PAGES

_BASE = re.compile(rb"<base[^>]*>")
_BODY = re.compile(rb"<body[^>]*>")

LATE = 10_000
"""Milliseconds after which a page that has not come says so."""

_SCRIPT = """<script>
(() => {
  const link = new URLSearchParams(location.search);
  const asked = link.get("lang");
  const root = document.documentElement;
  if (link.get("present") === "1") root.classList.add("presenting");
  const langs = %s;
  const lang = langs.includes(asked) ? asked : null;
  if (lang) {
    Object.defineProperty(navigator, "language", { get: () => lang });
    Object.defineProperty(navigator, "languages", { get: () => [lang] });
  }
  if (self.origin === "null") return; // a frame that cannot start has no page to wait for
  const spoken = navigator.language.toLowerCase().slice(0, 2);
  root.lang = langs.includes(spoken) ? spoken : langs[0];
  let theme = link.get("__theme");
  try {
    theme ??= localStorage.getItem("headlight-theme");
  } catch {} // a browser that keeps nothing
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.add("opening");
  root.classList.toggle("in-dark", dark);
  root.classList.toggle("hiding", link.has("hide"));
  const late = () => {
    const told = document.querySelector("#outline .outlined-late");
    if (!told) return;
    told.querySelector("a").href = location.href;
    told.hidden = false;
  };
  setTimeout(late, %d);
  addEventListener("headlight-late", late);
  addEventListener("unhandledrejection", late);
  addEventListener("error", late, true); // a script or a style that did not come, as well
})();
</script>"""

_SANDBOX = """<script>
if (self.origin === "null") {
  const said = %s;
  const named = new URLSearchParams(location.search).get("lang") ?? navigator.language.slice(0, 2);
  const lang = Object.hasOwn(said, named) ? named : "en";
  addEventListener("DOMContentLoaded", () => {
    const told = document.createElement("p");
    const link = document.createElement("a");
    Object.assign(link, { href: location.href, target: "_blank", rel: "noopener", textContent: location.href });
    Object.assign(told, { className: "missing", lang, role: "alert" });
    told.append(`${said[lang]} `, link);
    document.body.prepend(told);
  });
}
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
      window.headlight.then(({ ahead }) => ahead(given)).catch(() => dispatchEvent(new Event("headlight-late")));
    },
  });
}
</script>"""
"""Corrections of gradio's configuration, which also tells our entry module what to ask for.

gradio's server reads the page from ``?page=`` but its script reads it from the path, so the script is told the same
page. On a Space it would add the Space's header above the page, from huggingface.co and with Google's fonts.
"""


@cache
def _functions() -> str:
    return f"<script>{(assets.ROOT / 'first' / 'functions.js').read_text(encoding='utf-8')}</script>"


@cache
def _styles() -> str:
    """Return the styles that gradio would change: sizes by the window, and all that hangs on the root element."""
    return f'<style id="first-styles">{"".join(map(_css, ("root", "present", "room", "symbols", "outline")))}</style>'


@cache
def _early_styles() -> str:
    """Return the styles of the shadow tree of Explore's early maps; the document itself has none of them."""
    return f'<style id="early-styles" media="not all">{_css("early")}</style>'


def _css(name: str) -> str:
    return (assets.ROOT / "css" / f"{name}.css").read_text(encoding="utf-8")


@cache
def _told(key: str) -> dict[str, str]:
    return {lang: text(lang, key) for lang in LANGUAGES}


@cache
def _scriptless() -> str:
    """Return what a page without scripts says, in every language: only a script would know which one is wanted."""
    said = (f'<p class="missing" lang="{lang}">{escape(one)}</p>' for lang, one in _told("frame.no_scripts").items())
    return f"<noscript>{''.join(said)}</noscript>"


def html(page: str) -> str:
    """Return the text to insert after ``<base>``, with the modules of this page and those that all pages share."""
    icon = '<link rel="icon" href="favicon.ico">'  # else browsers ask for one at the host's root
    preloads = [f'<link rel="modulepreload" href="{script.address(name)}">' for name in _modules(page)]
    config = _CONFIG % {"page": json.dumps(page if page != EXPLORE else "")}
    early = _SCRIPT % (json.dumps(list(LANGUAGES)), LATE) + script.entry() + config
    # fetched last, and never waited for
    paper = f'<link rel="stylesheet" media="print" href="{script.address("css/print.css")}">'
    sandbox = _SANDBOX % json.dumps(_told("frame.sandboxed"))
    styles = _styles() + (_early_styles() if page == EXPLORE else "")
    return _functions() + sandbox + early + icon + styles + paper + "".join(preloads)


def _modules(page: str) -> list[str]:
    """Return the scripts that this page needs at once: the bundle, or its modules and those that all pages share."""
    if assets.entry() != assets.MODULES:
        return [assets.entry()]
    others = tuple(f"js/pages/{other}/" for other in PAGES if other != page)
    return [name for name in assets.scripts() if name.startswith("js/") and not name.startswith(others)]


def asked_page(query: Mapping[str, str]) -> str:
    """Return the page that a link names, or the first one if there is none. Pass gradio only known names."""
    return query["page"] if query.get("page") in PAGES else EXPLORE


def insert(document: bytes, page: str) -> bytes:
    """Return `document` with `html(page)` after its <base>, which resolves relative addresses, what it says without
    scripts, and its outline."""
    document = _BASE.sub(lambda found: found[0] + html(page).encode(), document, count=1)
    return _BODY.sub(lambda found: found[0] + (_scriptless() + outline(page)).encode(), document, count=1)
