"""The changes that a link of the Model page names: what they are called, which a run can have, and what they become.

A link has them with commas between: ``factor:2.5@1,mute@1.3,hide:4``. Each is a kind, after a colon its value, and
after an @ where it acts: a layer or a head of one, from 1; without it everywhere. Keys count from 0. They act in the
order of the list, and a later one takes the place of an earlier one that does the same there.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NoReturn

from attention_core import InvalidInput
from attention_core.changes import Change
from attention_core.learned import ModelRun
from visualiser.locale import text
from visualiser.pages.model.change_kinds import KINDS, Item, Met, Outputs, Place, require_place
from visualiser.state.link_values import cut, written_as

MOST: Final = 32
"""Changes of a link; those behind them are left out."""
_LOOKED_AT: Final = 256
_SAID: Final = 4
"""Changes that are left out with a sentence each."""

_WRITTEN: Final = re.compile(
    r"(?P<kind>[a-z_]{1,16})(?::(?P<value>[-+.0-9e]{1,24}))?(?:@(?P<layer>[0-9]{1,4})(?:\.(?P<head>[0-9]{1,4}))?)?"
)


def parse(written: str) -> Item:
    """Return one item of a link. Raises `InvalidInput`: `change_unknown`, `change_place`, `out_of_range`."""
    found = _WRITTEN.fullmatch(written)
    kind = KINDS.get(found["kind"]) if found else None
    if found is None or kind is None:
        _refuse(written)
    try:
        value = kind.read(found["value"])
    except InvalidInput:
        raise
    except ValueError:
        _refuse(written)
    item = Item(found["kind"], value, int(found["layer"] or 0), int(found["head"] or 0))
    if (found["layer"] is not None and not item.layer) or (found["head"] is not None and not item.head):
        _refuse(written)
    if kind.one and not item.head:
        raise InvalidInput("change_place", f"{item.kind} needs a layer and a head, as in @1.3.", change=item.kind)
    return item


def _refuse(written: str) -> NoReturn:
    raise InvalidInput("change_unknown", f"{cut(written)!r} is no change that a link can name.", value=cut(written))


def write(items: Sequence[Item]) -> str:
    """Return items as a link has them, the one spelling of each."""
    return ",".join(map(_written, items))


def _written(item: Item) -> str:
    value = ".".join(map(str, item.value)) if isinstance(item.value, tuple) else written_as(item.value)
    place = f"@{item.layer}" + (f".{item.head}" if item.head else "") if item.layer else ""
    return item.kind + (f":{value}" if value else "") + place


def require(item: Item, run: ModelRun, layer: int, outputs: Outputs) -> None:
    """Raise `InvalidInput` if a run of the model as it is cannot have this change.

    Parameters
    ----------
    item
        The change.
    run
        What the model makes of the input as it is.
    layer
        The chosen layer, from 1: a key to hide without a place is one of the line that it attends to.
    outputs
        Mean outputs of heads; empty if there are none.
    """
    if item.layer:
        require_place(run, item.layer, item.head or 1)
    met = Met(item, run, _layers(item, run, layer), outputs)
    for check in KINDS[item.kind].checks:
        check(met)


def _layers(item: Item, run: ModelRun, layer: int) -> tuple[int, ...]:
    """Return the layers, from 1, in which an item acts."""
    if item.layer:
        return (item.layer,)
    every = range(1, len(run.layers) + 1)
    if not KINDS[item.kind].keys:
        return tuple(every)
    keys = run.between[layer - 1][1]
    return tuple(at for at in every if run.between[at - 1][1] == keys)


def core(items: Sequence[Item], run: ModelRun, layer: int, outputs: Outputs) -> tuple[Change, ...]:
    """Return the changes of `attention_core` for items that a run can have. Arguments as for `require`."""
    return tuple(_made(item, run, layer, outputs) for item in items)


def _made(item: Item, run: ModelRun, layer: int, outputs: Outputs) -> Change:
    layers = _layers(item, run, layer)
    everywhere = len(layers) == len(run.layers) and not item.layer
    numbers = None if everywhere else frozenset(at - 1 for at in layers)
    return KINDS[item.kind].make(Place(item, numbers, outputs))


def read(
    written: str, run: ModelRun, layer: int, outputs: Outputs, lang: str
) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Return the changes of a link that a run can have, and a sentence for each that is left out.

    Arguments as for `require`.
    """
    left: list[str] = []

    def refused(part: str, problem: InvalidInput) -> None:
        left.append(left_out(part, problem, lang))

    found = _list(written, run, layer, outputs, refused)
    said = left[:_SAID]
    if len(left) > len(said):
        said.append(text(lang, "notice.changes_left_out", count=len(left) - len(said)))
    return found, tuple(said)


def required(written: str, run: ModelRun, layer: int, outputs: Outputs) -> tuple[Item, ...]:
    """Return the changes of a list, all of which a run must have. Raises as `parse` and `require` do."""

    def refused(part: str, problem: InvalidInput) -> None:
        raise problem

    return _list(written, run, layer, outputs, refused)


def _list(
    written: str, run: ModelRun, layer: int, outputs: Outputs, refused: Callable[[str, InvalidInput], None]
) -> tuple[Item, ...]:
    kept: dict[tuple[str, ...], Item] = {}
    for part in islice(_parts(written), _LOOKED_AT):
        try:
            item = parse(part)
            require(item, run, layer, outputs)
            kind = KINDS[item.kind]
            at = (kind.slot, write([item]) if kind.keys else "", str(item.layer), str(item.head))
            if at not in kept and len(kept) == MOST:
                raise InvalidInput("change_most", f"There are at most {MOST} changes.", maximum=MOST)
            kept.pop(at, None)
            if kind.none is None or item.value != kind.none:
                kept[at] = item
        except InvalidInput as problem:
            refused(part, problem)
    return tuple(kept.values())


def _parts(written: str) -> Iterator[str]:
    return (part for part in written.split(",") if part)


def left_out(part: str, problem: InvalidInput, lang: str) -> str:
    """Return the sentence for a change that is left out."""
    return text(lang, "notice.change", value=cut(part), why=text(lang, f"error.{problem.code}", **problem.details))


def said(item: Item, lang: str) -> str:
    """Return what a change is called, with its place."""
    value = item.value
    fields: dict[str, object] = {"head": f"{item.layer}.{item.head}"}
    fields["value"] = ".".join(map(str, value)) if isinstance(value, tuple) else value
    if isinstance(value, int):
        fields["keys"] = 2 * value - 1  # of a window to both sides
    suffix = "_open" if KINDS[item.kind].open and value is None else ""
    name = text(lang, f"change.{item.kind}{suffix}", **fields)
    if KINDS[item.kind].one or not item.layer:
        return name
    where = f"{item.layer}.{item.head}" if item.head else str(item.layer)
    return text(lang, "change.of_head" if item.head else "change.of_layer", change=name, where=where)


def runs(written: str, against: str = "") -> int:
    """Return how often the model runs for a link: as it is, and for each list as it changes it.

    Once more for each list that has another head's weights.
    """
    return 1 + sum(_further(each) for each in (written, against))


def _further(written: str) -> int:
    kinds = [KINDS.get(re.split("[:@]", part, maxsplit=1)[0]) for part in _parts(written)]
    found = [kind for kind in kinds if kind is not None]
    return bool(found) + any(kind.again for kind in found)
