"""Scripts at the very start of the page, before gradio's own.

gradio inserts `launch(head=…)` only after it has chosen a language and loaded its translations, too late for a link's
``lang=``. So a short script runs first: it makes the browser report the link's language, from which gradio picks its
labels. It also loads our modules, which ask for the first picture while gradio starts. Before all this, another script
replaces gradio's way to turn text into functions with one that a strict policy allows. The scripts are files of
assets/first. Type and sizes are there from the first bytes as well, so that a link with ``present=1`` never shows the
ordinary page first.

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


def _script(name: str, given: object = None) -> str:
    """Return a script of assets/first to inline, with what it is given as JSON."""
    data = f' data-given="{escape(json.dumps(given))}"' if given is not None else ""
    return f"<script{data}>{_read(f'first/{name}.js')}</script>"


@cache
def _styles() -> str:
    """Return the styles that gradio would change: sizes by the window, and all that hangs on the root element."""
    return f'<style id="first-styles">{"".join(map(_css, ("root", "present", "room", "symbols", "outline")))}</style>'


@cache
def _early_styles() -> str:
    """Return the styles of the shadow tree of Explore's early maps; the document itself has none of them."""
    return f'<style id="early-styles" media="not all">{_css("early")}</style>'


def _css(name: str) -> str:
    return _read(f"css/{name}.css")


@cache
def _read(path: str) -> str:
    return (assets.ROOT / path).read_text(encoding="utf-8")


@cache
def _translations(key: str) -> dict[str, str]:
    return {lang: text(lang, key) for lang in LANGUAGES}


@cache
def _scriptless() -> str:
    """Return what a page without scripts says, in every language: only a script would know which one to show."""
    translations = _translations("frame.no_scripts").items()
    paragraphs = (f'<p class="missing" lang="{lang}">{escape(each)}</p>' for lang, each in translations)
    return f"<noscript>{''.join(paragraphs)}</noscript>"


def html(page: str) -> str:
    """Return the text to insert after ``<base>``."""
    icon = '<link rel="icon" href="favicon.ico">'  # else browsers ask for one at the host's root
    preload = f'<link rel="modulepreload" href="{script.address(assets.BUNDLE)}">'
    config = _script("config", page if page != EXPLORE else "")
    early = _script("start", {"langs": LANGUAGES, "late": LATE}) + script.entry() + config
    # fetched last, and never waited for
    paper = f'<link rel="stylesheet" media="print" href="{script.address("css/print.css")}">'
    sandbox = _script("sandbox", _translations("frame.sandboxed"))
    styles = _styles() + (_early_styles() if page == EXPLORE else "")
    return (
        _script("framed") + _script("functions") + _script("frames") + sandbox + early + icon + styles + paper + preload
    )


def requested_page(query: Mapping[str, str]) -> str:
    """Return the page that a link names, or the first one if there is none. Pass gradio only known names."""
    return query["page"] if query.get("page") in PAGES else EXPLORE


def insert(document: bytes, page: str) -> bytes:
    """Return `document` with `html(page)` after its <base>, which resolves relative addresses, what it says without
    scripts, and its outline."""
    document = _BASE.sub(lambda found: found[0] + html(page).encode(), document, count=1)
    return _BODY.sub(lambda found: found[0] + (_scriptless() + outline(page)).encode(), document, count=1)
