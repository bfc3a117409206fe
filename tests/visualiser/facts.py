"""Read from what a page sends what a review looks at: sentences, figures with their marks and axes, sizes of arrays.

A fact is a line of text under a name. How a page is laid out, its colours and its hover texts are no facts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from tests.visualiser.pieces import plainly

Facts: TypeAlias = dict[str, list[str]]

_LEFT_OUT: Final = {"part", "query", "bytes", "customdata", "textposition", "typed", "colorscale", "colours", "paper"}
_NUMBER: Final = re.compile(r"[−-]?(?:#|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_ARRAY: Final = re.compile(r"[a-z]\d \[[\d, ]*\]")
_SIZES: Final = re.compile(r"(?:[a-z]\d )?\[[^\]]+\]|\S+ … \S+ \(\d+\)")
_AXIS: Final = re.compile(r"(x|y|color)axis\d*")
_WIDTH: Final = 140
"""Characters of a line that holds several parts."""
_FEW: Final = 4
"""A longer array is written by its ends."""
_MANY: Final = 40
"""So is a longer list of names."""
_WRAPPERS: Final = {"drawings", "tables", "values"}
"""Parts whose names say nothing."""


def of_parts(parts: Iterable[Mapping[str, Any]], defaults: Mapping[str, Any]) -> Facts:
    """Return the facts of an answer; of its controls those that differ from `defaults`."""
    facts: Facts = defaultdict(list)
    for part in parts:
        chosen = {name: value for name, value in part.get("controls", {}).items() if value != defaults.get(name)}
        _Reader(facts).read_each("", {**part, "controls": chosen}, part["part"])
    return facts


def of_settings(settings: Mapping[str, Any]) -> Facts:
    """Return the facts of a structure without figures and tables."""
    facts: Facts = defaultdict(list)
    _Reader(facts).read_each("", settings)
    return facts


def written(facts: Facts) -> Iterator[str]:
    """Yield the lines of facts; how a number is made is one line."""
    for name, texts in facts.items():
        for line in [" | ".join(texts)] if name.startswith("by ") else texts:
            yield f"{name}: {line}"


def changed(known: set[str], later: Facts) -> Iterator[str]:
    """Yield the lines of facts that are not `known`, but for other sizes and ranges of figures, and add them to it."""
    new: Facts = {}
    for name, texts in later.items():
        compared = {_compared(name, text): text for text in reversed(texts)}
        new[name] = [text for text in texts if text in compared.values() and _compared(name, text) not in known]
        known.update(compared)
    yield from written({name: texts for name, texts in new.items() if texts})


def lacking(first: Facts, later: Facts) -> Iterator[str]:
    """Yield the names that only `first` has."""
    yield from lines(name for name in first if name not in later and not name.startswith("by "))


def kind(value: Any) -> str:
    """Return names and sizes of a structure, without its numbers: the last digits differ between processors."""
    if isinstance(value, dict):
        names: dict[str, list[str]] = defaultdict(list)
        for name, part in value.items():
            names[kind(part)].append(name)
        return "{" + "; ".join(f"{', '.join(same)}: {text}" for text, same in names.items()) + "}"
    if isinstance(value, list):
        return f"{len(value)} × {kind(value[0])}" if value else "nothing"
    return type(value).__name__ if isinstance(value, float) or value is None else str(value)


def lines(parts: Iterable[str]) -> Iterator[str]:
    """Yield several parts a line."""
    line = ""
    for part in parts:
        if line and len(line) + len(part) > _WIDTH:
            yield line
            line = ""
        line += f" · {part}" if line else part
    if line:
        yield line


class _Reader:
    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def read(self, name: str, value: Any) -> None:
        """Add the facts of a value under its name, deeper ones under names of several words."""
        if isinstance(value, dict):
            self._read_structure(name, value)
        elif not isinstance(value, list):
            self._add(name, _text(value))
        elif isinstance(sentence := plainly(value), str):
            self._add(name, sentence)
            for _, formula, made, section in (piece for piece in value if isinstance(piece, list)):
                self._add(f"by {formula} ({section})", _NUMBER.sub("#", made))
        elif _is_flat(value):
            self._add(name, *lines(map(_text, value)) if len(value) <= _MANY else [_size(value)])
        else:
            for one in value:
                self.read(name, one)

    def read_each(self, name: str, value: Mapping[str, Any], label: str = "") -> None:
        """Add the facts of each part of a structure; if there is a `label`, short single values share that name."""
        single = []
        for key, part in value.items():
            if key in _LEFT_OUT or part in (None, "", [], {}):
                continue
            if label and not isinstance(part, dict | list) and _is_flat([part]):
                single.append(f"{key} {_text(part)}")
            else:
                wrapped = key in _WRAPPERS and isinstance(part, dict)
                self.read(name if wrapped else f"{name} {key}".strip(), part)
        self._add(label, *lines(single))

    def _read_structure(self, name: str, value: dict[str, Any]) -> None:
        if {"structure", "values"} <= value.keys():
            self._read_structure(name, filled(value["structure"], value["values"]))
        elif {"data", "layout"} <= value.keys():
            self._add(f"figure {name}".strip(), *_figure(value["data"], value["layout"]))
        elif {"caption", "columns"} <= value.keys():
            self._read_table(f"table {name}", value)
        elif name == "tensors":
            self._add(name, *lines(f"{key} {_size(one['values'])}" for key, one in value.items()))
        elif _is_flat(list(value.values())) and name:
            self._add(name, *lines(f"{key} {_text(part)}" for key, part in value.items() if part not in ("", None)))
        else:
            self.read_each(name, value, name or "values")

    def _read_table(self, name: str, table: dict[str, Any]) -> None:
        self._add(name, table["caption"])
        self._add(name, *lines(f"{column['label']} {_size(column['values'])}" for column in table["columns"]))
        for column in table["columns"]:
            formula, section = column.get("asked", ("", ""))
            for made in ([f"column {column['label']}"] if formula else []) + column.get("made", []):
                self._add(f"by {formula} ({section})", made if made.startswith("column") else _NUMBER.sub("#", made))

    def _add(self, name: str, *texts: str) -> None:
        if new := [text for text in dict.fromkeys(texts) if text and text not in self._facts.get(name, [])]:
            self._facts[name] += new


def _figure(data: Sequence[dict[str, Any]], layout: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a figure: its texts, its axes, its shapes and its marks, equal ones once."""
    texts = [layout.get("title", {}).get("text"), *(note["text"] for note in layout.get("annotations", []))]
    numbered: dict[str, list[str]] = defaultdict(list)
    for text in filter(None, texts):
        numbered[_NUMBER.sub("#", text)].append(text)
    said = [_size(alike, 1) if alike[1:] else alike[0] for alike in numbered.values()]
    yield from (f"says {line}" for line in lines(said))
    axes = [f"{found[1]} {_axis(axis)}".strip() for name, axis in layout.items() if (found := _AXIS.fullmatch(name))]
    yield from (f"axes {line}" for line in lines(_times(axes)))
    shapes = [" ".join(filter(None, (shape.get("type"), shape.get("name")))) for shape in layout.get("shapes", [])]
    yield from (f"shapes {line}" for line in lines(_times([*shapes, *("image" for _ in layout.get("images", []))])))
    marks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for trace in data:
        name = f"“{trace['name']}”" if trace.get("name") else ""
        marks[" ".join(filter(None, [trace["type"], trace.get("mode"), name]))].append(trace)
    for mark, traces in marks.items():
        yield ", ".join(filter(None, [mark, *_of_marks(traces)]))


