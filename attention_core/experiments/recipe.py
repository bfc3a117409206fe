"""The settings of every training: learning rate, steps, batch, seeds, evaluation."""

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
        # Below it the longest run learns nothing; above it Adam's steps are as large as the weights themselves.
        "learning_rate": Bound(1e-5, 0.3, 3e-3, step=1e-5),
        "steps": Bound(1, 3000, 150),
        "batch": Bound(1, 128, 16),
        "seeds": Bound(1, 20, 5),
        "seed": CORE_BOUNDS["seed"],
        # Held-out examples: 512 give one seed's accuracy near ½ to about 0.02.
        "evaluation": Bound(32, 4096, 512),
    }
)


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
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
        """The seed of each model."""
        return tuple(range(self.seed, self.seed + self.seeds))

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the only way to set a field of a frozen dataclass


def bounded(field: str, value: Any, bound: Bound) -> int:
    """Return `value` as a whole number within `bound`; codes `not_a_number`, `out_of_range`."""
    return whole_number(field, value, int(bound.minimum), int(bound.maximum))


def several(field: str, values: Any, valid: Callable[[str, Any], Value]) -> tuple[Value, ...]:
    """Return each of `values` as `valid` returns it, in order and without repeats. A single value counts as a list.

    Raises `InvalidInput` as `valid` does, and `nothing_chosen` for an empty list.
    """
    listed = values if isinstance(values, Iterable) and not isinstance(values, (str, bytes)) else [values]
    found = tuple(dict.fromkeys(valid(field, value) for value in listed))
    if not found:
        raise InvalidInput("nothing_chosen", f"{field} must name at least one value; got none.", field=field)
    return found
