"""What a model says, and how far a change moves it: the words after each token, a masked word, classes, or sentences.

Distances are those of distributions. That a model says something else without a head shows what the head does for this
text in this model, and nothing of why it learned so.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.changes import Change
from attention_core.learned.given import Given
from attention_core.learned.run import LearnedModel, ModelRun

__all__ = [
    "Likeness",
    "Outcome",
    "Said",
    "SayingModel",
    "Says",
    "attention_moved",
    "divergence",
    "sentences_of",
]

MOST_SENTENCES: Final = 6
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+|\s*\n\s*")
_FLOOR: Final = -1e4
"""ln p of an outcome that a model makes impossible: ln of less than any number of float32, and finite."""


@dataclass(frozen=True)
class Outcome:
    """One outcome: its number, its name, and ln p before and after a change."""

    number: int
    name: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Said:
    """A distribution over outcomes for some positions of a line.

    kind    `next`, the token after each position; `masked`, the token at a position that is masked; `classes`, of all
            that is read
    logs    ln p
    name    of an outcome
    places  the position of each row in its line; of classes 0
    truth   the outcome that came there, −1 if none did
    line    the number of the line in the run
    """

    kind: str
    logs: Float[Tensor, "positions outcomes"]
    name: Callable[[int], str]
    places: tuple[int, ...]
    truth: tuple[int, ...]
    line: int = 0

    @staticmethod
    def of_logits(
        kind: str,
        logits: Float[Tensor, "positions outcomes"],
        name: Callable[[int], str],
        places: Sequence[int],
        truth: Sequence[int],
        line: int = 0,
    ) -> "Said":
        """Return the distributions of logits."""
        logs = logits.detach().float().cpu().log_softmax(-1)
        logs.clamp_min_(_FLOOR)  # in place: a large vocabulary takes megabytes
        return Said(kind, logs, name, tuple(places), tuple(truth), line)

    @property
    def known(self) -> bool:
        """False if any of it is no number."""
        return not bool(self.logs.isnan().any())

    @property
    def true_logs(self) -> Float[Tensor, " positions"]:
        """ln p of what came, NaN where nothing did."""
        truth = torch.tensor(self.truth)
        found = self.logs.gather(-1, truth.clamp_min(0).unsqueeze(-1)).squeeze(-1)
        return torch.where(truth >= 0, found, torch.nan)

    @property
    def text_log(self) -> float:
        """The sum of ln p over all that came, in nats: of `next` the log-probability of the text; NaN without any."""
        found = self.true_logs
        known = found[~found.isnan()]
        return float(known.double().sum()) if len(known) else float("nan")

    @property
    def reads_on(self) -> bool:
        """True if it foretells the text itself, token by token, so that this has a log-probability."""
        return self.kind == "next"

    @property
    def of_place(self) -> bool:
        """True if it is said of the position that was asked for, and of no other."""
        return self.kind == "masked"

    def at(self, place: int) -> int:
        """Return the row of a position, or of the nearest one before it."""
        return max((row for row, one in enumerate(self.places) if one <= place), default=0)

    def first(self, before: "Said", row: int, count: int = 5) -> list[Outcome]:
        """Return the largest outcomes of a row, of now and before, the largest first, and what came among them."""
        now, then = self.logs[row], before.logs[row]
        count = min(count, len(now))
        chosen = dict.fromkeys([*now.topk(count).indices.tolist(), *then.topk(count).indices.tolist()])
        if self.truth[row] >= 0:
            chosen[self.truth[row]] = None
        found = sorted(chosen, key=lambda one: -max(float(now[one]), float(then[one])))
        kept = found[:count]
        if self.truth[row] >= 0 and self.truth[row] not in kept:
            kept = [*kept[:-1], self.truth[row]]
        kept.sort(key=lambda one: -max(float(now[one]), float(then[one])))
        return [Outcome(one, self.name(one), float(then[one]), float(now[one])) for one in kept]


@dataclass(frozen=True, eq=False)
class Likeness:
    """Sentences as an encoder without a layer of words knows them: the mean of its last states over their tokens."""

    sentences: tuple[str, ...]
    vectors: Float[Tensor, "sentences d_model"]
    kind: str = "likeness"

    @property
    def known(self) -> bool:
        """False if any of it is no number."""
        return bool(self.vectors.isfinite().all())

    @property
    def cosines(self) -> Float[Tensor, "sentences sentences"]:
        """The cosine of each two sentences."""
        normed = torch.nn.functional.normalize(self.vectors.double(), dim=-1)
        return normed @ normed.mT


Says = Said | Likeness
"""What a model says of what it read."""


@runtime_checkable
class SayingModel(LearnedModel, Protocol):
    """A model that says something.

    outcomes  of each position, which a distribution has; 0 for a model that says nothing, or no distribution
    """

    @property
    def outcomes(self) -> int: ...

    def says_multiply_adds(self, n: int) -> int:
        """Return the multiply-adds of the matrix products of saying something of `n` positions."""
        ...

    def says(
        self, given: str | Given, most: int | None = None, changes: Sequence[Change] = (), at: int | None = None
    ) -> Says | None:
        """Return what the model says, as `changes` have it; None for one that lacks the layer to say anything.

        `at` is the position whose word is masked, for a model that fills in masked words. Raises as `run` does.
        """
        ...

    def says_without_each(
        self,
        heads: Sequence[tuple[int, int]],
        given: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
        at: int | None = None,
    ) -> Sequence[Says | None]:
        """Return what the model says without each of these layers and heads, from 0, beside other changes.

        All of them are run at once where the model can, so the caller bounds their number.
        """
        ...


def divergence(before: Said, after: Said, rows: slice = slice(None)) -> Float[Tensor, " positions"]:
    """Return KL(before ‖ after) = Σ p ln(p/q) of each position, or of some rows, in nats."""
    p = before.logs[rows].double()
    return (p.exp() * (p - after.logs[rows].double())).sum(-1).clamp_min(0.0)


def attention_moved(before: ModelRun, after: ModelRun) -> Float[Tensor, "layers h"]:
    """Return how much of its weight each head reads elsewhere: ½ Σ|p − p′| of a row, the mean over rows.

    A sink's weight counts as a key's. NaN for a head that is not there, or whose weights are none or no shares before
    the change or after it.
    """
    h = max((layer.weights.shape[-3] for layer in before.layers), default=0)
    found = torch.full((len(before.layers), h), torch.nan, dtype=torch.float64)
    for number, (then, now) in enumerate(zip(before.layers, after.layers, strict=True)):
        apart = (now.weights.double() - then.weights.double()).abs().sum(-1)
        if then.sink is not None or now.sink is not None:
            sinks = [torch.zeros_like(apart) if one is None else one.double() for one in (now.sink, then.sink)]
            apart = apart + (sinks[0] - sinks[1]).abs()
        rows = apart / 2  # *windows h n_q
        heads = rows.shape[-2]
        found[number, :heads] = rows.movedim(-2, 0).flatten(1).mean(-1)
        found[number, sorted(then.unnormalised | now.unnormalised)] = torch.nan
    return found


def sentences_of(text: str) -> tuple[str, ...]:
    """Return the first sentences of a text: what ends in a mark, or stands in a line of its own."""
    return tuple(one for one in map(str.strip, _SENTENCE.split(text)) if one)[:MOST_SENTENCES]
