"""The models that a server offers: a visitor's name is looked up, and what is not there yet says so."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from attention_core import AttentionConfig, Cancelled, InvalidInput, compute
from tests.attention_core.models.small_folders import MODELS, write
from tests.offline import offline
from visualiser import models
from visualiser.locale import LANGUAGES, text, texts
from visualiser.models import listing
from visualiser.models.folder import LoadedModels

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ("headlight", "headlight-one-layer")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    with offline():
        for name in ("gpt2", "llama"):
            write(root, name)
        write(root, "headlight", MODELS["bert"]())
    return root


@pytest.fixture
def served(folder: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedModels:
    found = LoadedModels(folder, 2**30, 2**27)
    monkeypatch.setattr(listing, "FOLDER", found)
    return found


def refusal(name: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        models.find(name)
    return caught.value


def test_without_a_folder_the_shipped_models_are_offered() -> None:
    assert models.offered() == SHIPPED


@pytest.mark.slow
def test_shipped_models_come_first_and_keep_their_names(served: LoadedModels) -> None:
    assert models.offered() == (*SHIPPED, "gpt2", "llama")
    assert models.find("headlight").layers == 2
    assert models.load("headlight") == models.find("headlight")
    assert models.is_loaded("headlight")


@pytest.mark.slow
def test_a_model_is_found_once_it_is_loaded(served: LoadedModels) -> None:
    problem = refusal("llama")
    assert (problem.code, problem.details) == ("model_not_loaded", {"value": "llama", "megabytes": 1})
    assert models.known("llama") is None
    told: list[float] = []
    found = models.load("llama", told.append)
    assert told[-1] == 1
    assert models.find("llama") is found
    assert models.is_loaded("llama")
    assert not models.is_loaded("gpt2")


@pytest.mark.night
@pytest.mark.slow
def test_measuring_that_was_stopped_leaves_the_model_and_has_to_be_done_again(served: LoadedModels) -> None:
    told: list[float] = []

    def leaves(done: float) -> None:
        told.append(done)
        if done > 0.5:
            raise Cancelled

    with pytest.raises(InvalidInput) as caught:
        models.measured("llama")
    assert (caught.value.code, caught.value.details) == ("model_not_loaded", {"value": "llama", "megabytes": 1})
    models.load("llama")
    with pytest.raises(Cancelled):
        models.measure("llama", leaves)
    assert told[-1] < 1
    assert models.load("llama") is models.find("llama")
    assert not models.is_measured("llama")
    assert bool(models.measured("llama").scores["induction"].isnan().all())
    models.measure("llama")
    assert models.is_measured("llama")
    found = models.measured("llama")
    assert models.measured("llama") is found
    assert found.scores["induction"].shape == (2, 6)
    assert models.measured("headlight").scores["induction"].shape == (2, 4)


@pytest.mark.slow
def test_a_list_says_what_is_known_of_a_model(served: LoadedModels) -> None:
    before = models.described("llama")
    assert (before.loaded, before.layers, before.h, before.d_k) == (False, 2, 6, None)
    assert before.megabytes == 4 * before.parameters / 2**20
    models.load("llama")
    after = models.described("llama")
    assert (after.loaded, after.layers, after.h, after.d_k) == (True, 2, 6, 8)
    assert after.parameters == before.parameters
    shipped = models.described("headlight")
    assert (shipped.loaded, shipped.layers, models.megabytes("headlight")) == (True, 2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["..", "../models/gpt2", "gpt2/", "GPT2", "/etc/passwd", "org/name", "", "gpt2\n"])
def test_any_other_name_is_no_model(served: LoadedModels, name: str) -> None:
    for ask in (models.find, models.load, models.megabytes, models.described):
        with pytest.raises(InvalidInput) as caught:
            ask(name)
        assert caught.value.code == "unknown_model"
    assert not models.is_loaded(name)


@pytest.mark.slow
def test_without_transformers_models_are_listed_and_a_sentence_says_how_to_get_it(
    served: LoadedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "find_spec", lambda name: None)
    assert models.offered() == (*SHIPPED, "gpt2", "llama")
    assert models.megabytes("gpt2") == 1
    for ask in (models.find, models.load):
        with pytest.raises(InvalidInput) as caught:
            ask("gpt2")
        assert caught.value.code == "transformers_missing"
        assert 'pip install "headlight[models]"' in str(caught.value)
    for lang in LANGUAGES:
        assert 'pip install "headlight[models]"' in text(lang, "error.transformers_missing")


@pytest.mark.slow
def test_a_layer_of_a_folder_s_model_has_the_model_s_numbers(served: LoadedModels) -> None:
    models.load("llama")
    config = AttentionConfig(source="model", model="llama", layer=2, text="the cat sees 고양이")
    run = models.run(config, 32)
    result = compute(config, models.inputs(config, 32), device="cpu")
    torch.testing.assert_close(result.weights, run.layers[1].weights)
    assert models.run(config, 32) is run


def refused_with() -> Iterator[tuple[str, str, set[str]]]:
    """Yield file, code and details of every `InvalidInput` that a model may raise."""
    folders = [ROOT / "attention_core" / "models", ROOT / "attention_core" / "learned", ROOT / "visualiser" / "models"]
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "InvalidInput":
                code = ast.literal_eval(node.args[0])
                yield path.name, code, {keyword.arg or "" for keyword in node.keywords}


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_refusal_has_a_sentence_in_each_language(lang: str) -> None:
    found = list(refused_with())
    assert len(found) > 20
    for file, code, details in found:
        written = texts(lang)[f"error.{code}"]
        assert set(re.findall(r"\{(\w+)", written)) <= details, (file, code)


_STARTED = """
import sys, visualiser.launch
from visualiser import models
print(models.offered(), sorted({"transformers", "tokenizers"} & set(sys.modules)))
try:
    models.find("gpt2")
except Exception as error:
    print(error.code)
print("transformers" in sys.modules)
"""


@pytest.mark.night
@pytest.mark.slow
def test_a_server_with_a_folder_starts_without_transformers(folder: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _STARTED],
        capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, "HEADLIGHT_MODELS": str(folder)},
    )  # fmt: skip
    assert run.stdout.splitlines() == [f"{(*SHIPPED, 'gpt2', 'llama')} []", "model_not_loaded", "False"]
