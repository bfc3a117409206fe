"""The steps of the walk through Figure 2, and the figure's boxes with the shapes of their outputs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attention_core import AttentionConfig, normalisations, treatments
from attention_core.config import SCALED, of_every_choice
from attention_core.mechanisms import MECHANISMS
from attention_core.normalisations import NORMALISATIONS
from attention_core.result.walk import walked, weighing_of
from visualiser.locale import number
from visualiser.locale.required_texts import of_mechanism
from visualiser.pages.anatomy.subject import mixed, projected
from visualiser.reasons.tensors import GROWTH

_WALKED: Final = {name: one.walk for name, one in MECHANISMS.items() if one.walk}

WALKED: Final = tuple(_WALKED)
"""The mechanisms that can be walked through; the page refuses the others by name."""

_OWN: Final = tuple(dict.fromkeys(step for walk in _WALKED.values() for step in walk.steps))

_WEIGHINGS: Final = {name: one.walk for name, one in NORMALISATIONS.items() if one.walk}

WEIGHED: Final = tuple(_WEIGHINGS)
"""The normalisations that can be walked through; the page refuses the others by name."""

_WEIGHING: Final = tuple(dict.fromkeys(step for walk in _WEIGHINGS.values() for step in walk.steps))

NORMED: Final = ("normed_q", "normed_k")
"""The steps that normalise queries and keys, if the config says so."""

STEPS: Final = (
    "input",
    "queries",
    "keys",
    "values",
    *NORMED,
    *_OWN,
    "scores",
    "scaled",
    "capped",
    "masked",
    *_WEIGHING,
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
        "norm_q": ("normed_q", ("n", "d_k")),
        "norm_k": ("normed_k", ("n", "d_k")),
        **{box: opened for walk in _WALKED.values() for box, opened in walk.boxes.items()},
        "compare": ("scores", ("n", "n")),
        "scale": ("scaled", ("n", "n")),
        "softcap": ("capped", ("n", "n")),
        "mask": ("masked", ("n", "n")),
        **{walk.box: ("weights", ("n", "n")) for walk in _WEIGHINGS.values()},
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

_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {name: one.box if name == one.box else f"{one.box}_{name}" for name, one in _WEIGHINGS.items()}
)
"""What the title of the box of the weights is keyed by: its name, with the normalisation's if that is another."""

_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({**dict.fromkeys(WEIGHED, ""), "sink": "b = {sink}"})
"""The number that the box of a normalisation's weights shows, if it has one."""

_SCALINGS: Final = of_every_choice("scaling", {"sqrt_d_k": "1/√d_k", "none": "", "d_k": "1/d_k", "custom": "{scale}"})
"""The factor without its growth, as it is written before a product."""

_TENSORS: Final = ("x", "q", "k", "v")
"""Boxes that compute nothing."""

_OF_KEYS: Final = ("linear_k", "linear_v", "k", "v")
"""Boxes of keys and values, of which several heads of queries may share one."""


def revealed(step: str) -> bool:
    """Return True from the step on at which the scores are seen."""
    return STEPS.index(step) >= STEPS.index("scores")


def steps(config: AttentionConfig) -> tuple[str, ...]:
    """Return the steps of the config's layer: no input without an X, no scaling if no factor applies, no output without
    a W_O, and nothing to join of a trained head alone.

    Raises `InvalidInput` (`unknown_choice`) for a mechanism or a normalisation without a walk.
    """
    absent = set(_OWN) - set(walked(config).steps)
    absent.update(set(_WEIGHING) - set(weighing_of(config).steps))
    if not config.qk_norm:
        absent.update(NORMED)
    if not SCALED[config.mechanism]:
        absent.add("scaled")
    if not treatments.acting(config):
        absent.add("capped")
    if not projected(config):
        absent.add("input")
    if not mixed(config):
        absent.update(("output", "concatenation") if config.h == 1 else ("output",))
    return tuple(step for step in STEPS if step not in absent)


def weighing(config: AttentionConfig) -> tuple[str, ...]:
    """Return the steps inside the box of the weights, the weights themselves last."""
    return (*weighing_of(config).steps, "weights")


