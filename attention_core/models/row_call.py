"""One call of a model's eager function, and the same call for some of its queries."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map

from attention_core.models.row_mask import RowMask

_STEP: Final = 8
_STEPS: Final = 16
"""Ends of ranges of keys: a sixteenth of all keys apart, at least `_STEP`."""


@dataclass(frozen=True, eq=False)
class Part:
    """The arguments for some queries, over the keys `keys` alone, outside which their mask allows nothing."""

    keys: slice
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, eq=False)
class RowCall:
    """A call `own(module, query, key, value, *further, **settings)`.

    Q, K, V   one sequence: 1 × h × n × d
    further   the mask, if it comes by its place, and what comes behind it
    settings  arguments by name, the mask among them if it comes so
    most      the first keys that are read; None for all
    """

    own: Callable[..., Any]
    module: nn.Module
    Q: Tensor
    K: Tensor
    V: Tensor
    further: tuple[Any, ...]
    settings: dict[str, Any]
    most: int | None = None

    @staticmethod
    def of(own: Callable[..., Any], module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "RowCall":
        """Return a call by its arguments, of which query, key and value may come by their names."""
        named = {name: kwargs[name] for name in ("query", "key", "value")[len(args) :]}
        Q, K, V, *further = (*args, *named.values())
        return RowCall(
            own, module, Q, K, V, tuple(further), {name: one for name, one in kwargs.items() if name not in named}
        )

    @property
    def sizes(self) -> tuple[int, int, int]:
        """h, n_q and n_k."""
        return self.Q.shape[1], self.Q.shape[-2], self.K.shape[-2]

    def part(self, rows: slice) -> Part:
        """Return the arguments for these queries."""
        _, n_q, n_k = self.sizes
        keys = slice(0, n_k if self.most is None else self.most)

        def cut(one: Any) -> Any:
            if isinstance(one, RowMask):
                return one.make(rows)[..., keys]
            return one[..., rows if one.shape[-2] == n_q else slice(None), keys] if self._is_cut(one) else one

        further, settings = tree_map(cut, self.further), tree_map(cut, self.settings)
        mask = further[0] if further else settings.get("attention_mask")
        if isinstance(mask, Tensor) and mask.shape[-1] == keys.stop:
            near = _reach(mask)

            def nearer(before: Any, one: Any) -> Any:
                return one[..., near] if isinstance(before, RowMask) or self._is_cut(before) else one

            further = tree_map(nearer, self.further, further)
            settings = tree_map(nearer, self.settings, settings)
            keys = near
        # whatever else has an axis of tokens is passed on whole
        return Part(keys, (self.Q[..., rows, :], self.K[..., keys, :], self.V[..., keys, :], *further), settings)

    def uncut(self) -> list[Tensor]:
        """Return the tensors that have an axis of tokens and are no rows over keys: a function may not read them."""
        tokens = set(self.sizes[1:])
        return [one for one in self._tensors() if not self._is_cut(one) and tokens & set(one.shape)]

    def _tensors(self) -> Iterator[Tensor]:
        for one in tree_leaves((self.further, self.settings)):
            if isinstance(one, Tensor) and not isinstance(one, RowMask):
                yield one

    def _is_cut(self, one: Any) -> bool:
        """Return True for a tensor over queries and keys, or over keys with an axis of 1 in the queries' place."""
        _, n_q, n_k = self.sizes
        if not isinstance(one, Tensor) or one.dim() < 2 or one.shape[-1] != n_k:
            return False
        return one.shape[-2] == n_q or (one.dim() > 2 and one.shape[-2] == 1)


def _reach(mask: Tensor) -> slice:
    """Return a range of keys that holds all that a row of the mask allows; all keys if some row allows none.

    Its ends are multiples, so that blocks of few sizes come again and again, and an allocator has room for them.
    """
    allowed = mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2
    every = allowed.flatten(0, -2)
    if not bool(every.any(-1).all()):
        return slice(0, mask.shape[-1])
    some = every.any(0).nonzero()
    step = max(_STEP, -(-mask.shape[-1] // _STEPS))
    start, stop = int(some[0]) // step * step, -(-(int(some[-1]) + 1) // step) * step
    return slice(start, min(stop, mask.shape[-1]))
