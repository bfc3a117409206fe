"""Every computing function on "cuda", without one: `tests.pretended_gpu` fails where tensors of two devices meet.

Results are held against the CPU's, and what stops a GPU inside a pass is counted by the place that asks.
"""

import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any, Final, get_type_hints
from unittest import mock

import pytest
import torch
from torch import Tensor

import attention_core
from attention_core import (
    CHOICES,
    AttentionConfig,
    CostConfig,
    additive_attention,
    additive_attention_statistics,
    additive_attention_tile,
    attention_overview,
    attention_passes,
    attention_statistics,
    attention_tile,
    compute,
    compute_rows,
    device,
    dot_product_attention,
    format_loss,
    multi_head_attention,
    scaled_dot_product_attention,
    softmax_accuracies,
    softmax_jacobian,
)
from attention_core.blocks.compatibility import DotProducts
from attention_core.blocks.pooled_tiles import pooled_tile
from attention_core.exact.entmax import entmax
from attention_core.experiments import QualityExperiment
from attention_core.experiments.heads import HeadsExperiment
from attention_core.experiments.heads_model import heads_loss, initial_heads, readings
from attention_core.experiments.measures import divergence, mass_on, mean_maps, row_gradient
from attention_core.experiments.models import answers, initial, loss
from attention_core.experiments.named import named_held_out
from attention_core.experiments.tasks import TASKS, held_out
from attention_core.experiments.training import _Moments
from attention_core.language import training as language
from attention_core.learned.given import Given, Picture
from attention_core.models import Causal, Factor, Hide, ModelFolder, Mute, Treat, capture, text_model
from attention_core.result import compute as computing
from attention_core.studies import contenders
from tests.attention_core.models import small_folders, small_models, small_pictured
from tests.pretended_gpu import CUDA, Left, numbers, pretended_gpu

ASKING: Final[Mapping[str, str]] = {
    "blocks/weighing.py: Exponentials._careful": "rows that need float64, which only their scores tell",
    "blocks/weighing.py: Gates.summed": "rows of saturated gates, likewise",
    "blocks/histogram.py: Tally.add": "bincount looks for the largest place",
}
"""What asks a GPU for a value in every block, and why; each at most once."""

BEFORE_AND_AFTER: Final = frozenset(
    {
        "blocks/compatibility.py: _require_finite",
        "blocks/compatibility.py: DotProducts.bound",
        "blocks/compatibility.py: AdditiveCompatibilities.bound",
        "blocks/block_pass.py: Pass.overflowed",
        "blocks/block_pass.py: Moments.count",
        "blocks/block_pass.py: Moments.mean",
        "blocks/block_pass.py: Moments.variance",
        "blocks/histogram.py: _checked_edges",
    }
)
"""What asks before the first block, or after the last one: a few times for each head, however long the sequence is."""

N, D_K = 70, 6


def tensor(name: str, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(map(ord, name))))


Q, K, V = tensor("Q", 2, N, D_K), tensor("K", 2, N, D_K), tensor("V", 2, N, D_K)
W_q, W_k, w = tensor("W_q", 2, D_K, D_K), tensor("W_k", 2, D_K, D_K), tensor("w", 2, D_K)
MASK = (tensor("mask", N, N) > 0.3).fill_diagonal_(True)
PROJECTED = tensor("X", N, 12), *(tensor(name, 2, 12, D_K) for name in ("W_Q", "W_K", "W_V")), tensor("W_O", 12, 12)
PARAMETERS = torch.tensor([-9.0, -0.5, 0.0, 0.7, 4.0])


def everything(found: Any) -> list[Any]:
    """Return all tensors and numbers that are in a result, on the CPU."""
    if isinstance(found, Tensor):
        return [numbers(found)]
    if is_dataclass(found):
        found = [getattr(found, name) for name in vars(found) if not name.startswith("_")]
    if isinstance(found, Mapping):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return [one for part in found for one in everything(part)]
    return [found] if isinstance(found, (int, float)) else []


def on_both(call: Callable[..., Any], *tensors: Tensor) -> Left:
    """Run a call on the CPU and on "cuda", require the same numbers, and return what left the GPU."""
    expected = everything(call(*tensors))
    with pretended_gpu() as left:
        found = call(*(one.to(CUDA) for one in tensors))
    held = everything(found)
    assert len(held) == len(expected) > 0
    for ours, theirs in zip(held, expected, strict=True):
        if isinstance(ours, Tensor):
            torch.testing.assert_close(ours, theirs, rtol=2e-6, atol=1e-7, equal_nan=True)
        else:
            assert ours == pytest.approx(theirs, rel=1e-6, nan_ok=True)
    return left


