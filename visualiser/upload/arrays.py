"""Turn a file's arrays into `AttentionInputs`; check that they are there, fit each other and are finite."""

from collections.abc import Mapping

import numpy as np
import torch

from attention_core import AttentionInputs
from visualiser.upload.refusals import printable, refusal
from visualiser.upload.size_limits import NAMES, check_numbers, check_shape


def finite_float32(name: str, array: np.ndarray) -> np.ndarray:
    """Return `array` as float32, h × n × d; refuse NaN, infinities and overflow, naming the first position."""
    if array.ndim == 2:
        array = array[None]
    with np.errstate(over="ignore"):
        # always a copy: the file's own bytes are not writable, and torch refuses those
        converted = np.array(array, dtype=np.float32, order="C")
    if np.isfinite(converted).all():
        return converted
    index = np.unravel_index(int(np.argmin(np.isfinite(converted))), converted.shape)
    place = ", ".join(str(int(axis)) for axis in index)
    raise refusal("upload_not_finite", name=name, index=place, came=str(array[index]))


def require(found: Mapping[str, object], others: tuple[str, ...]) -> None:
    """Refuse a file without Q or K; the message lists the names found instead."""
    for name in ("Q", "K"):
        if name not in found:
            names = ", ".join(printable(other) for other in (*found, *others)[:6]) or "–"
            raise refusal("upload_missing", name=name, came=names)


def same(name: str, like: str, field: str, came: int, expected: int) -> None:
    """Refuse a tensor if the length of its axis `field` differs from that of the tensor `like`."""
    if came != expected:
        raise refusal("upload_mismatch", name=name, field=field, came=came, like=like, expected=expected)


def assemble(arrays: Mapping[str, np.ndarray], longest: int) -> AttentionInputs:
    """Return Q, K and V (V = K if missing) as tensors h × n × d that fit each other, n ≤ `longest`.

    Of grouped queries K and V have fewer heads, each for as many of Q's in a row.
    """
    require(arrays, ())
    for name, array in arrays.items():
        check_shape(name, array.shape, longest)
    h = _heads(arrays["Q"])
    shapes = {name: arrays.get(name, arrays["K"]).shape for name in NAMES}
    check_numbers({name: (h, *shape[-2:]) for name, shape in shapes.items()})  # as many as there are once repeated
    tensors = {name: torch.from_numpy(finite_float32(name, array)) for name, array in arrays.items()}
    Q, K = tensors["Q"], tensors["K"]
    V = tensors.get("V", K)
    if h % K.shape[0]:
        same("K", "Q", "h", K.shape[0], h)
    same("K", "Q", "d", K.shape[2], Q.shape[2])
    same("V", "K", "h", V.shape[0], K.shape[0])
    same("V", "K", "n", V.shape[1], K.shape[1])
    if K.shape[0] < h:
        K, V = (one.repeat_interleave(h // len(one), 0) for one in (K, V))
    return AttentionInputs(Q=Q, K=K, V=V)


def _heads(array: np.ndarray) -> int:
    return 1 if array.ndim == 2 else array.shape[0]
