"""A state of Explore and its truth: the scores held against float64, and what the softmax makes of them."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute, draw_inputs, tokens
from attention_core.config import SCALED
from attention_core.inputs.sources import additive_parameters
from tests.checker import learned, uploads
from tests.checker.checking import near
from tests.checker.made_rows import MadeOtherRows, MadeSteps, capped_in, made_steps
from tests.checker.other_rows import OtherRows
from tests.checker.softmax_rows import MadeRows, Numbers, Rows
from visualiser import models
from visualiser.pages.explore.frame import shown_state
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View

_BITS: Final = 2.0**-24  # of float32
LOST: Final = 1e-44
"""The least number of float32, by which a smaller one may be off."""


@dataclass(frozen=True)
class State:
    """A state and its float64 truth."""

    config: AttentionConfig
    view: View
    Q: Numbers
    K: Numbers
    rows: Rows
    tokens: tuple[str, ...] | None
    upload: bool
    given: AttentionInputs | None = None
    pinned: str = ""
    norms: Numbers = field(default_factory=lambda: np.zeros((0, 0)))
    """Of what each head adds for each key, or of its values without a W_O of their own."""
    projects: bool = True

    def computed(self, config: AttentionConfig) -> AttentionResult:
        """Return the core's result for another configuration of the same inputs."""
        return compute(config, self.given if self.upload else None, device="cpu")

    @cached_property
    def heads(self) -> slice:
        """The heads shown; a head beyond the last is the last."""
        h = len(self.Q)
        head = min(self.view.head, h)
        return slice(head - 1, head) if head else slice(0, h)

    @property
    def row(self) -> int:
        """The row of the figures of one row: the locked one, else the last; a row beyond the last is the last."""
        last = self.Q.shape[1] - 1
        return last if self.view.row is None else min(self.view.row, last)

    @property
    def head(self) -> int:
        """The head of the figures of one row, from 0."""
        return self.heads.start

    def mean(self, name: str, shown: bool = False) -> float:
        """Average over the rows with a key, of all heads or those shown."""
        some = self.heads if shown else slice(None)
        values = getattr(self.rows, name)[some]
        if isinstance(self.rows, MadeRows):
            return _mean(values[self.rows.sound[some]])
        return float(values[:, self.rows.open].mean())

    def of_choosing(self, name: str) -> Numbers:
        """Return the values of the rows with two keys or more."""
        return getattr(self.rows, name)[:, self.rows.choosing].ravel()

    @cached_property
    def made(self) -> MadeSteps:
        """The steps of the format from the scores before the mask to the weights."""
        rows = self.rows
        scores = rows.treated if isinstance(rows, OtherRows) else rows.scores
        return made_steps(self.config, np.where(rows.allowed, scores, -np.inf))

    @property
    def mean_ceiling(self) -> float:
        """The mean ceiling of the rows with a key that are distributions."""
        if isinstance(self.rows, MadeRows):
            return _mean(np.broadcast_to(self.rows.ceiling, self.rows.sound.shape)[self.rows.sound])
        return float(self.rows.ceiling[self.rows.open].mean())


def _mean(values: Numbers) -> float:
    return float(values.mean()) if values.size else math.nan


