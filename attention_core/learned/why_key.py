"""Why a query scores a key as it does: the score before the softmax as a sum.

    score = Σ scale · q_c k_c + softcap + bias

Each component c of q and k gives one part, and a pair that turns with the position (rotary) gives one part together.
The softcap's effect is cap(dot) − dot. The bias is whatever else the model adds, for example by distance.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

import torch

from attention_core.inputs.tensors import not_finite
from attention_core.learned.run import LearnedLayer
from attention_core.learned.trained_inputs import queries_of
from attention_core.validation import whole_number

__all__ = ["Part", "RoundedWhy", "Why", "why"]

_ROUNDING: Final = 8
"""Units in the last place, of all parts together, by which a model's own sum may differ: more is a bias."""


@dataclass(frozen=True)
class Part:
    """scale · Σ q_c k_c over one component or over a pair of them, numbered from 0."""

    components: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Why:
    """A score and what it is made of.

    parts      the largest |value| first
    dot        their sum, scale · q·k
    softcap    cap(dot) − dot; 0 without a softcap
    bias       score − cap(dot), 0 if rounding explains it, and 0 for a forbidden key
    score      the model's own, before the softmax; −∞ for a forbidden key
    forbidden  True if the mask keeps the query from reading the key
    """

    parts: tuple[Part, ...]
    dot: float
    softcap: float
    bias: float
    score: float
    forbidden: bool

    @property
    def total(self) -> float:
        """What the parts add up to, within rounding: the score; of a forbidden key cap(dot), which the mask hides."""
        return self.dot + self.softcap if self.forbidden else self.score

    def rounded(self, digits: int, most: int) -> "RoundedWhy":
        """Return the sum as it is shown, whose numbers add up exactly at the digits shown.

        The total is rounded as usual. Every other number is rounded up or down, those with the largest remainders up,
        so that it is less than one unit of the last digit from its own value. What the model's arithmetic rounded away
        belongs to the others, or to the largest part if all parts are shown.

        Parameters
        ----------
        digits
            After the decimal point.
        most
            Parts to show, at least 1; the others are one number together.

        Raises
        ------
        InvalidInput
            `not_a_number` or `out_of_range` for `digits` (0 to 20) or `most`.
        """
        digits, most = whole_number("digits", digits, 0, 20), whole_number("most", most, 1)
        shown, others = self.parts[:most], self.parts[most:]
        unit = Fraction(10) ** digits
        total, softcap, bias = (Fraction(value) * unit for value in (self.total, self.softcap, self.bias))
        units = round(total)
        dot_units, softcap_units, bias_units = _apportioned([total - softcap - bias, softcap, bias], units)
        values = [Fraction(part.value) * unit for part in shown]
        rest = sum((Fraction(part.value) * unit for part in others), Fraction())
        lost = total - softcap - bias - sum(values, rest)
        if others:
            *part_units, other_units = _apportioned([*values, rest + lost], dot_units)
        else:
            part_units, other_units = _apportioned([values[0] + lost, *values[1:]], dot_units), 0

        def decimal(count: int) -> Decimal:
            return Decimal(f"{count}e-{digits}")  # exact, whatever the precision of the caller's arithmetic

        return RoundedWhy(
            tuple((part.components, decimal(count)) for part, count in zip(shown, part_units, strict=True)),
            len(others),
            others=decimal(other_units),
            dot=decimal(dot_units),
            softcap=decimal(softcap_units),
            bias=decimal(bias_units),
            total=decimal(units),
            forbidden=self.forbidden,
        )


@dataclass(frozen=True)
class RoundedWhy:
    """A sum as it is shown: parts + others = dot, and dot + softcap + bias = total, exactly.

    parts   components and value, the largest first
    count   how many parts `others` are
    others  their sum; 0 if there are none
    total   the rounded score; for a forbidden key the score that the mask hides

    A number is shown by `f"{value:.{digits}f}"`.
    """

    parts: tuple[tuple[tuple[int, ...], Decimal], ...]
    count: int
    others: Decimal
    dot: Decimal
    softcap: Decimal
    bias: Decimal
    total: Decimal
    forbidden: bool


def why(layer: LearnedLayer, head: int, row: int, key: int, pairs: Sequence[tuple[int, int]] = ()) -> Why:
    """Return the score of one query and key as a sum.

    Parameters
    ----------
    layer
        A layer of a run, with queries and keys.
    head
        The head, from 1. Heads of one group read the same keys.
    row
        The query, from 0.
    key
        The key, from 0.
    pairs
        Components that turn together, as `LearnedModel.pairs`. A pair beyond this layer's d_k is left out.

    Raises
    ------
    InvalidInput
        `no_queries` for a layer without Q and K; `not_a_number` or `out_of_range` for a head, row or key that is not
        there; `not_finite` if q, k or the score is infinite or NaN.
    ValueError
        If a component is in two pairs.
    """
    Q, K, scale = queries_of(layer)
    h, n_q, n_k = layer.weights.shape
    head = whole_number("head", head, 1, h) - 1
    row, key = whole_number("row", row, 0, n_q - 1), whole_number("key", key, 0, n_k - 1)
    q, k = Q[head, row].double(), K[head * K.shape[0] // h, key].double()
    forbidden = not bool(layer.allowed[head, row, key])
    score = torch.zeros(()) if forbidden else layer.scores[head, row, key]
    for name, tensor in (("q", q), ("k", k), ("q · k", scale * q * k), ("scores", score)):
        if not tensor.isfinite().all():
            raise not_finite(name, tensor)
    products = (scale * q * k).tolist()
    joined = (Part(numbers, math.fsum(products[c] for c in numbers)) for numbers in _joined(len(products), pairs))
    parts = tuple(sorted(joined, key=lambda part: -abs(part.value)))
    dot = math.fsum(products)
    capped = layer.softcap * math.tanh(dot / layer.softcap) if layer.softcap else dot
    coarsest = max(torch.finfo(tensor.dtype).eps for tensor in (layer.scores, Q, K))
    noise = _ROUNDING * coarsest * (math.fsum(map(abs, products)) + abs(capped))
    beside = 0.0 if forbidden else float(score) - capped
    bias = beside if abs(beside) > noise else 0.0
    return Why(parts, dot, capped - dot, bias, -math.inf if forbidden else float(score), forbidden)


def _joined(d_k: int, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return each pair and each component without one, in the order of their first components."""
    inside = [tuple(pair) for pair in pairs if max(pair) < d_k]
    counts = Counter(component for pair in inside for component in pair)
    twice = sorted(component for component, count in counts.items() if count > 1)
    if twice:
        raise ValueError(f"a component is in one pair at most; {twice} are in several")
    return sorted([*inside, *((component,) for component in range(d_k) if component not in counts)])


def _apportioned(values: list[Fraction], total: int) -> list[int]:
    """Round values up or down so that they add up to `total`: the largest remainders up.

    `total` is less than one from the sum of the values.
    """
    floors = [math.floor(value) for value in values]
    order = sorted(range(len(values)), key=lambda i: floors[i] - values[i])
    for i in order[: total - sum(floors)]:
        floors[i] += 1
    return floors
