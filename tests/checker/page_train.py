"""The Train page: what it says of snapshots, recomputed from their numbers alone.

A state is a link and, behind #, the outcome of its experiment: drawn at random (seeds that agree or not, models that
learn all or nothing, heads that read one name or all), shipped with the page, or trained here for a step or two.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import torch

from attention_core.experiments import (
    HeadsExperiment,
    HeadsSnapshot,
    QualityExperiment,
    QualitySnapshot,
    Snapshot,
    train,
)
from tests.checker.checking import Cell, Page, near
from tests.checker.terms import of_values, off
from visualiser.figures import heads_accuracy, heads_maps, heads_mass, train_accuracy, train_gradient, train_steps
from visualiser.figures.training import Model, Training, table
from visualiser.locale.message import Message
from visualiser.pages.train import RULES, live, questions, reasons
from visualiser.pages.train import sentences as page
from visualiser.pages.train.shipped_results import snapshots_from
from visualiser.predictions import CLOSE, Curve
from visualiser.reasons.explained import How, Reason
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View
from visualiser.tables import Table

Experiment = QualityExperiment | HeadsExperiment

KINDS = ("any", "alike", "perfect", "chance", "apart", "near", "wide", "dead", "even")
WIDTHS = ("4", "16", "64", "256", "1024")
MECHANISMS = ("scaled", "unscaled", "additive", "qk_norm_unscaled")
HEADS = ("1", "2", "3", "4", "8")
UNCLEAR = 0.02
"""The error of one seed's accuracy on 512 examples near ½ (`RECIPE_BOUNDS`)."""


def link(rng: random.Random) -> str:
    """Draw a state."""
    if rng.random() < 0.01:
        return f"page=train&experiment={rng.choice(('quality', 'heads'))}#shipped"
    settings = {"seeds": rng.choice((1, 1, 2, 3, 5)), "steps": rng.choice((0, 50, 150))}
    if rng.random() < 0.5:
        settings |= {
            "experiment": "heads",
            "heads": _some(HEADS, rng),
            "m": rng.choice((1, 1, 2, 3, 4, 8)),
            "classes": rng.choice((8, 16, 32, 64, 64)),
            "mlp": str(rng.random() < 0.5).lower(),
        }
    else:
        settings |= {
            "task": rng.choice(("reverse", "recall", "noisy")),
            "mechanisms": _some(MECHANISMS, rng),
            "widths": _some(WIDTHS, rng),
            "initialisation": rng.choice(("standard", "small_projections", "large_projections", "large_w")),
        }
    query = "&".join(f"{name}={value}" for name, value in settings.items())
    kind = "real" if rng.random() < 0.01 else rng.choice(KINDS)
    return f"page=train&{query}#{kind}-{rng.randrange(2**32)}"


def _some(values: Sequence[str], rng: random.Random) -> str:
    count = rng.choice((1, 1, 2, len(values)))
    return ",".join(rng.sample(values, min(count, len(values))))


@cache
def trained_here(wanted: Experiment) -> tuple[Snapshot, ...]:
    return tuple(train(wanted))


def state(link: str) -> tuple[Experiment, list[Snapshot]]:
    """Return the experiment of a link and its outcome: the first and the last snapshot of each curve."""
    query, _, source = link.partition("#")
    kind, _, seed = source.partition("-")
    wanted = live.experiment(share.read(query).state)
    if kind == "shipped":
        name = "train_heads" if isinstance(wanted, HeadsExperiment) else "train_quality"
        return wanted, list(snapshots_from(wanted, shipped(name).results))
    if kind == "real":
        tiny: Any = replace(wanted, steps=1, batch=2, evaluation=32, seeds=1)
        if isinstance(tiny, QualityExperiment):
            tiny = replace(tiny, d_k=tuple(min(size, 16) for size in tiny.d_k))
        return tiny, list(trained_here(tiny))
    rng = np.random.default_rng(int(seed))
    return wanted, _heads(wanted, kind, rng) if isinstance(wanted, HeadsExperiment) else _quality(wanted, kind, rng)


