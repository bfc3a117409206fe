"""The Train page: what it says of snapshots, recomputed from their numbers alone.

A state is a link and, behind #, the outcome of its experiment: drawn at random (seeds that agree or not, models that
learn all or nothing, heads that read one name or all), shipped with the page, or trained here for a step or two.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from attention_core.experiments import Snapshot
from tests.checker.checking import Cell, Page
from tests.checker.terms import of_values, off
from tests.checker.train_claims import CLAIMS
from tests.checker.train_quality import mechanism_of, normed
from tests.checker.train_questions import holds
from tests.checker.train_truth import KINDS, STOPS, Experiment, Truth, state, truth
from visualiser.figures import heads_accuracy, heads_maps, heads_mass, train_accuracy, train_gradient, train_steps
from visualiser.figures.training import Model, Training, table
from visualiser.locale.message import Message
from visualiser.pages.train import RULES, questions, reasons
from visualiser.pages.train import sentences as page
from visualiser.predictions import Curve
from visualiser.reasons.explained import How, Reason
from visualiser.state.view import View
from visualiser.tables import Table

WIDTHS = ("4", "16", "64", "256", "1024")
MECHANISMS = ("scaled", "unscaled", "additive", "qk_norm_unscaled")
HEADS = ("1", "2", "3", "4", "8")


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


_WAYS = {f"train.norm_{way}" for way in ("beats", "beaten", "open")}


def _whole(true: Truth, sentences: Sequence[Message]) -> Iterable[str]:
    keys = [sentence.key for sentence in sentences]
    if true.heads != ("train.lead.heads" in keys) or true.heads == ("train.lead.quality" in keys):
        yield "another question leads"
    if not true.heads and "qk_norm_unscaled" in true.wanted.mechanism:
        ways = {way for way, pairs in normed(true).items() if pairs and true.wanted.seeds > 1}
        if {key for key in keys if key in _WAYS} != {f"train.norm_{way}" for way in ways}:
            yield "QK-norm is not compared with every other mechanism"
        if "train.norm_starts" not in keys:
            yield "the start of QK-norm is not told"
    if keys.count("train.nothing") != len(RULES.figures):
        yield "“nothing” is said with a snapshot, or not without"
    verdicts = [s for s in sentences if s.key.removesuffix("_open") in ("predict.right", "predict.differs")]
    rights = {mechanism_of(s.facts["answer"]) for s in verdicts if s.key.startswith("predict.right")}
    if verdicts:
        if not rights:
            yield "no answer can be right"
        labels = [s.facts["answer"] for s in verdicts]
        if rights != {mechanism_of(label) for label in labels if holds(true, label)}:
            yield "some right answer is called wrong"
    if true.heads and keys.count("predict.curve.close") < 1:
        yield "the very curve is not right"


def _first(link: str) -> Sequence[Message]:
    wanted, shots = state(link)
    return [page.plan(wanted)[0], page.insight(wanted, shots)[0]]


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
    link=link,
    sentences=sentences_of,
    truth=truth,
    claims=CLAIMS,
    whole=_whole,
    asked=_asked,
    names=frozenset({"name", "axis", "drawn", "real", "answer", "answers"}),
    reason=_reason,
    tables=_tables,
    cell=_cell,
    first=_first,
)
