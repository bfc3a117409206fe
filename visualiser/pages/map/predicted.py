"""The Map's questions about its long sequence: the most selective head, the furthest look, sinks, keys in use.

The question follows from the sizes of the sequence alone, before the pass; the truth comes from the kept map.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from jaxtyping import Float
from torch import Tensor

from attention_core import AttentionConfig
from visualiser import predictions
from visualiser.drawing.weighed import is_plain
from visualiser.locale import text
from visualiser.maps.facts import seeing
from visualiser.maps.geometry import keys
from visualiser.maps.kept import Kept
from visualiser.maps.sinks import FEWEST, SHARE, sinks
from visualiser.pages import narrow_head
from visualiser.pages.map.sequence import Subject
from visualiser.pages.map.store import STORE
from visualiser.pages.map.verdict_reasons import of_verdict
from visualiser.predictions import NONE, Band, Choice, Labels
from visualiser.server.live import parts, predicting
from visualiser.server.live.page_request import PageRequest
from visualiser.state.share import State

NEARLY: Final = 0.02
"""The share by which mean distances may differ and count as the same."""

FEWEST_KEYS: Final = 20
"""Among fewer keys the shares of `KEYS_USED` mean single keys."""

FAR: Final = Choice("far_head")
SINKS: Final = Choice("sink_weight", ("less", "about", "more", NONE))
KEYS_USED: Final = Choice("keys_used", ("few", "tenth", "half", NONE))

SINK_WEIGHTS: Final = {"less": (SHARE, 0.4), "about": (0.4, 0.6), "more": (0.6, math.inf)}
USED: Final = {"few": (0.01, 0.1), "tenth": (0.1, 0.5), "half": (0.5, math.inf)}

QUESTIONS: Final[Mapping[str, Choice]] = {
    one.name: one for one in (narrow_head.QUESTION, FAR, SINKS, KEYS_USED)
}  # in the order in which they are posed


@dataclass(frozen=True)
class PosedQuestion:
    """The question that is posed about a sequence, its choices and the facts of its sentence."""

    choice: Choice
    following: str | None
    labels: Labels | None
    facts: Mapping[str, Any]
    about: str

    def part(self, lang: str) -> bytes:
        """Return the part that shows it."""
        return predicting.question_part(
            self.choice, lang, labels=self.labels, about=self.about, following=self.following, **self.facts
        )


def pose_question(state: State, shown: Subject) -> PosedQuestion | None:
    """Return the question to pose about a sequence; None if the link wants none, or none fits."""
    found = predictions.choose_question(state, askable(shown.config, shown.h, shown.n_q, shown.n_k))
    if found is None:
        return None
    name, following = found
    of_heads = name in (narrow_head.QUESTION.name, FAR.name)
    labels = narrow_head.labels(shown.h, name) if of_heads else None
    facts = {"n": shown.n_k} if name == KEYS_USED.name else {"least": round(100 * SHARE)} if name == SINKS.name else {}
    return PosedQuestion(QUESTIONS[name], following, labels, facts, repr((name, shown.config, shown.n_q, shown.n_k)))


def askable(config: AttentionConfig, h: int, n_q: int, n_k: int) -> list[str]:
    """Return the questions that fit a sequence; none about other weights than the softmax of the scores themselves."""
    if not is_plain(config):
        return []
    queries = int((keys(config, n_q, n_k) > 0).sum())
    fits = {
        narrow_head.QUESTION.name: h > 1,
        FAR.name: h > 1,
        SINKS.name: min(queries, n_k) >= FEWEST,
        KEYS_USED.name: n_k >= FEWEST_KEYS,
    }
    return [name for name in QUESTIONS if fits[name]]


def covers(request: PageRequest) -> bool:
    """Return True if the link poses a question that the kept map answers. Raise `Gone`."""
    kept = STORE.get(request.extra.get("id"))
    h, n_q, _ = kept.Q.shape
    return predictions.choose_question(request.reading.state, askable(kept.config, h, n_q, kept.K.shape[1])) is not None


def reveal(request: PageRequest) -> Iterator[bytes]:
    """Yield the verdict on the visitor's answer about a kept map. Raise `Gone`."""
    kept = STORE.get(request.extra.get("id"))
    verdict = judged(kept, request.extra)
    if verdict is None:
        yield parts.failure(text(request.lang, "error.bad_request"))
        return
    choice, found = verdict
    yield predicting.verdict_part(choice, found, request.lang)