def tile(Q: Tensor, K: Tensor) -> Tensor:
    lse = attention_statistics(Q, K, causal=True).logsumexp
    return attention_tile(Q, K, range(3, 40), range(5, 60), lse, causal=True)


def additive_tile(Q: Tensor, K: Tensor, W_q: Tensor, W_k: Tensor, w: Tensor) -> Tensor:
    lse = additive_attention_statistics(Q, K, W_q, W_k, w, window=9).logsumexp
    return additive_attention_tile(Q, K, W_q, W_k, w, range(3, 40), range(5, 60), lse, window=9)


def of_config(function: Callable[..., Any], *more: Any) -> Callable[[], Any]:
    """Return a call that goes to "cuda" if that is there, by name."""

    def call() -> Any:
        place = "cuda" if device.available()["cuda"] else "cpu"
        return function(AttentionConfig(n=12, h=2, d_k=8, mask="causal"), *more, device=place)

    return call


def loss_of_a_format() -> Any:
    place = "cuda" if device.available()["cuda"] else "cpu"
    result = compute(AttentionConfig(n=12, h=2, d_k=8, dtype="float16"), device=place)
    return format_loss(result, place)


CASES: Final[Mapping[str, list[tuple[Callable[..., Any], tuple[Tensor, ...]]]]] = {
    "additive_attention": [(lambda *of: additive_attention(*of[:-1], mask=of[-1]), (Q, K, V, W_q, W_k, w, MASK))],
    "additive_attention_statistics": [
        (lambda *of: additive_attention_statistics(*of, histogram=7, overview=9, block=16), (Q, K, W_q, W_k, w)),
    ],
    "additive_attention_tile": [(additive_tile, (Q, K, W_q, W_k, w))],
    "attention_overview": [
        (lambda Q, K: attention_overview(Q, K, 9, block=16, sigmoid=True), (Q, K)),
        (lambda Q, K: attention_overview(Q, K, 9, logsumexp=attention_statistics(Q, K).logsumexp), (Q, K)),
    ],
    "attention_passes": [
        (lambda Q, K: [step.rows(slice(0, 5)) for step in attention_passes(Q, K, window=8, block=16)], (Q, K)),
    ],
    "attention_statistics": [
        (lambda Q, K, M: attention_statistics(Q, K, mask=M, histogram=7, overview=9, block=16), (Q, K[:1], MASK)),
        (lambda Q, K, E: attention_statistics(Q, K, causal=True, histogram=E, block=16), (Q, K, PARAMETERS)),
    ],
    "attention_tile": [
        (tile, (Q, K)),
        (lambda Q, K: attention_tile(Q, K, range(9), range(9), None, stage="scores"), (Q, K)),
    ],
    "compute": [(of_config(compute), ())],
    "compute_rows": [(of_config(compute_rows, (0, 7)), ())],
    "dot_product_attention": [(dot_product_attention, (Q, K, V))],
    "format_loss": [(loss_of_a_format, ())],
    "multi_head_attention": [
        (lambda X, *W: multi_head_attention(X, X, *W), PROJECTED),
        (lambda X, *W: multi_head_attention(X, X, *W[:-1], mask=W[-1]), (*PROJECTED, MASK)),
    ],
    "scaled_dot_product_attention": [
        (lambda Q, K, V, M: scaled_dot_product_attention(Q, K, V, mask=M), (Q, K, V, MASK)),
    ],
    "softmax_accuracies": [(lambda Q, K: softmax_accuracies(Q @ K.mT), (Q, K))],
    "softmax_jacobian": [(lambda Q, K: softmax_jacobian((Q @ K.mT).softmax(-1)[:, :4]), (Q, K))],
}  # fmt: skip
"""Calls of every function of `attention_core.__all__` that computes on the device of its tensors, or on a named one."""

ELSEWHERE: Final[Mapping[str, str]] = {
    "checkpoint": "computes nothing",
    "cost_ratio": "of numbers that were measured",
    "draw": "draws on the CPU, since generators differ among devices",
    "draw_inputs": "draws, likewise",
    "layers": "of a config, on the CPU: the page Anatomy walks 64 tokens at most",
    "lengths": "of drawn inputs, on the CPU",
    "measure_costs": "measures gradients, which no fake accelerator has; its forward passes have a test below",
    "power_law": "of numbers that were measured",
    "stopping": "computes nothing",
    "stopping_each": "computes nothing",
    "sweep": "of drawn inputs, on the CPU",
    "temperature": "of a result, whose tensors are on the CPU",
    "tokens": "of a text",
    "top_layer": "as `layers`",
    "walk": "as `layers`",
}


