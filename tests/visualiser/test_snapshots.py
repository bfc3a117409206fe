"""Snapshots of all that pages send and show, its numbers left out, and of what it costs, as somebody last looked at it.

A changed number of a layout, a lost key or another sentence is seen here; what is right is asserted elsewhere.
`bash tests/run.sh tests/visualiser/test_snapshots.py --snapshot-update` writes the files anew: read their difference
before you commit it. They are folded (`tests/visualiser/folding.py`): what a person reads stands there, what is long is
a hash. A test that fails names the parts that differ from its last run that passed on this machine.
"""

import inspect
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from syrupy.assertion import SnapshotAssertion

from attention_core import AttentionConfig, attention_statistics
from tests.alone import alone
from tests.visualiser import works
from tests.visualiser.folding import FoldedExtension, differences
from tests.visualiser.pieces import header, opened
from visualiser.gpu import device_name
from visualiser.maps.kept import BINS, Kept
from visualiser.pages import shell
from visualiser.pages.map import calibration
from visualiser.pages.map.store import STORE
from visualiser.pages.why import live as why
from visualiser.server.admission.cost import Cost
from visualiser.server.gradio.building import configuration
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import parameters
from visualiser.state.parameters import PAGES

ASKED = {
    "explore": "",
    "explore-text": "page=explore&lang=ko&n=7&h=3&source=text&mask=causal&row=4&head=2&colour=log",
    "explore-pinned": "page=explore&n=5&h=2&d_k=9&mechanism=additive&stage=scores&columns=2&pin=n%3D5%26scaling%3Dnone",
    "explore-window": "page=explore&n=9&scaling=none&d_k=512&tie=false&mask=window&window=2&dtype=float16"
    "&colour_range=per_head",
    "why": "page=why&n=8&seeds=2&predict=false",
    "why-narrow": "page=why&n=8&seeds=2&lang=ko&scaling=custom&scale=3&columns=2",
    "anatomy": "page=anatomy&step=exponentials&head=2&row=1",
    "anatomy-additive": "page=anatomy&lang=ko&mechanism=additive&mask=causal&layer=2&step=tanh&rows=all",
    "anatomy-trained": "page=anatomy&source=model&layer=2&head=3&scale=2&step=scaled&text=Anna+sees+Ben+.+Anna",
    "train": "page=train&predict=false",
    "train-heads": "page=train&experiment=heads&lang=ko&predict=false&columns=2",
    "cost": "page=cost&predict=false",
    "cost-narrow": "page=cost&lang=ko&columns=2",
    "map": "page=map&n=300&mask=causal",
    "map-text": "page=map&lang=ko&source=text",
    "map-trained": "page=map&source=model&layer=2&text=Anna+sees+Ben+.+Anna",
}
RUNS = {"drawn": "page=map&n=300&h=2&mask=causal&d_k=5", "text": "page=map&source=text&lang=ko&h=1"}
OF_A_MAP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("row", {"head": 1, "row": 200}),
    ("tiles", {"head": 1, "level": 1, "tiles": [[0, 0], [1, 1]]}),
    ("tiles", {"head": 1, "level": 0, "tiles": [[0, 0]]}),
    ("figure", {"figure": "map"}),
    ("figure", {"figure": "map", "top": 3, "left": 2, "across": 9}),
    ("figure", {"figure": "strips"}),
    ("figure", {"figure": "row", "row": 7}),
    ("csv", {}),
    ("npz", {}),
    ("forget", {}),
    ("row", {"head": 1, "row": 200}),
)
"""Questions about a map that the server keeps, until it is forgotten."""
UNSTABLE = {"id", "seconds_left", "versions"}
DECIMAL = re.compile(r"\d+(?:\.\d+)?×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+(?= %)")
COLOUR = ("rgba(", "#")
VERSION = re.compile(r"/assets/[0-9a-f]+/")
FEW = 4
"""Numbers of an array that is kept whole: the ends of a line, a mark, a range."""
LONG = 16
"""A longer list is kept by its ends."""


