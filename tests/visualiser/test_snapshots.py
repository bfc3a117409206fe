"""What every page shows and costs, as somebody last looked at it: a short text a page, in `__snapshots__`.

Another sentence, name, count, bound or price is seen here; what is right is asserted elsewhere.
`bash tests/run.sh tests/visualiser/test_snapshots.py --snapshot-update` writes the texts anew: read their difference
before you commit it.
"""

import inspect
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from attention_core import AttentionConfig, attention_statistics
from tests.alone import alone
from tests.visualiser import facts, works
from tests.visualiser.facts import Facts
from tests.visualiser.pieces import header, opened
from visualiser.maps.kept import BINS, Kept
from visualiser.pages import shell
from visualiser.pages.map import calibration
from visualiser.pages.map.store import STORE
from visualiser.pages.why import live as why
from visualiser.reasons.kinds import KINDS
from visualiser.server.admission import cost
from visualiser.server.admission.cost import Cost
from visualiser.server.gradio.building import configuration
from visualiser.server.live.answering import LIVE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state import parameters
from visualiser.state.parameters import PAGES
from visualiser.upload.beforehand import FileSizes


class State(NamedTuple):
    """A link of a page, and what is asked about it."""

    query: str
    question: str | None = None
    extra: Mapping[str, Any] = {}


def predicted(query: str, name: str, answer: Any) -> State:
    """Return the state of a link after a question was answered."""
    return State(f"predict=true&{query}", extra={"reveal": True, "prediction": {"name": name, "answer": answer}})


STATES: dict[str, tuple[State, ...]] = {
    "explore": (
        State(""),
        State("n=7&h=3&source=text&mask=causal&row=4&head=2&colour=log"),
        State("n=5&h=2&d_k=9&mechanism=additive&stage=scores&columns=2&pin=n%3D5%26scaling%3Dnone"),
        State("n=9&scaling=none&d_k=512&tie=false&mask=window&window=2&dtype=float16&colour_range=per_head"),
        State("n=5&h=2&mask=causal&head=2", "row", {"row": 2}),
        State("n=4&h=2", extra={"light": True}),
    ),
    "why": (
        State("n=8&seeds=2&predict=false"),
        State("n=8&seeds=2&scaling=custom&scale=3&columns=2"),
        State("n=3&seeds=2", "curves", {"prediction": {"name": "why_falls", "answer": "unscaled"}}),
        State("n=4&predict=false", extra={"light": True, "beside": True}),
    ),
    "anatomy": (
        State("step=exponentials&head=2&row=1"),
        State("mechanism=additive&mask=causal&layer=2&step=tanh&rows=all"),
        State("source=model&layer=2&head=3&scale=2&step=scaled&text=Anna+sees+Ben+.+Anna"),
        predicted("step=weights&lang=ko", "anatomy_largest", "1"),
    ),
    "cost": (
        State("predict=false"),
        State("varied=d_k&predict=false&columns=2"),
        predicted("lang=ko", "cost_ratio", "same"),
    ),
    "train": (
        State("predict=false"),
        State("experiment=heads&predict=false&columns=2"),
        predicted("", "train_falls", "unscaled"),
        predicted("experiment=heads&lang=ko", "train_heads", [0.5] * 5),
    ),
    "model": (
        State(""),
        State("layer=2&head=1&row=12&shows=rollout&overview=scatter&x=variance&y=entropy"),
        State("layer=2&head=3&shows=mean&changes=mute%401.1&sort=entropy&columns=2"),
        State("layer=2&head=1&row=7&changes=factor%3A2&against=mute%401.1&lang=ko"),
        State("layer=2&head=4&row=13&cost=text&sort=cost&over=text&only=labelled"),
        State("layer=2&cost=denoise&patch=weights&answer=Miller&text=Ben+Taylor+sees+Anna&other=Anna+Taylor+sees+Ben"),
        State("model=headlight-one-layer&head=2&key=3&key_figure=writes"),
        State("predict=true&question=model_mute&layer=2&head=1&row=12", extra={"light": True}),
        predicted("layer=2&head=1&row=12&question=model_key", "model_key", "0"),
    ),
    "map": (
        State("n=300&mask=causal"),
        State("lang=ko&source=text"),
        State("source=model&layer=2&text=Anna+sees+Ben+.+Anna"),
    ),
}
"""States of a page that are looked at; of each but the first, what differs from it."""
COMPUTED = "n=300&h=2&mask=causal&d_k=5"
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
CALLS: dict[str, dict[str, Any]] = {
    "attention": {"n": 8, "h": 2, "d_k": 4, "mask": "causal"},
    "why": {"n": 8, "seeds": 2, "d_ks": [2, 8]},
    "anatomy": {"mechanism": "additive", "layer": 2, "head": 2},
    "cost": {"sizes": [8], "n": 8, "d_k": 4},
    "train": {"d_k": 4, "steps": 2, "seeds": 1},
    "model": {"layer": 2, "head": 1},
    "map": {"n": 64, "h": 2, "d_k": 4},
    "heads": {},
}
UNSTABLE = {"id", "seconds_left"}
DECIMAL = re.compile(r"\d+(?:\.\d+)?×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d+\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+|\d+(?= %)")
TRANSLATED = re.compile(r'"__i18n__[^}]*?key\\": \\"([\w-]+)\\"}"')
PAINT = re.compile(r"\x1b\[[\d;]*m")
VERSION = re.compile(r"/assets/[0-9a-f]+/")
ACTION = re.compile(r'async .*?headlight\)\.(?:act\("([\w.]+)", "(\w+)"|(\w+))')
FEW = 4
"""Numbers of an array that is kept whole: the ends of a line, a mark, a range."""


