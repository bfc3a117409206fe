"""The page of a room's remote: a light document of its own, without gradio. Its script is assets/js/later/remote.js."""

import json
from collections.abc import Iterable
from functools import cache
from html import escape

from visualiser.locale import text, texts
from visualiser.server.http import script
from visualiser.server.http.app_answers import CapturedResponse
from visualiser.server.http.content_security import document_policy

_STYLE = '<link rel="stylesheet" href="%s">'
_STYLES = ("root", "symbols", "remote")
_DOCUMENT = """<!doctype html>
<html lang="%(lang)s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title><meta name="robots" content="noindex"><link rel="icon" href="favicon.ico">
%(styles)s
<script type="application/json" id="remote-texts">%(texts)s</script>
<script type="module" src="%(script)s"></script></head><body><noscript>%(scriptless)s</noscript></body></html>
"""


def is_remote(pairs: Iterable[tuple[str, str]]) -> bool:
    """True if a link is a remote's: ``?room=CODE&remote=1``."""
    parameters = dict(pairs)
    return parameters.get("remote") == "1" and "room" in parameters


@cache
def remote_document(lang: str) -> CapturedResponse:
    """Return the page in a language. A ticket stands behind its #, which no browser sends."""
    own = {key: value for key, value in texts(lang).items() if key.startswith("remote.")}
    body = (
        _DOCUMENT
        % {
            "lang": lang,
            "title": escape(text(lang, "remote.title")),
            "styles": "".join(
                f'<link rel="stylesheet" href="{script.address(f"css/{name}.css")}">' for name in _STYLES
            ),
            "texts": json.dumps(own, ensure_ascii=False).replace("<", "\\u003c"),
            "script": script.address("bundle/remote.js"),
            "scriptless": escape(text(lang, "frame.no_scripts")),
        }
    ).encode()
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"vary", b"Accept-Language"),
        (b"content-security-policy", document_policy(body).encode("latin-1")),
    )
    return CapturedResponse(200, headers, body)
