"""A picture of a notebook, in the one form in which a visitor's picture is kept."""

import io
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image, ImageOps
from torch import Tensor

from attention_core.models import MOST_PICTURES
from visualiser.upload.pictures import LONGEST_SIDE, PICTURE_LIMIT, canonical_picture, read_picture
from visualiser.upload.refusals import refusal


def picture_file(given: Any) -> bytes:
    """Return a picture as a canonical file: a path of a PNG or JPEG, its bytes, a PIL image, or an array of uint8.

    Raises `InvalidInput`: `notebook_picture` for anything else, `notebook_frames` for several or a video,
    `notebook_no_picture` for a path without a file, and as `read_picture` does.
    """
    if isinstance(given, (list, tuple)) or (isinstance(given, (np.ndarray, Tensor)) and given.ndim > 3):
        raise refusal("notebook_frames", most=MOST_PICTURES)
    if isinstance(given, (str, PathLike)):
        given = _read(Path(given))
    if isinstance(given, bytes):
        return canonical_picture(read_picture(given).pixels)
    if isinstance(given, (np.ndarray, Tensor)):
        given = _of_array(np.asarray(given))
    if not isinstance(given, Image.Image):
        raise refusal("notebook_picture", kind=type(given).__name__)
    image = ImageOps.exif_transpose(given)
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    written = io.BytesIO()
    image.convert("RGBA" if image.has_transparency_data else "RGB").save(written, "PNG")
    return canonical_picture(read_picture(written.getvalue()).pixels)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(PICTURE_LIMIT + 1)
    except (OSError, ValueError):
        raise refusal("notebook_no_picture", path=str(path)[:80]) from None


def _of_array(array: np.ndarray[Any, Any]) -> Image.Image:
    """Return rows × columns × 3 as an image; 3 × rows × columns, too, as torch has them."""
    if array.ndim == 3 and array.shape[0] == 3 and array.shape[2] != 3:
        array = array.transpose(1, 2, 0)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        raise refusal("notebook_picture", kind=f"{array.dtype} {array.shape}")
    return Image.fromarray(np.ascontiguousarray(array))


def own_picture(pixels: Float[Tensor, "1 3 h w"]) -> UInt8[np.ndarray, "h w 3"]:
    """Return a model's tensor as a picture: its least number black, its largest white."""
    one = pixels[0].float().cpu()
    low, high = one.min(), one.max()
    share = (one - low) / (high - low).clamp_min(1e-12)
    return (255 * share).round().to(torch.uint8).permute(1, 2, 0).contiguous().numpy()
