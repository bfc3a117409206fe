"""The Map's questions and verdicts against softmax(scale · QKᵀ) in float64: entropies, distances, sinks, keys."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qs

import numpy as np
from numpy.typing import NDArray

from tests.checker import page_map
from tests.checker.checking import Claim, Page, near
from tests.checker.map_truth import SINK, Truth
from tests.checker.terms import of_values, off
from visualiser.locale.message import Message, message
from visualiser.maps.kept import BINS
from visualiser.pages.map import RULES, predicted
from visualiser.pages.map.sequence import subject
from visualiser.predictions import Verdict
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason, unexplained
from visualiser.server.live.page_request import PageRequest

SAME: Final = 0.02
"""The share by which heads, distances and numbers of keys may differ and count as the same."""
TINY: Final = 1e-30
"""A distance below this, of weights that float32 may lack, is as good as none."""
BORDER: Final = 2e-3
"""Nearer to a border than this, either side may be told."""
ROUNDED: Final = 6e-3
"""The share of a number by which three digits of it may be off."""


class Asked(Truth):
    """A map, the question of its link and the answer given."""

    link: str = ""

    @property
    def name(self) -> str:
        posed = _posed(self.link)
        return posed.choice.name if posed else ""

    @property
    def given(self) -> str:
        posed = _posed(self.link)
        assert posed is not None
        among = list(posed.labels or posed.choice.choices)
        return among[int(parse_qs(self.link.partition("#")[0])["answer"][0]) % len(among)]

    @property
    def distances(self) -> NDArray[np.float64]:
        """By head the mean distance between a query and the keys that it weighs."""
        n_q, n_k = self.sizes
        apart = np.abs(np.arange(n_q)[:, None] + n_k - n_q - np.arange(n_k))
        return (self.weights * apart).sum((1, 2)) / self.seeing.sum()

    @property
    def off(self) -> float:
        """How far a cell may lie from the middle of its square."""
        return sum(-(-n // BINS) - 1 for n in self.sizes) / 2

    @property
    def sunk(self) -> tuple[float, float, float]:
        """The weight that sinks take where they take most: by the border of a sink, and just above and below it."""
        mean, least, most = (
            float(np.where(self.shares >= border, self.shares, 0).sum(-1).max())
            for border in (SINK, SINK + BORDER, SINK - BORDER)
        )
        return mean, least, most

    @property
    def used(self) -> tuple[float, float]:
        """The mean number of keys in use, and of those seen."""
        return float(np.exp(self.entropy[:, self.seeing]).mean()), float(self.keys[self.seeing].mean())


def link(draws: random.Random) -> str:
    """Draw a map with a question and an answer."""
    query, mark, file = page_map.link(draws).partition("#")
    own = f"&predict=true&question={draws.choice(RULES.own['question'].choices)}&answer={draws.randint(0, 9)}"
    return f"{query}{own}{mark}{file}"


def truth(link: str) -> Asked:
    """Return the map in float64."""
    found = page_map.truth(link)
    asked = Asked(found.kept, found.head, found.row, found.layer)
    object.__setattr__(asked, "link", link)
    return asked


def _posed(link: str) -> predicted.PosedQuestion | None:
    query, _, file = link.partition("#")
    ask = PageRequest(query, None, frozenset(), page_map.upload(file) if file else b"", "en", "light", 0, "", {}, "map")
    state, _, shown = subject(ask)
    return predicted.pose_question(state, shown)


def sentences_of(link: str) -> list[Message]:
    """Return the question and the verdict."""
    posed = _posed(link)
    if posed is None:
        return []
    return [message(f"predict.{posed.choice.name}.question", **posed.facts), *_verdict(link, posed).sentences]


def _verdict(link: str, posed: predicted.PosedQuestion) -> Verdict:
    asked = truth(link)
    extra = {"prediction": {"name": posed.choice.name, "answer": asked.given}}
    verdict = predicted.judged(asked.kept, extra)
    assert verdict is not None
    assert verdict[1].right == (asked.given in verdict[1].real)
    return verdict[1]


def _allowed(asked: Asked, choice: str, lean: float) -> bool:
    """Return True if an answer is right; `lean` widens (above 0) or narrows what counts."""
    if asked.name in ("narrow_head", "far_head"):
        if asked.name == "narrow_head":
            low, apart = -asked.means, SAME * asked.mean_ceiling
            slack = np.zeros(len(low))
        else:
            low, apart = asked.distances, SAME * asked.distances.max()
            slack = np.full(len(low), asked.off if lean > 0 else 0.0)
        line = low.max() - apart * (1 + lean) - lean * 1e-3
        # two bands that meet, each by a mean that may be off itself
        among = (low >= line) | (low + 4 * slack >= low.max() * (1 - 1e-6))
        return among.sum() > 1 if choice == "none" else bool(among[int(choice) - 1])
    if asked.name == "sink_weight":
        _, least, most = asked.sunk
        ranges = {"less": (SINK, 0.4), "about": (0.4, 0.6), "more": (0.6, np.inf)}
        if choice == "none":
            return asked.sunk[1] < SINK if lean > 0 else asked.sunk[2] == 0
        widths = (ROUNDED if lean > 0 else 0) + lean
        least, most = least * (1 - widths), most * (1 + widths)
    else:
        used, there = asked.used
        ranges = {"few": (0.01, 0.1), "tenth": (0.1, 0.5), "half": (0.5, np.inf)}
        widths = (ROUNDED if lean > 0 else 0) + lean
        least, most = (used / there * by for by in (1 - widths, 1 + widths))
        if choice == "none":
            return least < 0.01
    low, high = ranges[choice]
    return most >= low and least <= high


def _choice(label: Message) -> str:
    return str(label.facts["head"]) if label.key == "predict.head" else label.key.rsplit(".", 1)[1]


def _right(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if _choice(facts["real"]) != asked.given or not _allowed(asked, asked.given, BORDER):
        yield "this answer is wrong"


def _differs(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if _choice(facts["answer"]) != asked.given or _allowed(asked, asked.given, -BORDER):
        yield "this answer is right"
    if not _allowed(asked, _choice(facts["real"]), BORDER):
        yield "what is said to have come did not"


def _several(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    named = [_choice(label) for label in facts["answers"]]
    if len(set(named)) != len(named) or len(named) < 2:
        yield "there are not several"
    for choice in named:
        if not _allowed(asked, choice, BORDER):
            yield f"{choice} is wrong"


def _close(name: str, claimed: float, true: float, off: float = 2e-4) -> Iterator[str]:
    if not (near(claimed, true) or abs(claimed - true) <= off):
        yield f"{name} is {true}, not {claimed}"


def _several_heads(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if len(asked.weights) < 2:
        yield "there is one head"


def _narrow(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _close("the lowest", facts["low"], asked.means.min())
    yield from _close("the highest", facts["high"], asked.means.max())
    yield from _close("what counts as equal", facts["apart"], SAME * asked.mean_ceiling)
    for name, end in (("first", asked.means.min()), ("last", asked.means.max())):
        yield from _close(f"the {name} head's", float(asked.means[facts[name] - 1]), end)


def _far(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    off, found = asked.off, asked.distances
    if facts["off"] > off + 1e-6 or (off == 0) != (facts["off"] < 1e-9):
        yield f"a cell lies at most {off} from the middle of its square"
    for head, distance, end in (("first", "far", found.max()), ("last", "near", found.min())):
        yield from _close(distance, facts[distance], float(found[facts[head] - 1]), off + 1e-3 * found.max() + TINY)
        yield from _close(f"the {head} head's", float(found[facts[head] - 1]), end, 2 * off + 1e-3 * found.max() + TINY)
    yield from _close(
        "what counts as equal", facts["apart"], SAME * found.max(), SAME * off + 1e-4 * found.max() + TINY
    )


def _sink(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["least"] != 100 * SINK or min(asked.seeing.sum(), asked.sizes[1]) < 64:
        yield "a sink is something else, or there are too few tokens"


def _sinks(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    _, least, most = asked.sunk
    head = asked.shares[facts["head"] - 1]
    sunk = [float(head[head >= border].sum()) for border in (SINK + 1e-3, SINK, SINK - 1e-3)]
    if not any(near(facts["share"], 100 * value) or abs(facts["share"] - 100 * value) < 0.05 for value in sunk):
        yield f"head {facts['head']} gives {sunk}"
    if facts["share"] > 100 * most + 0.1 or facts["share"] < 100 * least - 0.1:
        yield f"the most is between {least} and {most}"


def _no_sink(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if asked.shares.max() > SINK + 1e-3:
        yield "there is a sink"


def _keys(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["n"] != asked.sizes[1]:
        yield "there are other keys"


def _used(asked: Asked, facts: Mapping[str, Any]) -> Iterator[str]:
    used, there = asked.used
    yield from _close("the keys in use", facts["used"], used, 1e-3 * used)
    yield from _close("the keys seen", facts["keys"], there)
    yield from _close("the share", facts["share"], 100 * used / there, 0.1 * used / there)


def _together(asked: Asked, sentences: Sequence[Message]) -> Iterator[str]:
    """Ask what the link asks if the map can be asked it, and give one verdict with every right answer."""
    wished = parse_qs(asked.link.partition("#")[0])["question"][0]
    fits = {
        "narrow_head": len(asked.weights) > 1,
        "far_head": len(asked.weights) > 1,
        "sink_weight": min(asked.seeing.sum(), asked.sizes[1]) >= 64,
        "keys_used": asked.sizes[1] >= 20,
    }
    config = asked.kept.config
    plain = config.normalisation == "softmax" and not config.softcap
    if not sentences:
        if plain and any(fits.values()):
            yield "there is a question"
        return
    if not plain:
        yield "questions are about the softmax of the scores"
    if fits.get(wished) and asked.name != wished:
        yield "another question is asked"
    keys = [sentence.key for sentence in sentences]
    if sum(key in ("predict.right", "predict.differs") for key in keys) != 1:
        yield "there is not one verdict"


CLAIMS: Final[Mapping[str, Claim[Asked]]] = {
    "predict.narrow_head.question": _several_heads,
    "predict.far_head.question": _several_heads,
    "predict.sink_weight.question": _sink,
    "predict.keys_used.question": _keys,
    "predict.narrow_head.because": _narrow,
    "predict.far_head.because": _far,
    "predict.sink_weight.because": _sinks,
    "predict.sink_weight.because_none": _no_sink,
    "predict.keys_used.because": _used,
    "predict.right": _right,
    "predict.differs": _differs,
    "predict.several_right": _several,
}


def _reasons(link: str) -> tuple[list[Message], How]:
    posed = _posed(link)
    if posed is None:
        return [], unexplained
    verdict = _verdict(link, posed)
    return verdict.sentences, verdict.how


def _reason(asked: Asked, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the means over queries, and the shares that the others are."""
    key = given.made.key.removeprefix("reason.made.")
    entropy, queries = asked.entropy[:, asked.seeing], int(asked.seeing.sum())
    if key == "mean":
        several = [np.exp(entropy).ravel()] if given.kind == "effective_keys" else list(entropy)
        yield from of_values(given, "rows", several)
    elif key == "keys":
        yield from off(given, cells=int(asked.keys.sum()), rows=queries)
    elif key == "share_of":
        wholes = [asked.mean_ceiling] if asked.name == "narrow_head" else [float(sentence.facts["far"])]
        yield from off(given, share=SAME, of=wholes)
    elif key in ("distance", "sink"):
        yield from off(given, queries=queries)
        if key == "sink":
            least, most = asked.sunk[1] - 1e-3, asked.sunk[2] + 1e-3
            if not least <= parse_number(str(given.made.facts["weight"])) / queries <= most:
                yield f"the weight is {asked.sunk[0] * queries}"
        elif np.abs(asked.distances - float(given.made.facts["value"])).min() > asked.off + 1e-3:
            yield "no head has this distance"
    elif key == "used_share":
        yield from off(given, used=asked.used[0], keys=asked.used[1])
    elif key not in ("plan", "half_square"):
        yield f"nobody checks {key}"


PAGE: Final = Page(
    link,
    sentences_of,
    truth,
    CLAIMS,
    _together,
    _reasons,
    frozenset({"first", "last", "head", "answers", "real", "answer", "count"}),
    _reason,
)
