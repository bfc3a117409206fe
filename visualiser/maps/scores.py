"""The scores of one query of a kept map, computed anew."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import attention_tile, normalisations, treatments
from visualiser.maps.geometry import tile_options
from visualiser.maps.kept import Kept


@dataclass(frozen=True, eq=False)
class Scores:
    """The scaled scores of a query, and what a treatment made of them; both −∞ where the mask forbids."""

    scaled: NDArray[np.float32]
    masked: NDArray[np.float32]


def scores_of(kept: Kept, head: int, row: int) -> Scores:
    """Return the scores of query `row` (from 0) of head `head` (from 0)."""
    Q, K = kept.Q[head], kept.K[head]
    own = {name: value for name, value in tile_options(kept.config).items() if name not in treatments.TREATMENTS}
    scaled = attention_tile(Q, K, slice(row, row + 1), slice(0, len(K)), None, stage="scores", **own)[0].cpu()
    curve = treatments.of(kept.config)
    masked = scaled if curve is None else curve.value(scaled).masked_fill_(scaled == -torch.inf, -torch.inf)
    return Scores(scaled.numpy(), masked.numpy())


def weights_of(kept: Kept, masked: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the weights of a query's masked scores, 0 where the mask forbids.

    By their own sum and not the pass's: large scores differ in their last bits, which the exponential magnifies.
    """
    scores = torch.from_numpy(masked).double().unsqueeze(0)
    allowed = scores != -torch.inf
    return normalisations.weights(kept.config)(scores, allowed)[0].float().numpy()
