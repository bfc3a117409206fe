"""The picture that stays in a saved notebook: the weights of the chosen head, where no kernel and no script runs."""

import io
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from visualiser.notebook.things import Handed
from visualiser.pages.model.reading import read
from visualiser.server.live.page_request import PageRequest
from visualiser.theme import WEIGHTS

_SIDE: Final = 240
"""Pixels of the longer side, at least."""


@dataclass(frozen=True)
class Saved:
    """A picture, a PNG, and what it shows."""

    png: bytes
    head: str
    query: str


def saved(found: Handed, query: str) -> Saved | None:
    """Return the picture of the head that a Model page opens with; None for another page."""
    if found.page != "model":
        return None
    shown = read(PageRequest(query, None, frozenset(), found.upload, None, "light", 0, "", {}, found.page)).shown
    if shown.of_picture:
        return None
    weights = np.where(shown.allowed, shown.weights, np.nan)
    return Saved(_png(weights), shown.name, shown.said_query(shown.row))


def _png(weights: NDArray[np.float32]) -> bytes:
    """Return the weights in the colours of the page, the largest in the last one; white where the mask forbids."""
    stops = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in WEIGHTS], dtype=np.float64)
    shares = np.array([share for share, _ in WEIGHTS], dtype=np.float64)
    most = np.nanmax(weights, initial=1e-9)
    at = np.nan_to_num(weights / most)
    pixels = np.stack([np.interp(at, shares, stops[:, channel]) for channel in range(3)], -1)
    pixels[np.isnan(weights)] = 255
    image = Image.fromarray(pixels.round().astype(np.uint8))
    times = max(1, -(-_SIDE // max(image.size)))
    written = io.BytesIO()
    image.resize((times * image.width, times * image.height), Image.Resampling.NEAREST).save(
        written, "PNG", optimize=True
    )
    return written.getvalue()
