"""The state of a page as a link: its parameters, reading and writing.

A link is validated data and never carries code. Unknown names are ignored. A value out of range becomes the nearest
valid one, an invalid value the default, and a notice says so. A written link holds only what differs from the
defaults, in a fixed order, so that one state has one link.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attention_core import AttentionConfig, Bound
from attention_core.config import settings
from visualiser import models
from visualiser.locale import LANGUAGES, text
from visualiser.state import parameters
from visualiser.state.link_values import Reader, cut, written_as
from visualiser.state.rules import BROUGHT
from visualiser.state.view import MOST_COLUMNS, MOST_PLACES, SHAPING, View

LONGEST_QUERY = 65_536
"""The number of characters read of a link; the rest is dropped."""

_CONFIG = settings()
# The theme belongs to the visitor: a link does not bring it.
_VIEW = tuple(item.name for item in fields(View) if item.name != "theme")
_AMONG = _CONFIG.index("seed") + 1
# Published links have the page, the stage and the language after the seed.
_NAMES = (*_CONFIG[:_AMONG], "page", "stage", "lang", *_CONFIG[_AMONG:])
_NAMES += tuple(name for name in _VIEW if name not in _NAMES)
_BROUGHT = ("n", "d_model", "h", "d_k", "tie")
# What models other than those of a text read.
_READ = ("pictures", "target", "sound")
_OF_A_FILE = ("model", "layer", "head", "row", "key")
"""What a link of a file of weights chooses in it."""
# What is drawn, cut and compared elsewhere; a model does all of it itself.
_DECIDED = ("mechanism", "scaling", "seed", "split", "positions")


@dataclass(frozen=True)
class State:
    """Everything that a link restores.

    `pinned` is the link of the pinned state A (empty if nothing is pinned). `chosen_language` is True if the link
    names the language; otherwise the browser's language was taken and stays out of the link. `own` holds the settings
    that only this page has.
    """

    config: AttentionConfig
    view: View
    page: str = parameters.EXPLORE
    pinned: str = ""
    chosen_language: bool = False
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lang(self) -> str:
        """The visitor's language."""
        return self.view.lang


@dataclass(frozen=True)
class Reading:
    """A link as read: the state, and one sentence in the visitor's language for each change."""

    state: State
    notices: tuple[str, ...] = field(default=())


def preferred_language(accept: str | None) -> str:
    """Return the first language of an Accept-Language header that Headlight speaks, else the first of all."""
    for item in (accept or "").split(","):
        tag = item.split(";")[0].strip().lower()[:2]
        if tag in LANGUAGES:
            return tag
    return LANGUAGES[0]


def read(query: str, accept_language: str | None = None, page: str | None = None) -> Reading:
    """Read a link's query string; never raise for a visitor's input.

    `page` is the page that will show it. Its bounds and choices apply even if the link names another; None leaves the
    page to the link.
    """
    pairs = dict(parse_qsl(query[:LONGEST_QUERY].removeprefix("?"), keep_blank_values=True))
    lang = pairs["lang"] if pairs.get("lang") in LANGUAGES else preferred_language(accept_language)
    notices: list[str] = []
    if "lang" in pairs and pairs["lang"] not in LANGUAGES:
        notices.append(text(lang, "notice.choice", name="lang", value=cut(pairs["lang"]), used=lang))
    named_page = pairs.get("page", parameters.EXPLORE)
    shown = page or (named_page if named_page in parameters.PAGES else parameters.EXPLORE)
    reader = Reader(shown, lang, notices)
    if page is None and named_page != shown:
        reader.unknown("page", named_page, shown)
    page = shown
    own_names = parameters.own(page)
    named = {name: written for name, written in pairs.items() if name in _CONFIG and name not in own_names}
    unread = _unread(page, reader.source(named))
    idle = {name: written for name, written in named.items() if name in unread}
    named = {name: written for name, written in named.items() if name not in unread}
    reader.values(idle, reader.bounds(named))  # what is wrong with a value is said, whether this source reads it or not
    config = reader.config(reader.values(named, reader.bounds(named)))
    seen = {name: pairs[name] for name in _VIEW if name in pairs and name != "lang"}
    view = replace(parameters.first_view(page), lang=lang, **reader.values(seen, view_bounds(page, config)))
    own = {name: pairs[name] for name in own_names if name in pairs}
    own = parameters.first_values(page) | reader.values(own, parameters.bounds(page))
    # The pinned state is itself a link, read by the same rules; "?" is the link of the default state. A pin inside a
    # pin, what shapes the page for a class and the page's own settings are dropped.
    pinned = (
        canonical(replace(read(_of_a_state(pairs["pin"], page), page=page).state, pinned="")) or "?"
        if pairs.get("pin")
        else ""
    )
    return Reading(State(config, view, page, pinned, pairs.get("lang") in LANGUAGES, own), tuple(notices))


