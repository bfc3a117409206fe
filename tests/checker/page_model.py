"""Model: the sentences, the figures' captions and summaries, and the verdicts on both questions.

The truth is that of the models that ship, recomputed from their files by `tests.checker.learned`, and what their heads
do, from the corpus' documents by `tests.checker.head_behaviour`. Behind # a link has the answer that is given.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from tests.checker import model_changed, order_claims
from tests.checker.checking import Page
from tests.checker.model_claims import CLAIMS, verdict
from tests.checker.model_reasons import cell, reason
from tests.checker.model_says_claims import shares, unknown
from tests.checker.model_truth import State, state
from visualiser import predictions
from visualiser.figures.head_costs import COST
from visualiser.figures.shown_map import SHOWS
from visualiser.locale import LANGUAGES
from visualiser.locale.message import Message
from visualiser.pages.model import HEAD, MAPS, MEASURES, QUESTIONS, SAYS, live, present, reading, sentences
from visualiser.reasons.explained import How
from visualiser.server.live.page_request import PageRequest
from visualiser.tables import Table

WORDS: Final = (
    "Anna", "Ben", "Miller", "sees", "the", "The", "keys", "key", "to", "cabinet", "are", ".", ",", "(", ")", "[", "]",
    "고양이", "서랍", "은", "🦆", "👩‍👧", "don't", "7", "1", "x" * 40, "&", "amp", ";", "<", "script", ">", "$", "%",
    "é", "_", "{", "}", "猫", "0.5",
)  # fmt: skip
ANSWERS: Final = ("0", "1", "2", "1.1", "1.1", "1.3", "2.4", "nothing", "stays", "half", "tenth", "likelier", "less")


_EFFECTS: Final = ("says.changed", "says.unseen", "says.same")
_MOVES: Final = tuple(f"says.{name}{of}" for name in ("moved", "unmoved", "still") for of in ("", "_any"))


def link(draws: random.Random) -> str:
    """Draw a state, corner cases often."""
    length = draws.choice((1, 1, 2, 3, 8, 8, 20, 20, 40, 63, 64, 65, 140))
    words = draws.choices(WORDS if draws.random() < 0.6 else WORDS[: draws.choice((1, 3, 10))], k=length)
    model = draws.choice(("headlight", "headlight", "headlight-one-layer"))
    settings: dict[str, Any] = {
        "page": "model",
        "model": model,
        "text": draws.choice((" ", " ", "\n ")).join(words),
        "layer": draws.choice((1, 1, 2, 2, 2, 3, 40)),
        "head": draws.choice((1, 2, 3, 4, 0, 5, 99)),
        "over": draws.choice(("corpus", "text")),
        "x": draws.choice((*MEASURES, COST)),
        "y": draws.choice((*MEASURES, COST)),
        "sort": draws.choice(("layer", "weight", "weight", *MEASURES, COST)),
        "only": draws.choice(("all", "labelled", "least", "least")),
        "least": draws.choice((0, 0.05, 0.05, 0.2, 0.5, 0.9, 1.5)),
        "key": draws.choice((-1, -1, 0, 1, draws.randrange(128), 127)),
        "changes": model_changed.drawn(draws),
        "cost": draws.choice(("none", "none", "text")),
        "key_figure": draws.choice(("why", "writes")),
        "shows": draws.choice(SHOWS),
        "lang": draws.choice(LANGUAGES),
    }
    if draws.random() < 0.7:
        settings["row"] = draws.choice((0, 1, draws.randrange(64), 63, 10**6))
    answer = ""
    if draws.random() < 0.3:
        settings |= {"predict": "true", "question": draws.choice((*QUESTIONS, "any"))}
        answer = draws.choice((*ANSWERS, str(draws.randrange(9))))
    elif draws.random() < 0.3:
        settings["against"] = draws.choice((model_changed.drawn(draws), settings["changes"]))
    return f"{urlencode(settings)}#{answer}"


@lru_cache(4)
def found_in(query: str) -> live.Read:
    """Return what the page has of a link."""
    link = query.partition("#")[0]
    lang = parse_qs(link).get("lang", ["en"])[0]
    return reading.read(PageRequest(link, None, frozenset(), b"", lang, "light", 0, "", {}, "model"))


def _insight(query: str) -> list[Message]:
    found = found_in(query)
    return sentences.insight(found.shown, found.model, found.footnote, found.changes)


def sentences_of(query: str) -> list[Message]:
    """Return all that is said in a state: of a question only the verdict."""
    found, answer = found_in(query), query.partition("#")[2]
    posed, shown, view = found.posed, found.shown, found.state.view
    if posed is not None:
        extra = {"prediction": {"name": posed.choice.name, "answer": answer}}
        verdict = predictions.judged(posed.choice, extra, posed.rights, labels=posed.labels, **posed.because)
        return [] if verdict is None else verdict.sentences
    return [
        *_insight(query),
        *(one for figure in present.figures_of(shown) for one in figure.sentence(shown, view)),
        *(
            one
            for figure in present.figures_of(shown)
            if figure in (MAPS, SAYS, *HEAD)
            for one in figure.brief(shown, view)
        ),
    ]


def _state(query: str) -> State:
    """Return the truth of a state; while a question is posed all heads stand there, layer by layer."""
    found = state(query)
    posed = "predict=true" in query and found_in(query).posed is not None
    return replace(found, sort="layer", only="all") if posed else found


def _together(state: State, said: Sequence[Message]) -> Iterator[str]:
    keys = [sentence.key for sentence in said]
    if not keys:
        return
    if any(key.startswith("predict.") for key in keys):
        yield from verdict(state, said)
        return
    if (("model.positional" in keys) != (state.layer < len(state.layers))) and not state.changes:
        yield "what a layer compares is told of another one"
    read = [key for key in keys if key.startswith(("model.reads", "model.muted"))]
    if keys.count("model.footnote") != (not state.changes) or len(set(read)) != 1:
        yield "what footnote 4 says here, or what the query reads, is not told once"
    if len({key for key in keys if key.startswith("model.shows.")}) != (state.mapped is not None):
        yield "what the map shows in place of weights is not told, or is told of weights"
    if keys.count("model.changed") != bool(state.changes):
        yield f"{len(state.changes)} changes are not told"
    yield from order_claims.together(state, keys)
    told = [key for key in _EFFECTS if key in keys]
    if len(told) != state.is_changed:
        yield f"of what the model says {told} is told"
    if state.is_changed:
        left = [key for key, heads in unknown(state).items() if (key in keys) != bool(heads)]
        moves = [key for key in _MOVES if key in keys]
        if left or len(moves) != any(not math.isnan(share) for share in shares(state).values()):
            yield f"of heads that moved {moves} is told, and not {left}"


def _asked(query: str) -> tuple[list[Message], How]:
    return sentences_of(query), found_in(query).how


def _tables(query: str) -> dict[str, Table]:
    found = found_in(query)
    figures, view = present.figures_of(found.shown), replace(found.state.view, lang="en")
    return {each.name: each.table(found.shown, view) for each in figures if each.is_tabled}


NAMELESS: Final = frozenset(
    ["head", "query", "key", "label", "where", "layer", "answer", "real", "place", "name", "number", "least", "other"]
)
"""The facts that name a thing and cannot be asked."""


PAGE: Final = Page(
    link=link,
    sentences=sentences_of,
    truth=_state,
    claims=CLAIMS,
    whole=_together,
    asked=_asked,
    names=NAMELESS,
    reason=reason,
    tables=_tables,
    cell=cell,
    first=lambda query: _insight(query)[:1],
)