def _accuracies(kind: str, seeds: int, rng: np.random.Generator) -> torch.Tensor:
    centre, width = rng.uniform(0.1, 1), 0.05
    if kind == "perfect":
        centre, width = 1.0, 0.0
    if kind == "chance":
        centre, width = 0.125, 0.01
    if kind == "alike":
        width = 0.0
    if kind == "near":  # differences at the thresholds
        centre, width = rng.choice((0.5, 0.52, 0.6, 0.61, 0.9)), 0.01
    if kind == "wide":
        width = 0.5
    return torch.tensor(np.clip(centre + width * rng.uniform(-1, 1, seeds), 0, 1), dtype=torch.float32)


def _quality(wanted: QualityExperiment, kind: str, rng: np.random.Generator) -> list[Snapshot]:
    found: list[Snapshot] = []
    for curve in wanted.curves:
        seeds = len(wanted.every_seed)
        power = 0.0 if kind == "dead" else 10.0 ** rng.choice((-30, -8, -4, -2, 0))
        gradient = torch.tensor(power * rng.uniform(0.1, 1, seeds), dtype=torch.float32)
        projections = torch.tensor(10.0 ** rng.uniform(-2, 1, seeds), dtype=torch.float32)
        for step in (0, wanted.steps):
            accuracy = _accuracies(kind, seeds, rng)
            entropy = torch.tensor(rng.uniform(0, 2, seeds), dtype=torch.float32)
            found.append(
                QualitySnapshot(
                    curve, wanted.every_seed, step, wanted.steps, accuracy, entropy, gradient, gradient, projections
                )
            )
    return found


def _heads(wanted: HeadsExperiment, kind: str, rng: np.random.Generator) -> list[Snapshot]:
    found: list[Snapshot] = []
    for curve in wanted.curves:
        seeds, h, m = len(wanted.every_seed), curve.h, wanted.m
        apart = rng.uniform(0, 1, (2, seeds)) if kind != "even" else np.zeros((2, seeds))
        if h == 1:
            apart[:] = np.nan
        mass = rng.dirichlet([0.1] * 9, (seeds, h))[..., :m] if kind != "even" else np.full((seeds, h, m), 0.125)
        if kind == "perfect":
            mass = np.zeros((seeds, h, m))
            mass[..., 0] = 1.0
        weights, start, now = (torch.tensor(one, dtype=torch.float32) for one in (mass, *apart))
        for step in (0, wanted.steps):
            accuracy = _accuracies(kind, seeds, rng)
            measured = (accuracy, accuracy, now, start, weights, torch.zeros(seeds, h, m, 8, 8))
            found.append(HeadsSnapshot(curve, wanted.every_seed, step, wanted.steps, *measured))
    return found


@dataclass(frozen=True)
class Truth:
    """An experiment and its snapshots, as arrays of float64 over the seeds."""

    wanted: Any
    shots: list[Snapshot]

    @property
    def heads(self) -> bool:
        return isinstance(self.wanted, HeadsExperiment)

    def accuracy(self, name: Any, size: int | None = None) -> np.ndarray:
        """Return the accuracies of a curve's last snapshot."""
        shots: list[Any] = [
            shot
            for shot in self.shots
            if (shot.curve.h == name if self.heads else (shot.curve.mechanism, shot.curve.d_k) == (name, size))  # pyright: ignore[reportAttributeAccessIssue]
        ]
        return shots[-1].accuracy.double().numpy()

    def start(self, name: str, size: int, measure: str) -> float:
        """Return the median over the seeds of a measure before the first step, the lower one of two."""
        (shot,) = [s for s in self.shots if s.step == 0 and (s.curve.mechanism, s.curve.d_k) == (name, size)]  # pyright: ignore[reportAttributeAccessIssue]
        values = sorted(getattr(shot, measure).double().tolist())
        return values[(len(values) - 1) // 2]

    def last(self, h: int) -> HeadsSnapshot:
        return [s for s in self.shots if isinstance(s, HeadsSnapshot) and s.curve.h == h][-1]

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.wanted.d_k), max(self.wanted.d_k)


def truth(link: str) -> Truth:
    return Truth(*state(link))


STOPS = (0, 1, 3, None)
"""The snapshots after which the captions are read: none, some, all."""