def answered_question(extra: Mapping[str, Any]) -> Choice | None:
    """Return the question that the visitor answered; None without a valid answer."""
    given = extra.get("prediction")
    name = given.get("name") if isinstance(given, dict) else None
    choice = QUESTIONS.get(name) if isinstance(name, str) else None
    return choice if choice and predictions.prediction_of(choice, extra) is not None else None


def judged(kept: Kept, extra: Mapping[str, Any]) -> tuple[Choice, predictions.Verdict] | None:
    """Compare the visitor's answer with the map; None without a valid answer."""
    choice = answered_question(extra)
    if choice is None:
        return None
    labels = None if choice.choices else narrow_head.labels(len(kept.Q), choice.name)
    rights, facts = _TRUTHS[choice.name](kept)
    because = "because_none" if facts.get("count") == 0 else "because"
    found = predictions.judged(choice, extra, rights, labels=labels, because=because, **facts)
    if found is None:
        return None
    sentences = [*found.sentences, *predictions.several_right(choice, rights, labels)]
    return choice, replace(found, sentences=sentences, how=of_verdict(kept))


def _narrow(kept: Kept) -> tuple[list[str], dict[str, Any]]:
    seen = seeing(kept)
    ceiling = float(kept.statistics.ceiling[:, seen].double().mean())
    return narrow_head.truth(kept.statistics.entropy[:, seen].double().mean(-1).tolist(), ceiling)


def _far(kept: Kept) -> tuple[list[str], dict[str, Any]]:
    found = {str(head): band for head, band in enumerate(distances(kept), 1)}
    far, near = (end(found, key=lambda head: found[head].mean) for end in (max, min))
    rights = predictions.plausible_maxima(found, NEARLY * found[far].mean)
    facts = {"first": int(far), "far": found[far].mean, "last": int(near), "near": found[near].mean}
    return rights, {**facts, "off": found[far].most - found[far].mean, "apart": NEARLY * found[far].mean}


def distances(kept: Kept) -> list[Band]:
    """Return for each head the mean distance in tokens between a query and the keys that it weighs.

    It is measured on the squares of the overview, within which a cell may lie half a square from the middle.
    """
    overview, n_q, n_k = kept.overview, kept.Q.shape[1], kept.K.shape[1]
    queries = int(seeing(kept).sum())
    heights, widths = (edges.diff().double() for edges in (overview.row_edges, overview.column_edges))
    rows, columns = (_middles(edges) for edges in (overview.row_edges, overview.column_edges))
    apart = (rows[:, None] + (n_k - n_q) - columns).abs()
    off = (heights[:, None] - 1 + widths - 1) / 2
    return [Band(*_weighed(head, heights[:, None] * widths / queries, apart, off)) for head in overview.mean]


def _weighed(
    mean: Float[Tensor, "i j"],
    share: Float[Tensor, "i j"],
    apart: Float[Tensor, "i j"],
    off: Float[Tensor, "i j"],
) -> tuple[float, float, float]:
    weight = mean.double() * share
    near, far = (apart - off).clamp_min(0), apart + off
    return float((weight * apart).sum()), float((weight * near).sum()), float((weight * far).sum())


def _middles(edges: Tensor) -> Float[Tensor, " squares"]:
    return (edges[:-1] + edges[1:] - 1).double() / 2


def _sinks(kept: Kept) -> tuple[list[str], dict[str, Any]]:
    """Sum the weight on sinks by head."""
    found = sinks(kept, seeing(kept))
    shares = [sum(share for sink in found for at, share in sink.shares if at == head) for head in _numbers(kept)]
    most = max(shares)
    rights = predictions.plausible_ranges(SINK_WEIGHTS, predictions.as_written(most))
    count = sum(len(sink.shares) for sink in found)
    facts = {"share": 100 * most, "count": count, "head": shares.index(most) + 1, "least": round(100 * SHARE)}
    return rights, facts


def _numbers(kept: Kept) -> range:
    """Return the numbers of the heads, from 1."""
    return range(1, len(kept.Q) + 1)


def _keys_used(kept: Kept) -> tuple[list[str], dict[str, Any]]:
    seen = seeing(kept)
    used = float(kept.statistics.statistic("effective_keys")[:, seen].double().mean())
    there = float(keys(kept.config, kept.Q.shape[1], kept.K.shape[1])[seen].double().mean())
    share = used / there
    rights = predictions.plausible_ranges(USED, predictions.as_written(share))
    return rights, {"used": used, "keys": there, "share": 100 * share}


_TRUTHS: Final = {
    narrow_head.QUESTION.name: _narrow,
    FAR.name: _far,
    SINKS.name: _sinks,
    KEYS_USED.name: _keys_used,
}
"""The right answers of each question and the facts of its verdict, from a kept map."""