def without_file(query: str, accept_language: str | None, page: str | None) -> Reading:
    """Read a link of a file of weights that is not here as one of the first model, and say so."""
    pairs = parse_qsl(query[:LONGEST_QUERY].removeprefix("?"), keep_blank_values=True)
    others = [(name, value) for name, value in pairs if name not in _OF_A_FILE]
    reading = read(urlencode(others), accept_language, page)
    lang, model = reading.state.lang, reading.state.config.model
    used = text(lang, f"model.name.{model}")
    return replace(reading, notices=(text(lang, "notice.no_weights", used=used), *reading.notices))


def canonical(state: State) -> str:
    """Write the query string of a state: only what differs from the defaults, in the order of the fields."""
    first = as_values(beginning(state.page))
    pairs = as_values(state).items()
    return urlencode([(name, written_as(value)) for name, value in pairs if _named(name, value, first[name], state)])


def _named(name: str, value: Any, first: Any, state: State) -> bool:
    match name:
        case "page":
            return value != parameters.EXPLORE
        case "lang":
            return state.chosen_language
        case _:
            return value != first and not _implied(name, state)


@cache
def beginning(page: str) -> State:
    """Return the state with which a page begins."""
    return State(parameters.beginning(page), parameters.first_view(page), page, own=parameters.first_values(page))


def pinned_state(state: State) -> State | None:
    """Return state A in the visitor's present language and view, or None if nothing is pinned."""
    if not state.pinned:
        return None
    return replace(read(state.pinned, page=state.page).state, view=state.view, pinned="", own={})


def as_values(state: State) -> dict[str, Any]:
    """Return the value that each control shows for this state, by the control's name."""
    common = {name: _value(state, name) for name in _NAMES if name not in state.own}
    return {**common, **state.own, "pin": state.pinned}


def _value(state: State, name: str) -> Any:
    if name == "scaling" and state.config.source == "model":
        return parameters.beginning(state.page).scaling  # that of the next source: the model's is no choice
    return state.page if name == "page" else getattr(state.config if name in _CONFIG else state.view, name)


def _of_a_state(query: str, page: str) -> str:
    pairs = parse_qsl(query.removeprefix("?"), keep_blank_values=True)
    dropped = not_pinned(page)
    return urlencode([(name, written) for name, written in pairs if name not in dropped])


def not_pinned(page: str) -> tuple[str, ...]:
    """Return the parameters that a pinned state has not: they are dropped from its link."""
    return ("pin", *SHAPING, *parameters.own(page))


def _implied(name: str, state: State) -> bool:
    """Return True if a value follows from the others and so needs no place in a link."""
    config = state.config
    if config.source in BROUGHT and name in _BROUGHT:
        return True  # the file or the model decides them
    if name in _unread(state.page, config.source) and name not in state.own:
        return True
    match name:
        case "d_k":
            return bool(config.tie)
        case "tie":
            # d_k alone unties (the rule of AttentionConfig); tie is named only if d_k happens to equal d_model / h.
            default = parameters.beginning(state.page).d_k
            return not config.tie and config.d_k not in (max(1, config.d_model // config.h), default)
        case "n":
            return config.source == "text"
        case _:
            return False


def _unread(page: str, source: str) -> frozenset[str]:
    """Return the settings that a link with this source does not have: a model decides some, and others are its own."""
    if source == "model":
        return frozenset((*_BROUGHT, *_DECIDED))
    return frozenset(("model", *_READ) if parameters.draws_layers(page) else ("model", "layer", *_READ))


def view_bounds(page: str, config: AttentionConfig | None = None) -> Mapping[str, Bound]:
    """Return the bounds of head, row, columns and present; without a configuration, the widest of the page.

    The sizes of an upload, a long text or a model that is not loaded are known later, so a link may then name any that
    the page can show.
    """
    most = parameters.bounds(page)
    heads = most["h"].maximum if config is None or config.source in BROUGHT else config.h
    rows = most["n"].maximum if config is None or config.source in parameters.sized_elsewhere(page) else config.n
    if config is not None and config.source == "model":
        found = models.known(config.model)
        heads = heads if found is None else found.h
        rows = min(rows, found.most_tokens) if found is not None and found.takes == {"text"} else MOST_PLACES
    return {
        "head": Bound(min(1, parameters.first_view(page).head), heads, 0),
        "row": Bound(0, rows - 1, 0),
        "columns": Bound(0, MOST_COLUMNS, 0),
        "present": Bound(0, 1, 0),
    }
