"""What was handed over as one HTML file that needs no kernel and no network: a notebook with it can be mailed."""

import json
from typing import Final

from visualiser.export.page import embedded
from visualiser.notebook.things import Handed
from visualiser.server.admission.entry import admission
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.settings import MEBIBYTE
from visualiser.theme import template
from visualiser.upload.refusals import refusal

MOST_BYTES: Final = 8 * MEBIBYTE
"""Of a file in a notebook: mail takes a few of them, and Jupyter opens the notebook without a pause."""


LIGHT, DARK = "color-scheme: light;", "color-scheme: dark;"
"""What a document without a theme of its own has, and what a dark notebook writes in its place."""


def document(found: Handed, query: str, theme: str | None = None) -> str:
    """Return the page's figures with their values, tables and sentences; without a theme they follow their frame.

    Raises `InvalidInput`: `notebook_static` for a page that has no such file; `notebook_large` for one of more than
    `MOST_BYTES`, or one that takes more memory than a page may; and what the page says of the link.
    """
    files = LIVE[found.page].files
    if "html" not in files:
        raise refusal("notebook_static")
    file = files["html"]
    request = PageRequest(query, None, frozenset(), found.upload, None, theme or "light", 0, "", {}, found.page)
    if file.price(request).memory > admission().compute.total:
        raise refusal("notebook_large", megabytes=MOST_BYTES // MEBIBYTE)
    made = b"".join(file.content(request))
    if len(made) > MOST_BYTES:
        raise refusal("notebook_large", megabytes=MOST_BYTES // MEBIBYTE)
    return made.decode() if theme else _following(made.decode())


def _following(page: str) -> str:
    """Return a page that holds the colours of the dark theme as well."""
    other = embedded(json.dumps(template("dark")))
    return page.replace("</head>", f'<script type="application/json" id="dark">{other}</script>\n</head>', 1)
