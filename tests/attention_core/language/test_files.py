"""Files of models: what is written is read, and what is damaged or hostile is refused with a sentence."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors.torch import save

from attention_core import InvalidInput
from attention_core.language import MEASURES, Evaluation, load
from attention_core.language.files import written
from attention_core.language.model import initial
from attention_core.language.texts import PLACES

RECIPE = {"layers": 1, "steps": 7, "learning_rate": 0.003}
ROW = (0.5, 0.125, 0.0, 1.0)
EVALUATION = Evaluation(dict.fromkeys(PLACES, 0.25), dict.fromkeys(MEASURES, (ROW,)))
TWO = {"accuracy": EVALUATION.accuracy, "heads": dict.fromkeys(MEASURES, (ROW, ROW))}
FORMAT = "headlight language 1"
WHOLE = written(initial(11, 1), RECIPE, 11, EVALUATION)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def about(**changed: Any) -> dict[str, str]:
    """Return a file's metadata with some values changed."""
    usual = {
        "recipe": RECIPE,
        "seed": 11,
        "scores": {"accuracy": EVALUATION.accuracy, "heads": EVALUATION.heads},
        "torch": "2.13.0",
    }
    return {FORMAT: json.dumps({**usual, **changed})}


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InvalidInput) as refused:
        load(path)
    assert refused.value.code == "language_file"
    opening = "model.safetensors is no language model of Headlight: "
    assert str(refused.value).startswith(opening)
    return str(refused.value).removeprefix(opening)


def test_what_is_written_is_read(path: Path):
    assert written(initial(11, 1), RECIPE, 11, EVALUATION) == WHOLE
    path.write_bytes(WHOLE)
    found = load(path)
    assert (found.recipe, found.seed, found.evaluation, found.torch) == (RECIPE, 11, EVALUATION, torch.__version__)
    assert found.model.layers == 1
    expected = initial(11, 1)
    assert set(found.model.parameters) == set(expected)
    assert all(torch.equal(found.model.parameters[name], expected[name]) for name in expected)


def test_the_best_head_is_named_from_one():
    assert EVALUATION.best("sink") == (1, 4, 1.0)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(WHOLE) - 1))
@example(0)
@example(7)
@example(8)
def test_a_file_that_ends_early_is_refused(path: Path, length: int):
    refusal(path, WHOLE[:length])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 1500), st.integers(1, 255))
def test_a_damaged_header_is_refused_or_says_the_same(path: Path, where: int, change: int):
    """A changed byte may fall into a score, the seed or torch's version: then a model is read."""
    damaged = bytearray(WHOLE)
    damaged[where] ^= change
    path.write_bytes(bytes(damaged))
    try:
        found = load(path)
    except InvalidInput:
        refusal(path, bytes(damaged))
    else:
        assert found.model([0, 3, 5]).logits.shape == (3, 160)


class _Hostile:
    ran = False

    def __reduce__(self) -> tuple[Any, ...]:
        return (setattr, (_Hostile, "ran", True))


def test_a_pickle_is_not_run(path: Path):
    refusal(path, pickle.dumps(_Hostile()))
    assert not _Hostile.ran


def test_a_file_that_is_too_large_is_not_opened(path: Path):
    assert refusal(path, b"\0" * 500_001) == "it has 500001 bytes, and 500000 are the most."


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path):
    for missing in (tmp_path / "nothing.safetensors", tmp_path):
        with pytest.raises(InvalidInput, match="is no language model of Headlight"):
            load(missing)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({}, "its metadata have no 'headlight language 1'."),
        ({"format": "pt"}, "its metadata have no 'headlight language 1'."),
        *(
            (metadata, "its recipe or its scores cannot be read: ")
            for metadata in (
                {FORMAT: "{"},
                {FORMAT: "[" * 9000},
                {FORMAT: "null"},
                {FORMAT: '{"recipe": {"layers": 1}}'},
                about(recipe=[]),
                about(recipe={"layers": 3}),
                about(recipe={"layers": True}),
                about(recipe={"layers": "1"}),
                about(scores=None),
                about(scores={"accuracy": {}, "heads": {"sink": 3}}),
                about(scores={"accuracy": {"pair": "all"}, "heads": {}}),
                about(scores={"accuracy": {}, "heads": EVALUATION.heads}),
                about(scores={"accuracy": EVALUATION.accuracy, "heads": {"sink": [ROW]}}),
                about(scores=TWO),
                about(scores={"accuracy": EVALUATION.accuracy, "heads": dict.fromkeys(MEASURES, (ROW[:3],))}),
                about(scores={"accuracy": dict.fromkeys(PLACES, math.nan), "heads": EVALUATION.heads}),
                about(scores={"accuracy": dict.fromkeys(PLACES, 1.5), "heads": EVALUATION.heads}),
                about(seed="11"),
                about(torch=2.13),
            )
        ),
        (about(recipe={"layers": 2}, scores=TWO), "its tensors are 'E, U, W_K/1, W_O/1, W_Q/1, W_V/1'."),
    ],
)
def test_a_header_that_says_something_else_is_refused(path: Path, metadata: dict[str, str], reason: str):
    assert refusal(path, save(initial(11, 1), metadata)).startswith(reason)


def with_tensor(name: str, tensor: torch.Tensor | None) -> bytes:
    tensors: dict[str, Any] = {**initial(11, 1), name: tensor}
    return save({key: value for key, value in tensors.items() if value is not None}, about())


def test_other_tensors_are_refused(path: Path):
    assert refusal(path, with_tensor("E", None)) == "its tensors are 'U, W_K/1, W_O/1, W_Q/1, W_V/1'."
    assert refusal(path, with_tensor("more", torch.zeros(3))).startswith("its tensors are 'E, U,")
    wrong = "E is not 160 × 64 in float32."
    assert refusal(path, with_tensor("E", torch.zeros(64, 160))) == wrong
    assert refusal(path, with_tensor("E", torch.zeros(160, 64, dtype=torch.float16))) == wrong
    assert refusal(path, with_tensor("E", torch.zeros(160, 64, dtype=torch.int32))) == wrong


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_a_number_that_is_not_finite_is_refused(path: Path, number: float):
    broken = initial(11, 1)["W_V/1"]
    broken[5, 7] = number
    assert refusal(path, with_tensor("W_V/1", broken)) == "W_V/1 holds a NaN or an infinity."
