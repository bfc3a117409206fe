"""Model over a picture: the sentences, the figures' captions and summaries, of small random vision models.

The truth is made by `tests.checker.pictures_truth` of the tensors of each layer.
"""

import random
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from attention_core.learned import picture_measures
from tests.checker.checking import Page
from tests.checker.pictures_claims import CLAIMS, cell, reason
from tests.checker.pictures_truth import NAMES, PICTURES, model, state
from visualiser.held import new_name
from visualiser.locale.message import Message
from visualiser.models import HELD, HeldModel
from visualiser.models.pictures import shipped_picture
from visualiser.pages.model import HEAD, MEASURES, live, reading, sentences
from visualiser.reasons.explained import How
from visualiser.server.live.page_request import PageRequest
from visualiser.tables import Table


def link(draws: random.Random) -> str:
    """Draw a state, corner cases often. The model is named as `NAMES` are."""
    settings: dict[str, Any] = {
        "page": "model",
        "model": draws.choice(NAMES),
        "pictures": draws.choice(PICTURES),
        "layer": draws.choice((1, 1, 2, 2, 3, 4, 40)),
        "head": draws.choice((1, 2, 3, 0, 99)),
        "over": draws.choice(("corpus", "text")),
        "x": draws.choice(MEASURES),
        "y": draws.choice(MEASURES),
        "key": draws.choice((-1, -1, 0, 1, draws.randrange(400), 127)),
    }
    if draws.random() < 0.7:
        settings["row"] = draws.choice((0, 1, draws.randrange(27), draws.randrange(400), 99, 399, 10**6))
    return urlencode(settings)


@cache
def _held(name: str) -> str:
    """Return the name under which the process holds a model."""
    found, held = model(name), new_name(name)
    HELD.put(held, HeldModel(found, picture_measures(found, tuple(map(shipped_picture, PICTURES)))))
    return held


@lru_cache(4)
def _found(query: str) -> live.Read:
    named = next(name for name in NAMES if f"model={name}&" in query)
    asked = query.replace(f"model={named}&", f"model={_held(named)}&")
    return reading.read(PageRequest(asked, None, frozenset(), b"", "en", "light", 0, "", {}, "model"))


def _insight(query: str) -> list[Message]:
    found = _found(query)
    return sentences.insight(found.shown, found.model, found.footnote)


def _sentences(query: str) -> list[Message]:
    """Return all that is said in a state."""
    found = _found(query)
    shown, view, figures = found.shown, found.state.view, live.figures_of(found.shown)
    return [
        *_insight(query),
        *(one for figure in figures for one in figure.sentence(shown, view)),
        *(one for figure in figures if figure in HEAD for one in figure.brief(shown, view)),
    ]


def _asked(query: str) -> tuple[list[Message], How]:
    return _sentences(query), _found(query).how


def _tables(query: str) -> dict[str, Table]:
    found = _found(query)
    figures = live.figures_of(found.shown)
    return {each.name: each.table(found.shown, found.state.view) for each in figures if each.is_tabled}


PAGE: Final = Page(
    link=link,
    sentences=_sentences,
    truth=state,
    claims=CLAIMS,
    asked=_asked,
    names=frozenset({"name", "head", "query", "key", "label", "where", "layer", "side", "shift"}),
    reason=reason,
    tables=_tables,
    cell=cell,
    first=lambda query: _insight(query)[:1],
)
