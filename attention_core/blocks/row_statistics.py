"""The statistics of a row, in one ordered table that every list of statistics reads.

A row is the softmax p of the scores s of one query over the k keys that its mask allows. Other weights lack some of
its statistics and have further ones, with bounds of their own: `Normalisation.statistics` and `.bounds`. Files,
endpoints, tables and figures go through `ROW_STATISTICS` in this order. A new statistic is an entry at the end of the
table, an attribute in `RowAttributes`, and its name in the locale files.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Protocol, overload, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.exact.row_sums import SummedRows

__all__ = [
    "ROW_STATISTICS",
    "Limits",
    "RowStatistic",
    "derived",
    "documented",
    "lacking",
    "of_kind",
    "public_statistics",
    "statistic",
    "stored",
]


@dataclass(frozen=True)
class Limit:
    """A function of the number of keys (≥ 1) that a row may attend to, with the text that shows it."""

    text: str
    of: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Limits:
    """The bounds of a statistic, and its value for a row of equal weights; None if that depends on the scores."""

    least: Limit
    most: Limit
    uniform: Limit | None

    def most_of(self, keys: int) -> float:
        """Return the upper bound for a row with this many keys."""
        return _at(self.most, keys)

    def uniform_of(self, keys: int) -> float:
        """Return the value of a row whose `keys` weights are equal; NaN if it depends on the scores."""
        return math.nan if self.uniform is None else _at(self.uniform, keys)


@dataclass(frozen=True, kw_only=True)
class RowStatistic:
    """One statistic of a row of weights.

    name       the attribute, the key in JSON and npz, the column in CSV, `statistic.NAME` in the locale files
    symbol     the paper's symbol, or the usual one
    unit       nats, keys or 1
    kind       scores, weights, gradient (the softmax's Jacobian) or mask (the same for every head)
    formula    the definition, as text
    reference  the place in the paper that it follows
    summed     the value from the sums of a row, in float64
    derived    (name, function): the value is the function of that statistic, instead of `summed`
    least      the lower bound
    most       the upper bound
    uniform    the value of a row whose k weights are equal
    empty      the value of a row without keys
    over_rows  how rows are reduced to one number for a head: mean or max
    public     False if it only serves to compute others and no visitor sees it
    common     False if the softmax lacks it, so that only rows that name it as `further` have it
    """

    name: str
    symbol: str
    unit: str
    kind: str
    formula: str
    reference: str
    least: Limit
    most: Limit
    uniform: Limit | None
    summed: Callable[[Any], Tensor] | None = None
    derived: tuple[str, Callable[[Tensor], Tensor]] | None = None
    empty: float = 0.0
    over_rows: str = "mean"
    public: bool = True
    common: bool = True

    @property
    def limits(self) -> Limits:
        """The bounds and the uniform value for a softmax, or for the only rows that have the statistic."""
        return Limits(self.least, self.most, self.uniform)

    def most_of(self, keys: int) -> float:
        """Return the upper bound for a row with this many keys."""
        return self.limits.most_of(keys)

    def uniform_of(self, keys: int) -> float:
        """Return the value of a row whose `keys` weights are equal; NaN if it depends on the scores."""
        return self.limits.uniform_of(keys)

    def of_rows(self, rows: Any) -> Float[Tensor, "*batch"]:
        """Return the value of each row, in the dtype of its scores; of one head if it is the mask's."""
        if self.derived is not None:
            name, follows = self.derived
            return follows(statistic(name).of_rows(rows))
        assert self.summed is not None  # checked at import, below the table
        value = self.summed(rows)
        filled = self.kind == "mask" or self.name in getattr(rows, "filled", ())
        return (value if filled else value.masked_fill(rows.empty, self.empty)).to(rows.dtype)

    def of_head(self, values: Float[Tensor, "*heads n_q"]) -> Float[Tensor, "*heads"]:
        """Reduce the values of each head's rows to one."""
        return values.amax(-1) if self.over_rows == "max" else values.mean(-1)


def _at(limit: Limit, keys: int) -> float:
    return limit.of(torch.tensor(keys, dtype=torch.float64)).item()


def constant(value: float) -> Callable[[Tensor], Tensor]:
    """Return the function that has one value for every number of keys."""
    return lambda keys: torch.full_like(keys, value)


_ZERO: Final = Limit("0", constant(0.0))
_ONE: Final = Limit("1", constant(1.0))
_KEYS: Final = Limit("k", lambda keys: keys)
_LOG_KEYS: Final = Limit("ln k", torch.log)
_SHARE: Final = Limit("1/k", torch.reciprocal)
_REST: Final = Limit("1 − 1/k", lambda keys: 1 - 1 / keys)
_UNIFORM_NORM: Final = Limit("√(k − 1)/k", lambda keys: (keys - 1).sqrt() / keys)
_HALF: Final = Limit("½, 0 for k = 1", lambda keys: torch.where(keys > 1, 0.5, 0.0).to(keys.dtype))

_TABLE: Final = (
    RowStatistic(
        name="logsumexp", symbol="lse", unit="nats", kind="scores", public=False,
        formula="ln Σ exp(s)", reference="eq. 1, the denominator of its softmax",
        summed=lambda rows: rows.logsumexp, empty=-torch.inf,
        least=Limit("−∞", constant(-torch.inf)), most=Limit("∞", constant(torch.inf)), uniform=None,
    ),
    RowStatistic(
        name="entropy", symbol="H", unit="nats", kind="weights",
        formula="−Σ p ln p", reference="section 3.2.1, the weights of eq. 1",
        summed=lambda rows: rows.entropy,
        least=_ZERO, most=_LOG_KEYS, uniform=_LOG_KEYS,
    ),
    RowStatistic(
        name="ceiling", symbol="ln k", unit="nats", kind="mask",
        formula="ln k, k the keys that the mask allows", reference="section 3.2.3, the masked keys",
        summed=lambda rows: rows.ceiling,
        least=_LOG_KEYS, most=_LOG_KEYS, uniform=_LOG_KEYS,
    ),
    RowStatistic(
        name="effective_keys", symbol="eᴴ", unit="keys", kind="weights",
        formula="exp(H): the keys of a uniform row of the same entropy", reference="section 3.2.1",
        derived=("entropy", torch.exp), least=_ONE, most=_KEYS, uniform=_KEYS, empty=1.0,
    ),
    RowStatistic(
        name="sum_of_squares", symbol="Σp²", unit="1", kind="weights", public=False,
        formula="Σ p²", reference="section 3.2.1",
        summed=lambda rows: rows.sum_of_squares,
        least=_SHARE, most=_ONE, uniform=_SHARE,
    ),
    RowStatistic(
        name="jacobian_norm", symbol="‖J‖_F", unit="1", kind="gradient",
        formula="Frobenius norm of J = diag(p) − p pᵀ: √(Σp² − 2Σp³ + (Σp²)²)",
        reference="section 3.2.1, the softmax's small gradients",
        summed=lambda rows: rows.jacobian_norm,
        least=_ZERO, most=_HALF, uniform=_UNIFORM_NORM,
    ),
    RowStatistic(
        name="jacobian_trace", symbol="tr J", unit="1", kind="gradient",
        formula="1 − Σp²", reference="section 3.2.1, the softmax's small gradients",
        summed=lambda rows: rows.jacobian_trace,
        least=_ZERO, most=_REST, uniform=_REST,
    ),
    RowStatistic(
        name="largest_weight", symbol="max p", unit="1", kind="weights",
        formula="max p", reference="section 3.2.1",
        summed=lambda rows: rows.top,
        least=_SHARE, most=_ONE, uniform=_SHARE, over_rows="max",
    ),
    RowStatistic(
        name="sink_weight", symbol="1 − Σp", unit="1", kind="weights", common=False,
        formula="eᵇ / (eᵇ + Σ exp(s)), the weight of the sink", reference="none: arXiv 2309.17453",
        summed=lambda rows: rows.sink_weight,
        least=_ZERO, most=_ONE, uniform=None, empty=1.0,
    ),
    RowStatistic(
        name="mass", symbol="Σg", unit="1", kind="weights", common=False,
        formula="Σ σ(s − ln n)", reference="none: arXiv 2409.04431",
        summed=lambda rows: rows.mass,
        least=_ZERO, most=_KEYS, uniform=None,
    ),
    RowStatistic(
        name="support", symbol="|supp p|", unit="keys", kind="weights", common=False,
        formula="the keys with p > 0", reference="none: arXiv 1905.05702",
        summed=lambda rows: rows.support,
        least=_ONE, most=_KEYS, uniform=_KEYS,
    ),
)  # fmt: skip

ROW_STATISTICS: Final[Mapping[str, RowStatistic]] = MappingProxyType({each.name: each for each in _TABLE})
"""Every statistic by its name."""

assert all((each.derived is None) == (each.summed is not None) for each in _TABLE)


def statistic(name: str) -> RowStatistic:
    """Return the statistic of this name. Raises `InvalidInput` (`unknown_choice`)."""
    if name not in ROW_STATISTICS:
        raise lacking(name, ROW_STATISTICS)
    return ROW_STATISTICS[name]


def stored(rows: type = SummedRows) -> tuple[RowStatistic, ...]:
    """Return the statistics of rows of this class that a pass computes and keeps. The others are derived from these."""
    return tuple(each for each in of_kind(rows) if each.derived is None)


def public_statistics(*kinds: str) -> tuple[RowStatistic, ...]:
    """Return the statistics of a softmax that visitors see, of these kinds or of all."""
    return tuple(each for each in of_kind(SummedRows) if each.public and (not kinds or each.kind in kinds))


def of_kind(rows: type) -> tuple[RowStatistic, ...]:
    """Return the statistics of rows of this class: those of a softmax but what it `lacks`, and its `further` ones."""
    lacks, further = getattr(rows, "lacks", ()), getattr(rows, "further", ())
    return tuple(
        each for name, each in ROW_STATISTICS.items() if name in further or (each.common and name not in lacks)
    )


def documented() -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield (name, symbol, unit, formula, bounds, reference) of each statistic, for a table in the documentation."""
    for each in ROW_STATISTICS.values():
        bounds = each.least.text if each.least is each.most else f"{each.least.text} … {each.most.text}"
        yield each.name, each.symbol, each.unit, each.formula, bounds, each.reference


def finished(rows: Any) -> dict[str, Float[Tensor, "*rows"]]:
    """Return every stored statistic that these rows have by name, on the CPU."""
    return {each.name: each.of_rows(rows) for each in of_kind(type(rows)) if each.derived is None}


def derived(name: str, values: Mapping[str, Float[Tensor, "*rows"]]) -> Float[Tensor, "*rows"]:
    """Return a statistic that is in `values` or follows from one of them. Raises `InvalidInput` (`unknown_choice`)."""
    of = statistic(name).derived
    if name in values:
        return values[name]
    if of is None or of[0] not in values:
        raise lacking(name, values)
    return of[1](derived(of[0], values))


def names_in(values: Mapping[str, Tensor]) -> tuple[str, ...]:
    """Return the names of the statistics that are in `values` or follow from one of them, in the table's order."""
    return tuple(name for name, each in ROW_STATISTICS.items() if name in values or (each.derived or [""])[0] in values)


def lacking(name: str, there: Iterable[str]) -> InvalidInput:
    """Return the error for a statistic that is not among those that rows have."""
    listed = ", ".join(there)
    return InvalidInput(
        "unknown_choice",
        f"statistic must be one of {listed}; got {name}.",
        field="statistic",
        value=name,
        choices=listed,
    )


@runtime_checkable
class HasStatistics(Protocol):
    """Rows that return their statistics by name."""

    def statistic(self, name: str) -> Tensor: ...


class Attribute:
    """A statistic as an attribute: `x.entropy` is `x.statistic("entropy")`."""

    def __set_name__(self, owner: type, name: str) -> None:
        of = ROW_STATISTICS[name]
        self.name, self.__doc__ = name, f"{of.formula} ({of.unit})."

    @overload
    def __get__(self, holder: None, owner: type) -> "Attribute": ...

    @overload
    def __get__(self, holder: HasStatistics, owner: type) -> Float[Tensor, "*rows"]: ...

    def __get__(self, holder: HasStatistics | None, owner: type) -> "Attribute | Float[Tensor, '*rows']":
        return self if holder is None else holder.statistic(self.name)


class RowAttributes:
    """One attribute for each entry of the table."""

    logsumexp = Attribute()
    entropy = Attribute()
    ceiling = Attribute()
    effective_keys = Attribute()
    sum_of_squares = Attribute()
    jacobian_norm = Attribute()
    jacobian_trace = Attribute()
    largest_weight = Attribute()
    sink_weight = Attribute()
    mass = Attribute()
    support = Attribute()
