"""The endpoint ``/train``: one curve of the first experiment for programs."""

from math import prod
from typing import Any, Final, TypedDict

import gradio as gr

from attention_core import InvalidInput
from attention_core.experiments import QUALITY_BOUNDS, QUALITY_CHOICES, QualityExperiment, QualitySnapshot
from attention_core.experiments import train as trained
from visualiser.pages.admitted import Endpoint, bound_error
from visualiser.pages.docstrings import allowing
from visualiser.pages.train.price import training_cost
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.admission.fitting import lowered

_MOST_WORK = 2_000_000
"""The most steps · seeds · d_k of one call: some seconds."""


class Training(TypedDict):
    """One curve, seed by seed, with all settings needed to train it again."""

    task: str
    mechanism: str
    d_k: int
    learning_rate: float
    steps: int
    batch: int
    seeds: list[int]
    accuracy: list[float]
    entropy: list[float]
    score_gradient_at_start: list[float]
    projection_gradient_at_start: list[float]


@allowing(
    **{name: QUALITY_CHOICES[name] for name in ("task", "mechanism", "initialisation")},
    **{name: QUALITY_BOUNDS[name] for name in ("d_k", "learning_rate", "steps", "seeds", "seed")},
)
def train(
    task: str = "reverse",
    mechanism: str = "scaled",
    d_k: int = 64,
    learning_rate: float = 0.003,
    steps: int = 150,
    seeds: int = 5,
    seed: int = 0,
    initialisation: str = "standard",
) -> Training:
    """Train one head on one task (section 3.2.1: quality against d_k) and return how well it answers.

    Args:
        task: what the head learns: {task}
        mechanism: {mechanism}; scaled divides the scores by √d_k, qk_norm_unscaled each query and key by its root
            mean square
        d_k: width of the head, {d_k}
        learning_rate: of Adam, {learning_rate}
        steps: of training, {steps}
        seeds: how many models, from the seed on, {seeds}
        seed: the first seed, {seed}; the same seed gives the same numbers
        initialisation: of the weights: {initialisation}; the last three multiply W_Q and W_K by d_k^(-1/4), by
            d_k^(1/4), or the additive w by √d_k

    Returns:
        for each seed the accuracy on held-out examples and the mean entropy (nats) at the end, and before the first
        step the median size of the gradient at the correct key's score and the norm of the gradient at W_Q and W_K
    """
    wanted = experiment(task, mechanism, d_k, learning_rate, steps, seeds, seed, initialisation)
    shots = [shot for shot in trained(wanted) if isinstance(shot, QualitySnapshot)]
    start, end = shots[0], shots[-1]
    return {
        "task": task,
        "mechanism": mechanism,
        "d_k": d_k,
        "learning_rate": learning_rate,
        "steps": wanted.steps,
        "batch": wanted.batch,
        "seeds": list(end.seeds),
        "accuracy": end.accuracy.tolist(),
        "entropy": end.entropy.tolist(),
        "score_gradient_at_start": start.score_gradient.tolist(),
        "projection_gradient_at_start": start.projection_gradient.tolist(),
    }


def experiment(
    task: str,
    mechanism: str,
    d_k: int,
    learning_rate: float,
    steps: int,
    seeds: int,
    seed: int,
    initialisation: str,
) -> QualityExperiment:
    """Return the training of these settings. Raise `gr.Error` if they are refused."""
    try:
        found = QualityExperiment(
            task=task,
            mechanism=(mechanism,),
            d_k=(d_k,),
            learning_rate=learning_rate,
            steps=steps,
            seeds=seeds,
            seed=seed,
            initialisation=initialisation,
        )
    except InvalidInput as problem:
        raise gr.Error(str(problem), print_exception=False) from problem
    came = {"steps": found.steps, "seeds": found.seeds}

    def fits(name: str, value: int) -> bool:
        return d_k * prod((came | {name: value}).values()) <= _MOST_WORK

    if d_k * prod(came.values()) > _MOST_WORK:
        raise bound_error("steps · seeds · d_k", d_k * prod(came.values()), _MOST_WORK, lowered(came, fits))
    return found


def price(given: dict[str, Any]) -> Cost:
    """Return the cost of training with these settings; refused ones cost next to nothing."""
    try:
        return training_cost(experiment(**given))
    except gr.Error:
        return SMALL


ENDPOINT: Final = Endpoint("train", train, price, "train_one_head", run=True)
