"""Read a visitor's picture (`read_picture`), and write it anew in one form (`canonical_picture`).

A file is hostile until checked. The bounds, whatever it holds:

- PNG and JPEG alone, told by their first bytes; no other decoder of PIL is reached, nor the one for several pictures in
  a JPEG;
- 8 MiB and 24 million pixels at most, the longer side at most six times the other, read in the header before anything
  is decoded; a JPEG in at most 40 scans, since each is decoded over the whole picture;
- of a PNG only the chunks that make pixels, and the one with the orientation, are handed to the decoder: no texts, no
  profiles, no animation;
- what is kept has at most 1,024 pixels on its longer side, upright, in RGB, transparent parts over white. Colour
  profiles are left aside.
"""

import io
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile

from attention_core import InvalidInput
from visualiser.upload.refusals import refusal

PICTURE_LIMIT: Final = 8 * 2**20
"""The largest file that is read, in bytes."""
MOST_PIXELS: Final = 24_000_000
LONGEST_SIDE: Final = 1024
"""Pixels on the longer side of what is kept."""
RATIO: Final = 6
_SCANS: Final = 40
_BAND: Final = 256  # rows converted at once
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_PIXEL_CHUNKS: Final = (b"IHDR", b"PLTE", b"tRNS", b"eXIf", b"IDAT", b"IEND")
_FRAMES: Final = (b"acTL", b"fcTL", b"fdAT")


@dataclass(frozen=True, eq=False)
class ReadPicture:
    """A picture as it is kept; `over_white` if parts of it were transparent."""

    pixels: NDArray[np.uint8]  # rows × columns × 3
    over_white: bool


def read_picture(body: bytes) -> ReadPicture:
    """Decode a PNG or JPEG file.

    Raises `InvalidInput`: `picture_too_large`, `picture_format`, `picture_pixels`, `picture_narrow`,
    `picture_animated`, `picture_unreadable`.
    """
    try:
        opened = _opened(body)
        _require_size(*opened.size)
        return _decoded(opened)
    except InvalidInput:
        raise
    except Exception as broken:  # what a decoder raises about a file of a stranger can be anything
        raise refusal("picture_unreadable") from broken


def is_picture(body: bytes) -> bool:
    """Return True for a file that begins as a PNG or a JPEG does."""
    return body.startswith((_PNG, _JPEG))


def picture_pixels(body: bytes) -> int:
    """Return how many pixels decoding would make, from the header; 0 for a file that is refused unread."""
    try:
        rows, columns = picture_size(body)
    except Exception:
        return 0
    return rows * columns


def picture_size(body: bytes) -> tuple[int, int]:
    """Return the rows and columns of a file from its header. Raises as `read_picture` does of a header."""
    try:
        opened = _opened(body)
        _require_size(*opened.size)
    except InvalidInput:
        raise
    except Exception as broken:  # as in `read_picture`
        raise refusal("picture_unreadable") from broken
    columns, rows = opened.size
    return rows, columns


def canonical_picture(pixels: NDArray[np.uint8]) -> bytes:
    """Write a picture as a PNG without a loss: the page keeps and shows it, and a model reads the same pixels."""
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, format="PNG", compress_level=4)
    return written.getvalue()


def _opened(body: bytes) -> Any:
    """Return a picture whose header is read, and no pixel."""
    if len(body) > PICTURE_LIMIT:
        raise refusal("picture_too_large", came=len(body), limit=PICTURE_LIMIT)
    if body.startswith(_PNG):
        return PngImageFile(io.BytesIO(_pixels_alone(body)))
    if body.startswith(_JPEG):
        if body.count(b"\xff\xda") > _SCANS:
            raise refusal("picture_unreadable")
        return JpegImageFile(io.BytesIO(body))
    raise refusal("picture_format")


def _pixels_alone(body: bytes) -> bytes:
    """Return a PNG with the chunks that make its pixels and its orientation alone."""
    kept = [_PNG]
    for kind, chunk in _chunks(body):
        if kind in _FRAMES:
            raise refusal("picture_animated")
        if kind in _PIXEL_CHUNKS:
            kept.append(chunk)
    return b"".join(kept)


def _chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_PNG)
    while at + 12 <= len(body):
        (length,) = struct.unpack_from(">I", body, at)
        kind = body[at + 4 : at + 8]
        if at + 12 + length > len(body):
            raise refusal("picture_unreadable")
        yield kind, body[at : at + 12 + length]
        at += 12 + length
        if kind == b"IEND":
            return
    raise refusal("picture_unreadable")  # cut off


def _require_size(width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise refusal("picture_pixels", width=width, height=height, limit=MOST_PIXELS // 10**6)
    if max(width, height) > RATIO * min(width, height):
        raise refusal("picture_narrow", width=width, height=height, limit=RATIO)


def _decoded(opened: Any) -> ReadPicture:
    orientation = opened.getexif().get(0x0112)
    if isinstance(opened, JpegImageFile):
        opened.draft(opened.mode, (LONGEST_SIDE, LONGEST_SIDE))  # a power of two smaller
    opened.load()
    flat, over_white = _flat(opened)
    share = min(1.0, LONGEST_SIDE / max(flat.size))
    if share < 1:
        width, height = (max(1, round(share * side)) for side in flat.size)
        flat = flat.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return ReadPicture(np.asarray(_upright(flat, orientation)), over_white)


def _upright(flat: Image.Image, orientation: object) -> Image.Image:
    """Turn a picture as its camera says; anything but a number from 2 to 8 says nothing."""
    if not isinstance(orientation, int) or not 2 <= orientation <= 8:
        return flat
    exif = Image.Exif()
    exif[0x0112] = orientation
    flat.info["exif"] = exif.tobytes()
    turned = ImageOps.exif_transpose(flat)
    turned.info.clear()
    return turned


def _flat(opened: Any) -> tuple[Image.Image, bool]:
    """Return a picture in RGB, its transparent parts over white, and True if there are such."""
    if opened.mode.startswith("I"):
        return _laid(opened, _eight_bits)
    if "transparency" not in opened.info and opened.mode not in ("RGBA", "LA", "PA"):
        return opened.convert("RGB"), False
    return _laid(opened, lambda band: band.convert("RGBA"))


def _laid(opened: Any, converted: Callable[[Any], Any]) -> tuple[Image.Image, bool]:
    """Lay a picture over white, a band of `converted` at a time, and return True if something shows through."""
    width, height = opened.size
    laid = Image.new("RGB", (width, height), "white")
    seen_through = False
    for top in range(0, height, _BAND):
        band = converted(opened.crop((0, top, width, min(top + _BAND, height))))
        mask = band if band.mode == "RGBA" else None
        seen_through |= mask is not None and band.getextrema()[3][0] < 255
        laid.paste(band, (0, top), mask)
    return laid, seen_through


def _eight_bits(band: Any) -> Image.Image:
    """Return the upper eight bits of 16 bits of grey; PIL would cut off what is above 255."""
    return Image.fromarray((np.asarray(band) >> 8).clip(0, 255).astype(np.uint8))
