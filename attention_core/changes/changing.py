"""The changes of one run, asked for by layer, and whether each has acted."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from torch import Tensor

from attention_core.changes.change import Causal, Change, Hide, Replace
from attention_core.changes.layer_changes import LayerChanges
from attention_core.errors import InvalidInput
from attention_core.validation import whole_number

Others = Mapping[tuple[int, int], Tensor]
_NONE: Others = {}


class Changing:
    """The changes of one run.

    others  weights that `Replace` takes, by layer and head, of the model as it is
    """

    def __init__(self, changes: Sequence[Change], others: Others = _NONE) -> None:
        self._changes = tuple(changes)
        self._others = others
        self._acted: set[int] = set()
        self._missed: dict[int, InvalidInput] = {}
        self._most: dict[str, int] = {"layer": -1, "head": -1, "key": -1}

    def of(
        self, layer: int, h: int, n_k: int, *, lined: bool, queries: bool = True, name: str = ""
    ) -> LayerChanges | None:
        """Return the changes of a layer; None without one.

        Parameters
        ----------
        layer
            Its number in the run, from 0.
        h, n_k
            Its heads and keys.
        lined
            True if queries and keys are the same positions.
        queries
            False for a layer that does not hand over its queries, keys and values.
        name
            What an error calls the layer.

        Raises
        ------
        InvalidInput
            `change_unreached` for a change that needs queries in a layer that hands none over.
        """
        found: list[tuple[Change, tuple[int, ...]]] = []
        for number, change in enumerate(self._changes):
            heads = change.heads_of(layer, h)
            if not heads:
                continue
            missed = elsewhere(change, n_k, lined, name or f"layer {layer}")
            if missed is not None:
                self._missed[number] = missed
                continue
            if change.needs_queries and not queries:
                raise unreached(change, name or f"layer {layer}")
            self._acted.add(number)
            found.append((change, heads))
        self._most = {
            name: max(before, now)
            for (name, before), now in zip(self._most.items(), (layer, h - 1, n_k - 1), strict=True)
        }
        return LayerChanges(layer, h, tuple(found), self._others) if found else None

    def require_acted(self) -> None:
        """Raise `InvalidInput` for a change that has acted nowhere.

        `out_of_range` if no layer of the run had its layer, head or key, or no chosen layer its key; `change_crosses`
        for a `Causal` of layers that attend from one sequence to another; else `change_unreached`.
        """
        for number, change in enumerate(self._changes):
            beyond = self._beyond(change)
            if beyond is not None:
                raise beyond
            if number not in self._acted:
                raise self._missed.get(number) or unreached(change, "the chosen layers")

    def _beyond(self, change: Change) -> InvalidInput | None:
        for field, most in self._most.items():
            given = getattr(change, field, None)
            chosen = getattr(change, f"{field}s", None)
            for value in (given, *(chosen or ())):
                if value is not None and value > most:
                    return _out_of_range(field, value, most)
        return None


def elsewhere(change: Change, n_k: int, lined: bool, name: str = "") -> InvalidInput | None:
    """Return why a change cannot act in a layer that lacks its key or its one line of positions; None if it can.

    `name` is what an error calls the layer.
    """
    if isinstance(change, Hide) and change.key >= n_k:
        return _out_of_range("key", change.key, n_k - 1)
    if isinstance(change, Causal) and not lined:
        return InvalidInput(
            "change_crosses",
            f"{name} attends from one sequence to another: no key there is later than a query.",
            value=name,
        )
    return None


def _out_of_range(field: str, value: int, most: int) -> InvalidInput:
    return InvalidInput(
        "out_of_range",
        f"{field} must be between 0 and {most}, got {value}.",
        field=field,
        value=value,
        range=f"0 … {most}",
        minimum=0,
        maximum=most,
    )


def replaced(changes: Sequence[Change]) -> frozenset[tuple[int, int]]:
    """Return the layers and heads whose weights in the model as it is a `Replace` takes."""
    return frozenset((one.by_layer, one.by_head) for one in changes if isinstance(one, Replace))


def renumbered(changes: Sequence[Change], numbers: Sequence[int]) -> tuple[Change, ...]:
    """Return changes of layers that a run lists in another order than it calls them.

    `numbers` are those of the calls, one for each layer of the list. Raises `InvalidInput` (`out_of_range`).
    """
    most = len(numbers) - 1

    def called(field: str, layer: Any) -> int:
        return numbers[whole_number(field, layer, 0, most)]

    found: list[Change] = []
    for change in changes:
        settled: dict[str, Any] = {}
        for field in fields(change):
            value: Any = getattr(change, field.name)
            if field.name == "layers" and value is not None:
                settled["layers"] = frozenset(called("layers", one) for one in value)
            elif field.name in ("layer", "by_layer"):
                settled[field.name] = called(field.name, value)
            elif field.name in ("muted", "patched"):
                pairs: Any = value
                settled[field.name] = tuple((called("layer", layer), head) for layer, head in pairs)
        found.append(replace(change, **settled))
    return tuple(found)


def unreached(change: Change, name: str) -> InvalidInput:
    kind = type(change).__name__
    return InvalidInput(
        "change_unreached",
        f"{kind} cannot be used in {name}, which does not expose what it changes.",
        value=name,
        change=kind,
    )
