"""What the Hub says of a model before its first byte, out of JSON that a stranger wrote."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from attention_core.models.hub_asking import Lost
from attention_core.models.hub_stream import HubFile

__all__ = ["Description", "described"]

_MOST: Final = 2**48
"""More bytes or numbers than any model has."""


@dataclass(frozen=True)
class Description:
    """A model as the Hub describes it.

    commit   that its files belong to
    files    by their names; None for one whose size or hash is not said
    numbers  in its safetensors files; 0 if the Hub does not say
    """

    commit: str
    files: Mapping[str, HubFile | None]
    numbers: int


def described(written: bytes) -> Description:
    """Return what an answer says. Raises `Lost` (`hub_answer`) for one that describes no model."""
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        raise Lost("hub_answer", final=True) from None
    about = _object(found)
    commit, siblings = about.get("sha"), about.get("siblings")
    if not _is_hash(commit, 40) or not isinstance(siblings, list):
        raise Lost("hub_answer", final=True)
    files = [_object(one) for one in siblings]
    names = [one.get("rfilename") for one in files]
    listed = {name: _file(name, one) for name, one in zip(names, files, strict=True) if isinstance(name, str)}
    return Description(commit, listed, _count(_object(about.get("safetensors")).get("total")) or 0)


def _file(name: str, one: Mapping[str, Any]) -> HubFile | None:
    size, large = _count(one.get("size")), one.get("lfs")
    if size is None:
        return None
    if large is None:
        blob = one.get("blobId")
        return HubFile(name, size, None, blob) if _is_hash(blob, 40) else None
    sha256 = _object(large).get("sha256")
    return HubFile(name, size, sha256, None) if _is_hash(sha256, 64) else None


def _object(found: Any) -> Mapping[str, Any]:
    return found if isinstance(found, dict) else {}


def _count(found: Any) -> int | None:
    return found if type(found) is int and 0 <= found < _MOST else None


def _is_hash(found: Any, digits: int) -> TypeGuard[str]:
    return isinstance(found, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", found) is not None
