"""The Train page: an experiment whose figures grow while it learns, with its question and verdict."""

import time
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from attention_core import InvalidInput
from attention_core.experiments import (
    HeadsExperiment,
    QualityCurve,
    QualityExperiment,
    Snapshot,
    train,
)
from visualiser import predictions
from visualiser.figures.training import Model, Training
from visualiser.gpu import training_device
from visualiser.locale.message import Message
from visualiser.pages.train import HEADS, OF_MODELS, QUALITY, questions
from visualiser.pages.train import sentences as train_sentences
from visualiser.pages.train.price import training_cost
from visualiser.pages.train.reasons import reasons
from visualiser.pages.train.shipped_results import of_shipped, settings
from visualiser.reasons.explained import explained
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import parts, predicting, wire
from visualiser.server.live.page import Live, small
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.shipped import shipped
from visualiser.state import share
from visualiser.state.view import View

Experiment = QualityExperiment | HeadsExperiment

BETWEEN: Final = 0.7
"""Seconds between two pictures of a run: drawing them must not take the time of the training."""


def experiment(state: share.State) -> Experiment:
    """Return the experiment of a state of the page; raise `InvalidInput` as the experiments do."""
    own, seed = state.own, state.config.seed
    recipe: dict[str, Any] = {"learning_rate": float(own["learning_rate"]), "seeds": int(own["seeds"]), "seed": seed}
    if own["steps"]:
        recipe["steps"] = int(own["steps"])
    if own["experiment"] == "heads":
        return HeadsExperiment(
            h=tuple(map(int, own["heads"])), m=int(own["m"]), classes=int(own["classes"]), mlp=own["mlp"], **recipe
        )
    return QualityExperiment(
        task=own["task"],
        mechanism=tuple(own["mechanisms"]),
        d_k=tuple(map(int, own["widths"])),
        initialisation=own["initialisation"],
        **recipe,
    )


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield the state, then the shipped training or, without it, empty axes and the plan of a run.

    The shipped training is shown if these are its settings, and its curves or some of them; while a question is posed,
    after the visitor's answer.
    """
    reading = request.reading
    state = reading.state
    lang, kind = state.lang, str(state.own["experiment"])
    wanted = experiment(state)
    kept = shipped(f"train_{kind}")
    of_these = of_shipped(wanted, kept)
    there = of_these is not None
    asks = predictions.is_question_requested(state)
    shown = there and (not asks or request.extra.get("reveal") is True)
    yield parts.state(state, reading.notices, shipped=there, origin=kept.origin(lang) if shown else None)
    if asks:
        asking = questions.question(wanted)
        yield predicting.question_part(asking, lang, about=str(settings(wanted)), **questions.fields(wanted))
    if request.extra.get("keep") is True:
        return  # the live training stays on the screen
    found = of_these if of_these is not None and shown else []
    insight = train_sentences.insight(wanted, found) if shown else train_sentences.plan(wanted)
    yield from _pictures(wanted, found, request, lang, parts.Structures(tuple(request.known)), insight)
    if shown:
        yield from _verdict(request, wanted, found, lang)


def run(request: PageRequest, run: Run) -> Iterator[bytes]:
    """Train every curve, yield the figures now and then, and the outcome at the end."""
    state = request.reading.state
    lang, wanted = state.lang, experiment(state)
    structures, found = parts.Structures(tuple(request.known)), list[Snapshot]()
    plan: Sequence[Message] | None = train_sentences.plan(wanted)  # not an earlier result's sentences
    began = drawn = time.monotonic()
    for shot in train(wanted, training_device()):
        if run.cancelled():
            return
        found.append(shot)
        now = time.monotonic()
        if now - drawn < BETWEEN:
            continue
        drawn = now
        done = share_done(wanted, found)
        yield from _pictures(wanted, found, request, lang, structures, plan)
        plan = None
        yield parts.progress(done, (now - began) * (1 - done) / done)
        # a pause is no training time
        began += time.monotonic() - now
        drawn = time.monotonic()
    yield from _pictures(wanted, found, request, lang, structures, train_sentences.insight(wanted, found))
    yield from _verdict(request, wanted, found, lang)
    yield parts.ended()


def share_done(wanted: Experiment, found: Sequence[Snapshot]) -> float:
    """Return the share of the work that is done, 0 … 1: curves weigh as their operations do."""
    there = {id_of(shot): shot.step / shot.steps for shot in found}
    weights = {_id(curve): _weight(curve) for curve in wanted.curves}
    done = sum(weights[name] * there.get(name, 0.0) for name in weights)
    return max(1e-3, done / sum(weights.values()))


def id_of(shot: Snapshot) -> tuple[str, int]:
    """Return the key of a snapshot's curve."""
    return _id(shot.curve)


def _id(curve: Any) -> tuple[str, int]:
    return (curve.mechanism, curve.d_k) if isinstance(curve, QualityCurve) else ("heads", curve.h)


_FREE: Final[Mapping[str, int]] = MappingProxyType(
    {"scaled": 400, "unscaled": 400, "additive": 50, "qk_norm_unscaled": 100}
)
"""The d_k at which a mechanism's arithmetic takes as long as calling it."""


def _weight(curve: Any) -> float:
    """Estimate the cost of a step: the call and its arithmetic; an additive score costs several dot products."""
    if not isinstance(curve, QualityCurve):
        return 4.0 + curve.h
    return 1.0 + curve.d_k / _FREE[curve.mechanism]


def _verdict(request: PageRequest, wanted: Experiment, found: Sequence[Snapshot], lang: str) -> Iterator[bytes]:
    verdict = questions.judged(wanted, found, request.extra)
    if verdict:
        yield predicting.verdict_part(questions.question(wanted), verdict, lang, reasons(wanted, found))


def _pictures(
    wanted: Experiment,
    found: Sequence[Snapshot],
    request: PageRequest,
    lang: str,
    structures: parts.Structures,
    sentences: Sequence[Message] | None,
) -> Iterator[bytes]:
    """Yield the figures of the experiment; for heads those of every h, so that the browser can switch between them."""
    view = View(lang=request.lang, columns=request.columns, theme=request.theme)
    training, models = Training(wanted, found), dict[int, Model]()
    if isinstance(wanted, HeadsExperiment):
        models = {h: Model(wanted, found, h) for h in wanted.h}
    yield parts.shown(
        HEADS if models else QUALITY,
        training,
        view,
        structures,
        summaries={f.name: f.summary(model, view) for model in [*models.values()][:1] for f in OF_MODELS},
        with_arithmetic=True,
        insight=None if sentences is None else explained(sentences, lang, reasons(wanted, found)),
    )
    if models:
        part = wire.Part()
        entries = {
            h: {f.name: structures.entry(part, wire.encode_drawing(f.drawing(model, view))) for f in OF_MODELS}
            for h, model in models.items()
        }
        yield part.close({"part": "heads", "heads": entries})


def _price(request: PageRequest) -> Cost:
    """Return the cost of a run of the Train page."""
    try:
        return training_cost(experiment(request.reading.state))
    except InvalidInput:
        return SMALL  # refused in words


LIVE: Final = Live((frame, small), (run, _price))
