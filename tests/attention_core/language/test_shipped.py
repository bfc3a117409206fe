"""What comes with Headlight: the model reaches the scores that it states, its twin of one layer does not."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attention_core.language import MEASURES, SHOWN, STATED, WORDS, corpus, evaluate, shipped
from attention_core.language.corpus_file import drawn, written
from attention_core.language.evaluation import Evaluation
from attention_core.language.measures import chance

FOLDER = Path(__file__).parents[3] / "attention_core" / "language" / "shipped"


@pytest.fixture(scope="module")
def found() -> dict[int, Evaluation]:
    return {layers: evaluate(shipped(layers).model, corpus()) for layers in (2, 1)}


@pytest.mark.slow
def test_the_corpus_is_what_the_generator_draws():
    assert corpus() == drawn()
    assert (FOLDER / "corpus.json").read_text(encoding="utf-8") == written(drawn())
    assert {len(document.words) for document in corpus()} == {SHOWN}


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("layers", [1, 2])
def test_the_scores_of_a_file_are_its_models(found: dict[int, Evaluation], layers: int):
    """Another processor rounds otherwise, and may turn one answer among hundreds."""
    stated = shipped(layers).evaluation
    assert found[layers].accuracy == pytest.approx(dict(stated.accuracy), abs=0.01)
    assert set(stated.heads) == set(MEASURES)
    for name in MEASURES:
        assert torch.tensor(found[layers].heads[name]) == pytest.approx(torch.tensor(stated.heads[name]), abs=1e-3)


def test_the_model_reaches_what_is_stated(found: dict[int, Evaluation]):
    assert found[2].reached
    assert {name for name, score in found[2].stated.items() if score < STATED[name]} == set()


def test_every_stated_head_does_far_more_than_an_even_one(found: dict[int, Evaluation]):
    for name in ("previous_token", "induction", "agreement", "bracket", "sink"):
        assert found[2].best(name)[2] > 4 * chance(name, corpus())
    assert found[2].best("previous_token")[0] == 1
    assert found[2].best("induction")[0] == 2


def test_the_twin_cannot_find_what_repeats(found: dict[int, Evaluation]):
    """One layer has no head of the token before, so no key holds it."""
    assert not found[1].reached
    assert found[1].accuracy["repeat"] < 0.2
    assert found[1].accuracy["pair"] < 0.5
    assert found[1].best("induction")[2] < 0.3
    assert found[1].accuracy["bracket"] > 0.9  # what needs no pair of tokens, it learns as well


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Miller sees Ben Taylor . Ben", "Taylor"),
        ("Anna Miller sees Ben Taylor . Anna", "Miller"),
        ("the keys to the cabinet", "are"),
        ("서랍 열쇠 고양이 강 나무 서랍 열쇠 고양이 강", "<word 5>"),
        ("( the dogs near the river sleep .", ")"),
        ("[ the dogs near the river sleep .", "]"),
    ],
)
def test_a_typed_text_goes_on_as_a_reader_expects(text: str, expected: str):
    logits = shipped().model(text).logits[-1]
    if expected == "are":
        singular, plural = WORDS.index("is"), WORDS.index("are")
        assert logits[plural] > logits[singular]
    else:
        assert WORDS[int(logits.argmax())] == expected


def test_the_twin_guesses_among_the_names_of_the_text():
    answers = [
        WORDS[int(shipped(1).model(f"Anna Miller sees Ben Taylor . {name}").logits[-1].argmax())]
        for name in ("Anna", "Ben")
    ]
    assert answers == ["Miller", "Miller"]


def test_the_first_layer_reads_the_token_before_at_every_place():
    layer, head, _ = shipped().evaluation.best("previous_token")
    weights = shipped().model(corpus()[0].ids).layers[layer - 1].weights[head - 1]
    assert weights.diagonal(-1).min() > 0.8


def test_the_files_are_small_and_know_their_origin():
    assert sum(path.stat().st_size for path in FOLDER.glob("*.safetensors")) <= 500_000
    model, twin = shipped(2), shipped(1)
    assert model.seed == twin.seed
    assert {**model.recipe, "layers": 1} == twin.recipe
    assert model.recipe["layers"] == model.model.layers == 2
    assert model.torch.startswith("2.")
    assert shipped() is model  # read once


_FRESH = """
import sys
from attention_core.language import shipped
shipped().model("the keys")
print(sorted({"transformers", "tokenizers", "gradio", "plotly", "torch._dynamo", "sympy"} & set(sys.modules)))
"""


@pytest.mark.night
@pytest.mark.slow
def test_it_needs_torch_alone():
    run = subprocess.run([sys.executable, "-c", _FRESH], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
