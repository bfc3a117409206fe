"""Explore's questions and verdicts: the state before and after the change, at every seed, in float64."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, urlencode

import numpy as np

from tests.checker import page_explore
from tests.checker.checking import Claim, Page, near
from tests.checker.explore_truth import State, asked, factor, result_of, state_of
from tests.checker.terms import of_values, off
from visualiser.locale.message import Message, message
from visualiser.pages.explore import RULES, questions
from visualiser.pages.explore.frame import result_of as computed
from visualiser.pages.explore.frame import shown_state
from visualiser.predictions import Verdict
from visualiser.reasons.digits import parse_number
from visualiser.reasons.explained import How, Reason, unexplained
from visualiser.state import parameters

SAME: Final = 0.02
"""The share by which a value may change and count as the same."""
BORDER: Final = 0.004
"""Nearer to a border than this, either side may be told."""
TINY: Final = 1e-30
FLOAT32: Final = 1e-38
"""A smaller number is 0 to the page."""
LEAST: Final = 1e-35
"""A smaller number may have few digits in float32, or none."""
INFINITE: Final = 1e4
"""The least ratio that float32 may have in place of an infinite one."""
VERDICTS: Final = ("predict.right", "predict.differs", "predict.right_open", "predict.differs_open")
"""The sentences of which one says if the answer is right."""


def link(draws: random.Random) -> str:
    """Draw a state of Explore, mostly a small one, with a question and an answer."""
    settings = dict(parse_qsl(page_explore.link(draws)))
    settings["n"] = str(min(int(settings["n"]), draws.choice((2, 3, 9))))
    settings["h"] = str(draws.choice((1, 2, 2, 4)))
    for name in ("pin",):
        if draws.random() < 0.8:
            settings.pop(name, None)
    if settings.get("file", "").startswith("huge"):
        settings["mechanism"] = "dot_product"  # tanh saturates there, and float32 rounds what it is given
    if draws.random() < 0.9:
        settings |= {"dtype": "float32", "subtract_max": "true"}
    settings["predict"] = "true"
    settings["question"] = draws.choice((*RULES.own["question"].choices, "narrow_head"))
    settings["answer"] = str(draws.randint(0, 8))
    return urlencode(settings)


def sentences_of(query: str) -> list[Message]:
    """Return the question and the verdict; nothing if the state has none."""
    posed = _posed(query)
    if posed is None:
        return []
    return [message(f"predict.{posed.choice.name}.question", **posed.facts), *_verdict(query).sentences]


@lru_cache(maxsize=2)  # the sentences and their reasons are asked one after the other
def _verdict(query: str) -> Verdict:
    ask, posed = asked(query), _posed(query)
    assert posed is not None
    shown, _ = shown_state(ask)
    among = list(posed.labels or posed.choice.choices)
    answer = among[int(parse_qs(query)["answer"][0]) % len(among)]
    extra = {"prediction": {"name": posed.choice.name, "answer": answer}}
    verdict = questions.judged(
        posed, result_of(query).config, extra, lambda config: computed(replace(shown, config=config), ask.upload)
    )
    assert verdict is not None
    assert verdict.right == (answer in verdict.real)
    return verdict


def _posed(query: str) -> questions.PosedQuestion | None:
    shown, _ = shown_state(asked(query))
    return questions.pose_question(shown, result_of(query).config)


@dataclass(frozen=True)
class Truth:
    """A state with a question, and what the question is about: before and after, one number a seed."""

    state: State
    query: str
    name: str
    old: tuple[float, ...]
    new: tuple[float, ...]
    vague: bool = False
    """True if a number is about the least that float32 has, which the page may see as 0 or with few digits."""

    @property
    def answer(self) -> int:
        return int(parse_qs(self.query)["answer"][0])

    @property
    def times(self) -> list[float]:
        pairs = zip(self.old, self.new, strict=True)
        return [new / old if old else 1.0 if not new else float("inf") for old, new in pairs]

    @property
    def entropies(self) -> list[float]:
        """By head the mean entropy of the rows with a key."""
        rows = self.state.rows
        return rows.entropy[:, rows.open].mean(-1).tolist()


def truth(query: str) -> Truth:
    """Measure the state, and the one after the change that the question's name says."""
    posed = _posed(query)
    state = state_of(query)
    if posed is None or posed.name == "narrow_head":
        return Truth(state, query, posed.name if posed else "", (), ())
    change, measure = posed.name.split("_")
    fixed = state.upload and state.config.mechanism == "dot_product"
    shape = result_of(query).config
    count = next(n for n in range(5, 22, 2) if n * shape.n * shape.h >= 640 or n == 21)
    most = int(parameters.bounds(parameters.EXPLORE)["seed"].maximum)
    seeds = [(state.config.seed + i) % (most + 1) for i in range(1 if fixed else count)]
    pairs = [(_measured(query, seed, None, measure), _measured(query, seed, change, measure)) for seed in seeds]
    old, new = zip(*((before * (before > FLOAT32), after * (after > FLOAT32)) for before, after in pairs), strict=True)
    vague = any(0 < value < LEAST for pair in pairs for value in pair)
    return Truth(state, query, posed.name, old, new, vague)


