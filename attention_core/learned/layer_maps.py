"""Maps of a whole layer, and of all layers up to one, made of the weights of its heads.

    Ã₁ = A₁,   Ã_l = A_l Ã_{l−1},   A = ½ mean over heads + ½ I        Abnar & Zuidema 2020, section 3 (rollout)

½ I stands for the residual connection, by which a position keeps what it had.

How these can mislead: a mean hides a head that does something else than the others, and rollout knows weights alone. It
takes all heads to write as much, and leaves out values, output projections, norms and MLPs. Under a causal mask the
first positions gain with every layer, whatever the text is.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.errors import InvalidInput
from attention_core.learned.measures import floats
from attention_core.learned.run import LearnedLayer, ModelRun

__all__ = ["mean_of_heads", "rollout", "without_first"]


def without_first(
    weights: Float[Tensor, "*batch n_q n_k"], allowed: Bool[Tensor, "*batch n_q n_k"]
) -> Float[Tensor, "*batch n_q n_k"]:
    """Return rows without the first key: p′_0 = 0 and p′_k = p_k / Σ_{j>0} p_j, so that a row adds up to 1 again.

    The first key is column 0: of a text padded on the left a caller cuts its columns at `Line.begins` before. Keys keep
    their columns. A row that reads only the first key, or nothing, has nothing left to share out: all of it is NaN, the
    columns of forbidden keys too. A learned sink's share is left out like the first key's. The divisor is the sum of
    the other weights and not 1 − p_0, which has no digits left if p_0 is nearly 1.

    Parameters
    ----------
    weights
        Shares of a row, of a head or of the mean over heads.
    allowed
        True where the query may read the key; weights elsewhere count as 0.
    """
    rest = torch.where(allowed, floats(weights), 0)
    rest[..., :1] = 0
    return rest / rest.sum(-1, keepdim=True)  # 0 / 0 is NaN


def mean_of_heads(
    layer: LearnedLayer,
) -> tuple[Float[Tensor, "*windows n_q n_k"], Bool[Tensor, "*windows n_q n_k"]]:
    """Return the mean of a layer's weights over its heads, and which keys some head may read.

    A key that a head may not read has the weight 0 there, in a row without any allowed key as well. So a row adds up
    to 1 less the heads' mean share of a learned sink, of such rows and of weights that a change took away.
    """
    allowed = layer.allowed
    return torch.where(allowed, floats(layer.weights), 0).mean(-3), allowed.any(-3)


def rollout(run: ModelRun) -> Float[Tensor, "layers n n"]:
    """Return attention rollout from the first layer on: row q of [l − 1] shares out position q behind layer l, from 1.

    Columns are positions of what the model read; a row holds shares that add up to 1, in float64. Each row of mean + I
    is divided by its sum, so the residual's part is 1 / (1 + the sum of the mean's row). That is ½ where weights add up
    to 1, more where a learned sink takes a share, which brings nothing from any position, and all of a row that reads
    nothing.

    Parameters
    ----------
    run
        A text or a picture as a model read it, all of whose layers attend from one line to itself.

    Raises
    ------
    InvalidInput
        `rollout_lines` with the first layer that attends to another line or in windows, or whose queries or keys are
        not as many as the line has positions.
    """
    for number in range(1, 1 + len(run.layers)):
        _require_one_line(run, number)
    n = len(run.queries(1)) if run.layers else len(run.lines[0])
    found = torch.empty(len(run.layers), n, n, dtype=torch.float64)
    own = torch.eye(n, dtype=torch.float64)
    before = own
    for number, layer in enumerate(run.layers):
        mixed = mean_of_heads(layer)[0].double() + own
        before = torch.matmul(mixed / mixed.sum(-1, keepdim=True), before, out=found[number])
    return found


def _require_one_line(run: ModelRun, number: int) -> None:
    """Raise `InvalidInput` unless a layer, from 1, attends from all positions of the first layer's line to all."""
    layer, n = run.layers[number - 1], len(run.queries(number))
    ends = run.between[0][0], run.between[0][0]
    whole = run.windows[number - 1] is None and tuple(layer.weights.shape[1:]) == (n, n)
    if layer.kind != "self" or run.between[number - 1] != ends or not whole:
        raise InvalidInput(
            "rollout_lines",
            f"Rollout follows the positions of one text or picture through all layers; layer {number} reads another "
            "sequence, only a part of its own, or in windows. Choose a model that reads one text or picture whole.",
            value=number,
        )
