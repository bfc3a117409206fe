"""A result as one npz file, which `numpy.load` opens without pickle and the page takes back as an upload."""

import dataclasses
import io
import json
from typing import Any

import numpy as np

from attention_core import AttentionResult

TENSORS = ("Q", "K", "V", "scores", "weights", "output")
STATISTICS = (
    *("entropy", "ceiling", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight"),
    *("score_mean", "score_variance"),
)


def npz(result: AttentionResult) -> bytes:
    """Q, K, V, scores, weights, output (h × n × d, h × n_q × n_k) and the statistics; entropy in nats.

    `factor` makes the scaled scores of the scores, `mask` is True where attention is allowed, `tokens` are the keys'
    and `config` is the configuration as JSON. Not compressed: random mantissas do not shrink.
    """
    arrays: dict[str, Any] = {name: getattr(result, name).numpy() for name in (*TENSORS, *STATISTICS)}
    arrays["factor"] = np.float64(result.config.factor)
    arrays["config"] = np.array(json.dumps(dataclasses.asdict(result.config), ensure_ascii=False))
    if result.mask is not None:
        arrays["mask"] = result.mask.numpy()
    if result.tokens is not None:
        arrays["tokens"] = np.array(result.tokens)
    if result.rows is not None:
        arrays["rows"] = np.array(result.rows)
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()
