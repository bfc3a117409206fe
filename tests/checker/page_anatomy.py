"""Anatomy's sentences against its layers recomputed in float64 from the draws."""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote

from attention_core import layers
from attention_core.learned import shipped_model
from tests.checker.anatomy_claims import CLAIMS
from tests.checker.anatomy_reasons import reason
from tests.checker.anatomy_truth import Truth, same
from tests.checker.checking import Page
from visualiser import predictions
from visualiser.locale.message import Message
from visualiser.pages.anatomy import live, reasons, sentences
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.facts import Facts, facts
from visualiser.pages.anatomy.subject import Subject
from visualiser.reasons.explained import How
from visualiser.state import share

WORDS: Final = ("the", "cat", "sat", "on", "mat", "7")


def link(draws: random.Random) -> str:
    if draws.random() < 0.3:
        return _trained_link(draws)
    n = draws.choice((2, 2, 3, 4, 5, 8, 9, 32, 33))
    settings: dict[str, Any] = {"page": "anatomy", "seed": draws.randrange(100)}
    settings["source"] = draws.choice(("text", "text", "gaussian"))
    if settings["source"] == "text":
        text = " ".join(draws.choices(WORDS[: draws.choice((1, 2, 6))], k=n))
        settings |= {"text": quote(text), "positions": draws.choice(("true", "false"))}
    else:
        settings["n"] = n
    settings["h"] = draws.choice((1, 1, 2, 3, 16))
    settings["d_model"] = draws.choice((2, 3, 8, 8, 30))
    if draws.random() < 0.4:
        settings["d_k"] = draws.choice((1, 1, 2, 4, 9, 64))
        settings["tie"] = draws.choice(("true", "false"))
    settings["mechanism"] = draws.choice(("dot_product", "dot_product", "additive"))
    settings["scaling"] = draws.choice(("sqrt_d_k", "sqrt_d_k", "none", "d_k", "custom"))
    settings["scale"] = draws.choice((0, 0, 0.01, 1, 16))
    settings["qk_norm"] = draws.choice(("false", "true"))
    settings["log_n"] = draws.choice(("false", "true"))
    settings["normalisation"] = draws.choice(("softmax", "softmax", "sink", "sigmoid", "entmax"))
    settings["sink"] = draws.choice((-8, -1, 0, 0.5, 2, 8))
    settings["softcap"] = draws.choice((0, 0, 0, 0.5, 2, 50))
    settings["mask"] = draws.choice(("none", "none", "causal", "window"))
    settings["window"] = draws.choice((1, 2, 64))
    settings["layer"] = draws.choice((1, 1, 2, 4))
    settings["row"], settings["head"] = draws.choice((0, 1, n - 1)), draws.randrange(1, settings["h"] + 1)
    settings["step"] = draws.choice(walk_steps.STEPS)
    settings["rows"] = draws.choice(("one", "one", "all"))
    if draws.random() < 0.2:
        settings["hide"] = draws.choice(("mask", "walk", "scaling"))
    return "&".join(f"{name}={value}" for name, value in settings.items())


def _trained_link(draws: random.Random) -> str:
    """Draw a state whose Q, K and V a shipped model brings; its mask is causal, so no other is chosen."""
    n = draws.choice((1, 1, 2, 4, 7, 31, 63, 80))
    text = " ".join(draws.choices(("Anna", "Ben", "sees", "(", ")", "keys", "고양이"), k=n))
    settings: dict[str, Any] = {
        "page": "anatomy",
        "source": "model",
        "model": draws.choice(("headlight", "headlight", "headlight-one-layer")),
        "layer": draws.choice((1, 2, 2)),
        "text": quote(text),
        "scale": draws.choice((1, 1, 1, 0, 0.5, 16)),
        "qk_norm": draws.choice(("false", "false", "true")),
        "log_n": draws.choice(("false", "false", "true")),
        "normalisation": draws.choice(("softmax", "softmax", "sink", "sigmoid", "entmax")),
        "sink": draws.choice((-1, 0, 2)),
        "softcap": draws.choice((0, 0, 2, 50)),
        "mask": draws.choice(("none", "causal")),
        "row": draws.choice((0, 1, n)),
        "head": draws.randrange(1, 5),
        "step": draws.choice(walk_steps.STEPS),
        "rows": draws.choice(("one", "one", "all")),
    }
    return "&".join(f"{name}={value}" for name, value in settings.items())


@lru_cache(maxsize=4)
def _state(link: str) -> tuple[share.State, Subject]:
    state = share.read(link).state
    found = live.subject_of(state)
    return live.within(state, found.config), found


def truth(link: str) -> Truth:
    state, found = _state(link)
    config = found.config
    trained = config.source == "model"
    run = shipped_model(config.model).run(state.config.text, 64) if trained else None
    row, head = state.view.inspected(config.n), state.view.single(found.heads)
    step, rows = str(state.own["step"]), str(state.own["rows"])
    below = () if trained else layers(state.config, state.config.layer)
    return Truth(config, below, row, head, step, rows, state.view.hide, run)


def _facts(link: str) -> Facts:
    state, found = _state(link)
    row, head = state.view.inspected(found.config.n), state.view.single(found.heads)
    return facts(found, row, head, str(state.own["step"]), str(state.own["rows"]), state.view.hide)


def sentences_of(link: str) -> Sequence[Message]:
    known = _facts(link)
    labels = {str(key): known.named(key) for key in known.seen}
    extra = {"prediction": {"name": live.LARGEST.name, "answer": str(known.seen[0])}}
    best, because = [str(key) for key in known.best], sentences.because(known)
    verdict = (
        predictions.judged(live.LARGEST, extra, best, labels=labels, **because) if live.has_question(known) else None
    )
    return [
        *sentences.step_sentences(known),
        sentences.shapes(known),
        sentences.result(known),
        *sentences.insight(known),
        *(verdict.sentences if verdict else ()),
    ]


def _whole(truth: Truth, sentences: Sequence[Message]) -> Iterator[str]:
    """Ask for the largest weight exactly once the scores are revealed."""
    largest = [sentence.key for sentence in sentences if sentence.key.startswith("anatomy.largest")]
    revealed = walk_steps.STEPS.index(truth.step) >= walk_steps.STEPS.index("scores")
    yield from same("sentences on the largest weight", len(largest), int(revealed))


def _first(link: str) -> Sequence[Message]:
    known = _facts(link)
    return sentences.insight(known)[:1]


def _asked(link: str) -> tuple[Sequence[Message], How]:
    known = _facts(link)
    messages = [*sentences.step_sentences(known), *sentences.insight(known)]
    if live.has_question(known):
        facts_of = dict(sentences.because(known))
        messages.append(Message(f"predict.{live.LARGEST.name}.{facts_of.pop('because', 'because')}", facts_of))
    return messages, reasons.reasons(known)


PAGE: Final = Page(
    link=link,
    sentences=sentences_of,
    truth=truth,
    claims=CLAIMS,
    whole=_whole,
    asked=_asked,
    names=frozenset({"query", "head", "layer", "below", "key", "keys", "step", "model"}),
    reason=reason,
    first=_first,
)
