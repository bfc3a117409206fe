"""The language model that ships, once more: in float64 numpy, from its file and the equations of its documentation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

import attention_core.language
from attention_core.language import WORDS

Numbers = NDArray[np.float64]

FILES: Final = {"headlight": "language.safetensors", "headlight-one-layer": "language-one-layer.safetensors"}
HEADS: Final = 4
MOST: Final = 64

TEXTS: Final = (
    "Ben",
    "Anna Miller sees Ben Taylor . Ben",
    "the keys to the cabinet near the rivers are 낡은 . ( Anna sees 낡은 keys . )",
    "key key key key key key key key",
    "🦆 🦆 <b> & <b> the",
    "the old dogs wait . " * 20,
)
"""Texts whose tokens stand between blanks."""


def tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text."""
    return ("<bos>", *_words(text)[: MOST - 1])


def _words(text: str) -> list[str]:
    return text.replace("<b>", "< b >").split()


@dataclass(frozen=True)
class Heads:
    """A layer over a text: Q, K and V, h × n × d_k, then scores before the softmax and weights, h × n × n.

    Of a changed layer `sunk` is what a sink takes of each row, h × n, of the heads `sinks`, `loose` are the heads whose
    rows need not add up to 1, `times` is what multiplies the scores of each head, and `rebuilt` tells that they are no
    products any more.
    """

    Q: Numbers
    K: Numbers
    V: Numbers
    scores: Numbers
    weights: Numbers
    sunk: Numbers | None = None
    sinks: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()
    times: tuple[float, ...] = (1.0,) * HEADS
    rebuilt: bool = False

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """True where a query may read a key."""
        return self.scores > -np.inf


def layer(model: str, text: str, number: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return Q, K and V of a layer, from 1, each h × n × d_k."""
    found = read(model, numbered(tokens(text)))[number - 1]
    return found.Q, found.K, found.V


def numbered(read_tokens: Sequence[str]) -> tuple[int, ...]:
    """Return the ids of tokens: of a word that the model does not know the number of its first appearance."""
    known, unknown = {word.casefold(): at for at, word in enumerate(WORDS) if not word.startswith("<")}, {}
    ids = [WORDS.index("<bos>")]
    for word in read_tokens[1:]:
        folded = word.casefold()
        at = known.get(folded)
        ids.append(WORDS.index(f"<word {unknown.setdefault(folded, len(unknown) + 1)}>") if at is None else at)
    return tuple(ids)


@lru_cache(512)
def read(model: str, ids: tuple[int, ...]) -> tuple[Heads, ...]:
    """Return every layer over some ids."""
    parameters = file(model)
    count = layers(model)
    x, n, found = parameters["E"][[*ids]], len(ids), []
    lengths = 3.0 * (200.0 / 3.0) ** (np.arange(32) / 31)
    angles = 2 * math.pi * np.arange(n)[:, None] / lengths
    places = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    for at in range(1, count + 1):
        y = _normed(x)
        z = y + places if at == count else places
        Q, K, V = (_heads(of @ parameters[f"{name}/{at}"]) for name, of in (("W_Q", z), ("W_K", z), ("W_V", y)))
        scores = Q @ K.transpose(0, 2, 1) / math.sqrt(Q.shape[-1])
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        weights = e / e.sum(-1, keepdims=True)
        found.append(Heads(Q, K, V, scores, weights))
        x = x + (weights @ V).transpose(1, 0, 2).reshape(n, -1) @ parameters[f"W_O/{at}"]
    return tuple(found)


@cache
def file(model: str) -> dict[str, Numbers]:
    """Return the parameters of a model."""
    return {name: one.astype(np.float64) for name, one in load_file(_folder() / FILES[model]).items()}


def layers(model: str) -> int:
    """Return the number of layers of a model."""
    return sum(name.startswith("W_Q/") for name in file(model))


def _folder() -> Path:
    return Path(attention_core.language.__file__).parent / "shipped"


def _normed(x: Numbers) -> Numbers:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def _heads(joined: Numbers) -> Numbers:
    return joined.reshape(len(joined), HEADS, -1).transpose(1, 0, 2)
