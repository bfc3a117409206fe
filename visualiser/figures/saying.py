"""What a model says of what the page shows, before and after a change, as figures and sentences take it."""

import math
from html import unescape
from typing import Final

import numpy as np

from attention_core.learned import Likeness, ModelRun, Outcome, Said, Says, divergence
from visualiser.drawing.labels import label
from visualiser.figures.read_head import ReadHead, head_name
from visualiser.locale import text
from visualiser.locale.message import Message, message

MOST: Final = 5
"""Outcomes that are shown, and heads that moved."""

_PINNED: Final = {"before": "a", "now": "b"}


def row_of(shown: ReadHead, said: Said) -> int:
    """Return the row of a distribution that belongs to the chosen query, or the last one where a line has others."""
    if shown.run.between[shown.layer - 1][0] != said.line or said.kind == "classes":
        return len(said.places) - 1
    return said.at(shown.place(shown.row))


def says_something(shown: ReadHead) -> bool:
    """Return True if there are outcomes to draw: a model may say nothing, and one sentence has no pair."""
    after = None if shown.saying is None else shown.saying.after
    return isinstance(after, Said) or (after is not None and len(after.sentences) > 1)


def outcomes(shown: ReadHead) -> list[Outcome]:
    """Return the largest outcomes of the chosen query, with ln p before and now; of sentences their cosines.

    Empty for a model that says nothing.
    """
    saying = shown.saying
    if saying is None:
        return []
    before, after = saying.before, saying.after
    if isinstance(before, Said) and isinstance(after, Said):
        return after.first(before, row_of(shown, after), MOST)
    assert isinstance(before, Likeness)
    assert isinstance(after, Likeness)
    count = len(after.sentences)
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)][:MOST]
    return [
        Outcome(number, f"{one + 1}–{other + 1}", float(before.cosines[one, other]), float(after.cosines[one, other]))
        for number, (one, other) in enumerate(pairs)
    ]


def most_changed(shown: ReadHead) -> Outcome | None:
    """Return the outcome whose probability, or cosine, has changed most, of all that there are; None without any."""
    found = shown.saying
    if found is not None and isinstance(found.before, Said) and isinstance(found.after, Said):
        row = row_of(shown, found.after)
        then, now = found.before.logs[row], found.after.logs[row]
        at = int((now.double().exp() - then.double().exp()).abs().argmax())
        return Outcome(at, found.after.name(at), float(then[at]), float(now[at]))
    return max(outcomes(shown), key=lambda one: abs(value(shown, one.after) - value(shown, one.before)), default=None)


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


def moved(shown: ReadHead) -> list[tuple[tuple[int, int], float]]:
    """Return the heads that read elsewhere now, from the most moved, as (layer, head) from 1 and the share.

    Heads on which a change acts itself are left out, since that they moved is no news, unless it acts on all.
    """
    if not shown.changed:
        return []
    every = all_touched(shown)
    heads = [(at, float(shown.moved[at[0] - 1, at[1] - 1])) for at in shown.heads if every or at not in shown.touched]
    there = [(at, share) for at, share in heads if share > LEAST]
    return sorted(there, key=lambda one: (-one[1], one[0]))[: 2 * MOST]


def all_touched(shown: ReadHead) -> bool:
    """Return True if no head is without a change that acts on itself."""
    return shown.touched.issuperset(shown.heads)


LEAST: Final = 5e-4
"""A share below which a head counts as unmoved: nothing of it is seen at three digits."""


def moved_names(found: list[tuple[tuple[int, int], float]]) -> list[str]:
    """Return the names of heads that moved."""
    return [head_name(*at) for at, _ in found]
