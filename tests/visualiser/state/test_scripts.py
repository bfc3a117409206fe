"""What scripts make of links and values as Python does: a page's way to another, the tie of d_k, idle controls."""

import importlib
import random
from itertools import permutations
from typing import Any

import pytest

from attention_core import AttentionConfig
from tests.in_node import in_node
from tests.visualiser.state.some_states import some_state
from visualiser.pages.uses import uses
from visualiser.state import parameters, share
from visualiser.state.link_values import written_as
from visualiser.state.parameters import PAGES

pytestmark = pytest.mark.slow

PAIRS = list(permutations(PAGES, 2))
STAYS = ["pin", "row", "head", "present", "hide", "focus"]


def keeps(page: str) -> list[str]:
    """Return the names that stay with a page, as assets/js/page/ways.js puts them together."""
    layout = importlib.import_module(f"visualiser.pages.{page}.layout")
    return [*parameters.own(page), *STAYS, *layout.settings().get("leaves", ())]


def left(state: share.State, arrived: share.State) -> dict[str, Any]:
    """Return a page as it is left."""
    values, before = (
        {name: written_as(value) for name, value in share.as_values(one).items()} for one in (state, arrived)
    )
    link = share.canonical(state)
    return {"page": state.page, "link": link, "values": values, "arrived": before, "keeps": keeps(state.page)}


def links_to(cases: list[tuple[dict[str, Any], str, dict[str, str]]]) -> list[str]:
    """Return the link from each page that is left to another, which may be remembered."""
    call = "(m, [cases, reach]) => cases.map(([left, to, links]) => m.linkTo(left, to, links, reach))"
    return in_node("link/tab_memory", call, [cases, parameters.reach()])


def opened(page: str, link: str) -> share.State:
    """Return the state of a page that a link opens; nothing may have been out of range."""
    reading = share.read(link, "en", page)
    assert reading.notices == (), (page, link)
    return reading.state


def test_a_trained_head_goes_along_with_its_model_its_layer_and_its_text() -> None:
    """It does on a first visit, and later once it has changed; a visit alone changes nothing of a remembered page."""
    trained = ("explore", "anatomy", "map")
    link = "source=model&layer=2&head=3&text=Anna+sees+Ben"
    states = {page: share.read(link, "en", page).state for page in trained}
    before = {page: share.read("source=model", "en", page).state for page in trained}
    ways = list(permutations(trained, 2))
    remembered = "source=model&model=headlight-one-layer&text=Clara"
    plain = before["anatomy"]
    *found, at_first, without = links_to(
        [
            case
            for here, there in ways
            for case in (
                (left(states[here], states[here]), there, {}),
                (left(states[here], states[here]), there, {there: remembered}),
                (left(states[here], before[here]), there, {there: remembered}),
            )
        ]
        + [(left(plain, plain), "explore", {}), (left(states["map"], states["map"]), "why", {})]
    )
    for i, (_, there) in enumerate(ways):
        first, same, moved = found[3 * i : 3 * i + 3]
        new = opened(there, first)
        kept = (new.config.source, new.config.model, new.config.layer, new.config.text, new.view.head)
        assert kept == ("model", "headlight", 2, "Anna sees Ben", 3)
        assert opened(there, same).config.text == "Clara"
        assert opened(there, same).config.model == "headlight-one-layer"
        other = share.read(moved, "en", there).state
        assert (other.config.text, other.view.head) == ("Anna sees Ben", 3)
    # the text with which a page begins is in none of its links
    assert opened("explore", at_first).config.text == "the cat sat down"
    # a page without models drops the source alone
    assert "source" not in dict(pair.split("=") for pair in without.split("&"))


def test_every_page_comes_back_as_it_was_from_every_other() -> None:
    draw = random.Random(10)
    there = [(some_state(one, draw), other) for one, other in PAIRS for _ in range(12)]
    out = links_to([(left(state, state), other, {}) for state, other in there])
    visited = [opened(other, link) for (_, other), link in zip(there, out, strict=True)]
    back = links_to(
        [
            (left(other, other), state.page, {state.page: share.canonical(state)})
            for (state, _), other in zip(there, visited, strict=True)
        ]
    )
    for (state, other), link in zip(there, back, strict=True):
        assert share.canonical(opened(state.page, link)) == share.canonical(state), (state.page, other)


