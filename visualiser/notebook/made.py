"""A cell's output of what it was handed: the kernel's app at that state, or the page that works offline."""

from collections.abc import Mapping
from typing import Any

from attention_core import AttentionConfig
from visualiser.locale import LANGUAGES, text
from visualiser.notebook.offline import document
from visualiser.notebook.output import Cell
from visualiser.notebook.places import Place, address, origin, place
from visualiser.notebook.saved import saved
from visualiser.notebook.serving import served
from visualiser.notebook.things import Wish, handed


def made(
    x: Any,
    wish: Wish,
    link: Mapping[str, Any],
    *,
    static: bool = False,
    height: int = 600,
    theme: str | None = None,
    at: Place | None = None,
) -> Cell:
    """Return the output. `link` are settings of the view, `at` is where the notebook is looked at."""
    at = place() if at is None else at
    lang = link.get("lang") or LANGUAGES[0]
    found = handed(AttentionConfig() if x is None else x, wish)
    query = found.query(**link)
    left_out = (text(lang, "notebook.left_out", names=", ".join(found.left_out[:3]), count=len(found.left_out)),)
    said = (*(text(lang, key) for key in found.notes), *(left_out if found.left_out else ()))
    if static:
        return Cell(None, document(found, query, theme), None, height, said, lang, follows=theme is None)
    app = served()
    base = address(at, app.port)
    said = (text(lang, at.advice, **({"name": at.name} if at.name else {})), *said)
    if base is None:
        return Cell(None, document(found, query, theme), None, height, said, lang, follows=theme is None)
    app.outside.origin = origin(base)
    live = f"{base}{app.secret}/?{query}"
    dark = f"{live}&__theme=dark"
    shown = f"{live}&__theme={theme}" if theme else live
    return Cell(shown, None, None if theme else dark, height, said, lang, saved(found, query))
