"""The sentences of the Anatomy page on shapes, steps and results; every number is the walked layer's own."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attention_core import AttentionConfig, Layer, walk
from attention_core import tokens as split
from attention_core.exact import mask_choices
from attention_core.result.walk import walked
from visualiser.locale import number, text
from visualiser.pages.anatomy import steps as walk_steps

MOST_READ_OUT = 8
"""Up to this many numbers of a row are read out; of more, only the smallest and the largest."""


@dataclass(frozen=True, eq=False)
class Told:
    """The layer, query and head walked through, the step, "one" or "all" `rows`, and the language."""

    layer: Layer
    row: int
    head: int
    step: str
    rows: str
    lang: str

    @property
    def config(self) -> AttentionConfig:
        return self.layer.config

    @property
    def weights(self) -> Tensor:
        """The walked query's weights over the keys."""
        return self.layer.attention.weights[self.head - 1, self.row]


def tokens(config: AttentionConfig) -> tuple[str, ...]:
    """Return the tokens of a text; none for other sources."""
    return split(config.text, config.split) if config.source == "text" else ()


def named(config: AttentionConfig, position: int) -> str:
    """Return a position as the page names it: its number from 0, with its token if it has one."""
    words = tokens(config)
    return f"{position} “{words[position]}”" if words else str(position)


def title(told: Told) -> str:
    """Return the name of the step."""
    return text(told.lang, f"anatomy.title.{told.step}")


def step_sentences(told: Told) -> list[str]:
    """Say what this step does to one row, or to all rows at once, and why a step is idle if it is."""
    config, lang = told.config, told.lang
    family = "one" if told.rows == "one" else "all"
    found = [text(lang, f"anatomy.{family}.{_variant(told)}", **_fields(told))]
    if told.step == "input" and told.layer.number > 1:
        found.append(text(lang, "anatomy.hidden_layer", below=told.layer.number - 1, layer=told.layer.number))
    if told.layer.X is None and told.step in ("queries", "keys", "values"):
        found = [text(lang, "anatomy.drawn")]
    if told.step == "scaled" and config.factor == 1.0:
        found.append(text(lang, "anatomy.not_scaled"))
    if told.step == "masked" and mask_choices.of(config).everything:
        found = [text(lang, "anatomy.not_masked")]
    return found


def shapes(config: AttentionConfig, lang: str) -> str:
    """Write the sizes of everything in one sentence."""
    key = "anatomy.shapes_drawn" if config.source == "gaussian" else "anatomy.shapes"
    return text(lang, key, **_sizes(config))


def result(told: Told) -> str:
    """Write the step's result for the walked query in numbers."""
    lang = told.lang
    values = _made(told).flatten()
    finite = values[values.isfinite()]
    where = {"query": named(told.config, told.row), "head": told.head, "layer": told.layer.number, "step": title(told)}
    if len(values) <= MOST_READ_OUT:
        listed = ", ".join(number(float(value)) for value in values)
        return text(lang, "anatomy.result", values=listed, **where)
    low, high = float(finite.min()), float(finite.max())
    return text(lang, "anatomy.result_range", count=len(values), low=low, high=high, **where)


def insight(told: Told) -> list[str]:
    """Say what the page is for as long as the walk stands at its beginning, then explain the widths and, once the
    scores are revealed, the walked query's largest weight."""
    config, lang = told.config, told.lang
    kind = "untied" if not config.tie else "tied" if config.d_model % config.h == 0 else "floored"
    found = [text(lang, f"anatomy.widths.{kind}", **_sizes(config))]
    if told.rows == "one" and told.step == walk_steps.steps(config, told.layer.number)[0]:
        found.insert(0, text(lang, "anatomy.purpose"))
    if walk_steps.STEPS.index(told.step) >= walk_steps.STEPS.index("scores"):
        found.append(text(lang, "anatomy.largest", **_fields(told)))
    return found


def _variant(told: Told) -> str:
    """Return the step's name; the scores' name includes the mechanism."""
    return f"scores_{told.config.mechanism}" if told.step == "scores" else told.step


def _sizes(config: AttentionConfig) -> dict[str, Any]:
    exact = number(config.d_model / config.h, digits=5)
    sizes = {"n": config.n, "d_model": config.d_model, "h": config.h, "d_k": config.d_k, "d_v": config.d_k}
    return {**sizes, "width": config.h * config.d_k, "exact": exact}


def _fields(told: Told) -> dict[str, Any]:
    config, row = told.config, told.row
    masked = told.layer.attention.masked[told.head - 1, row]
    best = int(told.weights.argmax())
    return {
        **_sizes(config),
        "query": named(config, row),
        "head": told.head,
        "layer": told.layer.number,
        "factor": float(config.factor),
        "hidden_keys": int((masked == -float("inf")).sum()),
        "maximum": float(masked.max()),
        "key": named(config, best),
        "weight": float(told.weights[best]),
    }


def _made(told: Told) -> Tensor:
    attention, own, row = told.layer.attention, told.head - 1, told.row
    if told.step == "input" and told.layer.X is not None:
        return told.layer.X[row]
    if told.step in ("concatenation", "output"):
        return getattr(attention, told.step)[row]
    of_head = {"queries": attention.Q, "keys": attention.K, "values": attention.V}
    of_head |= {name: getattr(attention, name) for name in ("scores", "scaled", "masked", "weights", "heads")}
    if told.step in of_head:
        return of_head[told.step][own, row]
    shifted = attention.masked[own, row] - attention.masked[own, row].max()
    if told.step == "exponentials":
        return shifted.exp()
    axes = next(axes for step, axes in walked(told.config).boxes.values() if step == told.step)
    made = walk(told.layer, row, told.head).own[told.step]
    return made if len(axes) == 3 else made[row]
