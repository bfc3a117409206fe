"""What pages know of a trained layer before and after it has read a text: its sizes, its price, its heads."""

from dataclasses import dataclass, replace
from typing import Any

from attention_core import AttentionConfig, AttentionInputs
from attention_core.learned import Line
from attention_core.validation import whole_number
from visualiser import models
from visualiser.locale import text


@dataclass(frozen=True, eq=False)
class TrainedLayer:
    """A layer that has read a text.

    inputs  Q, K and V; of one head alone if each has a sink of its own
    heads   of the layer
    layers  of the model
    cut     True if the text goes on after the last token
    read    tokens of the text; 0 for as many as there are queries
    crosses True if the queries are of another sequence than the keys
    """

    inputs: AttentionInputs
    heads: int
    layers: int
    cut: bool
    read: int = 0
    crosses: bool = False

    @property
    def own(self) -> dict[str, Any]:
        """What a page's script needs: the layers of the model, and the layer's own mask."""
        mask = "none" if self.inputs.trained is None else self.inputs.trained.mask
        return {"layers": self.layers, "mask": mask}


def priced_as(config: AttentionConfig, most: int) -> tuple[AttentionConfig, models.Sizes] | None:
    """Return a drawn configuration as large as the layer over at most `most` tokens, and the sizes of the model's run.

    None for a model that is not loaded: what needs it is refused in words.
    """
    found = models.sizes(config, most)
    if found is None:
        return None
    d_k = max(1, found.d_k)  # 0 if no layer gives queries
    drawn = replace(config, source="gaussian", scaling="sqrt_d_k", n=found.n, h=found.h, d_k=d_k, tie=None, layer=1)
    return drawn, found


def layer_of(config: AttentionConfig, most: int, head: int) -> TrainedLayer:
    """Return the layer of a configuration, its model having read at most `most` tokens of the text.

    Of heads with learned sinks `head`, from 1, is given alone. Raises as `models.inputs`.
    """
    read = models.run(config, most)
    found = read.layers[whole_number("layer", config.layer, 1, len(read.layers)) - 1]
    inputs = models.inputs(config, most, 0 if found.sink_score is None else head)
    queries, keys = read.between[config.layer - 1]
    return TrainedLayer(
        inputs,
        found.weights.shape[0],
        len(read.layers),
        read.text_cut,
        len(read.lines[0]),
        queries != keys,
    )


def vocabulary(line: Line | None) -> dict[str, Any]:
    """Return what a script needs of what a model knows the tokens of a line by; nothing if it is not known."""
    if line is None or not line.forms:
        return {}
    return {"forms": list(line.forms), "ids": list(line.ids), "stands": list(line.stands)}


def hearing(config: AttentionConfig, lang: str) -> tuple[str, ...]:
    """Return a notice for a model that hears a sound: the text beside it is not read."""
    model = models.known(config.model)
    if config.source != "model" or model is None or "sound" not in model.takes:
        return ()
    return (text(lang, "notice.model_hears", model=config.model, sound=text(lang, f"sound.{config.sound}")),)
