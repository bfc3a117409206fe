"""The kinds of changes that a link of the Model page can name: how each is read, which run has it, what it becomes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from torch import Tensor

from attention_core import BOUNDS, Bound, InvalidInput
from attention_core.changes import (
    LARGEST_FACTOR,
    Causal,
    Change,
    Factor,
    Hide,
    Mean,
    Mute,
    Normalise,
    Replace,
    Treat,
    Uniform,
)
from attention_core.learned import ModelRun
from attention_core.validation import real_number, whole_number
from visualiser.state.view import MOST_PLACES

Value = float | int | tuple[int, int] | None
Outputs = Sequence[Tensor | None]
"""For each layer the mean outputs of its heads, h × d_v."""

_OTHER: Final = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")


@dataclass(frozen=True)
class Item:
    """A change as a link names it: its kind and value, and a layer and a head from 1, 0 for all."""

    kind: str
    value: Value = None
    layer: int = 0
    head: int = 0


@dataclass(frozen=True, eq=False)
class Place:
    """Where an item acts in a run: numbers of layers and heads from 0, None for all, and what `mean` takes."""

    item: Item
    layers: frozenset[int] | None
    outputs: Outputs

    @property
    def heads(self) -> frozenset[int] | None:
        return frozenset((self.item.head - 1,)) if self.item.head else None

    @property
    def one(self) -> tuple[int, int]:
        return self.item.layer - 1, self.item.head - 1

    @property
    def number(self) -> float:
        assert isinstance(self.item.value, float)
        return self.item.value

    @property
    def whole(self) -> int:
        assert isinstance(self.item.value, int)
        return self.item.value


@dataclass(frozen=True, eq=False)
class Met:
    """An item before a run: the model as it is, the layers it meets there, from 1, and the chosen layer."""

    item: Item
    run: ModelRun
    layers: Sequence[int]
    outputs: Outputs


@dataclass(frozen=True)
class Kind:
    """A kind of change.

    make   gives the change of `attention_core`
    read   its value from a link; raises `ValueError`
    slot   what does the same in the same place, of which the last in a list counts
    ends   of a number, for the control
    one    True if it is a change of one head
    open   True if its value may be left out
    keys   True if each value is another change, as keys that are hidden are
    checks raise `InvalidInput` for a run that cannot have it
    again  True if the model runs once more for it
    none   a value that changes nothing
    """

    make: Callable[[Place], Change]
    read: Callable[[str | None], Value]
    slot: str
    ends: Bound | None = None
    one: bool = False
    open: bool = False
    keys: bool = False
    checks: tuple[Callable[[Met], None], ...] = ()
    again: bool = False
    none: Value = None


def _nothing(written: str | None) -> Value:
    if written is not None:
        raise ValueError(written)
    return None


def _number(bound: Bound) -> Callable[[str | None], Value]:
    def read(written: str | None) -> Value:
        if written is None:
            raise ValueError(written)
        return real_number("value", float(written), bound.minimum, bound.maximum) + 0.0  # no −0

    return read


def _whole(bound: Bound, needed: bool = True) -> Callable[[str | None], Value]:
    def read(written: str | None) -> Value:
        if written is None and not needed:
            return None
        if written is None or not written.isdecimal():
            raise ValueError(written)
        return whole_number("value", int(written), int(bound.minimum), int(bound.maximum))

    return read


def _other(written: str | None) -> Value:
    found = _OTHER.fullmatch(written or "")
    if found is None:
        raise ValueError(written)
    return int(found[1]), int(found[2])


def _queries(met: Met) -> None:
    for layer in met.layers:
        found = met.run.layers[layer - 1]
        if found.Q is None or found.K is None:
            raise InvalidInput(
                "change_unreached",
                f"{met.item.kind} cannot be used in {found.name}, which does not expose what it changes.",
                value=found.name,
                change=met.item.kind,
            )


def _no_windows(met: Met) -> None:
    for layer in met.layers:
        if met.run.windows[layer - 1] is not None:
            raise InvalidInput(
                "change_windows",
                f"Layer {layer} attends in windows, each with keys of its own: {met.item.kind} cannot act there.",
                change=met.item.kind,
                layer=layer,
            )


def _lined(met: Met) -> None:
    if not any(is_lined(met.run, layer) for layer in met.layers):
        name = met.run.layers[met.layers[0] - 1].name
        raise InvalidInput(
            "change_crosses",
            f"{name} attends from one sequence to another: no key there is later than a query.",
            value=name,
        )


def is_lined(run: ModelRun, layer: int) -> bool:
    """Return True if the queries and keys of a layer, from 1, are the same positions."""
    queries, keys = run.between[layer - 1]
    n_q, n_k = run.layers[layer - 1].weights.shape[-2:]
    return queries == keys and n_q == n_k


def _a_key(met: Met) -> None:
    most = max(met.run.layers[layer - 1].weights.shape[-1] for layer in met.layers) - 1
    whole_number("key", met.item.value, 0, most)


def _has_mean(met: Met) -> None:
    if len(met.outputs) < met.item.layer or met.outputs[met.item.layer - 1] is None:
        name = f"{met.item.layer}.{met.item.head}"
        raise InvalidInput("change_no_mean", f"There is no mean output of head {name} over the corpus.", head=name)


def _fitting(met: Met) -> None:
    layer, head = other(met.item)
    require_place(met.run, layer, head)
    own, its = (met.run.layers[at - 1].weights.shape for at in (met.item.layer, layer))
    if (own[:-3], own[-2:]) != (its[:-3], its[-2:]):
        came, wanted = (" × ".join(map(str, (*shape[:-3], *shape[-2:]))) for shape in (its, own))
        raise InvalidInput(
            "change_shape",
            f"{met.item.kind} must have the size {wanted} here; got {came}.",
            change=met.item.kind,
            value=came,
            expected=wanted,
        )


def other(item: Item) -> tuple[int, int]:
    """Return the other layer and head that an item names."""
    assert isinstance(item.value, tuple)
    return item.value


def _mean(place: Place) -> Change:
    layer, head = place.one
    outputs = place.outputs[layer]
    assert outputs is not None
    return Mean(layer, head, tuple(outputs[head].tolist()))


def _replace(place: Place) -> Change:
    by_layer, by_head = other(place.item)
    return Replace(*place.one, by_layer - 1, by_head - 1)


def _normalise(name: str) -> Kind:
    return Kind(lambda at: Normalise(name, 0.0, at.layers, at.heads), _nothing, "weights")


def _masking(causal: bool) -> Kind:
    return Kind(
        lambda at: Causal(causal, None if at.item.value is None else at.whole, at.layers, at.heads),
        _whole(_WINDOW, needed=False),
        "mask",
        _WINDOW,
        open=True,
        checks=(_no_windows, _queries, _lined),
    )


_FACTOR: Final = Bound(0.0, LARGEST_FACTOR, 1.0)
_WINDOW: Final = BOUNDS["window"]
_CAP: Final = Bound(0.5, BOUNDS["softcap"].maximum, 50.0, BOUNDS["softcap"].step)
_KEY: Final = Bound(0, MOST_PLACES - 1, 0)

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "factor": Kind(
            lambda at: Factor(at.number, at.layers, at.heads),
            _number(_FACTOR), "factor", _FACTOR, checks=(_queries,), none=1.0,
        ),
        "qk_norm": Kind(
            lambda at: Treat(qk_norm=True, layers=at.layers, heads=at.heads), _nothing, "qk_norm", checks=(_queries,)
        ),
        "softcap": Kind(
            lambda at: Treat(softcap=at.number, layers=at.layers, heads=at.heads),
            _number(_CAP), "softcap", _CAP, checks=(_queries,),
        ),
        "log_n": Kind(
            lambda at: Treat(log_n=True, layers=at.layers, heads=at.heads), _nothing, "log_n", checks=(_queries,)
        ),
        "softmax": _normalise("softmax"),
        "sink": Kind(
            lambda at: Normalise("sink", at.number, at.layers, at.heads),
            _number(BOUNDS["sink"]), "weights", BOUNDS["sink"],
        ),
        "sigmoid": _normalise("sigmoid"),
        "entmax": _normalise("entmax"),
        "causal": _masking(True),
        "full": _masking(False),
        "hide": Kind(
            lambda at: Hide(at.whole, at.layers, at.heads),
            _whole(_KEY), "hide", _KEY, keys=True, checks=(_no_windows, _a_key),
        ),
        "mute": Kind(lambda at: Mute(*at.one), _nothing, "head", one=True),
        "uniform": Kind(lambda at: Uniform(*at.one), _nothing, "head", one=True),
        "mean": Kind(_mean, _nothing, "head", one=True, checks=(_queries, _has_mean)),
        "replace": Kind(_replace, _other, "head", one=True, checks=(_fitting,), again=True),
    }
)  # fmt: skip
"""The kinds of changes by their names in links."""


def require_place(run: ModelRun, layer: int, head: int) -> None:
    """Raise `InvalidInput` (`out_of_range`) for a layer or a head, from 1, that a run does not have."""
    whole_number("layer", layer, 1, len(run.layers))
    whole_number("head", head, 1, run.layers[layer - 1].weights.shape[-3])
