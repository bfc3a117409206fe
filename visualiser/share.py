"""The state of a page as a link: which parameters it has, how a link is read, how it is written.

A link is validated data and nothing else. Unknown names are ignored; what is out of range or not a number becomes the
nearest valid value (or the default) and a notice says so; a link never carries code. What is written holds only what
differs from the defaults, in a fixed order, so that one state has one link.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attention_core import BOUNDS, CHOICES, AttentionConfig, Bound, InvalidInput, tokens
from attention_core.text import MAXIMUM_CHARACTERS
from visualiser.locale import LANGUAGES, text
from visualiser.view import MOST_COLUMNS, VIEW_CHOICES, View

LONGEST_QUERY = 65_536
"""Characters of a link that are read; a longer one is cut there."""

OFFERED = {"page": ("explore",), "source": ("gaussian", "text", "upload")}
"""Choices that exist by now; a link to another of the contract's opens the first, with a notice."""

_CONFIG = {item.name: item.default for item in fields(AttentionConfig)}
# The theme belongs to whoever looks: a link does not bring it.
_VIEW = {item.name: item.default for item in fields(View) if item.name != "theme"}
_DEFAULT_CONFIG = AttentionConfig()
_FLAGS = {"tie", "positions"}


@dataclass(frozen=True)
class State:
    """Everything a link restores.

    `pinned` is the link of the pinned state A (empty when nothing is pinned). `chosen_language` tells whether the link
    names the language; when it does not, the browser's own choice was taken and stays out of the link.
    """

    config: AttentionConfig
    view: View
    pinned: str = ""
    chosen_language: bool = False


@dataclass(frozen=True)
class Reading:
    """A link as it was understood: the state, and one sentence (in the visitor's language) for everything that had to
    be changed."""

    state: State
    notices: tuple[str, ...] = field(default=())


def preferred_language(accept: str | None) -> str:
    """The first language of an Accept-Language header that Headlight speaks; English when there is none."""
    for item in (accept or "").split(","):
        tag = item.split(";")[0].strip().lower()[:2]
        if tag in LANGUAGES:
            return tag
    return "en"


def read(query: str, accept_language: str | None = None) -> Reading:
    """Understand a link's query string; never raises for what a visitor wrote."""
    pairs = dict(parse_qsl(query[:LONGEST_QUERY].removeprefix("?"), keep_blank_values=True))
    lang = pairs["lang"] if pairs.get("lang") in LANGUAGES else preferred_language(accept_language)
    notices: list[str] = []
    if "lang" in pairs and pairs["lang"] not in LANGUAGES:
        notices.append(text(lang, "notice.choice", name="lang", value=_shown(pairs["lang"]), used=lang))
    named = {name: written for name, written in pairs.items() if name in _CONFIG and name != "lang"}
    config = _config(_values(named, BOUNDS, lang, notices), lang, notices)
    view = View(**_values({name: pairs[name] for name in _VIEW if name in pairs}, _view_bounds(config), lang, notices))
    # What is pinned is itself a link, read by the same rules; "?" is the link of the default state. A pin inside a pin
    # is dropped.
    pinned = canonical(replace(read(_without_pin(pairs["pin"])).state, pinned="")) or "?" if pairs.get("pin") else ""
    return Reading(State(config, view, pinned, pairs.get("lang") in LANGUAGES), tuple(notices))


def canonical(state: State) -> str:
    """The query string of a state: only what differs from the defaults, in the order of the fields."""
    config, view = state.config, state.view
    pairs: list[tuple[str, str]] = []
    for name in _CONFIG:
        value = getattr(config, name)
        if name == "lang":
            if state.chosen_language:
                pairs.append((name, value))
        elif not _implied(name, config) and value != getattr(_DEFAULT_CONFIG, name):
            pairs.append((name, _written(value)))
    pairs += [(name, _written(getattr(view, name))) for name in _VIEW if getattr(view, name) != _VIEW[name]]
    if state.pinned:
        pairs.append(("pin", state.pinned))
    return urlencode(pairs)


def pinned_state(state: State) -> State | None:
    """State A when one is pinned, drawn in the visitor's present language and view; None otherwise."""
    if not state.pinned:
        return None
    a = read(state.pinned).state
    config = AttentionConfig(**{**_as_given(a.config), "lang": state.config.lang, "stage": state.config.stage})
    return State(config, state.view, "", state.chosen_language)