def test_every_function_has_a_case_or_a_reason() -> None:
    functions = {name for name in attention_core.__all__ if inspect.isfunction(getattr(attention_core, name))}
    assert functions == {*CASES, *ELSEWHERE}
    taking = {name for name in functions if "device" in get_type_hints(getattr(attention_core, name))}
    assert taking <= {*CASES, "measure_costs"}


@pytest.mark.slow
@pytest.mark.night(but=5)
@pytest.mark.parametrize("name", CASES)
def test_a_function(name: str) -> None:
    for call, tensors in CASES[name]:
        on_both(call, *tensors)


def test_what_is_on_another_device_is_found() -> None:
    with pretended_gpu(), pytest.raises(RuntimeError, match="same device"):
        DotProducts(Q.to(CUDA), K, None).block((0,), slice(0, 4), slice(0, 5), torch.empty(5, 4, device=CUDA))
    with pretended_gpu(), pytest.raises(RuntimeError, match="same device"):
        scaled_dot_product_attention(Q.to(CUDA), K.to(CUDA), V.to(CUDA), mask=MASK)


def some_way(draws: random.Random) -> tuple[dict[str, Any], list[str]]:
    """Return settings of a pass, and what may ask in each of its blocks."""
    settings: dict[str, Any] = {
        "scale": draws.choice((None, 1.0, 60.0)), "causal": draws.random() < 0.3,
        "window": draws.choice((None, None, 5)), "softcap": draws.choice((None, None, 3.0)),
        "overview": draws.choice((None, 7)), "histogram": draws.choice((None, 9)), "block": draws.choice((8, 32)),
        draws.choice(("sink", "sigmoid")): draws.choice((None, 1.0)),
    }  # fmt: skip
    if "sigmoid" in settings:
        settings["sigmoid"] = settings["sigmoid"] is not None
    asking = [
        "blocks/weighing.py: Gates.summed" if settings.get("sigmoid") else "blocks/weighing.py: Exponentials._careful"
    ]
    return settings, asking + ["blocks/histogram.py: Tally.add"] * (settings["histogram"] is not None)


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("seed", range(30))
def test_only_what_is_named_stops_a_pass(seed: int) -> None:
    settings, may_ask = some_way(random.Random(seed))
    mask = None if seed % 3 else MASK
    blocks = 2 * -(-N // settings["block"])
    tensors = (Q, K) if mask is None else (Q, K, mask)
    left = on_both(lambda Q, K, mask=None: attention_statistics(Q, K, mask=mask, **settings), *tensors)
    assert {*may_ask} <= {*ASKING}
    assert left.asked.keys() - BEFORE_AND_AFTER <= {*may_ask}
    for place in may_ask:
        assert left.asked[place] <= blocks, place
    for place in BEFORE_AND_AFTER:
        assert left.asked[place] <= 6, place
    # rows that are summed again come from the CPU; nothing else is copied block by block
    again = sum(count for place, count in left.copied.items() if "Sums.to" in place)
    assert again <= 12 * blocks
    assert sum(left.copied.values()) - again <= 8 * 2 + 12


@pytest.mark.night
def test_scores_that_might_overflow_are_watched_there() -> None:
    longest = Q.norm(dim=-1).max() * K.norm(dim=-1).max()
    scale = 1.01 * torch.finfo(torch.float32).max / float(longest)
    assert (Q.double() @ K.double().mT).abs().max() * scale < torch.finfo(torch.float32).max
    ways: list[dict[str, Any]] = [{"softcap": 3.0}, {"sigmoid": True}]
    for settings in ways:
        left = on_both(lambda Q, K, of=settings: attention_statistics(Q, K, scale=scale, block=16, **of), Q, K)
        assert left.asked.keys() - BEFORE_AND_AFTER <= {*ASKING}
        assert left.asked["blocks/block_pass.py: Pass.overflowed"] == 1


@pytest.mark.night(but=3)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("streamed", [False, True])
def test_any_configuration(seed: int, streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = random.Random(seed)
    choices: dict[str, Any] = {
        name: draws.choice(CHOICES[name]) for name in ("mechanism", "scaling", "mask", "dtype", "normalisation")
    }
    config = AttentionConfig(
        n=draws.choice((1, 2, 17)), h=draws.choice((1, 2)), d_k=draws.choice((1, 8)), tie=False, seed=seed,
        source=draws.choice(("gaussian", "structured")), softcap=draws.choice((0.0, 0.0, 2.0)),
        qk_norm=draws.random() < 0.3, log_n=draws.random() < 0.3, subtract_max=streamed or draws.random() < 0.8,
        **choices,
    )  # fmt: skip
    if streamed:
        monkeypatch.setattr(computing, "STREAMED_ABOVE", 0)
        config = replace(config, dtype="float32", normalisation=draws.choice(("softmax", "sink", "sigmoid")))

    def results(kind: str) -> Any:
        try:
            result = compute(config, device=kind)
            return [result.Q, result.K, result.weights if not streamed else [], result.entropy, result.score_variance]
        except attention_core.InvalidInput as error:
            return [error.code, 0.0]

    expected = everything(results("cpu"))
    with pretended_gpu():
        found = everything(results("cuda"))
    assert len(found) == len(expected) > 0
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2e-6, atol=1e-7, equal_nan=True)


def test_squares_of_a_tile() -> None:
    def squares(Q: Tensor, K: Tensor) -> Any:
        lse = attention_statistics(Q, K).logsumexp.to(Q.device)
        return pooled_tile(Q[0], K[0], range(N), range(N), lse[0], 7)

    on_both(squares, Q, K)


def test_entmax_and_its_gradient() -> None:
    class Saved:
        def __init__(self, *tensors: Tensor) -> None:
            self.saved_tensors = tensors

        def save_for_backward(self, *tensors: Tensor) -> None:
            pass

    from attention_core.exact.entmax import _Entmax  # the gradient's own arithmetic, without torch's engine

    on_both(lambda Q, K: entmax(Q @ K.mT), Q, K)
    on_both(lambda Q, K: _Entmax.backward(Saved(Q[0]), K[0]), Q, K)


@pytest.mark.parametrize("name", contenders.CONTENDERS)
def test_the_forward_pass_of_a_contender(name: str) -> None:
    def forward(*tensors: Tensor) -> Any:
        return contenders.prepared(contenders.CONTENDERS[name], contenders.Operands(*tensors), False)()

    on_both(forward, Q[0], K[0], V[0], W_q[0], W_k[0], w[0])


def test_operands_go_where_they_are_wanted() -> None:
    assert CostConfig().sizes
    with pretended_gpu():
        operands = contenders.draw_operands(9, 4, 1, CUDA)
        assert {one.device for one in vars(operands).values()} == {CUDA}


@pytest.mark.night(but=2)
@pytest.mark.parametrize("mechanism", ["scaled", "unscaled", "additive", "qk_norm_unscaled"])
@pytest.mark.parametrize("task", TASKS)
def test_a_step_of_the_first_experiment(task: str, mechanism: str) -> None:
    experiment = QualityExperiment(task=task, d_k=(4,), mechanism=(mechanism,), seeds=2)
    (curve,), seeds = experiment.curves, experiment.every_seed
    parameters, examples = initial(TASKS[task], curve, "standard", seeds), held_out(task, seeds, 3)

    def step(*tensors: Tensor) -> Any:
        own, place = dict(zip(parameters, tensors, strict=True)), tensors[0].device
        there = examples.to(place)
        result = answers(own, mechanism, there)
        gradient = row_gradient(result.weights, result.contributions, result.logits, there.values, there.target)
        return loss(own, mechanism, there), result, gradient

    on_both(step, *parameters.values())


@pytest.mark.parametrize("mlp", [False, True])
def test_a_step_of_the_second_experiment(mlp: bool) -> None:
    experiment = HeadsExperiment(h=(2,), d_model=8, m=2, mlp=mlp, seeds=2)
    (curve,), seeds = experiment.curves, experiment.every_seed
    parameters = initial_heads(experiment, seeds)
    examples = named_held_out(seeds, experiment.m, experiment.classes, 3)

    def step(*tensors: Tensor) -> Any:
        own, there = dict(zip(parameters, tensors, strict=True)), examples.to(tensors[0].device)
        weights = readings(own, curve, there).weights
        maps = mean_maps(weights, there.named, there.values.shape[-1])
        return heads_loss(own, curve, there), divergence(weights), mass_on(weights, there.named), maps

    on_both(step, *parameters.values())


@pytest.mark.slow
def test_a_step_of_the_language_model() -> None:
    parameters, drawn = language.initial(3, 2), next(language.batches(3, 12))

    def step(*tensors: Tensor) -> Any:
        own = dict(zip(parameters, tensors, strict=True))
        return language.loss(own, drawn.to(tensors[0].device)), language.forward(own, drawn.ids.to(tensors[0].device))[
            0
        ]

    on_both(step, *parameters.values())


def test_a_step_of_adam() -> None:
    def step(Q: Tensor, K: Tensor) -> Any:
        moved = Q.clone()
        moved.grad = K.clone()
        moments = _Moments([moved])
        for _ in range(3):
            moments.step(0.1)
        return moved

    on_both(step, Q, K)


def moved(model: Any, place: torch.device | str) -> Any:
    """Return a model with its parameters and buffers somewhere else."""
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            setattr(module, name, torch.nn.Parameter(parameter.detach().to(place), requires_grad=False))
        for name, buffer in module.named_buffers(recurse=False):
            setattr(module, name, buffer.to(place))
    return model


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("target", ["", "the cat"])
@pytest.mark.parametrize("name", ["t5", "bart"])
def test_a_translation_is_read_and_written_where_its_model_is(name: str, target: str) -> None:
    model, given = text_model(small_folders.PAIRS[name](), small_folders.byte_level()), Given("the cat sees", target)
    expected = model.run(given)
    again = text_model(small_folders.PAIRS[name](), small_folders.byte_level())  # nothing that is written is kept
    with pretended_gpu():
        moved(again.model, CUDA)
        found = again.run(given)
    assert [line.tokens for line in found.lines] == [line.tokens for line in expected.lines]
    for ours, theirs in zip(found.layers, expected.layers, strict=True):
        torch.testing.assert_close(ours.weights, theirs.weights, rtol=2e-5, atol=1e-6)


def _with_places_of_the_cpu(body: Any) -> None:
    """Let Qwen's places be made on the CPU: it makes a tensor of numbers of the GPU, which the pretended one lacks."""
    own = body.get_rope_index

    def places(*given: Any, **named: Any) -> Any:
        made = own(*map(numbers, given), **{key: numbers(one) for key, one in named.items()})
        return tuple(one.to(CUDA) for one in made)

    body.get_rope_index = places


@pytest.mark.slow
@pytest.mark.night(but=2)
@pytest.mark.parametrize("target", ["a", ""])
@pytest.mark.parametrize("name", small_pictured.FAMILIES)
def test_a_text_with_a_picture_is_read_and_answered_where_the_model_is(name: str, target: str, tmp_path: Path) -> None:
    small_pictured.write(tmp_path, name)
    model = ModelFolder(tmp_path).load(name)
    picture = Picture("own", small_pictured.coloured(20, 20))
    given = Given("what is it", target=target, pictures=(picture,))
    expected = model.run(given)
    model = ModelFolder(tmp_path).load(name)  # nothing that a run on the CPU left is there
    reader: Any = model.reader
    kept = reader.preparing.prepare(given, model.most_tokens, reader._aimed)  # on the CPU, by a processor of others
    with pretended_gpu(), mock.patch.object(type(reader.preparing), "prepare", return_value=kept):
        moved(model.model, CUDA)
        if name == "qwen2_vl":
            _with_places_of_the_cpu(reader.text.body)
        found = model.run(given)
    assert found.lines[0].tokens == expected.lines[0].tokens
    for ours, theirs in zip(found.layers, expected.layers, strict=True):
        torch.testing.assert_close(ours.weights, theirs.weights, rtol=2e-4, atol=2e-5)  # the tower is fused


@pytest.mark.slow
@pytest.mark.night(but=2)
@pytest.mark.parametrize("family", ["GPT-2", "Llama", "BERT", "T5"])
@pytest.mark.parametrize(
    "changes",
    [(), (Factor(2.0), Mute(layer=0, head=1)), (Treat(softcap=3.0, qk_norm=True), Causal(window=3), Hide(key=2))],
)
def test_a_model(family: str, changes: tuple[Any, ...]) -> None:
    def captured(place: torch.device | str) -> Any:
        model, inputs = small_models.READ[family]()
        found = capture(moved(model, place), changes=changes, **{name: one.to(place) for name, one in inputs.items()})
        return [[layer.Q, layer.K, layer.V, layer.scores, layer.weights] for layer in found.layers]

    expected = everything(captured("cpu"))
    with pretended_gpu():
        found = everything(captured(CUDA))
    assert len(found) == len(expected) > 0
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2e-5, atol=1e-6, equal_nan=True)
