"""The files that browsers load besides gradio's own: our scripts and styles, and plotly.js.

Every address holds a hash of the content, so a browser keeps a file for ever and fetches a changed one at once. Only
files listed here are served; a path from the network never reaches the file system.
"""

import hashlib
from dataclasses import dataclass
from functools import cache

from visualiser.asset_folder import ASSETS, PLOTLY

ROOT = ASSETS
_MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json"}


@dataclass(frozen=True)
class Asset:
    """One file: its content and its media type."""

    plain: bytes
    media_type: str


@cache
def scripts() -> dict[str, Asset]:
    """Return our own files by their path under assets/."""
    files = sorted(path for folder in ("js", "css", "locales") for path in (ROOT / folder).rglob("*.*"))
    return {
        path.relative_to(ROOT).as_posix(): Asset(path.read_bytes(), _MEDIA_TYPES[path.suffix])
        for path in files
        if path.suffix in _MEDIA_TYPES
    }


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