def as_values(state: State) -> dict[str, Any]:
    """What every control shows for this state, by the control's name."""
    config = {name: getattr(state.config, name) for name in _CONFIG}
    view = {name: getattr(state.view, name) for name in _VIEW}
    return {**config, **view, "pin": state.pinned}


def _without_pin(query: str) -> str:
    return urlencode([pair for pair in parse_qsl(query.removeprefix("?"), keep_blank_values=True) if pair[0] != "pin"])


def _as_given(config: AttentionConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in _CONFIG}


def _implied(name: str, config: AttentionConfig) -> bool:
    """True for a value that follows from the others and so needs no place in a link."""
    if config.source == "upload" and name in ("n", "d_model", "h", "d_k", "tie"):
        return True  # the file decides them
    match name:
        case "d_k":
            return bool(config.tie)
        case "tie":
            # d_k alone unties (the rule of AttentionConfig); tie must be named only where d_k happens to equal d_model
            # / h.
            return not config.tie and config.d_k not in (max(1, config.d_model // config.h), _DEFAULT_CONFIG.d_k)
        case "n":
            return config.source == "text"
        case _:
            return False


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _shown(value: str) -> str:
    return value if len(value) <= 40 else value[:39] + "…"


def _view_bounds(config: AttentionConfig) -> Mapping[str, Bound]:
    """What head and row there are; an upload's own sizes decide later, so a link may name any that a page can show."""
    uploaded = config.source == "upload"
    heads, rows = (BOUNDS["h"].maximum, BOUNDS["n"].maximum) if uploaded else (config.h, config.n)
    return {"head": Bound(0, heads, 0), "row": Bound(0, rows - 1, 0), "columns": Bound(0, MOST_COLUMNS, 0)}


def _values(named: Mapping[str, str], bounds: Mapping[str, Bound], lang: str, notices: list[str]) -> dict[str, Any]:
    """The values of these parameters; what cannot be understood is left out, so that its default is taken."""
    found = {name: _value(name, written, bounds.get(name), lang, notices) for name, written in named.items()}
    return {name: value for name, value in found.items() if value is not None}


def _value(name: str, written: str, bound: Bound | None, lang: str, notices: list[str]) -> Any:
    """One parameter's value; None with a notice when it cannot be understood."""
    flag = name in _FLAGS
    choices = ("true", "false") if flag else OFFERED.get(name) or VIEW_CHOICES.get(name) or CHOICES.get(name)
    if choices:
        if written in choices:
            return written == "true" if flag else written
        used = _written(_VIEW[name] if name in _VIEW else getattr(_DEFAULT_CONFIG, name))
        notices.append(text(lang, "notice.choice", name=name, value=_shown(written), used=used))
        return None
    if bound is None:
        return written  # a text
    if name == "row" and written == "":
        return None
    try:
        given = float(written)
    except ValueError:
        given = math.nan
    if math.isnan(given):
        used = "–" if name == "row" else _written(bound.default)
        notices.append(text(lang, "notice.not_a_number", name=name, value=_shown(written), used=used))
        return None
    nearest = min(max(given, bound.minimum), bound.maximum)
    nearest = round(nearest) if isinstance(bound.step, int) else nearest
    if nearest != given:
        ends = {"low": _written(bound.minimum), "high": _written(bound.maximum)}
        notices.append(text(lang, "notice.nearest", name=name, value=_shown(written), used=_written(nearest), **ends))
    return nearest


def _config(values: dict[str, Any], lang: str, notices: list[str]) -> AttentionConfig:
    """The configuration these values make; a text that cannot be used is cut or replaced, with a notice."""
    try:
        return AttentionConfig(**values, lang=lang)
    except InvalidInput as problem:
        notices.append(text(lang, f"error.{problem.code}", **problem.details))
        written, split = values.get("text", ""), values.get("split", _DEFAULT_CONFIG.split)
        values = {key: value for key, value in values.items() if key != "text"}
        if problem.code == "text_too_long":
            values["text"] = _shortened(written, split)
        return AttentionConfig(**values, lang=lang)


def _shortened(written: str, split: str) -> str:
    """The longest beginning of a text that has no more tokens than a page shows."""

    def fits(length: int) -> bool:
        try:
            tokens(written[:length], split)
        except InvalidInput as problem:
            return problem.code != "text_too_long"
        return True

    # Tokens only become more with every character, so the longest fitting length is found by halving.
    return written[
        : bisect_left(range(min(len(written), MAXIMUM_CHARACTERS) + 1), True, key=lambda length: not fits(length)) - 1
    ]
