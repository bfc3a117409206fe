"""One call of a model's eager function with changes: what goes in, what its softmax makes, what comes out."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.changes import LayerChanges
from attention_core.treatments.softcap import Softcap


class ChangedCall:
    """A call whose changes are known.

    Q, K   as the module hands them over, batch × h × n × d
    scale  the factor of q · k, and `before` is True if the module multiplied Q by it
    lined  True if queries and keys are the same positions
    """

    def __init__(
        self, changes: LayerChanges, Q: Tensor, K: Tensor, scale: float, before: bool, cap: float, lined: bool
    ) -> None:
        self._changes, self._lined = changes, lined
        self._Q, self._K, self._scale, self._before, self._cap = Q, K, scale, before, cap
        self._handed = changes.handed(K.shape[-2])
        self.unnormalised = changes.unnormalised
        self.rebuilds = changes.rebuilds

    def described(self, Q: Tensor, scale: float) -> tuple[Tensor, float]:
        """Return queries and the one factor of the layer as they became."""
        return self._changes.described(Q, scale, self._K.shape[-2])

    def handed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments behind the module, with other queries and another mask."""
        first, further, kwargs = list(args[:3]), list(args[3:]), dict(kwargs)
        if self._handed is not None:
            query = self._Q * self._handed.to(self._Q)[:, None, None]
            if first:
                first[0] = query
            else:
                kwargs["query"] = query
        if self._changes.masks:
            given = further[0] if further else kwargs.get("attention_mask")
            mask = self._mask(given)
            if further:
                further[0] = mask
            else:
                kwargs["attention_mask"] = mask
        return (*first, *further), kwargs

    def _mask(self, given: Tensor | None) -> Tensor:
        """Return a mask of the kind that is given, or of numbers, with what the changes open and close."""
        b, h, n_q = self._Q.shape[:3]
        n_k = self._K.shape[-2]
        if given is None:
            given = torch.zeros(1, 1, n_q, n_k, dtype=self._Q.dtype, device=self._Q.device)
        made = given.expand(b, h, n_q, given.shape[-1]).clone()
        least = None if made.dtype == torch.bool else torch.finfo(made.dtype).min
        shown = made[..., :n_k]
        was = shown if least is None else shown > least / 2
        allowed = self._changes.allowed(was, self._lined)
        if least is None:
            made[..., :n_k] = allowed
        else:
            opened = torch.where(was, shown, torch.zeros_like(shown))
            made[..., :n_k] = torch.where(allowed, opened, torch.full_like(shown, least))
        return made

    def softmax(
        self, scores: Tensor, made: Tensor, again: Callable[[Tensor], Tensor], joined: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor] | None]:
        """Return scores, weights and what was joined, as they become. A learned sink's column is the last one."""
        n_k = self._K.shape[-2]
        beside = scores.shape[-1] > n_k
        own, column = joined if joined and beside else (scores[..., :n_k], scores[..., n_k:])
        if self.rebuilds:
            own = self._rebuilt(own)
            scores = torch.cat([own, column.expand(*own.shape[:-1], -1)], -1) if beside else own
            made = again(scores)
        weights = self._changes.weights(own, made[..., :n_k], allowed(own))
        if not beside:
            return scores, weights, joined
        return scores, torch.cat([weights, made[..., n_k:]], -1), (own, column)  # nothing reads the sink's column

    def beside(self, weights: Tensor, sunk: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return the sink's weight and score beside changed weights; empty without a sink."""
        return self._changes.beside(weights, sunk.get("sink"), sunk.get("sink_score"))

    def _rebuilt(self, scores: Tensor) -> Tensor:
        Q = self._Q / self._scale if self._before else self._Q
        K = self._K.repeat_interleave(Q.shape[1] // self._K.shape[1], 1)
        cap = Softcap(self._cap).value if self._cap else _same
        return self._changes.scores(Q, K, self._scale, cap, scores)

    def output(self, made: Any) -> Any:
        """Return what the eager function returns, batch × n_q × h × d_v first, with other outputs of heads."""
        return self._changes.output(made[0].transpose(1, 2)).transpose(1, 2), *made[1:]


def allowed(scores: Float[Tensor, "*shape"]) -> Bool[Tensor, "*shape"]:
    """Return where scores are not those of a mask."""
    return scores > torch.finfo(scores.dtype).min / 2


def hidden(changes: LayerChanges, scores: Tensor) -> Tensor:
    """Return scores of a module that attends by itself, with the keys that are hidden."""
    kept = changes.allowed(allowed(scores), lined=False)
    return scores.masked_fill(allowed(scores) & ~kept, torch.finfo(scores.dtype).min)


def _same(scores: Tensor) -> Tensor:
    return scores