def test_what_is_changed_elsewhere_comes_along_if_the_page_has_the_value() -> None:
    rest = "scaling=none&mask=causal&row=5"
    moves = [
        ("why", "d_k=512", "d_k=512", f"d_k=512&{rest}"),
        ("why", "d_k=512", "d_k=128&seeds=3", f"d_k=128&{rest}"),
        ("why", "d_k=512", "d_k=512&scaling=sqrt_d_k", "d_k=512&mask=causal&row=5"),
        ("map", "seed=0", "seed=7&n=4000", f"d_k=512&seed=7&{rest}"),
        ("anatomy", "", "d_k=3&mask=none&lang=ko", f"d_k=512&{rest}&lang=ko"),
    ]
    remembered = {"explore": f"d_k=512&{rest}"}
    home = links_to(
        [
            (left(share.read(after, "en", page).state, share.read(before, "en", page).state), "explore", remembered)
            for page, before, after, _ in moves
        ]
    )
    for link, (page, _, after, wanted) in zip(home, moves, strict=True):
        expected = share.canonical(share.read(wanted, "en", "explore").state)
        assert share.canonical(opened("explore", link)) == expected, (page, after)


READ = """(m, cases) => cases.map(([link, of]) => {
  const lang = new URLSearchParams(link).get("lang") ?? undefined;
  return m.query({ ...m.read(link, of), lang });
})"""


def test_the_values_of_a_link_are_those_that_the_server_reads() -> None:
    draw = random.Random(12)
    states = [some_state(page, draw) for page in PAGES for _ in range(40)]
    defaults = {page: share.as_values(share.beginning(page)) for page in PAGES}
    links = in_node("link/values", READ, [[share.canonical(state), defaults[state.page]] for state in states])
    for state, link in zip(states, links, strict=True):
        assert share.canonical(share.read(link, "en", state.page).state) == share.canonical(state), state.page


def test_the_tie_is_the_configs_own() -> None:
    cases = [
        ({"d_model": 512, "h": 3, "d_k": 64, "tie": True}, "h"),
        ({"d_model": 8, "h": 16, "d_k": 64, "tie": True}, "d_model"),
        ({"d_model": 512, "h": 8, "d_k": 100, "tie": True}, "d_k"),
        ({"d_model": 512, "h": 8, "d_k": 64, "tie": False}, "d_k"),
        ({"d_model": 512, "h": 4, "d_k": 64, "tie": False}, "h"),
        ({"d_model": 512, "h": 4, "d_k": 64, "tie": True}, "tie"),
    ]
    found = in_node("link/values", "(m, all) => all.map((given) => m.tied(...given))", cases)
    for (given, changed), moved in zip(cases, found, strict=True):
        values = {"d_model": given["d_model"], "h": given["h"]}
        config = AttentionConfig(**values, d_k=given["d_k"]) if changed == "d_k" else AttentionConfig(**given)
        assert (moved["tie"], moved["d_k"]) == (config.tie, config.d_k), (given, changed)


MODEL = ("model", "layer", "target")
"""Controls of a model alone."""
SHAPE = ("n", "d_k", "h", "d_model", "tie")
UNUSED: list[tuple[dict[str, str], set[str]]] = [
    ({}, {"scale", "sink", "window", "text", "split", "positions", *MODEL}),
    (
        {"source": "model", "scaling": "none"},
        {"mechanism", "scaling", "seed", "sink", "window", "split", "positions", *SHAPE},
    ),
    ({"source": "text", "scaling": "custom", "normalisation": "sink"}, {"window", "n", *MODEL}),
    (
        {"mechanism": "additive", "scaling": "custom"},
        {"scale", "scaling", "log_n", "sink", "window", "text", "split", "positions", *MODEL},
    ),
    ({"source": "upload", "mask": "window"}, {"scale", "sink", "text", "split", "positions", *SHAPE, *MODEL}),
]


def test_controls_that_mean_nothing_are_named() -> None:
    first = {"source": "gaussian", "scaling": "sqrt_d_k", "mechanism": "dot_product", "mask": "none"}
    cases = [{**first, "normalisation": "softmax", **values} for values, _ in UNUSED]
    found = in_node("link/entry", "(m, [uses, all]) => all.map((values) => m.unused(uses, values))", [uses(), cases])
    for (values, hidden), names in zip(UNUSED, found, strict=True):
        assert set(names) == hidden, values
