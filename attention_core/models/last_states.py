"""The last states of runs: what a model says by its layer of words, or of its sentences, then costs no second run."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.models.capturing import capture
from attention_core.models.long_reach import run_inputs
from attention_core.models.saying import softly_capped

__all__ = ["LastStates", "goes_on", "last_state", "logits_of"]

_MOST: Final = 8
_MOST_BYTES: Final = 2**24
"""Runs whose states are kept of a model, and their bytes: eight of GPT-2 over 512 tokens."""


class LastStates:
    """Those of the last runs, by what was read and changed. Threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Tensor] = OrderedDict()
        self._turn = threading.Lock()

    def keep(self, key: Hashable, states: Tensor, most: int = _MOST) -> None:
        """Keep the states of a run; the oldest leave if there are more than `most`, or too many bytes."""
        with self._turn:
            self._kept[key] = states
            self._kept.move_to_end(key)
            while len(self._kept) > most or sum(one.nbytes for one in self._kept.values()) > _MOST_BYTES:
                self._kept.popitem(last=False)

    def of(self, key: Hashable) -> Tensor | None:
        """Return the states of a run, which then leave last; None if they are not kept."""
        with self._turn:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)


def last_state(output: Any) -> Tensor | None:
    """Return the last states in what a model's body returned."""
    found = getattr(output, "last_hidden_state", None)
    return found if isinstance(found, Tensor) else None


@torch.no_grad()
def logits_of(model: Any, states: Tensor) -> Tensor:
    """Return what the layer of words makes of last states."""
    return softly_capped(model, states)


def goes_on(model: Any, body: Any, ids: Sequence[int]) -> bool:
    """Return True if a model's logits are, bit for bit, those of its layer of words on its body's last states.

    Some families scale or shift them in between, which nobody could tell from outside: one run of each says it.
    """
    whole = capture(model, layers=(), **run_inputs(model, ids)).output.logits
    states = last_state(capture(body, layers=(), **run_inputs(body, ids)).output)
    return states is not None and torch.equal(logits_of(model, states), whole)