def sentences_of(link: str) -> Sequence[Message]:
    """Return every sentence of the page in a state: the plan, the outcome, captions on the way, and every verdict."""
    wanted, shots = state(link)
    found = [*page.plan(wanted), *page.insight(wanted, shots), questions.question_sentence(wanted)]
    for count in STOPS:
        for figure in (train_accuracy, train_steps, train_gradient, heads_accuracy, heads_mass, heads_maps):
            found += figure.sentence(Model(wanted, shots[:count], 1), View())
    name = questions.question(wanted).name
    for answer in _answers(wanted, shots):
        verdict = questions.judged(wanted, shots, {"prediction": {"name": name, "answer": answer}})
        if verdict:
            found += verdict.sentences
    return found


def _answers(wanted: Experiment, shots: list[Snapshot]) -> list[Any]:
    asked = questions.question(wanted)
    if not isinstance(asked, Curve):
        return list(asked.choices)
    true = Truth(wanted, shots)
    means = [float(true.accuracy(int(h)).mean()) for h in asked.x]
    return [means, [0.5] * len(means), [1.0 - mean for mean in means]]


Facts = Mapping[str, Any]


def _one_of(*allowed: bool) -> Iterable[str]:
    if not all(allowed):
        yield "this is another experiment"


def _plan_heads(true: Truth, facts: Facts) -> Iterable[str]:
    wanted = true.wanted
    yield from _one_of(true.heads)
    stated = (list(facts["h"]), facts["curves"], facts["seeds"], facts["steps"], facts["m"], facts["d_model"])
    if stated != (list(wanted.h), len(wanted.h), wanted.seeds, wanted.steps, wanted.m, wanted.d_model):
        yield "another plan"


def _plan_quality(true: Truth, facts: Facts) -> Iterable[str]:
    wanted = true.wanted
    yield from _one_of(not true.heads)
    stated = (list(facts["d_k"]), facts["curves"], facts["seeds"], facts["steps"])
    if stated != (list(wanted.d_k), len(wanted.d_k) * len(wanted.mechanism), wanted.seeds, wanted.steps):
        yield "another plan"


def _task(name: str) -> Any:
    return lambda true, facts: _one_of(not true.heads and true.wanted.task == name)