def rounded(value: Any) -> Any:
    """Keep three digits of a number and no decimals in a text: the last ones differ between processors."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items() if key not in UNSTABLE}
    if isinstance(value, list | tuple):
        if len(value) > LONG and not any(isinstance(item, dict | list | tuple) for item in value):
            value = [*value[:3], f"… {len(value)} …", *value[-2:]]
        return [rounded(item) for item in value]
    if isinstance(value, str):
        return value if value.startswith(COLOUR) else DECIMAL.sub("#", value)
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.3g}")
    return value


def decoded(piece: bytes) -> Any:
    """Return a part: its JSON, with the numbers of each short array and the type and sizes of each other one."""
    structure, blocks = opened(piece)

    def array(kind: str, shape: list[int], at: int) -> Any:
        count = math.prod(shape)
        if count > FEW or kind[0] not in "fi":
            return f"{kind} {shape}"
        # two digits: the ends of a line, say, which no processor changes that much
        return [float(f"{number:.2g}") for number in np.frombuffer(blocks, kind, count, at)]

    def read(node: Any) -> Any:
        if isinstance(node, list):
            return [read(child) for child in node]
        if not isinstance(node, dict):
            return node
        if set(node) == {"t", "s", "at"}:
            return array(node["t"], node["s"], node["at"])
        return {key: read(child) for key, child in node.items() if key != "hash"}

    return rounded(read(structure))


Compare = Callable[..., None]


@pytest.fixture
def kept(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Compare:
    """Return a function that compares a structure, of several with a name, with what was kept of it."""
    folds = snapshot.use_extension(FoldedExtension)
    cache: pytest.Cache | None = getattr(request.config, "cache", None)

    def compare(value: Any, name: str = "") -> None:
        value = json.loads(json.dumps(value))
        place = f"headlight/{request.node.name}{name}"
        if value == folds(name=name) if name else value == folds:
            if cache is not None:
                cache.set(place, value)
            return
        before = None if cache is None else cache.get(place, None)
        found = ["nothing is known of its last run that passed"] if before is None else differences(before, value)
        pytest.fail("it differs from what was kept:\n" + "\n".join(found) + "\n" + "\n".join(folds.get_assert_diff()))

    return compare


@pytest.fixture(autouse=True)
def _known_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calibration._known, device_name(), (calibration.Speed((1e-9, 2e-9), 2.0), math.inf))


def asking(query: str, **extra: Any) -> PageRequest:
    page = parse_qs(query).get("page", ["explore"])[0]
    # the narrow screen of a phone where the link has two columns
    columns = 2 if "columns=2" in query else 0
    return PageRequest(query, "n=4", frozenset(), b"", "en", "light", columns, "http://x/", extra, page)


@pytest.mark.parametrize("query", ASKED.values(), ids=ASKED)
def test_an_answer_is_as_it_was(kept: Compare, query: str) -> None:
    ask = asking(query)
    assert ask.page
    answer, _ = LIVE[ask.page].frame
    kept([decoded(piece) for piece in answer(ask)])


@pytest.mark.parametrize(
    "query",
    [pytest.param(link, id=name, marks=pytest.mark.slow if name == "text" else ()) for name, link in RUNS.items()],
)
def test_a_map_is_as_it_was(kept: Compare, query: str) -> None:
    ask = asking(query)
    found = LIVE["map"].run
    assert found is not None
    pieces = list(found[0](ask, Run()))
    parts = [decoded(piece) for piece in pieces]
    kept([part for part in parts if part["part"] in ("map", "figures", "ended")])
    name = header(pieces[-1])["id"]
    answered = {}
    for question, extra in OF_A_MAP:
        answer, _ = LIVE["map"].subrequests[question]
        answers = [decoded(piece) for piece in answer(asking(query, id=name, **extra))]
        # the length of a file depends on the digits of its numbers
        answered[f"{question} {extra}"] = [
            part["values"]["structure"] if part["part"] == "file" else part for part in answers
        ]
    kept(answered, "questions")


QUESTIONS = {
    "row": ("row", "page=explore&n=5&h=2&mask=causal&head=2", {"row": 2}),
    "row-text": ("row", "page=explore&lang=ko&source=text&mechanism=additive&columns=2", {"row": 0}),
    "curves": ("curves", "page=why&n=3&seeds=1", {"prediction": {"name": "why_falls", "answer": "unscaled"}}),
    "curves-narrow": ("curves", "page=why&n=3&seeds=2&lang=ko&columns=2", {}),
    "explore-moving": (None, "page=explore&n=4&h=2", {"light": True}),
    "why-moving": (None, "page=why&n=4&predict=false", {"light": True, "beside": True}),
}


@pytest.mark.parametrize(("question", "query", "extra"), QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_is_answered_as_it_was(
    kept: Compare,
    monkeypatch: pytest.MonkeyPatch,
    question: str | None,
    query: str,
    extra: dict[str, Any],
) -> None:
    monkeypatch.setattr(why, "_BEAT", math.inf)  # of the growing figure only the last
    ask = asking(query, **extra)
    assert ask.page
    found = LIVE[ask.page].answer(question)
    assert found is not None
    kept([decoded(piece) for piece in found[0](ask)])


PREDICTED = {
    "anatomy": ("page=anatomy&predict=true&step=weights", "anatomy_largest", "1"),
    "train": ("page=train&predict=true", "train_falls", "unscaled"),
    "heads": ("page=train&predict=true&experiment=heads&lang=ko", "train_heads", [0.5] * 5),
    "cost": ("page=cost&predict=true&lang=ko", "cost_ratio", "same"),
}


@pytest.mark.parametrize(("query", "name", "answer"), PREDICTED.values(), ids=PREDICTED)
def test_a_prediction_is_judged_as_it_was(kept: Compare, query: str, name: str, answer: Any) -> None:
    ask = asking(query, reveal=True, prediction={"name": name, "answer": answer})
    assert ask.page
    parts = [decoded(piece) for piece in LIVE[ask.page].frame[0](ask)]
    judged = [part for part in parts if part["part"] in ("question", "verdict")]
    assert len(judged) == 2
    kept(judged)


CALLS = {
    "attention": {"n": 8, "h": 2, "d_k": 4, "mask": "causal"},
    "why": {"n": 8, "seeds": 2, "d_ks": [2, 8]},
    "anatomy": {"mechanism": "additive", "layer": 2, "head": 2},
    "cost": {"sizes": [8], "n": 8, "d_k": 4},
    "train": {"d_k": 4, "steps": 2, "seeds": 1},
    "model": {"layer": 2, "head": 1},
    "map": {"n": 64, "h": 2, "d_k": 4},
    "heads": {},
}


def shape(value: Any) -> Any:
    """Keep names and sizes of an endpoint's answer; its numbers differ between processors."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [len(value), *(shape(item) for item in value[:1])]
    return type(value).__name__ if isinstance(value, float) or value is None else value


