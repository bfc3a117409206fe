"""What every training has: how fast, how long, on how much, from which seeds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar, no_type_check

from attention_core.config import BOUNDS as CORE_BOUNDS
from attention_core.config import Bound
from attention_core.errors import InvalidInput
from attention_core.validation import real_number, whole_number

Value = TypeVar("Value")

RECIPE_BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        # Below, nothing is learned in the longest run; above, Adam's steps are as large as the weights themselves.
        "learning_rate": Bound(1e-5, 0.3, 3e-3, step=1e-5),
        "steps": Bound(1, 3000, 150),
        "batch": Bound(1, 128, 16),
        "seeds": Bound(1, 20, 5),
        "seed": CORE_BOUNDS["seed"],
        # Held-out examples: an accuracy near ½ of one seed is exact to about 0.02 with 512 of them.
        "evaluation": Bound(32, 4096, 512),
    }
)


@no_type_check  # it checks itself, and its own message is to be heard before any type checker's
@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings that both experiments share; `seeds` models start from the seeds `seed`, `seed` + 1, ….

    Raises `InvalidInput`: `not_a_number`, `out_of_range`.
    """

    learning_rate: float = RECIPE_BOUNDS["learning_rate"].default
    steps: int = int(RECIPE_BOUNDS["steps"].default)
    batch: int = int(RECIPE_BOUNDS["batch"].default)
    seeds: int = int(RECIPE_BOUNDS["seeds"].default)
    seed: int = int(RECIPE_BOUNDS["seed"].default)
    evaluation: int = int(RECIPE_BOUNDS["evaluation"].default)

    def __post_init__(self) -> None:
        bound = RECIPE_BOUNDS["learning_rate"]
        self._set("learning_rate", real_number("learning_rate", self.learning_rate, bound.minimum, bound.maximum))
        for field in ("steps", "batch", "seeds", "seed", "evaluation"):
            self._set(field, bounded(field, getattr(self, field), RECIPE_BOUNDS[field]))

    @property
    def every_seed(self) -> tuple[int, ...]:
        """The seeds of the models, one each."""
        return tuple(range(self.seed, self.seed + self.seeds))

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the way a frozen dataclass normalises its own fields


def bounded(field: str, value: Any, bound: Bound) -> int:
    """`value` as a whole number within `bound`; codes `not_a_number`, `out_of_range`."""
    return whole_number(field, value, int(bound.minimum), int(bound.maximum))


def several(field: str, values: Any, valid: Callable[[str, Any], Value]) -> tuple[Value, ...]:
    """Each of `values` as `valid` returns it, once and in the order given; one value alone counts as a list of one.

    Raises `InvalidInput` as `valid` does, and `nothing_chosen` for an empty list.
    """
    listed = values if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) else [values]
    found = tuple(dict.fromkeys(valid(field, value) for value in listed))
    if not found:
        raise InvalidInput("nothing_chosen", f"{field} must name at least one value; got none.", field=field)
    return found
