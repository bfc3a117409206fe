"""The endpoint ``/attention``: the page's numbers for programs."""

from typing import Any, Final, TypedDict, cast

from attention_core import AttentionConfig, AttentionInputs, AttentionResult, compute, normalisations
from visualiser import models
from visualiser.gpu import computed, on_gpu
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.explore.price import MOST_TOKENS
from visualiser.pages.of_config import of_config
from visualiser.pages.per_head import head_values, numbers, per_head
from visualiser.server.admission import cost
from visualiser.server.admission.cost import Cost
from visualiser.server.admission.entry import LIGHT_SECONDS
from visualiser.state import parameters


@per_head
class Attention(TypedDict):
    """One number a head: each statistic's mean over the query rows, but the largest of the largest weights."""

    n: int
    h: int
    d_k: int
    d_model: int | None
    tie: bool | None
    entropy_ceiling: float | None
    broken_rows: int
    score_mean: list[float | None]
    score_variance: list[float | None]
    predicted_score_mean: float | None
    predicted_score_variance: float | None


@on_gpu
def compute_on_gpu(config: AttentionConfig, inputs: AttentionInputs | None = None) -> AttentionResult:
    """Compute as `compute` does, on the GPU that a ZeroGPU Space lends for the call."""
    return compute(config, inputs, device="auto")


@of_config(parameters.EXPLORE, sources=("gaussian", "text", "model"))
def attention(config: AttentionConfig) -> Attention:
    """Return per-head entropy, score moments, softmax Jacobian and largest weight of attention for one configuration.

    Returns:
        per head: mean entropy over the rows (nats), mean effective number of keys e^H, mean and variance of the scores
        after scaling, mean Frobenius norm and trace of the softmax Jacobian, largest weight; and what footnote 4
        predicts for the scores. In another number format than float32, or without the maximum subtracted, None stands
        for a head with a row that is no distribution; broken_rows counts these rows. A trained layer has sizes of its
        own, of which d_model and tie are not known (None); with learned sinks it is its first head alone
    """
    long = _cost(config).seconds > 4 * LIGHT_SECONDS
    inputs = models.shown(config, MOST_TOKENS) if config.source == "model" else None
    return described(compute_on_gpu(config, inputs) if long else computed(config, inputs))


def described(result: AttentionResult) -> Attention:
    """Return the numbers of a result as plain floats."""
    config = result.config
    trained = config.source == "model"
    answer = {
        "n": config.n,
        "h": config.h,
        "d_k": result.Q.shape[-1],
        "d_model": None if trained else config.d_model,
        "tie": None if trained else bool(config.tie),
        "entropy_ceiling": float(result.ceiling.max()) if "ceiling" in normalisations.of(config).statistics else None,
        "broken_rows": 0 if result.broken is None else int(result.broken.sum()),
        "score_mean": numbers(result.score_mean),
        "score_variance": numbers(result.score_variance),
        "predicted_score_mean": result.predicted_mean,
        "predicted_score_variance": result.predicted_variance,
    }
    return cast(Attention, {**answer, **head_values(result, config)})


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of an `/attention` call; a refused one costs next to nothing."""
    config = config_of(given, parameters.EXPLORE)
    return _cost(config) if config else cost.SMALL


def _cost(config: AttentionConfig) -> Cost:
    if config.source == "model":
        sized = cost.of_model(config, MOST_TOKENS)
        return cost.attention(sized) if sized else cost.SMALL
    return cost.attention(cost.Sized(config, cost.shape_of(config)))


ENDPOINT: Final = Endpoint("attention", attention, price, "measure_attention")