@pytest.mark.parametrize("name", CALLS)
def test_an_endpoint_answers_as_it_did(kept: Compare, name: str) -> None:
    assert set(CALLS) == set(shell.ENDPOINTS)
    kept(shape(shell.ENDPOINTS[name].function(**CALLS[name])))


def calls() -> Iterator[tuple[str, Cost]]:
    """Yield the price of a usual call of each endpoint, of a small one, and of one layer more than there may be."""
    for name, given in [*CALLS.items(), *((name, {}) for name in CALLS), ("anatomy", {"layer": 5})]:
        function, price = shell.ENDPOINTS[name].function, shell.ENDPOINTS[name].price
        usual = {one.name: one.default for one in inspect.signature(function).parameters.values()}
        yield f"{name} {given}", price({**usual, **given})


def priced() -> Iterator[works.Work]:
    """Yield small work of every kind."""
    for page in PAGES:
        yield works.frame(page, f"page={page}&n=64")
        yield works.frame(page, f"page={page}&n=512&h=16&d_k=1024&d_model=1024&tie=false&dtype=float16")
        yield works.frame(page, f"page={page}&n=200&mechanism=additive&mask=causal&source=text&h=3")
    yield from (
        works.file(kind, "n=64&h=3&mask=window") for kind in ("snippet", "rows", "cells", "npz", "html", "figure")
    )
    for query in ("pin=n%3D64", "source=structured&mask=causal", "n=2&h=1&d_k=1&source=text&positions=true"):
        yield works.frame("explore", query)
        yield from (works.file(kind, query) for kind in ("html", "figure", "npz"))
        yield works.question("explore", "row", query, row=1)
    yield works.question("why", "curves", "page=why&n=128&seeds=10")
    yield works.question("explore", "row", "n=512&mask=window&h=16", row=511)
    for name, extra in OF_A_MAP:
        yield works.question("map", name, "page=map", id=LONG_MAP, **extra)
    for query in ("n=3000&h=2", "n=9000&mask=causal&d_k=256"):
        yield works.run("map", f"page=map&{query}")
    for query in ("", "experiment=heads", "task=recall", "task=noisy&seeds=5"):
        yield works.run("train", f"page=train&{query}")
    for query in ("", "varied=d_k"):
        yield works.run("cost", f"page=cost&{query}")


