"""How every figure is laid out, painted and pointed at, as somebody last looked at it: what no fact of a page says.

`bash tests/run.sh tests/visualiser/test_looks.py --snapshot-update` writes the text in `__snapshots__` anew.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.visualiser.facts import filled
from tests.visualiser.pieces import opened
from tests.visualiser.test_snapshots import COMPUTED, OF_A_MAP, STATES, PageTexts, asking
from visualiser.pages.why import live
from visualiser.server.live.answering import LIVE
from visualiser.server.live.runs import Run
from visualiser.theme import THEMES, template

SAID: Final = frozenset({"type", "mode", "name", "meta", "showlegend", "title", "range", "text", "ticktext", "source"})
"""What the facts of a page say."""
DRAWN: Final = frozenset({"x0", "x1", "y0", "y1", "cmin", "cmax", "tickvals", "labelalias", "uirevision"})
"""What follows from the numbers that are drawn."""
LAID: Final = ("domain", "len", "x", "y")
"""Where a panel or a bar of colours is."""
FEW: Final = 4
"""A longer list is written by its ends."""
_NUMBERED: Final = re.compile(r"\b(x|y|(?:x|y|color)axis|head |name )\d+\b")
_ARRAY: Final = {"t", "s", "at"}


def drawings(node: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each figure in a part, and the figure."""
    for name, one in node.items() if isinstance(node, dict) else ():
        if isinstance(one, dict) and isinstance(one.get("structure"), dict) and "layout" in one["structure"]:
            yield name, filled(one["structure"], one["values"])
        else:
            yield from drawings(one)


def numberless(node: Any) -> Any:
    """Return a part with each array as its type."""
    if isinstance(node, list):
        return [numberless(child) for child in node]
    if not isinstance(node, dict):
        return node
    return node["t"] if set(node) == _ARRAY else {key: numberless(child) for key, child in node.items()}


def plain(text: str) -> str:
    """Return a text without the numbers of panels and heads."""
    return _NUMBERED.sub(r"\1", text)


def looks(value: Any) -> str:
    """Return a style as a text, with few digits."""
    if isinstance(value, dict):
        styles = {plain(key): looks(one) for key, one in value.items() if key not in SAID | DRAWN}
        return "{" + ", ".join(f"{key} {style}" for key, style in styles.items() if style not in ("{}", "[]")) + "}"
    if isinstance(value, list):
        texts = list(dict.fromkeys(map(looks, value)))
        return "[" + ", ".join(texts if len(texts) <= FEW else [texts[0], "…", texts[-1]]) + "]"
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.3g}"
    return plain(str(value))


def of_figure(figure: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a figure: of its marks by what they are, of its axes, of the rest, and of its places."""
    for trace in figure["data"]:
        kind = [trace["type"], trace.get("mode"), (trace.get("meta") or {}).get("kind")]
        yield f"{' '.join(filter(None, kind))} {looks(trace)}"
    layout = dict(figure["layout"])
    laid: dict[str, Any] = {key: layout.pop(key) for key in ("height", "margin") if key in layout}
    for key, value in layout.items():
        for one in value if key in ("annotations", "shapes", "images") else [value]:
            axis = isinstance(one, dict) and "axis" in key
            bar = one.get("colorbar", {}) if axis else {}
            for part in (one, bar) if axis else ():
                for name in LAID:
                    if name in part:
                        laid.setdefault(plain(f"{key} {name}"), []).append(part.pop(name))
            if style := looks({key: one})[1:-1]:
                yield style
    yield f"laid out {looks(laid)}"


def pieces() -> Iterator[bytes]:
    """Yield the parts of every page's states, and of what is asked about a computed map."""
    for page, states in STATES.items():
        for state in (state for state in states if not state.extra):
            found = LIVE[page].answer(state.question)
            assert found is not None
            yield from found[0](asking(page, state.query))
    yield from LIVE["why"].subrequests["curves"][0](asking("why", "n=3&seeds=2"))
    work = LIVE["map"].run
    assert work is not None
    *_, last = work[0](asking("map", COMPUTED), Run())
    for question, extra in OF_A_MAP:
        if question == "figure":
            asked = asking("map", COMPUTED, id=opened(last)[0]["id"], **extra)
            yield from LIVE["map"].subrequests[question][0](asked)


@pytest.mark.slow
@pytest.mark.usefixtures("known_speed")
def test_every_figure_looks_as_it_did(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_BEAT", math.inf)  # no half of a sweep, whose axis may be another
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for piece in pieces():
        for name, figure in drawings(numberless(opened(piece)[0])):
            for line in of_figure(figure):
                found[line][name] = None
    lines = [f"{line}  [{', '.join(names)}]" for line, names in sorted(found.items())]
    assert "\n".join(lines) + "\n" == snapshot.use_extension(PageTexts)


def test_every_theme_looks_as_it_did(snapshot: SnapshotAssertion) -> None:
    lines = [
        f"{theme} {part} {key} {looks(value)}"
        for theme in THEMES
        for part, styles in template(theme).items()
        for key, value in styles.items()
    ]
    assert "\n".join(lines) + "\n" == snapshot.use_extension(PageTexts)
