"""Model with models of a folder: all that is said of small random models and those of HEADLIGHT_MODELS.

The truth is made by `tests.checker.folder_truth` of the tensors of both runs. Of the arithmetic behind numbers the
equations are checked, and that they end in the number that the sentence or the table has.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from tests.checker.checking import Page
from tests.checker.folder_claims import CLAIMS, unknown
from tests.checker.folder_head_claims import HEAD_CLAIMS
from tests.checker.folder_truth import NAMES, State, model
from tests.checker.page_model import NAMELESS
from visualiser import models
from visualiser.held import new_name
from visualiser.locale import LANGUAGES
from visualiser.locale.message import Message
from visualiser.models import HELD, HeldModel
from visualiser.pages.model import HEAD, SAYS, present, reading, sentences
from visualiser.reasons.explained import How
from visualiser.server.live.page_request import PageRequest
from visualiser.tables import Table

SENTENCES: Final = (
    "I like tea.", "The bank of the river is green.", "You like coffee.", "Dogs bark at night.", "She drinks tea.",
    "The dogs are loud.", "The keys to the cabinet are naïve.", "Once upon a time there was a cat.",
    "고양이 and 강아지.",
)  # fmt: skip
_WITHOUT: Final = ("qk_norm", "log_n", "softmax", "entmax", "sigmoid", "causal", "full")
_EFFECTS: Final = (
    *("says.changed", "says.unseen", "says.same"),
    *("says.likeness", "says.unseen_likeness", "says.same_likeness"),
)
_MOVES: Final = tuple(f"says.{name}{of}" for name in ("moved", "unmoved", "still") for of in ("", "_any"))


def link(draws: random.Random) -> str:
    """Draw a state: a model, sentences, up to three changes and, at times, what is pinned as A."""
    name = draws.choice(NAMES)
    found = model(name)
    own = _changes(draws, found.layers, found.h)
    settings: dict[str, Any] = {
        "page": "model",
        "model": name,
        "text": " ".join(draws.choices(SENTENCES, k=draws.choice((1, 2, 3, 4, 6, 7)))),
        "layer": draws.randrange(1, found.layers + 1),
        "head": draws.randrange(1, found.h + 1),
        "over": "text",
        "changes": own,
        "cost": draws.choice(("none", "none", "none", "text")) if found.layers * found.h <= 16 else "none",
        "lang": draws.choice(LANGUAGES),
    }
    if draws.random() < 0.3:
        settings["against"] = draws.choice((own, _changes(draws, found.layers, found.h)))
    if draws.random() < 0.7:
        settings["row"] = draws.choice((0, 1, 2, draws.randrange(12)))
    return urlencode(settings)


def _changes(draws: random.Random, layers: int, h: int) -> str:
    return ",".join(dict.fromkeys(_change(draws, layers, h) for _ in range(draws.randrange(4))))


def _change(draws: random.Random, layers: int, h: int) -> str:
    layer = draws.randrange(1, layers + 1)
    head = f"@{layer}.{draws.randrange(1, h + 1)}"
    place = draws.choice(("", f"@{layer}", head))
    kind = draws.choice(
        (*_WITHOUT, "factor", "factor", "softcap", "sink", "hide", "hide", "mute", "uniform", "replace")
    )
    match kind:
        case "mute" | "uniform":
            return kind + head
        case "replace":
            return f"replace:{layer}.{draws.randrange(1, h + 1)}{head}"
        case "factor":
            return f"factor:{draws.choice(('0', '0.5', '1.0005', '1.0000001', '2', '16'))}{place}"
        case "softcap":
            return f"softcap:{draws.choice(('0.5', '50'))}{place}"
        case "sink":
            return f"sink:{draws.choice(('-3', '0', '2'))}{place}"
        case "hide":
            return f"hide:{draws.choice((0, 1, 4, 5, 6))}{place}"
    return kind + place


@cache
def _held(name: str) -> str:
    """Return the name under which the process holds a model."""
    found, held = model(name), new_name(name)
    HELD.put(held, HeldModel(found, models.unmeasured(found)))
    return held


@lru_cache(4)
def _found(query: str) -> reading.Read:
    name = parse_qs(query)["model"][0]
    asked = query.replace(f"model={name}&", f"model={_held(name)}&")
    lang = parse_qs(query)["lang"][0]
    return reading.read(PageRequest(asked, None, frozenset(), b"", lang, "light", 0, "", {}, "model"))


def _truth(query: str) -> State:
    found = _found(query)
    changes, against = (tuple(filter(None, str(found.state.own[name]).split(","))) for name in ("changes", "against"))
    return State(found.shown, changes, against, found.model.delimiters)


def _sentences(query: str) -> list[Message]:
    """Return all that is said in a state."""
    found = _found(query)
    shown, view, figures = found.shown, found.state.view, present.figures_of(found.shown)
    return [
        *sentences.insight(shown, found.model, found.footnote, found.changes)[1:],
        *(one for figure in figures for one in figure.sentence(shown, view)),
        *(one for figure in figures if figure in (SAYS, *HEAD) for one in figure.brief(shown, view)),
    ]


def _asked(query: str) -> tuple[list[Message], How]:
    return _sentences(query), _found(query).how


def _tables(query: str) -> dict[str, Table]:
    found = _found(query)
    figures, view = present.figures_of(found.shown), replace(found.state.view, lang="en")
    return {each.name: each.table(found.shown, view) for each in figures if each.is_tabled}


def _together(state: State, said: Sequence[Message]) -> Iterator[str]:
    keys = {sentence.key for sentence in said}
    effects = [key for key in _EFFECTS if key in keys]
    if len(effects) > state.is_changed:
        yield f"of what the model says {effects} is told"
    if not state.is_changed:
        return
    left = [key for key, heads in unknown(state).items() if (key in keys) != bool(heads)]
    moves = [key for key in _MOVES if key in keys]
    if left or len(moves) != any(not math.isnan(share) for share in state.moved.values()):
        yield f"of heads that moved {moves} is told, and not {left}"


def _first(query: str) -> list[Message]:
    """Return what stands first, of a pair of sentences without their two numbers, which are its name."""
    found = _found(query)
    first, *_ = sentences.insight(found.shown, found.model, found.footnote, found.changes)
    of_pair = first.key == "short.says.likeness"
    return [Message(first.key, {**first.facts, "name": "x"})] if of_pair else [first]


PAGE: Final = Page(
    link=link,
    sentences=_sentences,
    truth=_truth,
    claims={**CLAIMS, **HEAD_CLAIMS},
    whole=_together,
    asked=_asked,
    names=NAMELESS,
    tables=_tables,
    first=_first,
)