def state_of(query: str) -> State:
    """Compute a state's truth from Q and K."""
    ask = asked(query)
    shown, _ = shown_state(ask)
    given, words = given_of(query)
    config = shown.config
    if config.source == "model":
        config = replace(config, trained=config.trained or MODELS_FACTOR, mask="causal")
    if given is not None:
        sizes = {"n": given.Q.shape[1], "n_k": given.K.shape[1], "h": len(given.Q), "d_k": given.Q.shape[2]}
        config = replace(config, **sizes, tie=None)
    found = given or draw_inputs(config)
    Q, K = (_compared(config, tensor) for tensor in (found.Q, found.K))
    if config.mechanism == "dot_product":
        raw = Q @ K.transpose(0, 2, 1)
        terms = np.abs(Q) @ np.abs(K).transpose(0, 2, 1)
    else:
        W_q, W_k, w = (p.to(getattr(torch, config.dtype)).double().numpy() for p in additive_parameters(config))
        hidden = np.tanh((Q @ W_q)[:, :, None] + (K @ W_k)[:, None])
        raw = (hidden * w[:, None, None]).sum(-1)
        terms = np.abs(w).sum(-1)[:, None, None] * 4.0
    by = factor(config)
    n_q, n_k = raw.shape[1:]
    query_at, key = np.arange(n_q)[:, None] + n_k - n_q, np.arange(n_k)[None]
    allowed = {
        "none": np.ones((n_q, n_k), bool),
        "causal": key <= query_at,
        "window": np.abs(key - query_at) <= config.window,
    }[config.mask]
    result = result_of(query)
    # The scores themselves are held against float64 here; what the softmax makes of them, from the page's own ones.
    measured = result.scaled.double().numpy()
    error = np.abs(measured - raw * by)
    bound = 64 * _BITS * (terms * by + 1e-6) + 1e-30
    if config.dtype != "float32":  # the score is rounded, then its product with the factor
        limits = torch.finfo(getattr(torch, config.dtype))
        bound = bound + 2 * limits.eps * np.abs(raw * by) + 2 * max(1.0, by) * limits.tiny
        left = np.abs(raw) * max(1.0, by) > 0.99 * limits.max
        assert (np.isfinite(measured) | left).all(), "a score is infinite that the format has"
        error = np.where(np.isfinite(measured), error, 0.0)
    assert (error <= bound).all(), f"scores off by {error.max()}"
    upload, norms = given is not None, _norms(config, found)
    if config.dtype == "float32" and config.subtract_max:
        own = given if config.source == "model" else None
        return State(
            config, shown.view, Q, K, _rows(config, measured, allowed), words, upload, own, shown.pinned, *norms
        )
    rows = _made(config, result, measured, allowed)
    return State(config, shown.view, Q, K, rows, words, upload, given, shown.pinned, *norms)


def _norms(config: AttentionConfig, found: AttentionInputs) -> tuple[Numbers, bool]:
    V = found.V.to(getattr(torch, config.dtype)).double().numpy()
    if found.W_O is None:
        return np.linalg.norm(V, axis=-1), False
    W_O = found.W_O.double().numpy().reshape(*V.shape[::2], -1)
    return np.linalg.norm(V @ W_O, axis=-1), True


MODELS_FACTOR: Final = 0.25
"""The factor of the model that ships: d_k is 16."""

_OF_A_RUN: Final = 1e-4
"""What a run in float32 may be off, beside the largest number."""


def given_of(query: str) -> tuple[AttentionInputs | None, tuple[str, ...] | None]:
    """Return what a file or a trained model brings to a state, and the tokens; the model's held against float64."""
    config = shown_state(asked(query))[0].config
    if config.source == "text":
        return None, tokens(config.text, config.split)
    if config.source != "model":
        return uploads.inputs(query), None
    found = models.shown(config, 512)
    own = learned.layer(config.model, config.text, config.layer)
    for brought, true in zip((found.Q, found.K, found.V), own, strict=True):
        error = np.abs(brought.double().numpy() - true).max()
        assert error <= _OF_A_RUN * max(1.0, np.abs(true).max()), f"the model is off by {error}"
    words = learned.tokens(config.text)
    assert found.tokens == words, f"the tokens are {words}"
    return found, words


def _made(config: AttentionConfig, result: AttentionResult, scaled: Numbers, allowed: NDArray[np.bool_]) -> Rows:
    """Hold what a format made of the page's own scaled scores against its steps in numpy, and return the rows."""
    limits = torch.finfo(getattr(torch, config.dtype))

    def held(name: str, found: Numbers, expected: Numbers, known: NDArray[np.bool_], blur: float = 0.0) -> None:
        with np.errstate(invalid="ignore"):
            off_by = np.where(np.isfinite(expected), np.abs(found - expected), 0.0)
        assert (np.isnan(found) == np.isnan(expected))[:, known].all(), f"NaN at other places of {name}"
        close = 4 * limits.eps * np.abs(np.nan_to_num(expected)) + 4 * limits.tiny * limits.eps + LOST + blur
        assert (off_by <= close)[:, known].all(), f"{name} off by {off_by.max()}"

    weights, seen = result.weights.double().numpy(), np.asarray(allowed.any(-1))
    with np.errstate(all="ignore"):
        capped = capped_in(scaled, config.softcap, config.dtype)
    own = result.masked.double().numpy()
    held("capped scores", own, capped, allowed)
    treated = np.where(allowed, own, capped)
    made = made_steps(config, np.where(allowed, treated, -np.inf))
    largest = np.abs(np.where(allowed & np.isfinite(treated), treated, 0.0)).max(initial=1.0)
    # float32's difference of squares multiplies the last digit of its square roots and sums
    blur = 64 * limits.eps * largest**2 if config.normalisation == "entmax" and config.dtype == "float32" else 0.0
    if config.normalisation == "sigmoid":
        blur = limits.tiny  # torch's gate is 0 where e^-x is ∞, a little above the least number there is
    held("weights", weights, made.weights, allowed, blur)
    if config.normalisation == "softmax" and not config.softcap:
        return MadeRows(scaled, allowed, weights)
    share = None
    if made.sunk is not None:
        share = result.cells.beside[..., 0].double().numpy()  # pyright: ignore[reportAttributeAccessIssue, reportOptionalSubscript]
        held("the sink's weights", share, made.sunk, seen)
    named = {"normalisation": config.normalisation, "sink": config.sink, "cap": config.softcap}
    return MadeOtherRows(scores=scaled, allowed=allowed, made=weights, held=treated, share=share, **named)


