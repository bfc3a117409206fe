"""Which models there are: those that ship, and those of the folder. A visitor's text is looked up here, no more."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final, NoReturn

from attention_core import InvalidInput
from attention_core.errors import shown
from attention_core.learned import SHIPPED, LearnedModel, shipped_model
from visualiser.models.folder import FOLDER

DEFAULT: Final = "headlight"
"""The model of a link that names none."""


@dataclass(frozen=True)
class Described:
    """What a list says of a model.

    loaded      False until somebody loads it; one that ships always is
    megabytes   that it takes, or will take, in memory
    parameters  numbers of the model
    layers      None before it is loaded, as are `h` and `d_k`
    """

    name: str
    loaded: bool
    megabytes: float
    parameters: int
    layers: int | None = None
    h: int | None = None
    d_k: int | None = None


def offered() -> tuple[str, ...]:
    """Return the names of the models, those that ship first."""
    return (*SHIPPED, *(name for name in FOLDER.names() if name not in SHIPPED))


def known(name: str) -> LearnedModel | None:
    """Return a model whose sizes are known now; None for one that is not offered or not loaded."""
    return shipped_model(name) if name in SHIPPED else FOLDER.loaded(name)


def is_loaded(name: str) -> bool:
    """Return True for a model that `find` returns at once."""
    return known(name) is not None


def find(name: str) -> LearnedModel:
    """Return a model that is loaded.

    Raises
    ------
    InvalidInput
        `unknown_model` for a name that is not offered; `model_not_loaded`, with `megabytes`, for one that `load` has to
        load first; `transformers_missing` if it cannot; and what is wrong with the model's files.
    """
    found = known(name)
    if found is not None:
        return found
    refuse_unloaded(name)


def refuse_unloaded(name: str) -> NoReturn:
    """Refuse a model that has to be loaded first. Raises `InvalidInput` as `find` does."""
    needed = megabytes(name)
    _require_transformers()
    raise InvalidInput(
        "model_not_loaded",
        f"The model {name} is not loaded yet; it takes {needed} MB.",
        value=name,
        megabytes=needed,
    )


def load(name: str, progress: Callable[[float], None] = lambda done: None) -> LearnedModel:
    """Load a model, or wait until another visitor's load of it has ended. `progress` gets the share that is done.

    Raises `InvalidInput` as `find` does but for `model_not_loaded`, `model_too_large` for one that does not fit into
    `HEADLIGHT_MODEL_MB`, and `Cancelled`.
    """
    found = known(name)
    if found is not None:
        return found
    _require_offered(name)
    _require_transformers()
    return FOLDER.load(name, progress)


def megabytes(name: str) -> int:
    """Return the MiB that a model takes, at least 1. Raises `InvalidInput` as `find` does for a model's files."""
    return max(1, round(described(name).megabytes))


def described(name: str) -> Described:
    """Return what a list says of a model, without loading it. Raises `InvalidInput` as `megabytes` does."""
    _require_offered(name)
    found = known(name)
    if found is None:
        sized = FOLDER.sized(name)
        return Described(name, False, sized.bytes / 2**20, sized.parameters)
    size = 4 * found.parameters if name in SHIPPED else FOLDER.bytes(name)
    return Described(name, True, size / 2**20, found.parameters, found.layers, found.h, found.d_k)


def _require_offered(name: str) -> None:
    if name not in offered():
        raise InvalidInput(
            "unknown_model", f"model must be one of {', '.join(offered())}; got {shown(name)}.", value=name
        )


def _require_transformers() -> None:
    if find_spec("transformers") is None:
        raise InvalidInput(
            "transformers_missing",
            'Reading a model needs the package transformers, which is not installed: pip install "headlight[models]".',
        )
