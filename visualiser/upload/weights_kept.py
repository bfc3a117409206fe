"""The one form in which a page keeps a visitor's weights: safetensors, with names and tokens in the metadata."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
import safetensors.numpy
from jaxtyping import Float

from attention_core import InvalidInput
from visualiser.upload.npz_archive import BROKEN
from visualiser.upload.safetensors_file import entry_of, header_of
from visualiser.upload.weights import LONGEST_HEADER, MOST_LAYERS, MOST_WEIGHTS, clean_name, clean_token, may_be

_KEY: Final = "headlight.weights"
"""Of the one piece of metadata."""

_HEAD: Final = re.compile(r"(\d{1,6}\.\d{1,6})?", re.ASCII)


@dataclass(frozen=True)
class KeptLayer:
    """A layer of the canonical form: its name, its kind, its shape, and the first byte of its numbers."""

    name: str
    kind: str
    shape: tuple[int, int, int]
    start: int


@dataclass(frozen=True)
class KeptPassages:
    """What the layers are if they are passages of one head: its name, "4.6" or empty, and interval and id of each."""

    head: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class KeptWeights:
    """The header of the canonical form. `tokens` are those of one or two sequences, or of each passage."""

    layers: tuple[KeptLayer, ...]
    tokens: tuple[tuple[str, ...], ...]
    passages: KeptPassages | None = None


def canonical_weights(
    layers: Sequence[tuple[str, str, Float[np.ndarray, "h n_q n_k"]]],
    tokens: Sequence[Sequence[str]],
    passages: KeptPassages | None = None,
) -> bytes:
    """Write layers, each by its name and kind, with the tokens of their sequences: the page keeps it and sends it."""
    told = {
        "names": [name for name, _, _ in layers],
        "kinds": [kind for _, kind, _ in layers],
        "tokens": [*map(list, tokens)],
    }
    if passages is not None:
        told |= {"head": passages.head, "passages": [*map(list, passages.places)]}
    arrays = {f"{number:03}": np.ascontiguousarray(one, np.float32) for number, (_, _, one) in enumerate(layers)}
    return safetensors.numpy.save(arrays, {_KEY: json.dumps(told, ensure_ascii=False)})


def header_bytes(tokens: list[str]) -> int:
    """Return how many bytes of the header tokens take: they are JSON in a string of JSON."""
    return len(json.dumps(json.dumps(tokens, ensure_ascii=False), ensure_ascii=False).encode())


def kept_weights(body: bytes, longest: int) -> KeptWeights | None:
    """Return the header of a file in the canonical form, within the bounds; None for any other. No number is read."""
    if _KEY.encode() not in body[:128]:
        return None
    try:
        return _kept(body, longest)
    except (InvalidInput, *BROKEN, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _kept(body: bytes, longest: int) -> KeptWeights | None:
    entries, numbers = header_of(body, LONGEST_HEADER)
    found = dict(entries)
    told = json.loads(dict(found.pop("__metadata__"))[_KEY])
    names, kinds, tokens = told["names"], told["kinds"], told["tokens"]
    if not 1 <= len(found) == len(names) == len(kinds) <= MOST_LAYERS:
        return None
    layers = tuple(_kept_layer(f"{number:03}", found, one) for number, one in enumerate(zip(names, kinds, strict=True)))
    ends = (4 * prod(one.shape) + one.start for one in layers)
    fits = all(may_be(one.shape, longest) and one.kind in ("self", "cross") for one in layers)
    if not fits or sum(prod(one.shape) for one in layers) > MOST_WEIGHTS or max(ends) > len(numbers):
        return None
    begins = len(body) - len(numbers)
    placed = tuple(KeptLayer(one.name, one.kind, one.shape, begins + one.start) for one in layers)
    named = tuple(tuple(clean_token(each) for each in one[: longest + 1]) for one in tokens)
    if "passages" not in told:
        return KeptWeights(placed, named) if len(named) <= 2 else None
    passages = KeptPassages(told["head"], tuple((interval, number) for interval, number in told["passages"]))
    fits = len(passages.places) == len(layers) and all(type(one) is int for place in passages.places for one in place)
    fits = fits and _HEAD.fullmatch(passages.head) is not None
    fits = fits and [(1, len(one), len(one)) for one in named] == [layer.shape for layer in layers]
    return KeptWeights(placed, named, passages) if fits else None


def _kept_layer(key: str, found: Mapping[str, Any], told: tuple[str, str]) -> KeptLayer:
    dtype, shape, start, _ = entry_of(key, found[key])
    if dtype != "F32" or len(shape) != 3:
        raise ValueError(dtype)
    return KeptLayer(clean_name(told[0]), told[1], (shape[0], shape[1], shape[2]), start)


def numbers_of(body: bytes, layer: KeptLayer) -> Float[np.ndarray, "h n_q n_k"]:
    """Return a copy of the numbers of a layer."""
    return np.frombuffer(body, "<f4", prod(layer.shape), layer.start).reshape(layer.shape).copy()


def unique_names(names: Sequence[str]) -> Iterator[str]:
    """Yield names, each as it is the first time, then with a number."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"
