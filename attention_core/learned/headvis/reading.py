"""A head's file of HeadVis, checked field by field: nothing in it is believed that its form does not show."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import torch

from attention_core.errors import InvalidInput
from attention_core.learned.headvis.head_file import Bins, HeadVisHead, HeadVisSequence, TokenWeight
from attention_core.learned.headvis.parsing import misfit, parsed, read_at_most

__all__ = ["read_headvis"]

_NAME: Final = re.compile(r"L([0-9]{1,5})H([0-9]{1,5})\.json")

_MOST_WEIGHT: Final = 1.01
"""A weight in bfloat16 is rounded by up to a 256th."""

_MOST_INTERVALS: Final = 2**31 - 1

Read = TypeVar("Read")


def read_headvis(file: bytes | Path | Mapping[str, Any], name: str = "") -> HeadVisHead:
    """Read a head's file of HeadVis (`heads/L3H0.json`), of any number of bands, keys a row and texts.

    Fields that the format does not have are passed over. Everything but `sequences` may be missing.

    Parameters
    ----------
    file
        Its bytes, at most `LARGEST`, where it is, or the object that somebody made of it.
    name
        What it is called: `L3H0.json` is layer 4, head 1, for its layers and heads count from 0. A path has its own.

    Raises
    ------
    InvalidInput
        `headvis_size`, `headvis_deep` and `headvis_crowded`, before anything is made of the file; `headvis_json` for
        what is no JSON. With the `field`: `headvis_field` if it is missing, stands twice or has another form or length;
        `headvis_index` for a place outside the text or twice; `headvis_number` for a number that cannot be, NaN and
        Infinity included.
    OSError
        As files do.
    """
    if isinstance(file, Path):
        name, file = file.name, read_at_most(file)
    found = file if isinstance(file, Mapping) else parsed(file)
    match = _NAME.fullmatch(name)
    statistics = found.get("statistics")
    return HeadVisHead(
        layer=int(match[1]) + 1 if match else None,
        head=int(match[2]) + 1 if match else None,
        sequences=_list(found.get("sequences"), "sequences", _sequence),
        distances=_bins(found.get("qk_distance_histogram"), "qk_distance_histogram"),
        queries=_tokens(found.get("top_query_tokens"), "top_query_tokens"),
        keys=_tokens(found.get("top_key_tokens"), "top_key_tokens"),
        activations=_bins(found.get("histogram"), "histogram"),
        statistics={} if statistics is None else _statistics(statistics),
    )


def _sequence(found: Any, field: str) -> HeadVisSequence:
    if not isinstance(found, dict):
        raise misfit(field)
    n = _whole(found.get("seq_len"), f"{field}.seq_len", 1, _MOST_INTERVALS)
    tokens = _texts(found.get("tokens"), f"{field}.tokens")
    _require_length(tokens, n, f"{field}.tokens")
    places = _places(found.get("attention_indices"), n, f"{field}.attention_indices")
    values = _numbers(found.get("attention_values"), f"{field}.attention_values", 0.0, _MOST_WEIGHT)
    _require_length(values, len(places), f"{field}.attention_values")
    order = np.argsort(places, kind="stable")
    places = places[order]
    if (places[1:] == places[:-1]).any():
        raise _misplaced(f"{field}.attention_indices", n)
    strongest = found.get("max_activation")
    if strongest is not None:
        strongest = _number(strongest, f"{field}.max_activation", 0.0, _MOST_WEIGHT)
    return HeadVisSequence(
        id=_whole(found.get("sequence_id"), f"{field}.sequence_id", -(2**63), 2**63 - 1),
        interval=_whole(found.get("interval"), f"{field}.interval", 1, _MOST_INTERVALS),
        tokens=tokens,
        q=torch.from_numpy(places // n),
        k=torch.from_numpy(places % n),
        values=torch.from_numpy(values[order]),
        max_activation=strongest,
    )


def _places(found: Any, n: int, field: str) -> np.ndarray:
    """Return q · n + k of each weight."""
    if not isinstance(found, list) or not {*map(type, found)} <= {int}:
        raise misfit(field)
    try:
        places = np.array(found, dtype=np.int64)
    except OverflowError:
        raise _misplaced(field, n) from None
    if not ((places >= 0) & (places < n * n)).all():
        raise _misplaced(field, n)
    return places


def _misplaced(field: str, n: int) -> InvalidInput:
    return InvalidInput(
        "headvis_index",
        f"{field} has a place twice, or one that is not from 0 to {n * n - 1}: a row's number × {n} + a key's number.",
        field=field,
        most=n * n - 1,
        count=n,
    )


def _bins(found: Any, field: str) -> Bins | None:
    """Return a histogram; None for one that is not there, which HeadVis writes as an empty object."""
    if found is None or found == {}:
        return None
    if not isinstance(found, dict):
        raise misfit(field)
    edges = _numbers(found.get("bin_edges"), f"{field}.bin_edges", -math.inf, math.inf)
    values = _numbers(found.get("bin_values"), f"{field}.bin_values", 0.0, math.inf)
    _require_length(values, len(edges) - 1, f"{field}.bin_values")
    if not (edges[1:] > edges[:-1]).all():
        raise _impossible(f"{field}.bin_edges")
    return Bins(tuple(edges.tolist()), tuple(values.tolist()))


def _tokens(found: Any, field: str) -> tuple[TokenWeight, ...]:
    return () if found is None else _list(found, field, _token_weight)


def _token_weight(found: Any, field: str) -> TokenWeight:
    if not isinstance(found, dict):
        raise misfit(field)
    [token] = _texts([found.get("token")], f"{field}.token")
    return TokenWeight(token, _number(found.get("weight"), f"{field}.weight", 0.0, math.inf))


def _statistics(found: Any) -> dict[str, float | str | None]:
    if not isinstance(found, dict) or not {*map(type, found.values())} <= {int, float, str, type(None)}:
        raise misfit("statistics")
    _texts([*found, *(value for value in found.values() if isinstance(value, str))], "statistics")
    return {
        name: _number(value, "statistics", -math.inf, math.inf) if isinstance(value, (int, float)) else value
        for name, value in found.items()
    }


def _list(found: Any, field: str, each: Callable[[Any, str], Read]) -> tuple[Read, ...]:
    if not isinstance(found, list):
        raise misfit(field)
    return tuple(each(one, f"{field}[{place}]") for place, one in enumerate(found))


def _texts(found: Any, field: str) -> tuple[str, ...]:
    """Return texts that can be written: JSON allows half a character, `\\ud800`, and no encoding does."""
    if not isinstance(found, list) or not {*map(type, found)} <= {str}:
        raise misfit(field)
    try:
        "".join(found).encode()
    except UnicodeEncodeError:
        raise misfit(field) from None
    return tuple(found)


def _whole(found: Any, field: str, least: int, most: int) -> int:
    if type(found) is not int:
        raise misfit(field)
    if not least <= found <= most:
        raise _impossible(field)
    return found


def _number(found: Any, field: str, least: float, most: float) -> float:
    return float(_numbers([found], field, least, most)[0])


def _numbers(found: Any, field: str, least: float, most: float) -> np.ndarray:
    """Return finite numbers between two bounds."""
    if not isinstance(found, list) or not {*map(type, found)} <= {int, float}:
        raise misfit(field)
    try:
        numbers = np.array(found, dtype=np.float64)
    except OverflowError:  # a whole number beyond all floats
        raise _impossible(field) from None
    if not (np.isfinite(numbers) & (numbers >= least) & (numbers <= most)).all():
        raise _impossible(field)
    return numbers


def _impossible(field: str) -> InvalidInput:
    return InvalidInput(
        "headvis_number",
        f"{field} has a number that cannot be there: weights are from 0 to 1, edges grow, and none is NaN or infinite.",
        field=field,
    )


def _require_length(found: Any, expected: int, field: str) -> None:
    if len(found) != expected:
        raise misfit(field)
