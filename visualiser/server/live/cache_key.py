"""The key under which answers are shared: a hash of all that a page's answer depends on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def key_of(fields: Mapping[str, Any], lang: str, *, compares: bool, standing: Sequence[int] = ()) -> bytes | None:
    """Return the key of a request with these `fields`; None if they nest too deeply to be written.

    `compares` is True if the answer depends on the state shown before. `standing` is what else it depends on: of the
    models that the request names, if they are loaded and if they are here, and how many runs have told of them.
    """
    left_out = {"known", "address"} if compares else {"known", "address", "previous"}
    kept = {name: value for name, value in fields.items() if name not in left_out} | {"lang": lang}
    try:
        written = json.dumps([kept, *standing], sort_keys=True).encode()
    except RecursionError:  # writing allows less depth than reading
        return None
    return hashlib.blake2b(written, digest_size=16).digest()
