"""Queries and keys with known, planted structure, against which a picture can be checked.

Every token shares codes (vectors of N(0, 1) components) with the tokens it should attend to. A code shared by q and k
at strength S adds S to their score q · k / √d_k, for every d_k:

motif   a phrase of n/16 tokens at five places, one in each fifth of the sequence. The same token of two copies shares
        a code, S = ln n + 1: a diagonal in each of the 5 × 5 places where two copies meet.
topic   six stretches of n/6 tokens, each with its own subject, S = 3. In the last quarter of a stretch its subject
        slides into the next. The last subject is the first again: blocks along the diagonal, and in two corners.
sink    key 0 shares a code with every query, S = ln n: about as much weight as all unrelated keys together.

Head 1 has all three, head 2 the motif alone, head 3 the topic, head 4 the sink, head 5 all three again, and so on. Each
head has its own codes. The seed determines the places of the phrase.
"""

import math
from typing import Final

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core.config import AttentionConfig
from attention_core.inputs.random_streams import draw

__all__ = ["heads_with", "motif_length", "motif_starts"]

COPIES: Final = 5
SUBJECTS: Final = 6
_PHRASES: Final = 16  # number of phrases that would fill the sequence
_TOPIC_STRENGTH: Final = 3.0
_HELD: Final = 0.75  # share of a stretch before its subject starts to slide
_HAS: Final = (("motif", "topic", "sink"), ("motif",), ("topic",), ("sink",))


def planted(config: AttentionConfig, noise: Float[Tensor, "h n d_k"], name: str) -> Float[Tensor, "h n d_k"]:
    """Return Q or K (`name`) of every head: `noise` plus its codes. V stays noise."""
    if name == "V":
        return noise
    plants = {"motif": _motif, "topic": _topic, "sink": _sink}
    heads = torch.empty(noise.shape)
    for head, there in enumerate(heads):
        torch.add(noise[head], sum(plants[plant](config, head, name) for plant in _HAS[head % len(_HAS)]), out=there)
    return heads


def heads_with(plant: str, h: int) -> list[int]:
    """Return the heads, counted from 0 to h − 1, that have this plant: motif, topic or sink."""
    return [head for head in range(h) if plant in _HAS[head % len(_HAS)]]


def motif_starts(config: AttentionConfig) -> Int[Tensor, " copies"]:
    """Return the first position of each copy of the phrase. Copies never overlap."""
    share = (1 + torch.special.erf(draw(config.seed, "motif", 1, COPIES)[0] / math.sqrt(2))) / 2  # uniform in 0 … 1
    room = config.n / COPIES
    return (torch.arange(COPIES) * room + share * (room - motif_length(config))).long().clamp(0, config.n - 1)


def motif_length(config: AttentionConfig) -> int:
    """Return the number of tokens in the phrase."""
    return max(1, config.n // _PHRASES)


def _motif(config: AttentionConfig, head: int, name: str) -> Float[Tensor, "n d_k"]:
    length = motif_length(config)
    phrase = _codes(config, f"motif/{head}", length, math.log(config.n) + 1)
    found = phrase.new_zeros(config.n, config.d_k)
    for start in motif_starts(config).tolist():
        found[start : start + length] = phrase[: config.n - start]
    return found


def _topic(config: AttentionConfig, head: int, name: str) -> Float[Tensor, "n d_k"]:
    subjects = _codes(config, f"topic/{head}", SUBJECTS - 1, _TOPIC_STRENGTH)
    position = torch.arange(config.n) * SUBJECTS
    stretch, place = position // config.n, position % config.n / config.n  # the place in its stretch, 0 … 1
    angle = ((place - _HELD) / (1 - _HELD)).clamp_min(0).unsqueeze(-1) * (math.pi / 2)
    present, coming = (subjects[(stretch + step) % (SUBJECTS - 1)] for step in (0, 1))
    return angle.cos() * present + angle.sin() * coming


def _sink(config: AttentionConfig, head: int, name: str) -> Float[Tensor, "n d_k"]:
    # Longer in the one key than in the queries: a long shared code in all queries would favour some keys at random.
    code = _codes(config, f"sink/{head}", 1, math.log(config.n))
    if name == "Q":
        return (code / 2).expand(config.n, -1)
    return torch.cat([code * 2, code.new_zeros(config.n - 1, config.d_k)])


def _codes(config: AttentionConfig, name: str, count: int, strength: float) -> Float[Tensor, "count d_k"]:
    """Draw codes whose dot product with themselves is about `strength` · √d_k, component by component like noise."""
    return draw(config.seed, name, config.d_k, count).T * math.sqrt(strength / math.sqrt(config.d_k))