class PageTexts(SingleFileSnapshotExtension):
    """Keep each text as a file of its own."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


def rounded(value: Any, digits: int = 3) -> Any:
    """Keep few digits of a number and no decimals in a text: the last ones differ between processors."""
    if isinstance(value, dict):
        return {key: rounded(item, digits) for key, item in value.items() if key not in UNSTABLE}
    if isinstance(value, list | tuple):
        return [rounded(item, digits) for item in value]
    if isinstance(value, str):
        return DECIMAL.sub("#", value)
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{digits}g}")
    return value


def decoded(piece: bytes) -> Any:
    """Return a part: its JSON, with the numbers of each short array and the type and sizes of each other one."""
    structure, blocks = opened(piece)

    def array(kind: str, shape: list[int], at: int) -> Any:
        count = math.prod(shape)
        if count > FEW or kind[0] not in "fi":
            return f"{kind} {shape}"
        # two digits: the ends of a line, say, which no processor changes that much
        return rounded(np.frombuffer(blocks, kind, count, at).tolist(), 2)

    def read(node: Any) -> Any:
        if isinstance(node, list):
            return [read(child) for child in node]
        if not isinstance(node, dict):
            return node
        if set(node) == {"t", "s", "at"}:
            return array(node["t"], node["s"], node["at"])
        return {key: read(child) for key, child in node.items() if key != "hash"}

    return rounded(read(structure))


@pytest.fixture(autouse=True)
def _stable(monkeypatch: pytest.MonkeyPatch, known_speed: calibration.Speed) -> None:
    monkeypatch.setattr(why, "_BEAT", math.inf)  # of the growing figure only the last


def asking(page: str, query: str, **extra: Any) -> PageRequest:
    # the narrow screen of a phone where the link has two columns
    columns = 2 if "columns=2" in query else 0
    link = f"page={page}&{query}"
    return PageRequest(link, "n=4", frozenset(), b"", "en", "light", columns, "http://x/", extra, page)


def answered(page: str, state: State) -> list[Any]:
    """Return the parts of an answer; of a judged prediction only the question and the verdict."""
    found = LIVE[page].answer(state.question)
    assert found is not None
    parts = [decoded(piece) for piece in found[0](asking(page, state.query, **state.extra))]
    return [part for part in parts if "reveal" not in state.extra or part["part"] in ("question", "verdict")]


def computed(query: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the parts of a computed map, and those of the answers to every question about it."""
    found = LIVE["map"].run
    assert found is not None
    pieces = list(found[0](asking("map", query), Run()))
    parts = [decoded(piece) for piece in pieces]
    yield f"{query}, computed", [part for part in parts if part["part"] in ("map", "figures", "ended")]
    name = header(pieces[-1])["id"]
    for question, extra in OF_A_MAP:
        answer, _ = LIVE["map"].subrequests[question]
        answers = [decoded(piece) for piece in answer(asking("map", query, id=name, **extra))]
        files = [part["values"]["structure"].get("name") for part in answers if part["part"] == "file"]
        # the length of a file depends on the digits of its numbers
        yield f"{question} {extra or ''}", [{"part": "file", "name": name} for name in files] or answers


