"""What the changes of a run do in one layer, as functions of its tensors."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import normalisations
from attention_core.changes.change import (
    Causal,
    Change,
    Factor,
    Hide,
    Mean,
    Mute,
    MuteEach,
    Normalise,
    PatchEach,
    Replace,
    Treat,
    Uniform,
)
from attention_core.config import LOG_N_KEYS
from attention_core.errors import InvalidInput
from attention_core.exact.rms_norm import rms_norm
from attention_core.treatments.softcap import Softcap

One = TypeVar("One", bound=Change)
Curve = Callable[[Tensor], Tensor]


class LayerChanges:
    """Changes of a layer of `h` heads, each with the heads on which it acts there.

    others  weights that `Replace` takes, by layer and head
    """

    def __init__(
        self,
        layer: int,
        h: int,
        acting: tuple[tuple[Change, tuple[int, ...]], ...],
        others: Mapping[tuple[int, int], Tensor],
    ) -> None:
        self.layer, self.h = layer, h
        self._acting = acting
        self._others = others

    def _of(self, kind: type[One]) -> Iterator[tuple[One, list[int]]]:
        for change, heads in self._acting:
            if isinstance(change, kind):
                yield change, list(heads)

    @property
    def rebuilds(self) -> bool:
        """True if scores have to be made anew from queries and keys."""
        return bool(self._rebuilt_heads())

    def _rebuilt_heads(self) -> set[int]:
        return {head for one, heads in self._of(Treat) if one.qk_norm or one.softcap for head in heads}

    @property
    def masks(self) -> bool:
        """True if the mask changes."""
        return any(isinstance(change, (Causal, Hide)) for change, _ in self._acting)

    def factors(self, n_k: int) -> Float[Tensor, " h"] | None:
        """Return what multiplies the scores of each head; None if nothing does."""
        found = torch.ones(self.h, dtype=torch.float64)
        for one, heads in self._of(Factor):
            found[heads] *= one.times
        for treat, heads in self._of(Treat):
            if treat.log_n:
                found[heads] *= math.log(n_k) / math.log(LOG_N_KEYS)
        return None if bool((found == 1).all()) else found

    def handed(self, n_k: int) -> Float[Tensor, " h"] | None:
        """Return what multiplies the queries that attention gets; None if nothing does.

        The factor of a head whose scores are made anew waits for that: what is subtracted there stays as small as the
        model has it, and a format of few digits keeps them.
        """
        found = self.factors(n_k)
        if found is not None:
            found[list(self._rebuilt_heads())] = 1.0
        return None if found is None or bool((found == 1).all()) else found

    def described(
        self, Q: Float[Tensor, "*batch h n_q d_k"], scale: float, n_k: int
    ) -> tuple[Float[Tensor, "*batch h n_q d_k"], float]:
        """Return queries and the one factor of a layer as they became: a factor of some heads is part of their Q."""
        factors = self.factors(n_k)
        if factors is None:
            return Q, scale
        if bool((factors == factors[0]).all()):
            return Q, scale * float(factors[0])
        return Q * factors.to(Q)[:, None, None], scale

    def allowed(self, allowed: Bool[Tensor, "*batch h n_q n_k"], lined: bool) -> Bool[Tensor, "*batch h n_q n_k"]:
        """Return where a query may read a key. `lined` is True if queries and keys are the same positions.

        A head with the weights of another one has the model's own mask: those weights know no other.
        """
        n_q, n_k = allowed.shape[-2:]
        found = allowed.clone()
        for one, heads in self._of(Causal) if lined else ():
            found[..., heads, :, :] = causal(one, n_q, found.device)
        for hide, heads in self._of(Hide):
            if hide.key < n_k:
                found[..., heads, :, hide.key] = False
        for head in self._replaced_heads():
            found[..., head, :, :] = allowed[..., head, :, :]
        return found

    def _replaced_heads(self) -> list[int]:
        """Return the heads that have the weights of others: the last of the changes that set weights decides."""
        last = {
            head: change
            for change, heads in self._acting
            if isinstance(change, (Mute, Uniform, Replace))
            for head in heads
        }
        return [head for head, change in last.items() if isinstance(change, Replace)]

    def scores(
        self,
        Q: Float[Tensor, "*batch h n_q d_k"],
        K: Float[Tensor, "*batch h n_k d_k"],
        scale: float,
        own: Curve,
        scores: Float[Tensor, "*batch h n_q n_k"],
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        """Return scores with normed queries and keys, or capped.

        `scores` are own(Q Kᵀ · scale) with bias and mask, without our factors in heads that are made anew: what is
        beside the product stays.
        """
        normed, caps = torch.zeros(self.h, dtype=torch.bool), torch.zeros(self.h)
        for one, heads in self._of(Treat):
            normed[heads] |= one.qk_norm
            if one.softcap:
                caps[heads] = one.softcap
        factors = self.factors(K.shape[-2])
        times = torch.ones(self.h, dtype=torch.float64) if factors is None else factors
        made = scores.clone()
        for head in range(self.h):
            if not normed[head] and not caps[head]:
                continue
            q, k = Q[..., head, :, :], K[..., head, :, :]
            before = own(q @ k.mT * scale)
            if normed[head]:
                q, k = rms_norm(q), rms_norm(k)
            after = own(q @ k.mT * (scale * float(times[head])))
            if caps[head]:
                after = Softcap(float(caps[head])).value(after)
            was = scores[..., head, :, :]
            made[..., head, :, :] = torch.where(was > torch.finfo(was.dtype).min / 2, was - before + after, was)
        return made

    def weights(
        self,
        scores: Float[Tensor, "*batch h n_q n_k"],
        weights: Float[Tensor, "*batch h n_q n_k"],
        allowed: Bool[Tensor, "*batch h n_q n_k"],
    ) -> Float[Tensor, "*batch h n_q n_k"]:
        """Return the weights of changed scores, whose own normalisation made `weights`.

        Raises `InvalidInput` (`change_shape`) for a `Replace` by a head over other positions.
        """
        found = weights.clone()
        for one, heads in self._of(Normalise):
            mask = allowed[..., heads, :, :]
            masked = scores[..., heads, :, :].masked_fill(~mask, -torch.inf)
            made = normalisations.weights(one.config)(masked, None if bool(mask.all()) else mask)
            found[..., heads, :, :] = made.to(found.dtype)
        if self.masks:
            for head in self._masked_heads():
                nothing = ~allowed[..., head, :, :].any(-1, keepdim=True)
                found[..., head, :, :] = found[..., head, :, :].masked_fill(nothing, 0.0)
        for change, heads in self._acting:
            if isinstance(change, (Mute, Uniform, Replace)):
                (head,) = heads
                found[..., head, :, :] = self._frozen(change, found[..., head, :, :], allowed[..., head, :, :])
        self._mute_each(found)
        self._patch_each(found, "weights")
        return found

    def _mute_each(self, found: Tensor) -> None:
        """Put zeros where each sequence of a batch has its muted head."""
        for each, _ in self._of(MuteEach):
            windows = found.shape[0] // len(each.muted)  # of a layer that attends in windows, those of each sequence
            for sequence, (layer, head) in enumerate(each.muted):
                if layer == self.layer:
                    found[sequence * windows : (sequence + 1) * windows, head] = 0.0

    def _patch_each(self, found: Tensor, what: str) -> None:
        """Put what the last sequence of a batch has where each other sequence has its patched head."""
        for each, _ in self._of(PatchEach):
            if each.what == what:
                at = slice(None) if each.positions is None else list(each.positions)
                for sequence, (layer, head) in enumerate(each.patched):
                    if layer == self.layer:
                        found[sequence, head, at] = found[-1, head, at]

    def _masked_heads(self) -> set[int]:
        return {head for change, heads in self._acting if isinstance(change, (Causal, Hide)) for head in heads}

    def _frozen(self, change: Mute | Uniform | Replace, now: Tensor, allowed: Tensor) -> Tensor:
        if isinstance(change, Mute):
            return torch.zeros_like(now)
        if isinstance(change, Uniform):
            return (allowed.to(now.dtype) / allowed.sum(-1, keepdim=True).clamp_min(1)).to(now.dtype)
        other = self._others[change.by_layer, change.by_head]
        if other.shape[-2:] != now.shape[-2:]:
            raise shape_error(change, other.shape[-2:], now.shape[-2:])
        return other.to(now.dtype).expand_as(now)

    @property
    def unnormalised(self) -> frozenset[int]:
        """The heads whose weights are none or need not add up to 1."""
        found: set[int] = set()
        for change, heads in self._acting:
            if isinstance(change, Normalise):
                found = found.difference(heads) if change.normalisation != "sigmoid" else found.union(heads)
        for change, heads in self._acting:
            if isinstance(change, Mute):
                found = found.union(heads)
            elif isinstance(change, Uniform) or (isinstance(change, Replace) and self._adds_up(change)):
                found = found.difference(heads)
            elif isinstance(change, Replace):
                found = found.union(heads)
        return frozenset(found)

    def _adds_up(self, change: Replace) -> bool:
        """Return True if the rows of the other head add up to 1: those beside a learned sink do not."""
        other = self._others[change.by_layer, change.by_head]
        rounding = max(1e-5, 8 * torch.finfo(other.dtype).eps)
        return bool(((other.double().sum(-1) - 1).abs() < rounding).all())

    def beside(
        self,
        weights: Float[Tensor, "*batch h n_q n_k"],
        sink: Float[Tensor, "*batch h n_q"] | None,
        score: Float[Tensor, "*batch h n_q"] | None,
    ) -> dict[str, Float[Tensor, "*batch h n_q"]]:
        """Return `sink` and `sink_score` beside weights that have changed, given those before; empty without a sink.

        A head without a sink has the weight 0 and the score −∞. Of several normalisations of a head the last acts.
        """
        scores = {
            head: one.sink if one.normalisation == "sink" else -torch.inf
            for one, heads in self._of(Normalise)
            for head in heads
        }
        for change, heads in self._acting:
            if isinstance(change, (Mute, Uniform, Replace)):
                scores |= dict.fromkeys(heads, -torch.inf)
        if sink is None or score is None:
            if all(own == -torch.inf for own in scores.values()):
                return {}
            sink, score = torch.zeros_like(weights[..., 0]), torch.full_like(weights[..., 0], -torch.inf)
        sink, score = sink.clone(), score.clone()
        for head, own in scores.items():
            score[..., head, :] = own
            # weights add up to 1 + 1e-7
            sink[..., head, :] = (1 - weights[..., head, :, :].sum(-1)).clamp_min(0.0) if own > -torch.inf else 0.0
        return {"sink": sink, "sink_score": score}

    def output(self, output: Float[Tensor, "*batch h n_q d_v"]) -> Float[Tensor, "*batch h n_q d_v"]:
        """Return the heads' outputs. Raises `InvalidInput` (`change_shape`) for a mean of another width."""
        means: dict[int, Mean] = {}
        for change, heads in self._acting:
            if isinstance(change, Mean):
                if len(change.output) != output.shape[-1]:
                    raise shape_error(change, [len(change.output)], [output.shape[-1]])
                means.update(dict.fromkeys(heads, change))
            elif isinstance(change, (Mute, Uniform, Replace)):
                for head in heads:
                    means.pop(head, None)
        patches = any(one.what == "output" for one, _ in self._of(PatchEach))
        if not means and not patches:
            return output
        found = output.clone()
        for head, one in means.items():
            found[..., head, :, :] = torch.tensor(one.output, dtype=found.dtype, device=found.device)
        self._mute_each(found)
        self._patch_each(found, "output")
        return found


def causal(change: Causal, n: int, device: torch.device) -> Bool[Tensor, "n n"]:
    """Return where the mask of a `Causal` allows attention."""
    at = torch.arange(n, device=device)
    apart = at.unsqueeze(1) - at
    found = apart >= 0 if change.causal else torch.ones_like(apart, dtype=torch.bool)
    return found if change.window is None else found & (apart.abs() < change.window)


def shape_error(change: Change, came: Sequence[int], expected: Sequence[int]) -> InvalidInput:
    """Return the error for a change whose numbers do not fit the layer."""
    given, wanted = (" × ".join(map(str, sizes)) for sizes in (came, expected))
    kind = type(change).__name__
    return InvalidInput(
        "change_shape",
        f"{kind} must have the size {wanted} here; got {given}.",
        change=kind,
        value=given,
        expected=wanted,
    )
