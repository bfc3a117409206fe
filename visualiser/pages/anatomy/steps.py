"""The steps of the walk through Figure 2, and the figure's boxes with the shapes of their outputs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attention_core import AttentionConfig
from attention_core.config import SCALED
from attention_core.mechanisms import MECHANISMS
from attention_core.result.walk import walked

_WALKED: Final = {name: one.walk for name, one in MECHANISMS.items() if one.walk}

WALKED: Final = tuple(_WALKED)
"""The mechanisms that can be walked through; the page refuses the others by name."""

_OWN: Final = tuple(dict.fromkeys(step for walk in _WALKED.values() for step in walk.steps))

STEPS: Final = (
    "input",
    "queries",
    "keys",
    "values",
    *_OWN,
    "scores",
    "scaled",
    "masked",
    "exponentials",
    "weights",
    "heads",
    "concatenation",
    "output",
)
"""All possible steps, in order; `steps` returns those of a configuration."""

_BOXES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "x": ("input", ("n", "d_model")),
        "linear_q": ("queries", ("h", "n", "d_k")),
        "linear_k": ("keys", ("h", "n", "d_k")),
        "linear_v": ("values", ("h", "n", "d_v")),
        "attention": ("heads", ("h", "n", "d_v")),
        "concat": ("concatenation", ("n", "h·d_v")),
        "linear_o": ("output", ("n", "d_model")),
        "q": ("queries", ("n", "d_k")),
        "k": ("keys", ("n", "d_k")),
        "v": ("values", ("n", "d_v")),
        **{box: opened for walk in _WALKED.values() for box, opened in walk.boxes.items()},
        "compare": ("scores", ("n", "n")),
        "scale": ("scaled", ("n", "n")),
        "mask": ("masked", ("n", "n")),
        "softmax": ("weights", ("n", "n")),
        "matmul_v": ("heads", ("n", "d_v")),
    }
)
"""By box: the step that it opens, and the axes of its output (self-attention: n_q = n_k = n)."""

_WEIGHTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "linear_q": ("h", "d_model", "d_k"),
        "linear_k": ("h", "d_model", "d_k"),
        "linear_v": ("h", "d_model", "d_v"),
        "linear_o": ("h·d_v", "d_model"),
        "linear_wq": ("d_k", "d_k"),
        "linear_wk": ("d_k", "d_k"),
    }
)
"""The axes of a box's weights, if it has any: those of the right half belong to all heads, those of the left to one."""

_PROJECTIONS: Final[Mapping[str, str]] = MappingProxyType({"linear_q": "q", "linear_k": "k", "linear_v": "v"})
"""Boxes that project X, and the tensor that stands in their place if it is drawn."""

_TENSORS: Final = ("x", "q", "k", "v")
"""Boxes that compute nothing."""


def revealed(step: str) -> bool:
    """Return True from the step on at which the scores are seen."""
    return STEPS.index(step) >= STEPS.index("scores")


def steps(config: AttentionConfig, layer: int) -> tuple[str, ...]:
    """Return the steps of one layer: no input if Q and K are drawn, no scaling if no factor applies."""
    absent = set(_OWN) - set(walked(config).steps)
    if not SCALED[config.mechanism]:
        absent.add("scaled")
    if config.source != "text" and layer == 1:
        absent.add("input")
    return tuple(step for step in STEPS if step not in absent)


def sizes(config: AttentionConfig) -> dict[str, int]:
    """Return the size of every axis by its symbol; the paper sets d_v = d_k."""
    d_v = config.d_k
    named = {"n": config.n, "d_model": config.d_model, "h": config.h, "d_k": config.d_k, "d_v": d_v}
    return {**named, "h·d_v": config.h * d_v}


def boxes(config: AttentionConfig, layer: int) -> dict[str, dict[str, str]]:
    """Return the boxes of the present figure: the step each opens, and its shapes in symbols and in numbers.

    `symbols` and `numbers` are the shape of what a box hands on, `weights` and `sizes` that of its own weights, empty
    if it has none. `sign` stands before what a box makes; a tensor that is only shown has none.
    """
    there = steps(config, layer)
    size = sizes(config)
    drawn = config.source != "text" and layer == 1

    def shape(axes: tuple[str, ...]) -> tuple[str, str]:
        return " × ".join(axes), " × ".join(str(size[axis]) for axis in axes)

    found: dict[str, dict[str, str]] = {}
    for name, (step, axes) in _BOXES.items():
        if step not in there:
            continue
        shown = drawn and name in _PROJECTIONS
        symbols, numbers = shape(axes)
        weights, weight_sizes = shape(() if shown else _WEIGHTS.get(name, ()))
        found[name] = {
            "step": step,
            "title": f"{name}_{config.mechanism}" if step == "scores" else _PROJECTIONS[name] if shown else name,
            "sign": "" if shown or name in _TENSORS else "→",
            "symbols": symbols,
            "numbers": numbers,
            "weights": weights,
            "sizes": weight_sizes,
        }
    return found
