"""What was handed over as one HTML file that needs no kernel and no network: a notebook with it can be mailed."""

from typing import Final

from visualiser.notebook.things import Handed
from visualiser.server.admission.entry import admission
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.settings import MEBIBYTE
from visualiser.upload.refusals import refusal

MOST_BYTES: Final = 8 * MEBIBYTE
"""Of a file in a notebook: mail takes a few of them, and Jupyter opens the notebook without a pause."""


def document(found: Handed, query: str, theme: str = "light") -> str:
    """Return the page's figures with their values, tables and sentences.

    Raises `InvalidInput`: `notebook_static` for a page that has no such file; `notebook_large` for one of more than
    `MOST_BYTES`, or one that takes more memory than a page may; and what the page says of the link.
    """
    files = LIVE[found.page].files
    if "html" not in files:
        raise refusal("notebook_static")
    file = files["html"]
    request = PageRequest(query, None, frozenset(), found.upload, None, theme, 0, "", {}, found.page)
    if file.price(request).memory > admission().compute.total:
        raise refusal("notebook_large", megabytes=MOST_BYTES // MEBIBYTE)
    made = b"".join(file.content(request))
    if len(made) > MOST_BYTES:
        raise refusal("notebook_large", megabytes=MOST_BYTES // MEBIBYTE)
    return made.decode()
