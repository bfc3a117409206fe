"""Models in safetensors files: numbers, a header of JSON, and no pickle, which would run what a stranger wrote."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from attention_core.errors import InvalidInput, shown
from attention_core.language.evaluation import Evaluation
from attention_core.language.measures import MEASURES
from attention_core.language.model import HEADS, LanguageModel, Parameters, shapes
from attention_core.language.texts import PLACES

__all__ = ["SHIPPED", "LanguageFile", "load", "shipped"]

SHIPPED: Final[Mapping[int, str]] = {2: "language.safetensors", 1: "language-one-layer.safetensors"}
"""The shipped files by their layers: the model, and its twin that cannot find what repeats."""

_FOLDER: Final = Path(__file__).parent / "shipped"
_LARGEST: Final = 500_000  # bytes
_FORMAT: Final = "headlight language 1"


@dataclass(frozen=True, eq=False)
class LanguageFile:
    """A model and where it comes from.

    recipe      the settings of its training
    seed        of its first parameters and its texts
    evaluation  its scores over the shipped corpus, as its training stated them
    torch       the version that trained it
    """

    model: LanguageModel
    recipe: Mapping[str, Any]
    seed: int
    evaluation: Evaluation
    torch: str


def shipped(layers: int = 2) -> LanguageFile:
    """Return the model that comes with Headlight, or its twin of one layer; each is read once.

    Raises `KeyError` for other layers.
    """
    return _read_once(layers)


@cache
def _read_once(layers: int) -> LanguageFile:
    return load(_FOLDER / SHIPPED[layers])


def load(path: Path) -> LanguageFile:
    """Read a model.

    Raises `InvalidInput` (`language_file`) for a file that is no such model: too large, broken, with other tensors,
    with a number that is not finite, or without its recipe and scores.
    """
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise _refused(path, f"it has {size} bytes, and {_LARGEST} are the most")
        with safe_open(path, framework="pt") as file:
            recipe, seed, evaluation, version = _about(path, file.metadata() or {})
            wanted = shapes(recipe["layers"])
            if set(file.keys()) != set(wanted):
                raise _refused(path, f"its tensors are {shown(', '.join(sorted(file.keys())))}")
            parameters: Parameters = {}
            for name, shape in wanted.items():
                there = file.get_slice(name)
                if there.get_dtype() != "F32" or tuple(there.get_shape()) != shape:
                    raise _refused(path, f"{name} is not {' × '.join(map(str, shape))} in float32")
                parameters[name] = file.get_tensor(name)
                if not parameters[name].isfinite().all():
                    raise _refused(path, f"{name} holds a NaN or an infinity")
    except (SafetensorError, OSError) as broken:
        raise _refused(path, shown(str(broken))) from None
    return LanguageFile(LanguageModel(parameters), recipe, seed, evaluation, version)


def written(parameters: Parameters, recipe: Mapping[str, Any], seed: int, evaluation: Evaluation) -> bytes:
    """Return a model as the bytes of its file, equal for equal models.

    The metadata have one entry, because the library writes several in an order of its own.
    """
    about = {"recipe": dict(recipe), "seed": seed, "scores": asdict(evaluation), "torch": torch.__version__}
    tensors = {name: value.detach().contiguous() for name, value in parameters.items()}
    return save(tensors, {_FORMAT: json.dumps(about)})


def _about(path: Path, metadata: Mapping[str, str]) -> tuple[dict[str, Any], int, Evaluation, str]:
    """Return recipe, seed, scores and torch's version from a file's metadata."""
    if _FORMAT not in metadata:
        raise _refused(path, f"its metadata have no {_FORMAT!r}")
    try:
        about = json.loads(metadata[_FORMAT])
        recipe, scored, seed, version = (about[name] for name in ("recipe", "scores", "seed", "torch"))
        accuracy = {str(name): float(value) for name, value in scored["accuracy"].items()}
        heads = {str(name): tuple(tuple(map(float, row)) for row in rows) for name, rows in scored["heads"].items()}
        if type(seed) is not int or type(version) is not str or type(recipe["layers"]) is not int:
            raise TypeError("a wrong type")
        if recipe["layers"] not in SHIPPED:
            raise ValueError(f"{recipe['layers']} layers")
        _require_scores(accuracy, heads, recipe["layers"])
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as broken:
        raise _refused(path, f"its recipe or its scores cannot be read: {shown(str(broken))}") from None
    return recipe, seed, Evaluation(accuracy, heads), version


def _require_scores(
    accuracy: Mapping[str, float], heads: Mapping[str, tuple[tuple[float, ...], ...]], layers: int
) -> None:
    """Raise ValueError unless there is a score from 0 to 1 for each kind of place and for each measure and head."""
    shaped = all([len(row) for row in rows] == [HEADS] * layers for rows in heads.values())
    if set(accuracy) != set(PLACES) or set(heads) != set(MEASURES) or not shaped:
        raise ValueError("not every score is there")
    every = [*accuracy.values(), *(score for rows in heads.values() for row in rows for score in row)]
    if not all(0 <= score <= 1 + 1e-6 for score in every):
        raise ValueError("a score is not from 0 to 1")


def _refused(path: Path, reason: str) -> InvalidInput:
    return InvalidInput(
        "language_file", f"{path.name} is no language model of Headlight: {reason}.", name=path.name, reason=reason
    )