LONG_MAP = "priced"


@pytest.fixture
def _long_map() -> Iterator[None]:
    """Keep a map of 700 tokens, as if somebody had computed it."""
    Q = torch.ones(2, 700, 3)
    config = AttentionConfig(n=700, h=2, d_k=3, tie=False, source="text")
    tokens = tuple(f"word{i}" for i in range(700))
    STORE.put(LONG_MAP, Kept(config, Q, Q, tokens, attention_statistics(Q, Q, overview=BINS)))
    yield
    STORE.drop(LONG_MAP)


@pytest.mark.usefixtures("_long_map")
def test_what_is_asked_costs_what_it_did(kept: Compare) -> None:
    costs = [*((work.label, work.cost) for work in priced()), *calls()]
    kept(rounded([(label, cost.seconds, cost.memory, cost.multiply_adds) for label, cost in costs]))


async def built() -> Any:
    """Return the app's configuration; gradio takes the running loop, or leaves one open."""
    return configuration(shell.build())


@pytest.fixture(scope="module")
def configured() -> Any:
    return alone(built())


def test_controls_are_what_they_were(kept: Compare, configured: Any) -> None:
    named = ("elem_id", "elem_classes", "label", "value", "choices", "minimum", "maximum", "step", "precision")
    named += ("open", "visible", "interactive", "show_label", "lines", "max_lines", "scale", "min_width", "size")
    shown = []
    for part in configured["components"]:
        props = part["props"]
        settings = {name: str(props[name]) for name in named if props.get(name) not in (None, "", [], True)}
        if settings.get("elem_id") or part["type"] != "html":
            shown.append([part["type"], settings])
    kept(shown)


def test_pages_give_their_scripts_what_they_did(kept: Compare, configured: Any) -> None:
    """Events with the controls that they fill, and the settings with which a page's script starts."""
    named = {part["id"]: part["props"].get("elem_id") for part in configured["components"]}
    structure = []
    for event in configured["dependencies"]:
        js = event["js"] if isinstance(event["js"], str) else ""
        start, brace, settings = js.partition(".start({")
        if brace:
            read = json.loads("{" + settings.removesuffix(")"))
            assert set(read.pop("templates")) == {"light", "dark"}
            structure.append(rounded(json.loads(VERSION.sub("/assets/…/", json.dumps(read)))))
        ways = [[named.get(at), trigger] for at, trigger in event["targets"]]
        structure.append(
            [ways, start, [named[at] for at in event["outputs"]], event["trigger_mode"], event["api_visibility"]]
        )
    kept(structure)


def test_links_have_the_bounds_that_they_had(kept: Compare) -> None:
    found = {page: parameters.bounds(page) for page in PAGES}
    structure = {
        page: {name: [of.minimum, of.maximum, of.default, of.step] for name, of in bounds.items()}
        for page, bounds in found.items()
    }
    kept(structure)
