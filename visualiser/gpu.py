"""Where the pages compute: the CPU, or a GPU for works that are large enough.

A small work takes longer on a GPU than beside it: it is sent there, begun some dozen times and fetched back. So a short
measurement at the start finds the crossing, in scores, from which the GPU is the faster one. `HEADLIGHT_DEVICE` decides
without it. Without a GPU nothing is measured.

`on_gpu` lends a function the GPU of a ZeroGPU Space; elsewhere it changes nothing. Such a Space lends its GPU only to
decorated functions, and fails to start if there is none. Cheap handlers stay undecorated: a call costs quota and takes
longer than the work.
"""

import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import torch

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute, compute_rows
from attention_core.device import available
from visualiser.server import settings

Function = TypeVar("Function", bound=Callable)

try:
    import spaces  # pyright: ignore[reportMissingImports]
except ImportError:

    def on_gpu(function: Function) -> Function:
        return function
else:
    on_gpu = spaces.GPU

CPU: Final = "cpu"

_LOG: Final = logging.getLogger(__name__)

_SIZES: Final = (16, 32, 64, 128, 256, 512, 1024, 4096)
"""Tokens of the measured works of 8 heads; the last is summed up without its cells, as the Map is."""
_H: Final = 8
_CALLS: Final = 2
_CLEAR: Final = 3.0
"""A GPU that is so many times as fast stays ahead: larger works are not measured."""

_crossings: dict[str, float] = {}
_lock = threading.Lock()


def device_name() -> str:
    """Return the kind of device of works that are large enough: cuda, mps or cpu.

    It is the one of `HEADLIGHT_DEVICE`, else the CPU on a ZeroGPU Space, where cuda exists only inside a decorated
    function, else the fastest there is.
    """
    chosen = settings.device()
    if chosen != settings.AUTO:
        return chosen
    if os.environ.get("SPACES_ZERO_GPU"):
        return CPU
    return next(name for name, there in available().items() if there)


def device_for(scores: float) -> str:
    """Return the kind of device of a work with so many scores (h · n_q · n_k)."""
    kind = device_name()
    if kind == CPU or settings.device() != settings.AUTO:
        return kind
    return kind if scores >= crossing(kind) else CPU


def training_device() -> str:
    """Return the kind of device of small models that learn: too little to send, unless `HEADLIGHT_DEVICE` says so."""
    return CPU if settings.device() == settings.AUTO else settings.device()


def crossing(kind: str) -> float:
    """Return the scores from which this GPU is faster than the CPU, measured at the first call."""
    with _lock:
        if kind not in _crossings:
            _crossings[kind] = _measured(kind)
        return _crossings[kind]


def calibrate() -> None:
    """Measure what the first visitor would wait for."""
    device_for(0)


def require() -> None:
    """Return if the device of `HEADLIGHT_DEVICE` is there; else say so on stderr and end the process with status 2."""
    try:
        _require(settings.device())
    except ValueError as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(2)


def _require(chosen: str) -> None:
    there = [name for name, has in available().items() if has]
    if chosen not in (settings.AUTO, *there):
        raise ValueError(
            f"HEADLIGHT_DEVICE must be {settings.AUTO} or a device that this machine has ({', '.join(there)}); "
            f"got {chosen!r}."
        )


def computed(config: AttentionConfig, inputs: AttentionInputs | None = None) -> AttentionResult:
    """Return `compute` where it is fast; on the CPU if the GPU has no room. Raises as it does."""
    return _where(config, inputs, None, lambda device: compute(config, inputs, device=device))


def rows_computed(
    config: AttentionConfig, rows: Sequence[int], inputs: AttentionInputs | None = None
) -> AttentionResult:
    """Return `compute_rows` likewise."""
    return _where(config, inputs, len(rows), lambda device: compute_rows(config, rows, inputs, device=device))


def _where(
    config: AttentionConfig, inputs: AttentionInputs | None, rows: int | None, call: Callable[[str], AttentionResult]
) -> AttentionResult:
    h, n_q, n_k = (
        (config.h, config.n, config.n_k or config.n)
        if inputs is None
        else (inputs.Q.shape[0], inputs.Q.shape[1], inputs.K.shape[1])
    )
    try:
        return call(device_for(h * (n_q if rows is None else rows) * n_k))
    except torch.OutOfMemoryError:
        return call(CPU)


def crossed(seconds: Sequence[tuple[float, float, float]]) -> float:
    """Return the scores from which a GPU stays faster, of (scores, seconds on the CPU, seconds on the GPU).

    Between the last measured work that the CPU does faster and the next one both times are taken to grow as powers of
    the size. Infinity if the CPU is faster at the largest.
    """
    slower = [at for at, (_, cpu, gpu) in enumerate(seconds) if gpu > cpu]
    if not slower:
        return 0.0
    if slower[-1] == len(seconds) - 1:
        return math.inf
    (few, *before), (many, *after) = seconds[slower[-1]], seconds[slower[-1] + 1]
    behind, ahead = (math.log(gpu / cpu) for cpu, gpu in (before, after))
    return few * (many / few) ** (behind / (behind - ahead))


def _measured(kind: str) -> float:
    found: list[tuple[float, float, float]] = []
    try:
        for n in _SIZES:
            cpu, gpu = _seconds(CPU, n), _seconds(kind, n)
            found.append((float(_H * n * n), cpu, gpu))
            if gpu * _CLEAR < cpu:
                break
    except RuntimeError:  # every error of a driver is one
        _LOG.exception("the GPU is not used, since it failed while it was measured")
        return math.inf
    return crossed(found)


def _seconds(device: str, n: int) -> float:
    """Return the seconds of the fastest of a few computations of 8 heads of 64; the first also warms up."""
    config, taken = AttentionConfig(n=n, h=_H, d_k=64, tie=False), []
    for _ in range(1 + _CALLS):
        began = time.perf_counter()
        _ = compute(config, device=device).entropy  # on the CPU again, so nothing is under way
        taken.append(time.perf_counter() - began)
    return min(taken[1:])