@lru_cache(maxsize=64)
def _measured(query: str, seed: int, change: str | None, measure: str) -> float:
    """Return the measure of a state at another seed, after a change of its link."""
    config = state_of(query).config
    settings = dict(parse_qsl(query)) | {"seed": str(seed)}
    settings.pop("row", None)
    match change:
        case "unscaled":
            settings["scaling"] = "none"
        case "scaled":
            settings["scaling"] = "sqrt_d_k"
        case "wider":
            settings |= {"d_k": str(4 * config.d_k), "tie": "false"}
        case "heads":
            settings |= {"h": str(2 * config.h), "tie": "true"}
            settings.pop("d_k", None)
        case "causal":
            settings["mask"] = "causal"
    state = state_of(urlencode(settings))
    match measure:
        case "entropy" | "norm" | "largest":
            return state.mean(measure)
        case _:
            scores = state.rows.every_score
            return 0.0 if np.ptp(scores) <= 1e-3 * min(1.0, np.abs(scores).max()) else float(scores.var())


def _interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median and the two draws between which it lies but for one case in 16, by counting coins."""
    ordered = np.sort(np.array(values))
    count = len(ordered)
    at = [k for k in range(count) if 32 * sum(math.comb(count, fell) for fell in range(k + 1)) <= 2**count]
    end = max(at, default=0)
    return float(ordered[(count - 1) // 2]), float(ordered[end]), float(ordered[-1 - end])


def _met(low: float, high: float, lean: float) -> set[str]:
    """Return the answers whose ratios an interval meets; `lean` widens (above 0) or narrows what each of them holds."""
    holds = {
        "halves": low <= 0.5 + lean,
        "doubles": high >= 2 - 4 * lean,
        "stays": low <= 1 + SAME + lean and high >= 1 - SAME - lean,
    }
    return {name for name, holding in holds.items() if holding}


def _rights(truth: Truth, lean: float) -> set[str]:
    """Return the answers that the ratios do not rule out; none of them only if all are."""
    _, low, high = _interval(truth.times)
    return _met(low, high, lean) | (set() if _met(low, high, -lean) else {"none"})


def _likeliest(truth: Truth, choice: str) -> bool | None:
    """Return True if the median ratio is this answer's; None near a border."""
    if truth.name == "narrow_head":
        return True
    middle, _, _ = _interval(truth.times)
    found = [choice in (_met(middle, middle, lean) or {"none"}) for lean in (BORDER, -BORDER)]
    return found[0] if found[0] == found[1] and not truth.vague else None


