"""A model's run as files: a script that prints the weights of one query, and every layer's tensors as npz."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from attention_core import AttentionConfig
from attention_core.changes import Change
from attention_core.learned import Line, ModelRun
from attention_core.models import GivenLayer
from visualiser.export.archive import of_vocabulary, pieces
from visualiser.export.learned_layer import changes_of, layer_of, needs, reads_picture, taken
from visualiser.export.origin import Origin

RUN_FILE: Final = "headlight-model.npz"
"""The npz file of the page."""

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

_AS_GIVEN: Final = """# needs torch, and `weights`: those that the notebook handed over as {name}, h × n_q × n_k
"""

_OF_A_FILE: Final = """# needs torch, numpy and the file {file} of this page
import numpy as np
import torch

weights = torch.from_numpy(np.load({file!r})[{name!r}])
"""

_AS_CHANGED: Final = """# as the changes made them
weights = layer.weights.float()
"""

_PRINTED: Final = """
for key, weight in enumerate(weights[{window}{head} - 1, {row}].tolist()):
    print(key, weight)
"""


_WINDOW: Final = """
from attention_core.learned import window_of

# what a position meets in the layer: its window, or all of it
window = window_of(run, {layer}, {position})
layer = window.layer
"""

_PRINTED_PATCHES: Final = """
for key, weight in zip(window.line.tokens, weights[{head} - 1, window.row].tolist(), strict=True):
    print(key, weight)
"""


def row_script(
    config: AttentionConfig,
    head: int,
    row: int,
    products: bool,
    origin: Origin | None = None,
    window: int | None = None,
    changes: Sequence[Change] = (),
) -> str:
    """Return a script that prints what a query of a head reads, one key and its weight a line.

    A key of a text is its position, one of a picture the name of its patch.

    Parameters
    ----------
    config
        Names the model, its text and the layer; `n` are the tokens of the text.
    head, row
        The head, from 1, and the query, from 0: a position of the layer's line.
    products
        True if the scores are products of Q and K alone; else the script takes the model's own scores.
    origin
        Its first lines.
    window
        The number of the query's window in a layer that a notebook handed over; `row` is then a place in it.
    changes
        What the model runs with; the script then takes the weights that it has.
    """
    lines = [f"# needs {needs(config)}\n\n", "import torch\n", changes_of(changes), layer_of(config, bool(changes))]
    if reads_picture(config):
        lines.append(_WINDOW.format(layer=config.layer, position=row))
    if changes:
        lines.append(_AS_CHANGED)
    else:
        lines += [taken(config), _FROM_PRODUCTS] if products else [_FROM_SCORES]
    if reads_picture(config):
        lines.append(_PRINTED_PATCHES.format(head=head))
    else:
        lines.append(_PRINTED.format(window="" if window is None else f"{window}, ", head=head, row=row))
    return "".join([*_first(origin), *lines])


def given_script(name: str, head: int, row: int, origin: Origin | None = None) -> str:
    """Return the script of a layer of which weights alone were handed over, under a name."""
    return "".join([*_first(origin), _AS_GIVEN.format(name=name), _PRINTED.format(window="", head=head, row=row)])


def file_script(name: str, head: int, row: int, origin: Origin | None = None) -> str:
    """Return the script of a layer of the visitor's file of weights: it reads the npz file that the page offers."""
    lines = _OF_A_FILE.format(file=RUN_FILE, name=f"{name}/weights")
    return "".join([*_first(origin), lines, _PRINTED.format(window="", head=head, row=row)])


def _first(origin: Origin | None) -> list[str]:
    return [] if origin is None else [f"# {name}: {value}\n" for name, value in origin.values.items()]


def run_pieces(run: ModelRun, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield an npz file: of every layer Q, K, V, scores, weights and a sink's weights, as far as it has them.

    An array is named by the layer and the tensor, `encoder.layer.0.attention.self#1/weights`; `tokens` and `ids` are
    those of the text, `forms` as the model's vocabulary has them, or the names of the class tokens and patches of a
    picture. Of several lines each has its own, `source/tokens` (`picture 2/tokens` if several have one name), and
    `between` has for each layer the numbers of the lines that it attends from and to. A text with pictures has `grids`,
    a row for each: the picture's number from 0, the position of the first patch, rows, columns, and positions from the
    beginning of a row to that of the next.

    Of a picture alone each layer has `grid`: the position of its first patch, rows and columns, so that the patch at
    row r and column c is position grid[0] + r · grid[2] + c. Where it attends in windows their number is the first axis
    of its tensors, and `windows`, windows × n, has the position of each place, −1 for filling.
    """
    return pieces(_arrays(run, origin))


def _grids(line: Line) -> np.ndarray:
    found = ((one.picture, one.first, one.rows, one.columns, one.stride) for one in line.grids)
    return np.array([*found])


def _arrays(run: ModelRun, origin: Origin | None) -> Iterator[tuple[str, np.ndarray]]:
    for number, layer in enumerate(run.layers, 1):
        line, windows = run.keys(number), run.windows[number - 1]
        if line.is_picture:
            (grid,) = line.grids
            yield f"{layer.name}/grid", np.array((grid.first, grid.rows, grid.columns))
        if windows is not None:
            yield f"{layer.name}/windows", windows.numpy()
        for name in _TENSORS:
            tensor = getattr(layer, name)
            if tensor is not None and not (name == "scores" and isinstance(layer, GivenLayer)):
                yield f"{layer.name}/{name}", np.ascontiguousarray(tensor.float().numpy())
        if layer.scale is not None:
            yield f"{layer.name}/scale", np.array(layer.scale)
    names = [line.name for line in run.lines]
    for number, line in enumerate(run.lines, 1):
        alone = names.count(line.name) == 1
        before = "" if len(names) == 1 else f"{line.name}/" if alone else f"{line.name} {number}/"
        yield f"{before}tokens", np.array(line.tokens)
        yield from of_vocabulary(line, before)
        if line.seconds:
            yield f"{before}seconds", np.array(line.seconds)
        if line.grids and not line.is_picture:
            yield f"{before}grids", _grids(line)
    if len(run.lines) > 1:
        yield "between", np.array(run.between)
    if origin is not None:
        yield "origin", origin.array
