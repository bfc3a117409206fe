"""What lessons' pages show that draw their own numbers, and a few lines over the core beside it."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
import torch

from attention_core import AttentionConfig, compute
from attention_core.exact.rms_norm import rms_norm
from attention_core.experiments.measures import projection_gradient_norm, row_gradient
from attention_core.experiments.models import answers, initial, loss
from attention_core.experiments.quality import QualityCurve
from attention_core.experiments.seed_stack import looked_up
from attention_core.experiments.tasks import TASKS, held_out
from tests.tiers import ROOT
from tests.visualiser.lesson_quantities import quantities, within
from tests.visualiser.test_lessons import LESSONS
from visualiser.shipped import shipped
from visualiser.state import share

TO_B: Final = LESSONS["words-to-b"]["steps"]
UNSCALED: Final = "d_k=512&scaling=none"


class Claim(NamedTuple):
    """Words of a lesson in both languages, and what makes them true."""

    en: str
    ko: str
    holds: Callable[[], bool]


def at(link: str, figure: str, column: int, **where: Any) -> float:
    """Return a number of a table that a link's page sends."""
    return quantities([(link, {"figure": figure, "column": column, **where})])[0]


def held(name: str, number: int, *which: int) -> bool:
    """Return True if what a step holds is so: those of its claims, from 1."""
    step = LESSONS[name]["steps"][number - 1]
    claims = [step["holds"][place - 1] for place in which]
    parts = [(step["link"], claim[side]) for claim in claims for side in ("of", "over") if side in claim]
    found = iter(quantities(parts))
    return all(within(next(found) / (next(found) if "over" in claim else 1), claim) for claim in claims)


def recorded(*words: str) -> bool:
    """Return True if docs/claims.md has these results."""
    text = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    return all(one in text for one in words)


def config(link: str) -> AttentionConfig:
    return share.read(link, "en").state.config


def lengths(link: str) -> torch.Tensor:
    """Return how long queries and keys are, as multiples of √d_k."""
    given = compute(config(link), device="cpu")
    return torch.cat([one.double().norm(dim=-1).flatten() for one in (given.Q, given.K)]) / given.Q.shape[-1] ** 0.5


def jacobian_norms(link: str) -> torch.Tensor:
    """Return ‖J‖ of each row: its square is Σp² − 2 Σp³ + (Σp²)²."""
    p = compute(config(link), device="cpu").weights.double()
    squares = p.square().sum(-1)
    return (squares - 2 * p.pow(3).sum(-1) + squares.square()).clamp(min=0).sqrt()


class Start(NamedTuple):
    """The training of QK-norm without a factor before its first step, over five seeds.

    rows    ‖dL/ds‖ of each row, of its own loss
    shares  ‖dL/ds‖² of each row of the scores that all examples share
    times   how much longer dL/dq is than dL/ds
    norms   ‖(dL/dW_Q, dL/dW_K)‖
    """

    rows: torch.Tensor
    shares: torch.Tensor
    times: float
    norms: torch.Tensor


def start(d_k: int) -> Start:
    seeds, curve = tuple(range(5)), QualityCurve("qk_norm_unscaled", d_k)
    batch = held_out("reverse", seeds, 64)
    given = {name: one.requires_grad_() for name, one in initial(TASKS["reverse"], curve, "standard", seeds).items()}
    loss(given, curve.mechanism, batch).backward()
    norms = projection_gradient_norm(given)
    with torch.no_grad():
        found = answers(given, curve.mechanism, batch)
        each = row_gradient(found.weights, found.contributions, found.logits, batch.values, batch.target)
        scores = each.mean(1)  # S n_q n_k
        keys = looked_up(rms_norm(given["keys"] @ given["W_K"]), batch.keys)[:, 0]
        times = float((scores @ keys).norm() / scores.norm())
    return Start(each.norm(dim=-1).flatten(), scores.square().sum(-1).flatten(), times, norms)


def few_rows_times_long_vectors() -> bool:
    """Return True if the gradient of W_Q and W_K rises since few rows keep a large dL/ds, and √d_k multiplies it."""
    least, most = start(4), start(1024)
    first, last = (float(one.shares.sort().values[-8:].sum() / one.shares.sum()) for one in (least, most))
    return (
        float(most.rows.median()) < 1e-4 * float(least.rows.median())
        and first < 0.5 < 0.75 < last
        and 0.3 < rms(most.rows) / rms(least.rows) < 0.7
        and 0.8 < most.times / 1024**0.5 < 1.1
        and float(most.norms.mean()) > 5 * float(least.norms.mean())
    )


def rms(values: torch.Tensor) -> float:
    return float(values.square().mean().sqrt())


def one_position_each() -> bool:
    """Return True if each of four heads gives nearly all it gives to named positions to one of its own."""
    (found,) = (one for one in shipped("train_heads").results if one["curve"]["h"] == 4)
    mass = np.array(found["mass"])  # seeds, heads, positions
    return bool((mass.max(-1) > 0.75).all() and (np.sort(mass.argmax(-1), axis=-1) == np.arange(mass.shape[-1])).all())


def question_minutes(name: str) -> float:
    """Return the share of a lesson's minutes that its questions have."""
    steps = LESSONS[name]["steps"]
    return sum(step["minutes"] for step in steps if "question" in step) / sum(step["minutes"] for step in steps)


def softmax_of(scores: torch.Tensor, shift: float = 0.0) -> torch.Tensor:
    terms = (scores - shift).exp()
    return terms / terms.sum(-1, keepdim=True)


def word_scores() -> torch.Tensor:
    """Return the two scores of the first word."""
    return torch.tensor([at(TO_B[3]["link"], "walk", column, lines=[1, 1]) for column in (3, 4)])


def word_weights() -> torch.Tensor:
    link = TO_B[3]["question"]["reveal"]
    return torch.tensor([at(link, "walk", column, lines=[1, 1]) for column in (3, 4)])


def shares_the_width(link: str) -> bool:
    given = config(link)
    return given.h > 1 and given.h * given.d_k == given.d_model


def the_mean_falls_less() -> bool:
    """Return True if the mean of ‖J‖ falls less than its median, since a quarter of the rows makes most of it."""
    scaled, unscaled = (jacobian_norms(link).flatten() for link in ("d_k=512", UNSCALED))
    largest = unscaled.sort().values[-len(unscaled) // 4 :]
    return (
        float(unscaled.mean() / scaled.mean()) > 5 * float(unscaled.median() / scaled.median())
        and float(largest.sum() / unscaled.sum()) > 0.75
    )


def apart_from_1(link: str) -> float:
    """Return how far the sum of a row's weights is from 1 at most."""
    return float((compute(config(link), device="cpu").weights.sum(-1) - 1).abs().max())


def mean_in_deviations(link: str) -> float:
    """Return the mean of the scores in standard deviations."""
    return abs(at(link, "score-distribution", 2)) / at(link, "score-distribution", 3) ** 0.5
