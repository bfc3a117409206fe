"""What a head writes when it reads a key: the key's value through W_O and the layer of words.

    logits of a key = U · γ ∘ centred(v_key W_O),   less their mean over all words, which no softmax sees

γ are the gains of the last norm; `centred` takes the mean of the components away where that norm does. Left out are all
later layers, the division by the size of the stream in the last norm, biases, and the other heads: it is the direct
path alone (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"). A head whose output another layer
reads first may write one thing here and do another.

The *copying score* is that of Wang et al. 2022 ("Interpretability in the Wild", name movers): the share of keys whose
own token is among the five that the head writes most. There it is over names, here over the positions of a text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.learned.run import LearnedLayer, LearnedModel
from attention_core.validation import whole_number

__all__ = ["FIRST", "HeadWriter", "WritingModel", "Written", "WrittenToken", "no_words", "written"]

FIRST: Final = 5
"""Tokens among which a key's own counts as copied."""
_LOGITS: Final = 2**22
"""Logits that are held at once."""


@dataclass(frozen=True, eq=False)
class HeadWriter:
    """How one layer's heads write words.

    W_O     of each head: what a component of its output adds to the stream
    logits  of rows of the stream: the last norm without its division, and the layer of words without its bias
    name    of a token
    """

    W_O: Float[Tensor, "h d_v d_model"]
    logits: Callable[[Float[Tensor, "rows d_model"]], Float[Tensor, "rows words"]]
    name: Callable[[int], str]


@runtime_checkable
class WritingModel(LearnedModel, Protocol):
    """A model of which it can be told what its heads write."""

    def writer(self, layer: int) -> HeadWriter:
        """Return how a layer, from 1, writes.

        Raises `InvalidInput`: `writes_no_words` for a model that is no decoder with a layer of words; `writing_unread`
        if its heads' outputs do not go into the stream through one linear map, or if its last norm is no norm that is
        known; `out_of_range` for the layer.
        """
        ...


@dataclass(frozen=True)
class WrittenToken:
    """A token, its logit, and whether it is the key's own."""

    number: int
    name: str
    logit: float
    own: bool


@dataclass(frozen=True, eq=False)
class Written:
    """What one head writes for each key of a text.

    tokens, logits  those that it writes most, the largest first
    ids             the keys' own tokens
    own             the logit of each key's own token
    rank            how many tokens have a larger one
    name            of a token
    """

    tokens: Int[Tensor, "keys first"]
    logits: Float[Tensor, "keys first"]
    ids: tuple[int, ...]
    own: Float[Tensor, " keys"]
    rank: Int[Tensor, " keys"]
    name: Callable[[int], str]

    @property
    def copied(self) -> Bool[Tensor, " keys"]:
        """True for a key whose own token is among the first `FIRST`."""
        return self.rank < FIRST

    @property
    def copying(self) -> float:
        """The copying score, 0 to 1: the share of the keys that are copied."""
        return float(self.copied.double().mean())

    def first(self, key: int) -> list[WrittenToken]:
        """Return what is written most for a key, from 0."""
        return [
            WrittenToken(number, self.name(number), logit, number == self.ids[key])
            for number, logit in zip(self.tokens[key].tolist(), self.logits[key].tolist(), strict=True)
        ]


def written(writer: HeadWriter, layer: LearnedLayer, head: int, ids: Sequence[int]) -> Written:
    """Return what a head writes for each key.

    Parameters
    ----------
    writer
        Of the layer.
    layer
        A layer of a run, with its values.
    head
        From 1. Heads of one group write different words of the same values.
    ids
        The tokens of the keys.

    Raises
    ------
    InvalidInput
        `writing_unread` for a layer without values, or with others than the writer's; `out_of_range` for the head.
    """
    h, d_v, _ = writer.W_O.shape
    head = whole_number("head", head, 1, h) - 1
    if layer.V is None or layer.V.dim() != 3 or layer.V.shape[-1] != d_v or layer.V.shape[1] != len(ids):
        raise unread(layer.name)
    values = layer.V[head * layer.V.shape[0] // h].to(writer.W_O)
    states = values @ writer.W_O[head]
    rows = max(1, _LOGITS // writer.logits(states[:1]).shape[-1])
    found: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []
    for part, true in zip(states.split(rows), torch.tensor(ids).split(rows), strict=True):
        checkpoint()
        logits = writer.logits(part).float().cpu()
        logits = logits - logits.mean(-1, keepdim=True)
        most, tokens = logits.topk(min(FIRST, logits.shape[-1]))
        own = logits.gather(-1, true[:, None])
        found.append((tokens, most, own[:, 0], (logits > own).sum(-1)))
    tokens, most, own, rank = (torch.cat(each) for each in zip(*found, strict=True))
    return Written(tokens, most, tuple(ids), own, rank, writer.name)


def unread(name: str) -> InvalidInput:
    """Return the error for a layer of which it cannot be told what its heads write."""
    return InvalidInput(
        "writing_unread",
        f"What the heads of {name} write does not go into the stream through one linear map.",
        value=name,
    )


def no_words(name: str) -> InvalidInput:
    """Return the error for a model without a next token."""
    return InvalidInput(
        "writes_no_words",
        f"The model {name} says no next token, so its heads write no words.",
        value=name,
    )