def shown(page: str, defaults: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the states of a page, of each what those above do not say."""
    known: set[str] = set()
    first: Facts = {}
    for state in STATES[page]:
        found = facts.of_parts(answered(page, state), defaults)
        asked = f"{state.question or ''} {state.extra or ''}".strip()
        yield f"\n# {state.query or 'as it opens'}{asked and ', '}{asked}"
        yield from facts.changed(known, found)
        if not (state.question or state.extra):
            yield from (f"not here: {line}" for line in facts.lacking(first, found))
        first = first or found
    if page == "map":
        for asked, parts in computed(COMPUTED):
            yield f"\n# {asked}".rstrip()
            yield from facts.changed(known, facts.of_parts(parts, defaults))


def component_pages(configured: Mapping[str, Any]) -> dict[int, str]:
    """Return the page of each component: a page begins with its banner, and what no page holds is of none."""
    pages, left, found = "", iter(PAGES), {}
    for part in configured["components"]:
        if part["props"].get("elem_id") == "banner":
            pages = next(left)
        found[part["id"]] = pages if part["type"] != "api" else ""
    return found


def started(configured: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings that the script of each page starts with."""
    found = {}
    for event in configured["dependencies"]:
        _, brace, settings = str(event["js"]).partition(".start({")
        if brace:
            read = json.loads(VERSION.sub("/assets/…/", "{" + settings.removesuffix(")")))
            assert set(read.pop("templates")) == {"light", "dark"}
            del read["versions"], read["reach"]["bounds"]  # those bounds are the links'
            found[read["page"]] = read
    return found


def heard(configured: Mapping[str, Any], page: str) -> Iterator[str]:
    """Yield what happens on a page, and on which controls."""
    named = {part["id"]: str(part["props"].get("elem_id")) for part in configured["components"]}
    pages = component_pages(configured)
    found: dict[str, list[str]] = defaultdict(list)
    for event in configured["dependencies"]:
        for at, trigger in event["targets"]:
            action, takes, other = done.groups() if (done := ACTION.match(str(event["js"]))) else ("", "", "")
            if pages.get(at) == page or (other == "start" and f'"page": "{page}"' in event["js"]):
                fills = f", fills {len(event['outputs'])} controls" if event["outputs"] else ""
                how = f"{trigger} {action or other}, {event['trigger_mode']}, {event['api_visibility']}{fills}"
                name = named.get(at, "page")
                found[how].append(name if not takes or name == f"control-{takes}" else f"{name} as {takes}")
    for how, names in found.items():
        yield from (f"on {how}: {line}" for line in facts.lines(names))


async def built() -> Any:
    """Return the app's configuration; gradio takes the running loop, or leaves one open."""
    return configuration(shell.build())


@pytest.fixture(scope="module")
def configured() -> Any:
    return alone(built())


Compare = Callable[[list[str]], None]


@pytest.fixture
def compare(snapshot: SnapshotAssertion) -> Compare:
    """Return a function that compares lines with those that were kept, and tells which differ."""
    kept = snapshot.use_extension(PageTexts)

    def compared(lines: list[str]) -> None:
        if "\n".join(lines).strip() + "\n" != kept:
            pytest.fail(PAINT.sub("", "\n".join(["it differs:", *kept.get_assert_diff()])), pytrace=False)

    return compared


def settings(configured: Any) -> dict[str, list[str]]:
    """Return the lines of the settings of each page's script; of its defaults those that differ from Explore's."""
    found = started(configured)
    usual = found["explore"]["defaults"]
    for page, own in found.items():
        if page != "explore":
            own["defaults"] = {name: value for name, value in own["defaults"].items() if value != usual.get(name, ...)}
    return {page: list(facts.written(facts.of_settings(own))) for page, own in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_page(compare: Compare, configured: Any, page: str) -> None:
    scripts = settings(configured)
    shared = {line for other, found in scripts.items() if other != page for line in found}
    lines = list(shown(page, started(configured)[page]["defaults"]))
    lines += ["\n# Its script starts with", *(line for line in scripts[page] if line not in shared)]
    lines += ["\n# Its events", *heard(configured, page)]
    for name in {"explore": ("attention",), "model": ("model", "heads")}.get(page, (page,)):
        answer = shell.ENDPOINTS[name].function(**CALLS[name])
        parts = answer.items() if isinstance(answer, dict) else [("a list", answer)]
        lines += [f"\n# The endpoint {name} answers {CALLS[name] or ''}".rstrip()]
        lines += facts.lines(f"{key}: {facts.kind(value)}" for key, value in parts)
    compare(lines)


def grouped(found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the pages that each line is of."""
    pages: dict[str, list[str]] = defaultdict(list)
    for page, line in dict.fromkeys(found):
        pages[line].append(page)
    return {line: "every page" if len(of) == len(PAGES) else ", ".join(of) for line, of in pages.items()}


def controls(configured: Any) -> Iterator[tuple[str, str]]:
    """Yield the page of each component that has a name, and its settings that a reader of the page notices."""
    pages = component_pages(configured)
    named = ("label", "value", "choices", "minimum", "maximum", "step", "precision", "open", "lines")
    for part in configured["components"]:
        props = part["props"]
        if name := pages[part["id"]] and props.get("elem_id"):
            told = json.loads(TRANSLATED.sub(r'"\1"', json.dumps({key: props.get(key) for key in named}, default=str)))
            control = name.removeprefix("control-")
            usual = [f"choice-{control}-{value}".replace(".", "-") for _, value in told["choices"] or []]
            if [label for label, _ in told["choices"] or []] == usual:
                told["choices"] = [value for _, value in told["choices"] or []]
            if told["label"] == f"{name}-label":
                told["label"] = None
            texts = [f"{key} {value}" for key, value in told.items() if value not in (None, "", [])]
            hidden = ["not now"] if "not-now" in props["elem_classes"] else []
            yield pages[part["id"]], f"{name}: {', '.join([part['type'], *hidden, *texts])}"


def test_controls_and_links(compare: Compare, configured: Any) -> None:
    found = grouped(controls(configured))
    plain = {line: of for line, of in found.items() if "," not in line and " button" not in line}
    places: dict[str, list[str]] = defaultdict(list)
    for line, of in plain.items():
        places[of].append(line.replace(": html", ""))
    lines = ["# Controls", *(f"{line}  [{of}]" for line, of in found.items() if line not in plain), "\n# Places"]
    lines += [f"{of}: {line}" for of, names in places.items() for line in facts.lines(names)]
    bounds = [
        (page, f"{name}: {of.minimum} … {of.maximum} by {of.step}, {of.default} unless told")
        for page in PAGES
        for name, of in parameters.bounds(page).items()
    ]
    lines += ["\n# Bounds of links", *sorted(f"{line}  [{of}]" for line, of in grouped(bounds).items())]
    starts = grouped((page, line) for page, own in settings(configured).items() for line in own)
    lines += ["\n# What the scripts of several pages start with"]
    lines += [f"{line}  [{of}]" for line, of in starts.items() if of not in PAGES]
    compare(lines)


def calls() -> Iterator[tuple[str, Cost]]:
    """Yield the price of a usual call of each endpoint, of a small one, and of one layer more than there may be."""
    for name, given in [*CALLS.items(), *((name, {}) for name in CALLS), ("anatomy", {"layer": 5})]:
        function, price = shell.ENDPOINTS[name].function, shell.ENDPOINTS[name].price
        usual = {one.name: one.default for one in inspect.signature(function).parameters.values()}
        yield f"the endpoint {name} {given or ''}".strip(), price({**usual, **given})


def priced() -> Iterator[tuple[str, works.Work]]:
    """Yield small work of every kind, with what it is."""
    for page in PAGES:
        yield "frame", works.frame(page, f"page={page}&n=64")
        yield "frame", works.frame(page, f"page={page}&n=512&h=16&d_k=1024&d_model=1024&tie=false&dtype=float16")
        yield "frame", works.frame(page, f"page={page}&n=200&mechanism=additive&mask=causal&source=text&h=3")
    for kind in ("snippet", "rows", "cells", "npz", "html", "figure"):
        yield kind, works.file(kind, "n=64&h=3&mask=window")
    for query in ("pin=n%3D64", "source=structured&mask=causal", "n=2&h=1&d_k=1&source=text&positions=true"):
        yield "frame", works.frame("explore", query)
        yield from ((kind, works.file(kind, query)) for kind in ("html", "figure", "npz"))
        yield "row", works.question("explore", "row", query, row=1)
    yield "curves", works.question("why", "curves", "page=why&n=128&seeds=10")
    yield "row", works.question("explore", "row", "n=512&mask=window&h=16", row=511)
    for name, extra in OF_A_MAP:
        yield name, works.question("map", name, "page=map", id=LONG_MAP, **extra)
    for query in ("n=3000&h=2", "n=9000&mask=causal&d_k=256"):
        yield "run", works.run("map", f"page=map&{query}")
    for query in ("", "experiment=heads", "task=recall", "task=noisy&seeds=5"):
        yield "run", works.run("train", f"page=train&{query}")
    for query in ("", "varied=d_k"):
        yield "run", works.run("cost", f"page=cost&{query}")
    for query in OF_INPUTS:
        yield "frame", works.frame("explore", query)
        yield "frame", works.frame("anatomy", f"page=anatomy&{query}")
        yield from ((name, works.question("explore", name, query, row=1)) for name in ("arithmetic", "reveal"))
    for query in OF_A_MODEL:
        yield "frame", works.frame("model", query)
        yield from ((name, works.question("model", name, query)) for name in ("arithmetic", "head", "passage"))


def of_files() -> Iterator[tuple[str, Cost]]:
    """Yield the price of reading each kind of file, beside and above its bounds."""
    for pixels in (10**4, 10**7):
        yield f"a picture of {pixels} pixels", cost.picture(pixels, 10**6)
    for rate in (cost.KEPT_RATE, cost.KEPT_RATE + 1):
        for samples in (10**5, 10**7):
            yield f"{samples} samples, {rate} a second", cost.sound(samples, rate, 10**6)
    for sizes in (FileSizes(10**6, 10**5, 4), FileSizes(10**6, 10**5, 8), FileSizes(10**6, 10**5, 8, 10**3)):
        yield f"{sizes}", cost.upload(sizes, 10**6)
        yield f"weights, {sizes}", cost.weights(sizes, 10**6)


OF_INPUTS = (
    "n=64&source=structured&qk_norm=true",
    "n=64&source=text&positions=true&dtype=bfloat16&layer=3",
    "n=64&mask=window&window=3&normalisation=entmax&softcap=20",
    "n=64&mechanism=additive&normalisation=sink",
)
"""Links of Explore and Anatomy whose inputs and weights are made in other ways."""
OF_A_MODEL = (
    "page=model&layer=2&head=1&row=7",
    "page=model&layer=2&head=1&row=7&cost=text&changes=factor%3A2",
    "page=model&layer=2&cost=noise&text=Ben+sees+Anna&other=Anna+sees+Ben&answer=Miller",
)

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
def test_prices(compare: Compare) -> None:
    costs = [*((f"{name} of {work.label}", work.cost) for name, work in priced()), *calls(), *of_files()]
    lines = ["# Seconds, megabytes and million multiply-adds"]
    for label, price in costs:
        amounts = (price.seconds, price.memory / 1e6, price.multiply_adds / 1e6)
        lines.append(f"{label}: {', '.join(f'{rounded(float(amount)):g}' for amount in amounts)}")
    compare(lines)


def test_equations(compare: Compare) -> None:
    compare(
        ["# Each quantity's equation, or what its text is named, and its section"]
        + [f"{name}: {kind.formula or 'reason.formula'} · {kind.section}" for name, kind in KINDS.items()]
    )
