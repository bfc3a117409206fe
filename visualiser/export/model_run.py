"""A model's run as files: a script that prints the weights of one query, and every layer's tensors as npz."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from attention_core import AttentionConfig
from attention_core.learned import ModelRun
from visualiser.export.archive import pieces
from visualiser.export.learned_layer import learned_layer, needs
from visualiser.export.origin import Origin

_TENSORS: Final = ("Q", "K", "V", "scores", "weights", "sink")

_FROM_PRODUCTS: Final = """scores = Q @ K.mT * layer.scale
if layer.softcap:
    scores = layer.softcap * torch.tanh(scores / layer.softcap)
scores = scores.masked_fill(~layer.allowed, float("-inf"))
weights = torch.softmax(scores, -1)
"""

_FROM_SCORES: Final = """# the scores with what is no product of Q and K: a bias, or a learned sink beside the keys
scores = layer.scores.float().masked_fill(~layer.allowed, float("-inf"))
if layer.sink_score is not None:
    scores = torch.cat([scores, layer.sink_score.float().unsqueeze(-1)], -1)
weights = torch.softmax(scores, -1)[..., : layer.weights.shape[-1]]
"""

_PRINTED: Final = """
for key, weight in enumerate(weights[{head} - 1, {row}].tolist()):
    print(key, weight)
"""


def row_script(config: AttentionConfig, head: int, row: int, products: bool, origin: Origin | None = None) -> str:
    """Return a script that prints what a query of a head reads, one key and its weight a line.

    Parameters
    ----------
    config
        Names the model, its text and the layer; `n` are the tokens of the text.
    head, row
        The head, from 1, and the query, from 0.
    products
        True if the scores are products of Q and K alone; else the script takes the model's own scores.
    origin
        Its first lines.
    """
    parts = [] if origin is None else [f"# {name}: {value}\n" for name, value in origin.values.items()]
    made = learned_layer(config) if products else learned_layer(config).split("Q, K, V = ")[0]
    body = _FROM_PRODUCTS if products else _FROM_SCORES
    lines = [f"# needs {needs(config)}\n\n", "import torch\n", made, body, _PRINTED.format(head=head, row=row)]
    return "".join([*parts, *lines])


def run_pieces(run: ModelRun, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield an npz file: of every layer Q, K, V, scores, weights and a sink's weights, as far as it has them.

    An array is named by the layer and the tensor, `encoder.layer.0.attention.self#1/weights`; `tokens` and `ids` are
    those of the text.
    """
    return pieces(_arrays(run, origin))


def _arrays(run: ModelRun, origin: Origin | None) -> Iterator[tuple[str, np.ndarray]]:
    for layer in run.layers:
        for name in _TENSORS:
            tensor = getattr(layer, name)
            if tensor is not None:
                yield f"{layer.name}/{name}", np.ascontiguousarray(tensor.float().numpy())
        if layer.scale is not None:
            yield f"{layer.name}/scale", np.array(layer.scale)
    yield "tokens", np.array(run.tokens)
    yield "ids", np.array(run.ids)
    if origin is not None:
        yield "origin", origin.array
