"""What the page walks through: a layer that is drawn, or one of a trained model that reads the text."""

from dataclasses import dataclass
from typing import Any, Final

from attention_core import AttentionConfig, InvalidInput, Layer, top_layer
from attention_core import tokens as split
from attention_core.learned import Line
from attention_core.result.walk import brought_layer
from attention_core.validation import whole_number
from visualiser.pages.of_model import layer_of

MOST_TOKENS: Final = 64
"""The most tokens of a text that the page walks through."""

WIDEST: Final = 512
"""The largest d_k."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A layer with the names of its positions.

    tokens  empty without a text
    heads   of the layer; `layer` has one of them alone if each has a sink of its own
    cut     True if the text goes on after the last token
    own     what a script needs of a trained layer; None without one
    grouped heads of keys and values, if each serves several heads of queries; else 0
    line    what a model knows the positions by; None without one
    """

    layer: Layer
    tokens: tuple[str, ...] = ()
    heads: int = 1
    cut: bool = False
    own: dict[str, Any] | None = None
    grouped: int = 0
    line: Line | None = None

    @property
    def config(self) -> AttentionConfig:
        """The configuration of the layer; a trained one decides its sizes, its factor and its mask."""
        return self.layer.config


def subject(config: AttentionConfig, head: int = 1) -> Subject:
    """Compute the layer of a configuration; `head`, from 1, is the one to be walked through.

    Raises `InvalidInput`: for a model what `models.inputs` and `brought_layer` raise, `walk_across` for one of
    cross-attention, and `out_of_range` for heads that are wider than the page prints.
    """
    if config.source != "model":
        layer = top_layer(config, config.layer)
        words = split(config.text, config.split) if config.source == "text" else ()
        return Subject(layer, words, config.h)
    found = layer_of(config, MOST_TOKENS, head)
    if found.crosses:
        raise InvalidInput(
            "walk_across", "Its queries and keys are of two sequences; a walk goes through one.", layer=config.layer
        )
    whole_number("d_k", found.inputs.Q.shape[-1], 1, WIDEST)
    grouped = 0 if found.inputs.trained is None else found.inputs.trained.grouped
    layer = brought_layer(config, found.inputs)
    return Subject(layer, found.inputs.tokens or (), found.heads, found.cut, found.own, grouped, found.inputs.line)


def at(layer: Layer, head: int) -> int:
    """Return the place, from 1, of a head among those that the layer here has: a head alone is the first."""
    return min(head, layer.config.h)


def projected(config: AttentionConfig) -> bool:
    """Return True if Q, K and V are projections of an X that the page has."""
    return config.source == "text" or (config.source != "model" and config.layer > 1)


def mixed(config: AttentionConfig) -> bool:
    """Return True if the page has the W_O that mixes the heads: a trained model does not hand its own out."""
    return config.source != "model"
