"""A head's file as HeadVis has it: what `read_headvis` reads back as it was."""

import json
from typing import Any

from attention_core.learned.headvis.head_file import Bins, HeadVisHead
from attention_core.learned.headvis.parsing import require_size

__all__ = ["headvis_bytes", "json_bytes"]


def headvis_bytes(head: HeadVisHead) -> bytes:
    """Return a head's file. Raises `InvalidInput` (`headvis_size`) if it would be larger than `read_headvis` reads."""
    file = json_bytes(
        {
            "sequences": [
                {
                    "sequence_id": one.id,
                    "interval": one.interval,
                    "tokens": one.tokens,
                    "attention_indices": (one.q * len(one.tokens) + one.k).tolist(),
                    "attention_values": one.values.tolist(),
                    "seq_len": len(one.tokens),
                    "max_activation": one.max_activation,
                }
                for one in head.sequences
            ],
            "qk_distance_histogram": _bins(head.distances),
            "top_query_tokens": [one._asdict() for one in head.queries],
            "top_key_tokens": [one._asdict() for one in head.keys],
            "histogram": _bins(head.activations),
            "statistics": dict(head.statistics),
        }
    )
    require_size(len(file))
    return file


def _bins(found: Bins | None) -> dict[str, tuple[float, ...]]:
    return {} if found is None else {"bin_edges": found.edges, "bin_values": found.values}


def json_bytes(value: Any) -> bytes:
    """Return JSON without blanks and without NaN."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
