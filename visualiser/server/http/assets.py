"""The files that browsers load besides gradio's own: our scripts and styles, and plotly.js.

Every address holds a hash of the content, so a browser keeps a file for ever and fetches a changed one at once. Only
files listed here are served; a path from the network never reaches the file system.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from typing import Final

import orjson

from visualiser.asset_folder import ASSETS, PLOTLY
from visualiser.state.declared import declared

ROOT = ASSETS
BUNDLE: Final = "bundle/headlight.js"
MODULES: Final = "js/main.js"
_MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json"}
_PICTURES: Final = "shipped/pictures"
_KINDS: Final = {".png": "image/png", ".jpg": "image/jpeg"}


@dataclass(frozen=True)
class Asset:
    """One file: its content and its media type."""

    plain: bytes
    media_type: str


@cache
def scripts() -> dict[str, Asset]:
    """Return our own files by their path under assets/, and what pages declare (`visualiser.state.declared`)."""
    files = sorted(
        path
        for folder in ("bundle", "js", "css", "locales", "lessons", "offline")
        for path in (ROOT / folder).rglob("*.*")
    )
    found = {
        path.relative_to(ROOT).as_posix(): Asset(path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for path in files
        if path.suffix in _MEDIA_TYPES
    }
    found |= {
        path.relative_to(ROOT).as_posix(): Asset(path.read_bytes(), _KINDS[path.suffix])
        for path in sorted((ROOT / _PICTURES).glob("*.*"))
        if path.suffix in _KINDS
    }
    return found | {"lessons/declared.json": Asset(orjson.dumps(declared()), _MEDIA_TYPES[".json"])}


@cache
def entry() -> str:
    """Return the script that a page loads: the bundle if it was made of the present sources, else the module itself.

    So a script that was just changed is never hidden by an older bundle.
    """
    digest = hashlib.sha256()
    for name, asset in sorted(scripts().items()):
        if name.startswith("js/"):
            digest.update(name.encode() + b"\0" + asset.plain)
    bundle = scripts().get(BUNDLE)
    made_of = re.match(rb"/\*.* ([0-9a-f]{64}) \*/\n", bundle.plain) if bundle else None
    return BUNDLE if made_of and made_of[1].decode() == digest.hexdigest() else MODULES


@cache
def plotly() -> Asset:
    return Asset(PLOTLY.read_bytes(), _MEDIA_TYPES[".js"])


@cache
def version() -> str:
    """Return one hash of all our files: scripts import one another by relative address, so they share a version."""
    digest = hashlib.blake2b(digest_size=8)
    for name, asset in scripts().items():
        digest.update(name.encode() + b"\0" + asset.plain)
    return digest.hexdigest()


@cache
def plotly_version() -> str:
    return hashlib.blake2b(plotly().plain, digest_size=8).hexdigest()