def treated(config: AttentionConfig, step: str) -> str:
    """Return what the texts of a step are keyed by.

    A mechanism's own takes q and k, normalised or not; those of weights other than a softmax's are the normalisation's.
    """
    if step in weighing(config) and not normalisations.of(config).softmax:
        return f"{step}_{config.normalisation}"
    return f"{step}_normed" if step in _OWN and config.qk_norm else step


def sizes(config: AttentionConfig, d_v: int | None = None, grouped: int = 0) -> dict[str, int]:
    """Return the size of every axis by its symbol; the paper sets d_v = d_k, which is taken without a `d_v`.

    A trained layer has no d_model here: nothing on the page is so wide. `grouped` is its number of heads of keys and
    values, h_k, if each serves several heads of queries.
    """
    d_v = config.d_k if d_v is None else d_v
    wide = {"d_model": config.d_model} if mixed(config) else {}
    heads = {"h": config.h, **({"h_k": grouped} if grouped else {})}
    return {"n": config.n, **wide, **heads, "d_k": config.d_k, "d_v": d_v, "h·d_v": config.h * d_v}


def sharing(h: int, grouped: int) -> str:
    """Return the heads of queries that each head of keys and values serves: 1–3 · 4–6."""
    share = h // grouped
    return " · ".join(f"{first + 1}–{first + share}" for first in range(0, h, share))


def boxes(config: AttentionConfig, d_v: int | None = None, grouped: int = 0) -> dict[str, dict[str, str]]:
    """Return the boxes of the present figure: the step each opens, and its shapes in symbols and in numbers.

    `symbols` and `numbers` are the shape of what a box hands on, `weights` and `sizes` that of its own weights, empty
    if it has none. `sign` stands before what a box makes; a tensor that is only shown has none. `factor` is there only
    if a box multiplies by one that grows with n, `setting` if a number belongs to it: a softcap's c, a sink's b.
    `shared` names the heads of queries that share keys and values.
    """
    there = steps(config)
    size, drawn = sizes(config, d_v, grouped), not projected(config)

    def shape(axes: tuple[str, ...]) -> tuple[str, str]:
        return " × ".join(axes), " × ".join(str(size[axis]) for axis in axes)

    found: dict[str, dict[str, str]] = {}
    own = weighing_of(config).box
    for name, (step, axes) in _BOXES.items():
        if step not in there or (step == "weights" and name != own):
            continue
        shown = drawn and name in _PROJECTIONS
        shared = grouped and name in _OF_KEYS
        symbols, numbers = shape(("h_k", *axes[1:]) if shared and axes[0] == "h" else axes)
        weights, weight_sizes = shape(() if shown else _WEIGHTS.get(name, ()))
        found[name] = {
            "step": step,
            "title": _PROJECTIONS[name] if shown else _title(config, name, step),
            "sign": "" if shown or name in _TENSORS else "→",
            "symbols": symbols,
            "numbers": numbers,
            "weights": weights,
            "sizes": weight_sizes,
        }
        if shared:
            found[name]["shared"] = sharing(config.h, grouped)
        if step == "scaled" and (made := factor(config)):
            found[name]["factor"] = made
        if setting := _setting(config, step):
            found[name]["setting"] = setting
    return found


def _title(config: AttentionConfig, name: str, step: str) -> str:
    if step == "scores":
        return f"{name}_{of_mechanism(config)}"
    return normalisations.chosen(config, _TITLES) if step == "weights" else name


def _setting(config: AttentionConfig, step: str) -> str:
    """Return the number that a box shows beside its name; empty if it has none."""
    if step == "capped":
        return f"c = {number(config.softcap)}"
    if step == "weights":
        return normalisations.chosen(config, _SETTINGS).format(sink=number(config.sink))
    return ""


def factor(config: AttentionConfig) -> str:
    """Write the factor of the scores, as it is made and in numbers: "1/√d_k · ln n / ln 32 = 0.2".

    Empty if it is a single number or has a name of its own.
    """
    made = [_SCALINGS[config.scaling].format(scale=number(config.scale))] if _SCALINGS[config.scaling] else []
    if config.trained is not None:
        made = [*([] if config.scale == 1 else made), number(config.trained)]
    if config.log_n:
        made.append(GROWTH)
    return f"{' · '.join(made)} = {number(config.factor)}" if config.log_n or len(made) > 1 else ""