def _outcome(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if (facts["low"], facts["high"]) != (low, high) or low == high:
        yield f"the widths go from {low} to {high}"
        return
    yield from _curves(true, facts["curves"], ("from", "to"), (low, high))


def _outcome_one(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high:
        yield f"the widths go from {low} to {high}"
        return
    yield from _curves(true, facts["curves"], ("value",), (low,))


def _curves(true: Truth, curves: Sequence[Message], names: Sequence[str], sizes: Sequence[int]) -> Iterable[str]:
    if [_mechanism(curve.facts["name"]) for curve in curves] != list(true.wanted.mechanism):
        yield "other mechanisms were trained"
    for curve in curves:
        mechanism = _mechanism(curve.facts["name"])
        for name, size in zip(names, sizes, strict=True):
            if not near(curve.facts[name], float(true.accuracy(mechanism, size).mean())):
                yield f"{mechanism} at {size} is another number"


def _mechanism(label: Message) -> str:
    return label.key.rpartition(".")[2]


def _pair(true: Truth) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the accuracies of additive and unscaled at the largest of several widths."""
    low, high = true.ends
    if low == high or not {"additive", "unscaled"} <= set(true.wanted.mechanism):
        return None
    return true.accuracy("additive", high), true.accuracy("unscaled", high)


def _claim(better: int) -> Any:
    """Check "every seed of one is better than every seed of the other", beyond the evaluation's error."""

    def check(true: Truth, facts: Facts) -> Iterable[str]:
        pair = _pair(true)
        if pair is None or true.wanted.seeds < 2:
            yield "no several seeds of both, or no larger width"
        elif facts["d_k"] != true.ends[1]:
            yield "not the largest width"
        elif pair[better].min() <= pair[1 - better].max() + UNCLEAR:
            yield f"the seeds overlap: {pair}"

    return check


def _claim_open(true: Truth, facts: Facts) -> Iterable[str]:
    pair = _pair(true)
    if pair is None or true.wanted.seeds < 2 or facts["d_k"] != true.ends[1]:
        yield "no several seeds of both, or no larger width"
        return
    additive, unscaled = pair
    if additive.min() > unscaled.max() + 0.0201 or unscaled.min() > additive.max() + 0.0201:
        yield "the seeds lie clearly apart"
    ranges = (additive.min(), additive.max(), unscaled.min(), unscaled.max())
    stated = (facts["additive_least"], facts["additive_most"], facts["unscaled_least"], facts["unscaled_most"])
    if not all(near(one, float(other)) for one, other in zip(stated, ranges, strict=True)):
        yield f"the ranges are {ranges}"


def _claim_alone(true: Truth, facts: Facts) -> Iterable[str]:
    pair = _pair(true)
    if pair is None or true.wanted.seeds != 1 or facts["d_k"] != true.ends[1]:
        yield "there are several seeds, or not both mechanisms"
    elif not (near(facts["additive"], float(pair[0][0])) and near(facts["unscaled"], float(pair[1][0]))):
        yield "other numbers"


def _normed(true: Truth) -> dict[str, set[tuple[str, int]]]:
    """Return the mechanisms and widths that every seed of QK-norm beats, those that beat it, and the others."""
    found: dict[str, set[tuple[str, int]]] = {"beats": set(), "beaten": set(), "open": set()}
    for name in set(true.wanted.mechanism) - {"qk_norm_unscaled"}:
        for size in true.wanted.d_k:
            one, other = true.accuracy("qk_norm_unscaled", size), true.accuracy(name, size)
            way = "beats" if (one[:, None] > other + UNCLEAR).all() else "open"
            found["beaten" if (other[:, None] > one + UNCLEAR).all() else way].add((name, size))
    return found


def _norm(way: str) -> Any:
    """Check that exactly those are listed that QK-norm beats, or that beat it, or that the seeds leave open."""

    def check(true: Truth, facts: Facts) -> Iterable[str]:
        if "qk_norm_unscaled" not in true.wanted.mechanism or true.wanted.seeds < 2:
            yield "QK-norm was not trained, or with one seed"
            return
        listed = [(_mechanism(one.facts["name"]), size) for one in facts["others"] for size in one.facts["d_k"]]
        if len(listed) != len(set(listed)) or set(listed) != _normed(true)[way]:
            yield f"{way}: {_normed(true)[way]}"

    return check


def _norm_alone(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _one_of(true.wanted.seeds == 1, "qk_norm_unscaled" in true.wanted.mechanism)
    yield from _one_of(len(true.wanted.mechanism) > 1)


def _norm_starts(true: Truth, facts: Facts) -> Iterable[str]:
    high = true.ends[1]
    if facts["d_k"] != high or "qk_norm_unscaled" not in true.wanted.mechanism:
        yield "QK-norm was not trained, or this is not the largest width"
        return
    for name, measure in (("scores", "score_gradient"), ("weights", "projection_gradient")):
        if not near(facts[name], true.start("qk_norm_unscaled", high, measure)):
            yield f"the {measure} is {true.start('qk_norm_unscaled', high, measure)}"


def _gradients(true: Truth, facts: Facts) -> Iterable[str]:
    high = true.ends[1]
    if facts["d_k"] != high or not {"scaled", "unscaled"} <= set(true.wanted.mechanism):
        yield "not both mechanisms, or not the largest width"
        return
    for name in ("unscaled", "scaled"):
        for which, measure in (("scores", "score_gradient"), ("weights", "projection_gradient")):
            if not near(facts[f"{name}_{which}"], true.start(name, high, measure)):
                yield f"the {measure} of {name} is {true.start(name, high, measure)}"


def _vanishes(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _gradients(true, facts)
    high = true.ends[1]
    if not true.start("unscaled", high, "score_gradient") <= true.start("scaled", high, "score_gradient") / 1000:
        yield "nothing vanishes"
    if true.start("scaled", high, "score_gradient") == 0:
        yield "with scaling there is no gradient either"
    if true.start("unscaled", high, "projection_gradient") < true.start("scaled", high, "projection_gradient") / 2:
        yield "the gradient that reaches the projections shrinks as well"


def _heads_outcome(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _one_of(true.heads)
    if facts["m"] != true.wanted.m:
        yield "another number of positions"
    if [one.facts["h"] for one in facts["values"]] != sorted(true.wanted.h):
        yield "other numbers of heads"
    for one in facts["values"]:
        if not near(one.facts["accuracy"], float(true.accuracy(one.facts["h"]).mean())):
            yield f"h = {one.facts['h']} is another number"


def _mass(true: Truth, facts: Facts) -> Iterable[str]:
    m = true.wanted.m
    if facts["h"] != m or m not in true.wanted.h:
        yield "these heads were not trained"
        return
    mass = true.last(m).mass[0].double().numpy()
    if not near(facts["mass"], float(mass.max(1).mean())):
        yield f"they put {mass.max(1).mean()} on it"
    ordered = np.sort(mass, 1)
    if m > 1 and (ordered[:, -1] - ordered[:, -2]).min() < 0.01:
        yield "a head has no favourite"
    if facts.get("names", 1) != len(set(mass.argmax(1).tolist())):
        yield "another number of names"


def _share(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["h"] < 2:
        yield "a single head shares nothing"
    yield from _mass(true, facts)


def _share_one(true: Truth, facts: Facts) -> Iterable[str]:
    if true.wanted.m != 1:
        yield "several names"
    yield from _mass(true, {**facts, "h": 1})


def _divergence(true: Truth, facts: Facts) -> Iterable[str]:
    m = true.wanted.m
    if facts["h"] != m or m not in true.wanted.h or m < 2:
        yield "no two heads were trained"
        return
    shot = true.last(m)
    before, after = (float(values.double().mean()) for values in (shot.start_divergence, shot.divergence))
    if not (near(facts["before"], before) and near(facts["after"], after)):
        yield f"it goes from {before} to {after}"


def _divergence_misleads(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _divergence(true, facts)
    if facts["before"] < 0.01:
        yield "random heads do not differ"


def _mlp(true: Truth, facts: Facts) -> Iterable[str]:
    if not (true.heads and true.wanted.mlp and true.wanted.m > 1 and 1 in true.wanted.h):
        yield "no single head with an MLP behind it reads several positions"
        return
    if not near(facts["accuracy"], float(true.accuracy(1).mean())) or facts["m"] != true.wanted.m:
        yield "another number"


def _more_values(true: Truth, facts: Facts) -> Iterable[str]:
    if true.wanted.classes >= 64:
        yield "there are no more values to choose"
    if float(true.accuracy(1).mean()) < 0.9:
        yield "fewer values would be more telling"


def _mlp_unseen(true: Truth, facts: Facts) -> Iterable[str]:
    if not (true.heads and true.wanted.mlp and true.wanted.m > 1) or 1 in true.wanted.h:
        yield "h = 1 is there, or nothing is averaged"


def _nothing(true: Truth, facts: Facts) -> Iterable[str]:
    return ()  # said with no snapshot: `_whole` counts


def _state(true: Truth, facts: Facts) -> Iterable[str]:
    curves = len(true.wanted.curves)
    if facts["curves"] != curves or not 0 <= facts["finished"] <= curves:
        yield "another number of curves"
    if (facts["finished"], facts.get("learning", 0)) not in {_reached(true.shots[:count]) for count in STOPS}:
        yield "so many curves have not come so far"


def _reached(shots: Sequence[Snapshot]) -> tuple[int, int]:
    """Return the number of curves that are trained, and of those still learning."""
    last = {shot.curve: shot for shot in shots}
    ended = sum(shot.step == shot.steps for shot in last.values())
    return ended, len(last) - ended


def _seeds(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["seeds"] != true.wanted.seeds:
        yield "another number of seeds"


def _falls(true: Truth) -> dict[str, tuple[float, float, float]]:
    """Return each mechanism's loss from the smallest to the largest width: the mean, and what its seeds leave open."""
    low, high = true.ends
    found = {}
    for name in true.wanted.mechanism:
        lost = true.accuracy(name, low) - true.accuracy(name, high)
        found[name] = (float(lost.mean()), float(lost.min()), float(lost.max()))
    return found


def _holds(true: Truth, label: Message) -> bool:
    """Return True if an answer to a question with choices is right, within what the seeds leave open."""
    answer = _mechanism(label)
    asked = label.key.split(".")[1]
    if asked == "train_learns":
        (name,) = true.wanted.mechanism
        found = true.accuracy(name, true.ends[0])
        return found.max() > 0.5 if answer == "yes" else found.min() <= 0.5
    if asked == "train_best":
        bands = {name: true.accuracy(name, true.ends[0]) for name in true.wanted.mechanism}
        best = max(bands, key=lambda name: bands[name].mean())
        top = bands[best]
        within = [n for n, v in bands.items() if v.max() >= top.min() or v.mean() >= top.mean() - UNCLEAR]
        return len(within) > 1 if answer == "none" else answer in within
    falls = _falls(true)
    mean, least, _ = max(falls.values())
    open_ones = {name for name, of in falls.items() if of[2] > 0.1 and (of[2] >= least or of[0] >= mean - UNCLEAR)}
    return answer in open_ones if open_ones else answer == "none"


def _right(true: Truth, facts: Facts) -> Iterable[str]:
    if not _holds(true, facts["real"]):
        yield "this answer is wrong"


def _open(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _right(true, facts)
    if facts["real"].key.split(".")[1] == "train_learns":
        (name,) = true.wanted.mechanism
        if (true.accuracy(name, true.ends[0]).mean() > 0.5) == (_mechanism(facts["real"]) == "yes"):
            yield "it is the likeliest"


def _differs_open(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _differs(true, facts)
    yield from _open(true, facts)


def _differs(true: Truth, facts: Facts) -> Iterable[str]:
    if _holds(true, facts["answer"]):
        yield "the visitor is right, within what the seeds leave open"
    yield from _right(true, facts)


def _several(true: Truth, facts: Facts) -> Iterable[str]:
    if len(facts["answers"]) < 2 or not all(_holds(true, label) for label in facts["answers"]):
        yield "not all of them hold"


def _question(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if (facts["low"], facts["high"]) != (low, high) or low == high:
        yield "nothing grows"
    if facts["count"] != len(true.wanted.mechanism):
        yield "another number of mechanisms"


def _question_best(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high or len(true.wanted.mechanism) < 2:
        yield "there is nothing to compare"
    if facts["steps"] != true.wanted.steps:
        yield "another number of steps"


def _question_learns(true: Truth, facts: Facts) -> Iterable[str]:
    low, high = true.ends
    if facts["d_k"] != low or low != high or [_mechanism(facts["name"])] != list(true.wanted.mechanism):
        yield "another model is trained"
    if facts["steps"] != true.wanted.steps:
        yield "another number of steps"


def _question_heads(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["m"] != true.wanted.m:
        yield "another number of positions"


def _because_heads(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _heads_outcome(true, {**facts, "m": true.wanted.m})


def _places(true: Truth) -> list[float]:
    return [float(true.accuracy(h).mean()) for h in sorted(true.wanted.h)]


def _direction(values: Sequence[float]) -> str:
    change = values[-1] - values[0]
    return "stays" if abs(change) <= CLOSE else "rises" if change > 0 else "falls"


def _trend(same: bool) -> Any:
    def check(true: Truth, facts: Facts) -> Iterable[str]:
        if len(true.wanted.h) < 2:
            yield "one point has no direction"
        if _mechanism(facts["real"]) != _direction(_places(true)):
            yield f"the curve {_direction(_places(true))}"
        if same != (facts["real"].key == facts["drawn"].key):
            yield "the directions are not as told"

    return check


def _largest(true: Truth, facts: Facts) -> Iterable[str]:
    if int(facts["x"]) not in true.wanted.h or not near(facts["real"], float(true.accuracy(int(facts["x"])).mean())):
        yield "it is another number"


def _true(true: Truth, facts: Facts) -> Iterable[str]:
    return ()


_WAYS = {f"train.norm_{way}" for way in ("beats", "beaten", "open")}


def _whole(true: Truth, sentences: Sequence[Message]) -> Iterable[str]:
    keys = [sentence.key for sentence in sentences]
    if true.heads != ("train.lead.heads" in keys) or true.heads == ("train.lead.quality" in keys):
        yield "another question leads"
    if not true.heads and "qk_norm_unscaled" in true.wanted.mechanism:
        ways = {way for way, pairs in _normed(true).items() if pairs and true.wanted.seeds > 1}
        if {key for key in keys if key in _WAYS} != {f"train.norm_{way}" for way in ways}:
            yield "QK-norm is not compared with every other mechanism"
        if "train.norm_starts" not in keys:
            yield "the start of QK-norm is not told"
    if keys.count("train.nothing") != len(RULES.figures):
        yield "“nothing” is said with a snapshot, or not without"
    verdicts = [s for s in sentences if s.key.removesuffix("_open") in ("predict.right", "predict.differs")]
    rights = {_mechanism(s.facts["answer"]) for s in verdicts if s.key.startswith("predict.right")}
    if verdicts:
        if not rights:
            yield "no answer can be right"
        labels = [s.facts["answer"] for s in verdicts]
        if rights != {_mechanism(label) for label in labels if _holds(true, label)}:
            yield "some right answer is called wrong"
    if true.heads and keys.count("predict.curve.close") < 1:
        yield "the very curve is not right"


def _first(link: str) -> Sequence[Message]:
    wanted, shots = state(link)
    return [page.plan(wanted)[0], page.insight(wanted, shots)[0]]


def _last(true: Truth) -> dict[str, float]:
    """Return each mechanism's mean accuracy at the largest width."""
    return {name: float(true.accuracy(name, true.ends[1]).mean()) for name in true.wanted.mechanism}


def _short(true: Truth, pairs: Sequence[tuple[float, float]], *allowed: bool) -> Iterable[str]:
    """Check numbers against the true ones, in an experiment of this kind."""
    yield from _one_of(*allowed)
    if not all(near(claimed, float(value)) for claimed, value in pairs):
        yield f"other numbers: {pairs}"


def _several_last(true: Truth, facts: Facts) -> Iterable[str]:
    last = _last(true).values()
    yield from _short(true, [(facts["least"], min(last)), (facts["most"], max(last))], not true.heads)


def _two_last(true: Truth, facts: Facts) -> Iterable[str]:
    last = _last(true)
    if [_mechanism(curve.facts["name"]) for curve in facts["curves"]] != list(last):
        yield "other mechanisms were trained"
    pairs = [(curve.facts["value"], last[_mechanism(curve.facts["name"])]) for curve in facts["curves"]]
    yield from _short(true, pairs, not true.heads)


def _one_grows(true: Truth, facts: Facts) -> Iterable[str]:
    (name,), ends = true.wanted.mechanism, true.ends
    first, last = (float(true.accuracy(name, end).mean()) for end in ends)
    yield from _short(true, [(facts["from"], first), (facts["to"], last)], not true.heads, ends[0] < ends[1])


def _one_alone(true: Truth, facts: Facts) -> Iterable[str]:
    (value,) = _last(true).values()
    yield from _short(true, [(facts["value"], value)], not true.heads, true.ends == (facts["d_k"], facts["d_k"]))


def _heads_ends(true: Truth, facts: Facts) -> Iterable[str]:
    ends = [float(true.accuracy(end(true.wanted.h)).mean()) for end in (min, max)]
    pairs = list(zip((facts["few"], facts["many"]), ends, strict=True))
    yield from _short(true, pairs, true.heads, len(true.wanted.h) > 1)


def _heads_single(true: Truth, facts: Facts) -> Iterable[str]:
    yield from _one_of(min(true.wanted.h) == 1)
    yield from _heads_ends(true, facts)


def _heads_alone(true: Truth, facts: Facts) -> Iterable[str]:
    (h,) = true.wanted.h
    yield from _short(true, [(facts["accuracy"], true.accuracy(h).mean())], true.heads, facts["h"] == h)


def _asked(link: str) -> tuple[Sequence[Message], How]:
    wanted, shots = state(link)
    name, found = questions.question(wanted).name, [*page.plan(wanted), *page.insight(wanted, shots)]
    for answer in _answers(wanted, shots):
        verdict = questions.judged(wanted, shots, {"prediction": {"name": name, "answer": answer}})
        if verdict:
            found += verdict.sentences
    return found, reasons.reasons(wanted, shots)


def _reason(true: Truth, sentence: Message, name: str, given: Reason) -> Iterable[str]:
    """Check that what is averaged are the values of some curve's seeds, as the snapshots have them."""
    key = given.made.key
    measures = {
        "accuracy": "accuracy",
        "divergence": "start_divergence" if name == "before" else "divergence",
        "score_gradient": "score_gradient",
        "projection_gradient": "projection_gradient",
    }
    if key in ("reason.made.seeds", "reason.made.seeds_median"):
        several = [getattr(shot, measures[given.kind]).double().numpy() for shot in true.shots]
        yield from of_values(given, "seeds", several)
    elif key in ("reason.made.end.least", "reason.made.end.most"):
        yield from off(given, seeds=true.wanted.seeds)
    elif key == "reason.made.heads":
        yield from of_values(given, "heads", [true.last(sentence.facts["h"]).mass[0].double().amax(-1).numpy()])
    elif key == "reason.made.curves":
        yield from off(given, a=len(true.wanted.mechanism), b=len(true.wanted.d_k))
    elif key not in _PLAIN:
        yield f"nobody checks {key}"


_PLAIN = {
    *("reason.made.plan", "reason.made.seed", "reason.made.numbers_of_heads"),
    *("reason.made.favourites", "reason.made.drawn_by_you"),
}


def _tables(link: str) -> dict[str, Table]:
    return {"train": table(Training(*state(link)), View())}


def _cell(true: Truth, asked: Cell) -> Iterable[str]:
    """Check on how many examples a measure was taken; the table itself holds every seed's value."""
    key, facts = asked.made.key.removeprefix("reason.made."), asked.made.facts
    if key in ("held_out", "held_out_before", "next_batch"):
        wanted = true.wanted.batch if key == "next_batch" else true.wanted.evaluation
        if facts["examples"] != wanted:
            yield f"there are {wanted} examples"
        if (key == "next_batch") != (asked.column.label == "projection_gradient"):
            yield "measured on other examples"
        if (key == "held_out_before") != (asked.column.label == "start_divergence"):
            yield "measured at another time"
    elif key not in ("plan", "steps_so_far"):
        yield f"nobody checks {key}"


PAGE = Page(
    link,
    sentences_of,
    truth,
    {
        "train.lead.heads": _true,
        "train.lead.quality": _true,
        "train.plan.heads": _plan_heads,
        "train.plan.quality": _plan_quality,
        **{f"train.plan.{task}": _task(task) for task in ("reverse", "recall", "noisy")},
        "train.outcome": _outcome,
        "train.outcome_one": _outcome_one,
        "short.train.several": _several_last,
        "short.train.two": _two_last,
        "short.train.one_grows": _one_grows,
        "short.train.one_alone": _one_alone,
        "short.train.heads_ends": _heads_ends,
        "short.train.heads_single": _heads_single,
        "short.train.heads_alone": _heads_alone,
        "train.claim_holds": _claim(0),
        "train.claim_fails": _claim(1),
        "train.claim_open": _claim_open,
        "train.claim_alone": _claim_alone,
        **{f"train.norm_{way}": _norm(way) for way in ("beats", "beaten", "open")},
        "train.norm_alone": _norm_alone,
        "train.norm_starts": _norm_starts,
        "train.vanishes": _vanishes,
        "train.starts": _gradients,
        "train.heads_outcome": _heads_outcome,
        "train.heads_share": _share,
        "train.heads_share_one": _share_one,
        "train.heads_divergence": _divergence_misleads,
        "train.heads_divergence_only": _divergence,
        "train.mlp": _mlp,
        "train.mlp_more_values": _more_values,
        "train.mlp_unseen": _mlp_unseen,
        "train.nothing": _nothing,
        "train.state": _state,
        "train.state_learning": _state,
        "train.summary.train_accuracy": _seeds,
        **{
            f"train.summary.{name}": _true
            for name in ("train_steps", "train_gradient", "heads_accuracy", "heads_mass", "heads_maps")
        },
        "predict.train_falls.question": _question,
        "predict.train_best.question": _question_best,
        "predict.train_learns.question": _question_learns,
        "predict.train_heads.question": _question_heads,
        "predict.right": _right,
        "predict.differs": _differs,
        "predict.right_open": _open,
        "predict.differs_open": _differs_open,
        "predict.several_right": _several,
        "predict.train_falls.because": _outcome,
        "predict.train_best.because": _outcome_one,
        "predict.train_learns.because": _outcome_one,
        "predict.train_heads.because": _because_heads,
        "predict.curve.close": _true,
        "predict.curve.apart": _true,
        "predict.curve.same": _trend(True),
        "predict.curve.other": _trend(False),
        "predict.curve.largest": _largest,
    },
    _whole,
    asked=_asked,
    names=frozenset({"name", "axis", "drawn", "real", "answer", "answers"}),
    reason=_reason,
    tables=_tables,
    cell=_cell,
    first=_first,
)
