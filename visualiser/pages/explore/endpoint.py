"""The endpoint ``/attention``: the page's numbers for programs."""

from typing import Any, Final, TypedDict, cast

import gradio as gr

from attention_core import BOUNDS, AttentionConfig, AttentionResult, InvalidInput, compute
from visualiser.gpu import on_gpu
from visualiser.pages.admitted import Endpoint, config_of
from visualiser.pages.docstrings import naming_choices
from visualiser.pages.explore.frame import page_device
from visualiser.pages.per_head import head_values, per_head
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
    d_model: int
    tie: bool
    entropy_ceiling: float
    score_mean: list[float]
    score_variance: list[float]
    predicted_score_mean: float | None
    predicted_score_variance: float | None


@on_gpu
def compute_on_gpu(config: AttentionConfig) -> AttentionResult:
    """Compute as `compute` does, on the GPU that a ZeroGPU Space lends for the call."""
    return compute(config, device="auto")


@naming_choices(parameters.EXPLORE)
def attention(
    n: int = 32,
    d_model: int = 512,
    h: int = 8,
    d_k: int | None = None,
    tie: bool | None = None,
    mechanism: str = "dot_product",
    scaling: str = "sqrt_d_k",
    scale: float = 1.0,
    mask: str = "none",
    window: int = 8,
    source: str = "gaussian",
    text: str | None = None,
    split: str = "words",
    positions: bool = False,
    dtype: str = "float32",
    seed: int = 0,
) -> Attention:
    """Return per-head entropy, score moments, softmax Jacobian and largest weight of attention for one configuration.

    Args:
        n: tokens, 2 to 512; a text sets it itself
        d_model: width of the activations, 8 to 1024
        h: heads, 1 to 16
        d_k: width of one head's queries and keys, 1 to 1024; d_model / h when it is not given
        tie: true if d_k follows d_model / h; when not given, true unless d_k says otherwise
        mechanism: {mechanism}
        scaling: sqrt_d_k (times 1/sqrt(d_k)), none, d_k (times 1/d_k) or custom
        scale: the factor when scaling is custom
        mask: {mask}
        window: keys on either side that a window mask lets through
        source: gaussian or text
        text: the sentence when source is text
        split: words or characters
        positions: add sinusoidal positions to a text's embeddings
        dtype: float32, float16 or bfloat16, in which Q, K and V are rounded
        seed: the same seed gives the same numbers

    Returns:
        per head: mean entropy over the rows (nats), mean effective number of keys e^H, mean and variance of the scores
        after scaling, mean Frobenius norm and trace of the softmax Jacobian, largest weight; and what footnote 4
        predicts for the scores
    """
    values = {
        "n": n,
        "d_model": d_model,
        "h": h,
        "d_k": d_k,
        "tie": tie,
        "mechanism": mechanism,
        "scaling": scaling,
        "scale": scale,
        "mask": mask,
        "window": window,
        "source": source,
        "text": text,
        "split": split,
        "positions": positions,
        "dtype": dtype,
        "seed": seed,
    }
    try:
        if source not in ("gaussian", "text"):
            raise gr.Error(
                "source must be gaussian or text here: an endpoint call carries no tensors", print_exception=False
            )
        config = AttentionConfig(**{name: value for name, value in values.items() if value is not None})
        for name, bound in BOUNDS.items():  # Python takes any number; the endpoint is open to strangers
            came = getattr(config, name)
            if not bound.minimum <= came <= bound.maximum:
                message = f"{name} must be between {bound.minimum} and {bound.maximum}, got {came}"
                raise gr.Error(message, print_exception=False)
        long = cost.attention(cost.Sized(config, cost.shape_of(config))).seconds > 4 * LIGHT_SECONDS
        result = compute_on_gpu(config) if long else compute(config, device=page_device())
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem
    return described(result)


def described(result: AttentionResult) -> Attention:
    """Return the numbers of a result as plain floats."""
    config = result.config
    answer = {
        "n": config.n,
        "h": config.h,
        "d_k": result.Q.shape[-1],
        "d_model": config.d_model,
        "tie": bool(config.tie),
        "entropy_ceiling": float(result.ceiling.max()),
        "score_mean": result.score_mean.tolist(),
        "score_variance": result.score_variance.tolist(),
        "predicted_score_mean": result.predicted_mean,
        "predicted_score_variance": result.predicted_variance,
    }
    return cast(Attention, {**answer, **head_values(result)})


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of an `/attention` call; a refused one costs next to nothing."""
    config = config_of(given, parameters.EXPLORE)
    return cost.attention(cost.Sized(config, cost.shape_of(config))) if config else cost.SMALL


ENDPOINT: Final = Endpoint("attention", attention, price)
