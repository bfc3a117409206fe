"""The cells that the large map shows in place of the weights of the head."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ShownMap:
    """A map that is shown in place of the weights.

    name    of `shown_map.SHOWS`
    cells   n_q × n_k, NaN where the mask forbids and in rows that are empty
    beside  of each key the norm of what the head adds, n_k, or of each query what is left without the first position,
            n_q; empty for maps of a layer
    """

    name: str
    cells: NDArray[np.floating]
    beside: NDArray[np.floating]
