"""The identity of a run, so that a block of another run is never mistaken for one of this."""

import hashlib
import json
from typing import Any

from attention_core.sharded.command_line import Options
from attention_core.sharded.files import StoredTensor

_LAYOUT = 1
"""The version of the files' meaning; raise it when that changes."""

Manifest = dict[str, Any]


def manifest(options: Options, Q: StoredTensor, K: StoredTensor, digests: dict[str, bytes]) -> Manifest:
    """Return everything the numbers depend on: Q and K (SHA-256 in `digests`), the options, the rows of a block.

    Paths are left out because they move. So are the device and the number of ranks: a run begun on a CPU may end on a
    GPU. Settings of `AttentionConfig` are named only if they are not the usual ones, so that blocks of releases without
    them still count.
    """
    return {
        "layout": _LAYOUT,
        "Q": _described(Q, digests),
        "K": _described(K, digests),
        "scale": options.base(Q.shape[-1]),
        "causal": options.causal,
        "window": options.window,
        "histogram": None if options.histogram is None else list(options.histogram),
        "block_rows": options.block_rows,
        **options.changed,
    }


def written_out(content: Manifest) -> str:
    """Return `content` as text; equal contents give equal texts."""
    return json.dumps(content, sort_keys=True, indent=2) + "\n"


def fingerprint(content: Manifest) -> str:
    """Return the SHA-256 of the text, in hexadecimal."""
    return hashlib.sha256(written_out(content).encode()).hexdigest()


def differences(old: Manifest, new: Manifest) -> list[str]:
    """Return the names of the entries that differ, for a message.

    Q's digest is made from those of its blocks, so it is ignored if the blocks have another size.
    """
    if old.get("block_rows") != new["block_rows"]:
        old, new = ({**content, "Q": _but_for_digest(content.get("Q"))} for content in (old, new))
    return [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]


def _but_for_digest(described: Any) -> Any:
    return {**described, "sha256": None} if isinstance(described, dict) else described


def _described(tensor: StoredTensor, digests: dict[str, bytes]) -> dict[str, Any]:
    digest = digests.get(tensor.name)
    return {
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "sha256": None if digest is None else digest.hex(),
    }
