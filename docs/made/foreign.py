"""Addresses of other hosts that a browser would fetch by itself."""

import re

_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*?\bsrc\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?![^>]*\brel=["']?canonical)[^>]*?\bhref\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|(?:url\(|@import\s)\s*["']?((?:https?:)?//[^"')\s]+)""",
    re.IGNORECASE,
)


def foreign(text: str) -> list[str]:
    """Return the scripts, styles, fonts and pictures that a page or a style sheet loads from another host.

    Links for readers do not count.
    """
    return [next(filter(None, found)) for found in _FETCHED.findall(text)]
