"""Tokens as labels, in sentences and in tables: a visitor's text, shown and never interpreted.

Axes are integers with the tokens as tick texts, because plotly merges the cells of equal category labels.
"""

import unicodedata
from collections.abc import Sequence
from html import escape, unescape
from typing import Any, Final

import regex

LONGEST: Final = 10
MOST: Final = 12
_VISIBLE: Final = {"\n": "⏎", "\t": "⇥", " ": "␣"}
_JOINER: Final = "\u200d"
_SAID: Final = 24
"""Graphemes of a token in a sentence."""
_ISOLATED: Final = "\u2068{}\u2069"


def _graphemes(token: str) -> list[str]:
    """Split a token into the characters that a reader sees: a flag or a letter with its accents is one."""
    return regex.findall(r"\X", token)


def label(token: str, longest: int = LONGEST) -> str:
    """Return a token as a plotly label: at most `longest` graphemes, whitespace made visible, markup escaped.

    plotly reads <b>, <br>, <a href> and &entities; in labels, and $…$ if MathJax is loaded. Control and direction
    characters are dropped: they would reorder the text around them. One that is written from right to left is isolated,
    so that its marks stand where its readers expect them, and what is beside it keeps its place.
    """
    token = token[: 16 * longest]
    plain = token.isascii() and token.isprintable()  # as most tokens: each character is a grapheme
    if plain:
        clusters = [*token.replace(" ", _VISIBLE[" "])]
    else:
        clusters = _graphemes(
            "".join(
                _VISIBLE.get(c, c)
                for c in token
                if c in _VISIBLE or c == _JOINER or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
            )
        )
    cut = clusters if len(clusters) <= longest else [*clusters[: longest - 1], "…"]
    name = escape("".join(cut), quote=False).replace("$", "&#36;") or "␀"
    return name if plain else isolated(name)


def isolated(name: str) -> str:
    """Return a name as it is put among others: one with letters from right to left has its own direction."""
    return _ISOLATED.format(name) if any(unicodedata.bidirectional(c) in ("R", "AL") for c in name) else name


def placed(position: int, tokens: Sequence[str] | None) -> str:
    """Return a position with its token, if it has one, for a sentence, in which nothing is markup: 3 “cat”."""
    return str(position) if tokens is None else f"{position} “{said(tokens[position])}”"


def said(token: str) -> str:
    """Return a token for a sentence."""
    return unescape(label(token, _SAID))


def visible(token: str) -> str:
    """Return a token whose white space is seen, whole: as a table and a file have it."""
    return "".join(_VISIBLE.get(c, c) for c in token) or "␀"


def width(token: str, longest: int = LONGEST) -> float:
    """Estimate the width of a token's label in characters: East Asian letters and emoji count nearly twice."""
    clusters = _graphemes(token[: 16 * longest])[:longest]
    return sum(1.8 if unicodedata.east_asian_width(c[0]) in "WF" else 1.0 for c in clusters)


def thinned(n: int, most: int = MOST) -> list[int]:
    """Return at most `most` positions of `n`, evenly spaced from the first: 0, s, 2s, …"""
    step = -(-n // most)
    return list(range(0, n, step))


def token_axis(tokens: Sequence[str] | None, n: int, *, most: int = MOST, longest: int = LONGEST) -> dict[str, Any]:
    """Return the ticks of an axis over `n` positions; without tokens plotly writes the positions.

    Only some positions have a tick; `labelalias` lets plotly name the others in hover labels.
    """
    if tokens is None:
        return {"tickmode": "auto", "nticks": 6, "tickformat": "d"}
    labels = [label(token, longest) for token in tokens]
    chosen = thinned(n, most)
    return {
        "tickmode": "array",
        "tickvals": chosen,
        "ticktext": [labels[i] for i in chosen],
        "tickformat": "d",
        "labelalias": {str(i): text for i, text in enumerate(labels)},
    }
