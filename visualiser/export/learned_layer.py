"""The lines of a script that take Q, K and V from a layer of a trained model, by the code that the page runs."""

from typing import Final

from attention_core import AttentionConfig, __version__
from attention_core.learned import SHIPPED

NEEDS: Final = f"torch and Headlight {__version__}, whose attention_core runs the model (pip install . in its source)"
"""What a script needs to run a model that ships."""

NEEDS_FOLDER: Final = (
    f"torch, Headlight {__version__} with transformers (pip install '.[models]' in its source), and the model's files"
)
"""What a script needs to run a folder's model."""

FACTOR: Final = "({scale!r} * layer.scale)"
"""What is set, times the trained factor."""

_SHIPPED: Final = """
from attention_core.language import shipped

text = {text!r}
# the model with so many layers, and the layer of that number
layer = shipped({layers}).model(text).layers[{layer} - 1]
"""

_FOLDER: Final = """
from pathlib import Path

from attention_core.models import ModelFolder

text = {text!r}
# the folder around the model's own, its name there, and the layer of that number
layer = ModelFolder(Path("models")).load({model!r}).run(text, {n}).layers[{layer} - 1]
"""

_TAKEN: Final = """Q, K, V = layer.Q, layer.K, layer.V
"""

_TAKEN_GROUPED: Final = """# grouped queries share their keys and values
Q, K, V = (x.float().repeat_interleave(len(layer.Q) // len(x), 0) for x in (layer.Q, layer.K, layer.V))
"""

_ALONE: Final = """# each head has a learned sink of its own
Q, K, V = (x[{head} - 1 : {head}] for x in (Q, K, V))
"""

_SIZES: Final = "h, n, d_k = Q.shape\n"


def needs(config: AttentionConfig) -> str:
    """Return what the script of a trained layer needs."""
    return NEEDS if config.model in SHIPPED else NEEDS_FOLDER


def learned_layer(config: AttentionConfig, head: int = 0) -> str:
    """Return the lines from the text to Q, K and V of `config.layer`, of all heads or of one."""
    named = {"text": config.text, "layer": config.layer, "model": config.model, "n": config.n}
    if config.model in SHIPPED:
        lines = _SHIPPED.format(layers=SHIPPED[config.model], **named) + _TAKEN
    else:
        lines = _FOLDER.format(**named) + _TAKEN_GROUPED
    return lines + (_ALONE.format(head=head) if head else "") + _SIZES
