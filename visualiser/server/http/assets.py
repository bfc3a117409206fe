"""The files that browsers load besides gradio's own: our scripts and styles, and plotly.js.

Every address holds a hash of the content, so a browser keeps a file for ever and fetches a changed one at once. Only
files listed here are served; a path from the network never reaches the file system. Pages load bundles of our scripts,
which are made of them here (docs/decisions/bundles.md).
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from posixpath import basename
from typing import Final

import orjson

from visualiser.asset_folder import ASSETS, PLOTLY
from visualiser.server.http.bundles import LATER, bundles
from visualiser.state.declared import declared

ROOT = ASSETS
BUNDLE: Final = "bundle/headlight.js"
_FIRST: Final = "js/main.js"
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
    """Return our own files by their path under assets/, bundles, and what pages declare (`state.declared`)."""
    files = sorted(
        path for folder in ("js", "css", "locales", "lessons", "offline") for path in (ROOT / folder).rglob("*.*")
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
    texts = {path: asset.plain.decode() for path, asset in found.items() if path.startswith("js/")}
    firsts = {BUNDLE: _FIRST} | {f"bundle/{basename(path)}": path for path in texts if path.startswith(LATER)}
    found |= {path: Asset(text.encode(), _MEDIA_TYPES[".js"]) for path, text in bundles(texts, firsts).items()}
    return found | {"lessons/declared.json": Asset(orjson.dumps(declared()), _MEDIA_TYPES[".json"])}


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
