"""What a page shows, as lines of text: words, states and drawings, without what depends on a machine's fonts."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path
from typing import Final

from playwright.sync_api import Page
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

_OUTLINE: Final = Path(__file__).with_suffix(".mjs").read_text(encoding="utf-8").partition("export default ")[2]

_SETTLED: Final = """() => {
  const seen = (one) => one.checkVisibility();
  const figures = [...document.querySelectorAll(".figure-place")].filter(seen);
  const { state, answers } = window.headlightPage;
  const map = document.querySelector("#figure-map[data-wanted]"); // its window moves without the server
  const moved = map && seen(map) ? map.dataset.wanted : null;
  const shows = ({ dataset: { painted, error } }) => error || painted === moved || painted === state.present;
  const told = answers.telling.root.dataset.painted ?? state.present;
  return state.canonical !== null && figures.every(shows) && (moved !== null || told === state.present) &&
    location.search.includes(moved ?? state.canonical) &&
    ![...document.querySelectorAll("[aria-busy=true], .is-stale")].some(seen) &&
    ![...document.querySelectorAll(".tip strong")].some((one) => seen(one) && one.textContent === "…");
}"""

_STILL: Final = f"""() => new Promise((painted) =>
  requestAnimationFrame(() => requestAnimationFrame(() => painted(({_SETTLED})())))
)"""
"""True if the page is settled two frames later: what was pressed or moved last may have asked for more meanwhile."""

_RESTS: Final = """async () => {
  window.headlightPage = (await headlight).act("valueOf");
  await window.headlightPage.updates.answered;
}"""


def outline(page: Page, within: str, without: str = "") -> list[str]:
    """Return what the elements of a selector show, an element a line, but for those of another selector."""
    found: list[str] = page.evaluate(_OUTLINE, [within, without])
    return [*_joined(found)]


def settle(page: Page) -> None:
    """Wait until every figure and sentence is of the state that the address names, and was so two frames before."""
    page.evaluate(_RESTS)
    page.wait_for_function(_SETTLED)
    while not page.evaluate(_STILL):
        page.wait_for_function(_SETTLED)


_LEAF: Final = re.compile(r"( *[a-z][\w.-]*)( \[.*\])?((?: @-?\d+,-?\d+)?)( .*)?")


def _joined(lines: list[str]) -> Iterator[str]:
    """Write neighbours of one kind that are no more than a word as one line, with the first's and the last's places."""

    def kind(line: str) -> str:
        return "" if "▦" in line or ": " in line else line[: len(line) - len(line.lstrip())] + line.split()[0]

    for of, group in groupby(lines, kind):
        some = list(group)
        leaves = [found for found in map(_LEAF.fullmatch, some) if found]
        if not of or len(some) == 1 or len(leaves) < len(some):
            yield from some
            continue
        first, last = leaves[0], leaves[-1]
        places = f"{first[3]} …{last[3][1:]}" if first[3] and last[3] else ""
        words = " | ".join(" ".join(part.strip() for part in (leaf[4], leaf[2]) if part) for leaf in leaves)
        yield f"{first[1]}{places} {words}"


class Story:
    """States of one page, one after another: the first whole, each later one by the lines that went and came."""

    def __init__(self, page: Page, within: str, without: str = "", **fleeting: str) -> None:
        """`fleeting` names what each run has anew, such as an address: the story has the name."""
        self._page, self._seen, self._fleeting = page, (within, without), fleeting
        self._last: list[str] | None = None
        self._told: list[str] = []

    def tell(self, what: str, *, settled: bool = True) -> None:
        """Wait until the page is at rest and add what it shows; `settled`: false while it waits for somebody."""
        if settled:
            settle(self._page)
        lines = [*map(self._kept, outline(self._page, *self._seen))]
        self._told += [f"## {what}", *(lines if self._last is None else _changes(self._last, lines))]
        self._last = lines

    def _kept(self, line: str) -> str:
        for name, found in self._fleeting.items():
            line = line.replace(found, f"<{name}>")
        return line

    @property
    def text(self) -> str:
        """The story so far."""
        return "\n".join(self._told) + "\n"


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    """Return the lines that went and came, in the order of the page."""
    known: dict[str, list[str]] = {}
    for line in before:
        known.setdefault(_NUMBER.sub("", line), []).append(line)
    same = [_same(line, known.get(_NUMBER.sub("", line), [])) for line in after]
    matcher = SequenceMatcher(None, before, same, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what != "equal":
            yield from (f"−{line}" for line in before[i : j if j - i < 3 else i + 1])
            if j - i > 2:
                yield f"− and {j - i - 1} more"
            yield from (f"+{line}" for line in after[k:m])


def _same(line: str, known: list[str]) -> str:
    """Return a known line that is like this one, or this one."""
    return line if line in known else next((one for one in known if alike(one, line)), line)


_NUMBER: Final = re.compile(r"@-?\d+,-?\d+|[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def alike(one: str, other: str) -> bool:
    """Return whether two lines are the same but for what another processor or another font may change.

    Shades may differ by one of ten, places in a figure by three of a hundred, other numbers with a point by two in a
    hundred; whole numbers are the same.
    """
    if one == other:
        return True
    if "▦" in one:
        return len(one) == len(other) and all(map(_near, one, other))
    numbers, others = _NUMBER.findall(one), _NUMBER.findall(other)
    return _NUMBER.sub("", one) == _NUMBER.sub("", other) and all(map(_close, numbers, others))


def _near(one: str, other: str) -> bool:
    shades = "·0123456789"
    return one == other or (one in shades and other in shades and abs(shades.index(one) - shades.index(other)) <= 1)


def _close(one: str, other: str) -> bool:
    if one == other:
        return True
    if one[0] == other[0] == "@":
        places = [[int(part) for part in place[1:].split(",")] for place in (one, other)]
        return all(abs(a - b) <= 3 for a, b in zip(*places, strict=True))
    if "@" in one + other or "." not in one + other:
        return False
    a, b = (float(number.replace("−", "-")) for number in (one, other))
    return abs(a - b) <= 0.02 * max(abs(a), abs(b))


class Told(SingleFileSnapshotExtension):
    """A story a file, compared line by line."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT

    def serialize(self, data: str, **_: object) -> str:
        """Return the story as it is."""
        return data

    def matches(self, *, serialized_data: str, snapshot_data: str) -> bool:
        """Return whether two stories are alike in every line."""
        one, other = serialized_data.splitlines(), snapshot_data.splitlines()
        return len(one) == len(other) and all(map(alike, one, other))