def _of_marks(traces: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield what marks of one name are: how many, where, of what and of which sizes."""
    panels = {(trace.get("xaxis"), trace.get("yaxis")) for trace in traces}
    yield f"{len(traces)} in {len(panels)} panels" if len(panels) > 1 else f"{len(traces)}" if len(traces) > 1 else ""
    unlisted = sum(trace.get("showlegend") is False for trace in traces)
    yield f"{unlisted} unlisted" if unlisted and traces[0].get("name") else ""
    metas = [trace.get("meta") or {} for trace in traces]
    for key in dict.fromkeys(key for meta in metas for key, value in meta.items() if isinstance(value, str)):
        yield f"{key} {' / '.join(dict.fromkeys(str(meta[key]) for meta in metas if key in meta))}"
    arrays = [key for trace in traces for key, value in trace.items() if _is_array(value) and key not in _LEFT_OUT]
    for key in dict.fromkeys(arrays):
        sizes = list(dict.fromkeys(_size(trace[key]) for trace in traces if key in trace))
        yield f"{key} {' / '.join(sizes if len(sizes) <= _FEW else [sizes[0], '…', sizes[-1]])}"


def _axis(axis: dict[str, Any]) -> str:
    bar = axis.get("colorbar", {})
    title = (axis.get("title") or bar.get("title") or {}).get("text", "")
    ends = axis.get("range") or [axis[end] for end in ("cmin", "cmax") if end in axis]
    ticks = axis.get("ticktext") or bar.get("ticktext")
    parts = [f"“{title}”" if title else "", axis.get("type"), " … ".join(map(_text, ends))]
    return " ".join(filter(None, [*parts, f"ticks {_size(ticks)}" if ticks else ""]))


def _compared(name: str, text: str) -> str:
    """Return a line as it is compared: where much depends on the sizes of a state, without them."""
    if name.startswith(("figure", "table", "boxes", "tensors")):
        return _NUMBER.sub("#", f"{name}: {_SIZES.sub('#', text)}")
    return f"{name}: {text}"


def filled(node: Any, values: Sequence[Any]) -> Any:
    """Return a structure with its arrays in their places."""
    if isinstance(node, list):
        return [filled(child, values) for child in node]
    if isinstance(node, dict):
        return values[node["$"]] if "$" in node else {key: filled(child, values) for key, child in node.items()}
    return node


def _is_array(value: Any) -> bool:
    return isinstance(value, list) or (isinstance(value, str) and bool(_ARRAY.fullmatch(value)))


def _is_flat(values: list[Any]) -> bool:
    """Return True if values are so short and without sentences that several go into a line."""
    return not any(_is_deep(one) or len(_text(one)) > _WIDTH or _text(one).count(" ") > _WIDTH // 10 for one in values)


def _is_deep(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return any(isinstance(one, dict | list) for one in inner)


def _size(value: Any, few: int = _FEW) -> str:
    if not isinstance(value, list):
        return _text(value)
    return _text(value) if len(value) <= few else f"{_text(value[0])} … {_text(value[-1])} ({len(value)})"


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} {_text(part)}" for key, part in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else f"{value}"


def _times(texts: Iterable[str | None]) -> list[str]:
    return [f"{text} ×{times}" if times > 1 else text for text, times in Counter(filter(None, texts)).items()]