def _change(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    change, measure = truth.name.split("_")
    if facts["measure"].key != f"predict.measure.{measure}" or facts["change"].key != f"predict.changed.{change}":
        yield "another question is asked"
    config, stated = truth.state.config, facts["change"].facts
    after = {
        "unscaled": {"old": factor(config), "new": factor(replace(config, scaling="none"))},
        "scaled": {"old": factor(config), "new": factor(replace(config, scaling="sqrt_d_k"))},
        "wider": {"old": config.d_k, "new": 4 * config.d_k},
        "heads": {
            "old": config.h,
            "new": 2 * config.h,
            "d_model": config.d_model,
            "before": config.d_k,
            "after": config.d_model // (2 * config.h),
        },
        "causal": {},
    }[change]
    if stated.keys() != after.keys() or any(not near(stated[name], value, 9) for name, value in after.items()):
        yield f"the change is {after}"
    if change in ("unscaled", "scaled") and (config.mechanism == "additive" or stated.get("new", 1) == stated["old"]):
        yield "nothing would change"
    if change in ("wider", "heads") and (truth.state.upload or max(after.values()) > 1024):
        yield "no control can do it"
    if change == "causal" and config.mask != "none":
        yield "there is a mask already"


def _band(sentence: Message, values: Sequence[float]) -> Iterator[str]:
    facts: dict[str, float] = dict(zip(("mean", "least", "most"), _interval(values), strict=True))
    for name, claimed in sentence.facts.items():
        true = facts[name]
        if not (near(claimed, true, 2) or abs(claimed - true) < TINY):
            yield f"{name} is {true}, not {claimed}"
    least, most = facts["least"], facts["most"]
    if sentence.key == "predict.exactly" and most - least > 0.02 * abs(most) + TINY:
        yield f"it goes from {least} to {most}"


def _because(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    for name in ("before", "after"):
        yield from _band(facts[name], truth.old if name == "before" else truth.new)
    if min(truth.old) > TINY and not truth.vague:
        yield from _band(facts["times"], truth.times)
    if facts["draws"] != len(truth.old):
        yield f"there are {len(truth.old)} draws"


def _because_one(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _because(truth, facts)
    if not truth.state.upload:
        yield "it is drawn"


def _rule(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if facts["share"] != 100 * SAME:
        yield "another share"


def _medians(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if len(truth.old) < 2:
        yield "there is one draw"


def _choice(label: Message) -> str:
    return str(label.facts["head"]) if label.key == "predict.head" else label.key.rsplit(".", 1)[1]


def _allowed(truth: Truth, choice: str, lean: float) -> bool:
    if truth.name != "narrow_head":
        return choice in _rights(truth, lean) if not truth.vague else lean > 0
    means, apart = truth.entropies, SAME * truth.state.mean_ceiling
    near_enough = [mean <= min(means) + apart * (1 + lean) + lean * 1e-3 for mean in means]
    return sum(near_enough) > 1 if choice == "none" else near_enough[int(choice) - 1]


def _given(truth: Truth) -> str:
    posed = _posed(truth.query)
    assert posed is not None
    among = list(posed.labels or posed.choice.choices)
    return among[truth.answer % len(among)]


def _right(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if _choice(facts["real"]) != _given(truth) or not _allowed(truth, _given(truth), BORDER):
        yield "this answer is wrong"
    if _likeliest(truth, _given(truth)) is False:
        yield "it is not the likeliest"


def _right_open(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if _choice(facts["real"]) != _given(truth) or not _allowed(truth, _given(truth), BORDER):
        yield "this answer is ruled out"
    if _likeliest(truth, _given(truth)):
        yield "it is the likeliest"


def _differs_open(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    yield from _differs(truth, facts)
    if _likeliest(truth, _choice(facts["real"])):
        yield "it is the likeliest"


def _differs(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if _choice(facts["answer"]) != _given(truth) or _allowed(truth, _given(truth), -BORDER):
        yield "this answer is right"
    if not _allowed(truth, _choice(facts["real"]), BORDER):
        yield "what is said to have come did not"


def _several(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    named = [_choice(label) for label in facts["answers"]]
    if len(set(named)) != len(named) or len(named) < 2:
        yield "there are not several"
    for choice in named:
        if not _allowed(truth, choice, BORDER):
            yield f"{choice} is wrong"


def _heads(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    means = truth.entropies
    true = {"low": min(means), "high": max(means), "apart": SAME * truth.state.mean_ceiling}
    for name, value in true.items():
        if not (near(facts[name], value) or abs(facts[name] - value) < 1e-6):
            yield f"{name} is {value}"
    for name, end in (("first", min(means)), ("last", max(means))):
        if abs(means[facts[name] - 1] - end) > 1e-5 * max(1e-3, end):
            yield f"head {facts[name]} is not there"


def _selective(truth: Truth, facts: Mapping[str, Any]) -> Iterator[str]:
    if len(truth.entropies) < 2:
        yield "there is one head"


def _together(truth: Truth, sentences: Sequence[Message]) -> Iterator[str]:
    """Ask what the link asks if the state can be asked it, and give one verdict with every right answer."""
    wished = parse_qs(truth.query)["question"][0]
    if not sentences:
        if len(truth.entropies) > 1 and _careful(truth):
            yield "the heads could be asked about"
        return
    keys = [sentence.key for sentence in sentences]
    if sum(key in VERDICTS for key in keys) != 1:
        yield "there is not one verdict"
    if not _careful(truth):
        yield "a number may be lost in this format"
    if wished == "narrow_head" and len(truth.entropies) > 1 and truth.name != wished:
        yield "another question is asked"
    if (
        wished.startswith("causal")
        and truth.state.config.mask == "none"
        and not _pinned(truth)
        and truth.name != wished
    ):
        yield "another question is asked"
    if _pinned(truth) and truth.name != "narrow_head":
        yield "A may be the state after the change"
    if truth.name != "narrow_head" and (len(_rights(truth, -BORDER)) > 1) and "predict.several_right" not in keys:
        yield "several answers are right"


def _careful(truth: Truth) -> bool:
    """Return True if no number is lost in a format and the weights are the softmax of the scores, as questions say."""
    config = truth.state.config
    of_scores = config.normalisation == "softmax" and not config.softcap
    return of_scores and config.dtype == "float32" and config.subtract_max


def _pinned(truth: Truth) -> bool:
    return "pin" in parse_qs(truth.query)


CLAIMS: Final[Mapping[str, Claim[Truth]]] = {
    "predict.change.question": _change,
    "predict.change.because": _because,
    "predict.change.because_one": _because_one,
    "predict.change.medians": _medians,
    "predict.change.rule": _rule,
    "predict.narrow_head.question": _selective,
    "predict.narrow_head.because": _heads,
    "predict.right": _right,
    "predict.differs": _differs,
    "predict.right_open": _right_open,
    "predict.differs_open": _differs_open,
    "predict.several_right": _several,
}


def _asked(query: str) -> tuple[list[Message], How]:
    posed = _posed(query)
    if posed is None:
        return [], unexplained
    verdict = _verdict(query)
    return verdict.sentences, verdict.how


def _reason(truth: Truth, sentence: Message, name: str, given: Reason) -> Iterator[str]:
    """Check the draws behind a change, and the rows behind a head's mean."""
    key, facts = given.made.key.removeprefix("reason.made."), given.made.facts
    if key in ("seeds_median", "end_of_draws.least", "end_of_draws.most"):
        several = [list(truth.old), list(truth.new), truth.times]
        wrong = [[*_of_draws(key, facts, values)] for values in several if not truth.vague]
        if wrong and all(wrong):
            yield from wrong[0]
    elif key == "draws":
        if len(truth.old) != facts["draws"]:
            yield f"there are {len(truth.old)} draws"
    elif key == "mean":
        rows = truth.state.rows
        yield from of_values(given, "rows", list(rows.entropy[:, rows.open]))
    elif key == "share_of":
        yield from off(given, share=SAME, of=truth.state.mean_ceiling)
    elif key not in ("plan", "seed", "seeds_in_a_row"):
        yield f"nobody checks {key}"


def _of_draws(key: str, facts: Mapping[str, Any], values: Sequence[float]) -> Iterator[str]:
    true = {"least": min(values), "most": max(values)}
    true["seeds"] = true["draws"] = len(values)
    if key == "seeds_median":
        true["value"] = _interval(values)[0]
    else:
        true["value"] = sorted(values, reverse=key.endswith("most"))[facts["at"] - 1]
    for name, value in true.items():
        if name in facts:
            claimed = parse_number(facts[name]) if isinstance(facts[name], str) else float(facts[name])
            rounded = math.isinf(value) and claimed > INFINITE  # float32 leaves a remainder where nothing is
            if not rounded and not near(claimed, value, 2) and abs(claimed - value) > 1e-5:
                yield f"{name} is {value}"


PAGE: Final = Page(
    link,
    sentences_of,
    truth,
    CLAIMS,
    _together,
    _asked,
    frozenset({"first", "last", "head", "measure", "answers", "real", "answer"}),
    _reason,
)