def _rows(config: AttentionConfig, scores: Numbers, allowed: NDArray[np.bool_]) -> Rows:
    if config.normalisation == "softmax" and not config.softcap:
        return Rows(scores, allowed)
    return OtherRows(scores, allowed, config.normalisation, config.sink, config.softcap)


def factor(config: AttentionConfig) -> float:
    """Return the factor of the scores before the softmax."""
    if not SCALED[config.mechanism]:
        return 1.0
    factors = {"sqrt_d_k": config.d_k**-0.5, "none": 1.0, "d_k": 1 / config.d_k, "custom": config.scale}
    if config.source == "model":
        factors = {"custom": config.scale * MODELS_FACTOR}
    keys = config.n if config.n_k is None else config.n_k
    return factors[config.scaling] * (math.log(keys) / math.log(32) if config.log_n else 1.0)


def _compared(config: AttentionConfig, vectors: torch.Tensor) -> Numbers:
    """Return queries or keys in the format, normalised in float64 and rounded to float32 or the format if asked for."""
    own = vectors.to(getattr(torch, config.dtype)).double().numpy()
    if not config.qk_norm:
        return own
    size = np.abs(own).max(-1, keepdims=True)
    own = own / np.where(size == 0, 1, size)
    rms = np.sqrt((own**2).mean(-1, keepdims=True))
    normed = torch.from_numpy(own / np.where(rms == 0, 1, rms))
    return normed.float().to(getattr(torch, config.dtype)).double().numpy()


def asked(query: str) -> PageRequest:
    """Return the question that a browser asks for this state, which comes after ?n=4&h=3."""
    return PageRequest(query, "n=4&h=3", frozenset(), uploads.body(query), "en", "light", 0, "", {}, "explore")


def result_of(query: str) -> AttentionResult:
    """Return the page's own result."""
    shown, _ = shown_state(asked(query))
    return compute(shown.config, given_of(query)[0], device="cpu")


def off(facts: Mapping[str, Any], **true: float) -> Iterator[str]:
    """Yield the facts that differ from the truth at the digits that are written; a mean of many may be a digit off."""
    for name, value in true.items():
        if name in facts and not alike(facts[name], value):
            yield f"{name} is {value!r}, not {facts[name]!r}"


def alike(claimed: Any, true: float) -> bool:
    """Return True if the number that is written is that of the truth."""
    if isinstance(true, float):
        return near(float(claimed), true) or abs(claimed - true) < LOST
    return claimed == true


def scores(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the moments of the scores that differ, as far as float32 can add them up."""
    scores = state.rows.every_score
    heads = scores.mean(1)
    mean, variance = float(heads.mean()), float(((scores - heads.mean()) ** 2).mean())
    blur = 1e-5 * float(np.abs(scores).max())  # float32 adds up a mean to so many digits
    if "mean" in facts and abs(facts["mean"] - mean) > blur:
        yield from off(facts, mean=mean)
    for name, value in (("measured", variance), ("variance", variance), ("deviation", math.sqrt(variance))):
        close = blur**2 if name != "deviation" else blur
        if name in facts and abs(facts[name] - value) > close:
            yield from off(facts, **{name: value})


def means(state: State, facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield the means over the rows with a key that differ."""
    names = {"largest": "largest", "entropy": "entropy", "effective": "effective", "norm": "norm", "trace": "trace"}
    names |= {"sink": "sunk", "mass": "mass", "support": "support"}
    yield from off(facts, **{name: state.mean(of) for name, of in names.items() if name in facts})
    yield from off(facts, ceiling=state.mean_ceiling)


def by_the_footnote(state: State) -> bool:
    """Return True if the components are those that footnote 4 assumes, and the scores their dot products."""
    return not state.upload and state.config.source == "gaussian" and state.config.mechanism == "dot_product"
