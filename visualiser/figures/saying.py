"""What a model says of what the page shows, before and after a change, as figures and sentences take it."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from attention_core.cached import cached_property
from attention_core.learned import Likeness, ModelRun, Outcome, Said, Says, divergence
from visualiser.drawing.labels import label
from visualiser.drawing.once import once
from visualiser.figures.comparing import LEAST, Comparison, Effect, compared, largest
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.locale import text
from visualiser.locale.message import Message, message

MOST: Final = 5
"""Outcomes that are shown, and heads that moved."""

_PINNED: Final = {"before": "a", "now": "b"}

_ALIKE: Final = 1e-6
"""What float32 may leave between the cosines of the same sentences."""

_NAMED: Final = 6
"""Pairs of sentences that are named where they are alike."""


def row_of(shown: ReadHead, said: Said) -> int:
    """Return the row of a distribution that belongs to the chosen query, or the last one where a line has others."""
    if shown.run.between[shown.layer - 1][0] != said.line or said.kind == "classes":
        return len(said.places) - 1
    return said.at(shown.place(shown.row))


def says_something(shown: ReadHead) -> bool:
    """Return True if there are outcomes to draw: a model may say nothing, and one sentence has no pair."""
    after = None if shown.saying is None else shown.saying.after
    return isinstance(after, Said) or (after is not None and len(after.sentences) > 1)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Every outcome of the chosen query before and now: ln p of a distribution, or the cosine of each two sentences."""

    before: NDArray[np.float64]
    now: NDArray[np.float64]
    name: Callable[[int], str]
    of_cosines: bool = False

    @cached_property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is drawn of them: probabilities, or cosines."""
        return (self.before, self.now) if self.of_cosines else (np.exp(self.before), np.exp(self.now))

    @cached_property
    def comparison(self) -> Comparison:
        """What became of all of them."""
        return compared(*self.values)

    def alike(self, at: int) -> str:
        """Return the name of an outcome; of cosines with all pairs whose cosines are the same before and now.

        A sentence may stand in a text several times.
        """
        if not self.of_cosines:
            return self.name(at)
        apart = np.maximum(abs(self.before - self.before[at]), abs(self.now - self.now[at]))
        names = [self.name(int(other)) for other in np.flatnonzero(apart < _ALIKE)]
        return ", ".join([*names[:_NAMED], *(["…"] if len(names) > _NAMED else [])])

    def one(self, at: int) -> Outcome:
        """Return an outcome by its number."""
        return Outcome(at, self.name(at), float(self.before[at]), float(self.now[at]))

    def first(self, count: int, kept: Collection[int] = ()) -> list[Outcome]:
        """Return the largest of before and now, the largest first, with those that are `kept` whatever they are."""
        size = np.maximum(self.before, self.now)
        least = np.partition(size, -count)[-count] if len(size) > count else -np.inf
        order = sorted(np.flatnonzero(size >= least).tolist(), key=lambda at: (-size[at], at))
        others = [at for at in order if at not in kept][: max(0, count - len(kept))]
        return [self.one(at) for at in sorted({*kept, *others}, key=lambda at: (-size[at], at))]


@once
def every_outcome(shown: ReadHead) -> Outcomes | None:
    """Return all outcomes of the chosen query; None for a model that says nothing."""
    saying = shown.saying
    if saying is None:
        return None
    before, after = saying.before, saying.after
    if isinstance(before, Said) and isinstance(after, Said):
        row = row_of(shown, after)
        return Outcomes(before.logs[row].double().numpy(), after.logs[row].double().numpy(), after.name)
    assert isinstance(before, Likeness)
    assert isinstance(after, Likeness)
    pairs = [*combinations(range(len(after.sentences)), 2)]
    then, now = (np.array([float(each.cosines[pair]) for pair in pairs]) for each in (before, after))
    names = [f"{one + 1}–{other + 1}" for one, other in pairs]
    return Outcomes(then, now, names.__getitem__, of_cosines=True)


def outcomes(shown: ReadHead) -> list[Outcome]:
    """Return the largest outcomes of the chosen query, with ln p before and now; of sentences their cosines.

    What came and what changed most are among them. Empty for a model that says nothing.
    """
    every = every_outcome(shown)
    if every is None:
        return []
    kept = {true_outcome(shown)} - {-1}
    if shown.changed and every.comparison.effect is Effect.CHANGED:
        kept.add(every.comparison.at)
    return every.first(MOST, kept)


def largest_outcome(shown: ReadHead) -> Outcome | None:
    """Return the largest outcome now, of all that there are; None without any."""
    every = every_outcome(shown)
    at = None if every is None else largest(every.now)
    return None if every is None or at is None else every.one(at)


def largest_said(shown: ReadHead) -> list[Message]:
    """Say which outcome is the largest of all; nothing without any."""
    first = largest_outcome(shown)
    if first is None:
        return []
    every = every_outcome(shown)
    facts = {"name": said_name(first), "now": value(shown, first.after)}
    if every is not None and every.of_cosines:
        facts["name"] = every.alike(first.number)
    kind = shown.saying.after.kind if shown.saying else ""
    if kind in ("classes", "likeness"):
        return [message(f"table.model_says.{kind}", **facts)]
    return [message("table.model_says.summary", about=about(shown), **facts)]


def changed_said(shown: ReadHead) -> list[Message]:
    """Say which outcome changed most of all, or that nothing did; nothing for a model that says nothing."""
    every = every_outcome(shown)
    if every is None or not len(every.now):
        return []
    found = every.comparison
    of = "_likeness" if every.of_cosines else ""
    place = {} if every.of_cosines else {"about": about(shown)}
    if found.effect is Effect.SAME:
        return [message(f"says.same{of}", **place)]
    one = every.one(found.at)
    before, now = (value(shown, each) for each in (one.before, one.after))
    if found.effect is Effect.UNSEEN:
        return [message(f"says.unseen{of}", **place, apart=found.apart, now=now)]
    facts = {"name": said_name(one), "before": before, "now": now}
    if every.of_cosines:
        return [message("says.likeness", **{**facts, "name": every.alike(found.at)})]
    return [message("says.changed", **place, **facts, kl=apart(shown))]


def true_outcome(shown: ReadHead) -> int:
    """Return the number of the outcome that came at the chosen query; −1 without one."""
    after = None if shown.saying is None else shown.saying.after
    return after.truth[row_of(shown, after)] if isinstance(after, Said) else -1


def value(shown: ReadHead, found: float) -> float:
    """Return what is drawn of an outcome: its probability, or the cosine of two sentences."""
    return found if shown.saying is not None and isinstance(shown.saying.after, Likeness) else math.exp(found)


def named(outcome: Outcome) -> str:
    """Return the name of an outcome as a label of a drawing, its markup escaped."""
    return label(outcome.name)


def said_name(outcome: Outcome) -> str:
    """Return the name of an outcome for a sentence, in which nothing is markup."""
    return unescape(named(outcome))


def place_name(shown: ReadHead, said: Said) -> str:
    """Return the position of which is spoken, with its token, for a sentence."""
    line = shown.run.lines[said.line]
    place = said.places[row_of(shown, said)]
    return f"{place} “{unescape(label(line.tokens[place]))}”"


def about(shown: ReadHead) -> Message:
    """Say of which position the outcomes are."""
    saying = shown.saying
    assert saying is not None
    said = saying.after
    if isinstance(said, Likeness) or said.kind == "classes":
        return message(f"says.about.{said.kind}")
    return message(f"says.about.{said.kind}", place=place_name(shown, said))


def apart(shown: ReadHead) -> float:
    """Return KL(before ‖ now) at the chosen query in nats; NaN without two distributions."""
    saying = shown.saying
    if saying is None or not isinstance(saying.before, Said) or not isinstance(saying.after, Said):
        return math.nan
    row = row_of(shown, saying.after)
    return float(divergence(saying.before, saying.after, slice(row, row + 1)))


def state_name(shown: ReadHead, lang: str, state: str) -> str:
    """Return what a legend calls one of the two states, `before` and `now`: A and B while A is pinned."""
    return text(lang, f"figure.model_says.{_PINNED[state] if shown.pinned else state}")


def text_logs(shown: ReadHead) -> tuple[float, float]:
    """Return the log-probability of the text before and now, in nats; NaN of what has none."""
    saying = shown.saying
    if saying is None:
        return math.nan, math.nan
    return _text_log(saying.before), _text_log(saying.after)


def _text_log(said: Says) -> float:
    return said.text_log if isinstance(said, Said) and said.kind == "next" else math.nan


def layer_entropies(run: ModelRun, other: ModelRun | None = None) -> np.ndarray:
    """Return the mean entropy of the rows of each layer in nats, over its heads whose weights are shares.

    Of two runs that are compared the heads are those that have shares in both. NaN for a layer without such a head.
    """
    found = []
    for number, layer in enumerate(run.layers):
        p = layer.weights.double()
        rows = -(p * p.clamp_min(1e-300).log()).sum(-1)
        if layer.sink is not None:
            sunk = layer.sink.double()
            rows = rows - sunk * sunk.clamp_min(1e-300).log()
        counted = layer.allowed.any(-1).clone()
        left_out = layer.unnormalised | (frozenset() if other is None else other.layers[number].unnormalised)
        counted[..., sorted(left_out), :] = False
        found.append(float(rows[counted].mean()) if bool(counted.any()) else math.nan)
    return np.array(found)


@dataclass(frozen=True)
class Moves:
    """How far heads moved that a change does not set itself, or all heads if it sets each.

    shares    of the heads that are measured, by (layer, head) from 1: those that moved most first
    silent    heads without weights before or now, of which no share is known
    loose     heads whose weights need not add up to 1 before or now
    of_all    True if no head is without a change that acts on itself
    """

    shares: tuple[tuple[tuple[int, int], float], ...]
    silent: tuple[tuple[int, int], ...]
    loose: tuple[tuple[int, int], ...]
    of_all: bool

    @property
    def comparison(self) -> Comparison:
        """What became of the weights of all heads that are measured."""
        found = [share for _, share in self.shares]
        return compared(np.zeros(len(found)), found, LEAST)


@once
def moves(shown: ReadHead) -> Moves:
    """Return how far heads moved. Those that a change sets itself are left out, since that they moved is no news."""
    of_all = all_touched(shown)
    heads = [at for at in shown.heads if of_all or at not in shown.touched] if shown.changed else []
    share = {at: float(shown.moved[at[0] - 1, at[1] - 1]) for at in heads}
    known = sorted((at for at in heads if not math.isnan(share[at])), key=lambda at: (-share[at], at))
    unknown = [at for at in heads if math.isnan(share[at])]
    silent = [at for at in unknown if shown.is_muted(*at) or shown.was_muted(*at)]
    loose = [at for at in unknown if at not in silent]
    return Moves(tuple((at, share[at]) for at in known), tuple(silent), tuple(loose), of_all)


def moved(shown: ReadHead) -> list[tuple[tuple[int, int], float]]:
    """Return the heads that read elsewhere now, from the most moved, as (layer, head) from 1 and the share."""
    return [one for one in moves(shown).shares if one[1] >= LEAST][: 2 * MOST]


def moved_said(shown: ReadHead) -> list[Message]:
    """Say which head moved most of all, or that none did, and which are not measured."""
    found = moves(shown)
    any_ = "_any" if found.of_all else ""
    effect, said = found.comparison.effect, list[Message]()
    if effect is Effect.CHANGED:
        at, share = found.shares[0]
        said.append(message(f"says.moved{any_}", head=head_name(*at), share=share))
    elif effect is Effect.UNSEEN:
        said.append(message(f"says.unmoved{any_}", least=LEAST, share=found.shares[0][1]))
    elif effect is Effect.SAME:
        said.append(message(f"says.still{any_}"))
    for key, heads in (("says.unmeasured", found.loose), ("says.silent", found.silent)):
        if heads:
            said.append(message(key, heads=named_heads(shown, heads)))
    return said


def named_heads(shown: ReadHead, heads: Sequence[tuple[int, int]]) -> list[Message]:
    """Return what heads are called, all of them: a layer whose heads all are among them as one."""
    found = []
    for layer in sorted({layer for layer, _ in heads}):
        of_layer = [at for at in shown.heads if at[0] == layer]
        if len(of_layer) > 1 and set(of_layer) <= set(heads):
            found.append(message("says.heads_of_layer", layer=layer))
        else:
            found += [message("says.head", head=head_name(*at)) for at in heads if at[0] == layer]
    return found


def all_touched(shown: ReadHead) -> bool:
    """Return True if no head is without a change that acts on itself."""
    return shown.touched.issuperset(shown.heads)


def moved_names(found: list[tuple[tuple[int, int], float]]) -> list[str]:
    """Return the names of heads that moved."""
    return [head_name(*at) for at, _ in found]
