"""The pictures that a vision model reads: those that ship, and the visitor's own, by the names that a link has."""

import hashlib
from functools import cache
from typing import Final

import torch

from attention_core import InvalidInput
from attention_core.learned import Picture
from visualiser.asset_folder import ASSETS
from visualiser.upload.pictures import LONGEST_SIDE, picture_size, read_picture
from visualiser.upload.refusals import refusal

PICTURE_FILES: Final = {
    name: f"shipped/pictures/{file}"
    for name, file in (("lighthouse", "lighthouse.jpg"), ("cat", "cat.jpg"), ("poster", "poster.png"))
}
"""The file of each shipped picture, below the folder of assets."""
SHIPPED_PICTURES: Final = tuple(PICTURE_FILES)
OWN: Final = "own"
_MOST: Final = 8
"""Pictures of a link that are read."""


def named(written: str) -> tuple[str, ...]:
    """Return the names in a link's list, the first ones; those of the first shipped picture if it names none.

    >>> named("cat, own")
    ('cat', 'own')
    """
    found = tuple(filter(None, (part.strip() for part in written.split(","))))[:_MOST]
    return found or (SHIPPED_PICTURES[0],)


def settled(written: str, own: bool) -> tuple[str, tuple[str, ...]]:
    """Return a list of names without those that are not there, and these: unknown ones, `own` unless there is one."""
    names = named(written)
    there = tuple(name for name in names if name in SHIPPED_PICTURES or (own and name == OWN))
    return ",".join(there or (SHIPPED_PICTURES[0],)), tuple(name for name in names if name not in there)


def pictures(written: str, own: bytes = b"") -> tuple[Picture, ...]:
    """Return the pictures of a link; `own` are the bytes of the visitor's.

    Raises `InvalidInput`: `picture_own` if it names the visitor's and there is none, `unknown_picture`, and as
    `read_picture` does.
    """
    return tuple(_picture(name, own) for name in named(written))


def sized(written: str, own: bytes = b"") -> tuple[Picture, ...]:
    """Return pictures of the same sizes, to price a run; the visitor's is not decoded. Raises as `pictures` does."""
    return tuple(_blank(own) if name == OWN and own else _picture(name, own) for name in named(written))


def key(written: str, own: bytes = b"") -> str:
    """Return what tells these pictures from others."""
    names = named(written)
    return ",".join((*names, hashlib.blake2b(own).hexdigest() if OWN in names else ""))


@cache
def shipped_picture(name: str) -> Picture:
    """Return a picture that ships, by its name in `SHIPPED_PICTURES`."""
    return _read(name, (ASSETS / PICTURE_FILES[name]).read_bytes())


def _picture(name: str, own: bytes) -> Picture:
    if name in SHIPPED_PICTURES:
        return shipped_picture(name)
    if name != OWN:
        known = ", ".join((*SHIPPED_PICTURES, OWN))
        raise InvalidInput("unknown_picture", f"pictures must be some of {known}.", choices=known)
    if not own:
        raise InvalidInput("picture_own", "The picture own is the visitor's, and none came with the request.")
    _kept_size(own)
    return _read(name, own)


def _kept_size(own: bytes) -> tuple[int, int]:
    """Return the size of the visitor's picture; one that is larger than what is kept was not written here."""
    rows, columns = picture_size(own)
    if max(rows, columns) > LONGEST_SIDE:
        raise refusal("picture_pixels", width=columns, height=rows, limit=LONGEST_SIDE**2 // 10**6)
    return rows, columns


def _blank(own: bytes) -> Picture:
    return Picture(OWN, torch.zeros(1, 1, 1, dtype=torch.uint8).expand(*_kept_size(own), 3))


def _read(name: str, body: bytes) -> Picture:
    return Picture(name, torch.from_numpy(read_picture(body).pixels.copy()))
