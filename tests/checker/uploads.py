"""Files of Q and K whose kind and sizes stand in the link, as the unknown parameter `file`: kind.h.n_q.n_k.d_k.seed."""

import random
from urllib.parse import parse_qs

import numpy as np
import torch

from attention_core import AttentionInputs
from visualiser.upload import canonical

KINDS = ("normal", "constant", "one_key", "rows_alike", "huge", "tiny", "shifted", "one_hot", "zero")


def drawn(draws: random.Random, most: int = 12) -> str:
    """Return the value of `file` for a random file; queries and keys differ in number half of the time."""
    n_q = draws.choice((2, 2, 3, draws.randint(2, most)))
    n_k = n_q if draws.random() < 0.5 else draws.choice((2, n_q + 1, draws.randint(2, most)))
    d_k = draws.choice((1, 2, 4, draws.randint(1, 64)))
    return ".".join(map(str, (draws.choice(KINDS), draws.choice((1, 1, 2, 4)), n_q, n_k, d_k, draws.randint(0, 10**6))))


def inputs(link: str) -> AttentionInputs | None:
    """Return the file of a link; None if it has none."""
    named = parse_qs(link).get("file")
    if not named:
        return None
    kind, *numbers = named[0].split(".")
    h, n_q, n_k, d_k, seed = map(int, numbers)
    draws = np.random.default_rng(seed)
    Q, K = draws.standard_normal((h, n_q, d_k)), draws.standard_normal((h, n_k, d_k))
    if kind == "constant":
        Q[:], K[:] = 5, 3
    elif kind == "one_key":
        K[:, draws.integers(n_k)] *= 100
    elif kind == "rows_alike":  # every key the same: scores differ between rows alone
        K[:] = K[:, :1]
    elif kind == "huge":
        Q, K = Q * 1e4, K * 1e3
    elif kind == "tiny":
        Q, K = Q * 1e-4, K * 1e-4
    elif kind == "shifted":
        Q[..., 0], K[..., 0] = 10, 10
    elif kind == "one_hot":
        Q, K = 30 * np.eye(n_q, d_k)[None].repeat(h, 0), 30 * np.eye(n_k, d_k)[None].repeat(h, 0)
    elif kind == "zero":
        Q[:] = 0
    Q, K = (torch.from_numpy(tensor.astype(np.float32)) for tensor in (Q, K))
    return AttentionInputs(Q=Q, K=K, V=K)


def body(link: str) -> bytes:
    """Return the bytes that the page sends; empty without a file."""
    found = inputs(link)
    return b"" if found is None else canonical(found)
