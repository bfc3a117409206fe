"""Files of a model that change, shrink, grow or vanish while it loads: the model that was there, or a sentence."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from attention_core import InvalidInput, stopping
from attention_core.models import ModelFolder, folder_files
from tests.attention_core.models.small_folders import write

pytestmark = pytest.mark.slow

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
TEXT = "The cat sees"


def doubled(at: Path) -> None:
    """Write other numbers into the file of weights, of as many bytes."""
    made = at.with_name("made")
    save_file({name: 2 * one for name, one in load_file(at).items()}, made, {"format": "pt"})
    found = made.read_bytes()
    made.unlink()
    assert len(found) == at.stat().st_size
    at.write_bytes(found)


def longer_header(at: Path) -> None:
    """Put other weights in the place of the file, behind a longer header."""
    made = at.with_name("made")
    save_file(load_file(at), made, {"said": "x" * 64})
    made.replace(at)


def set_to(at: Path, **settings: Any) -> None:
    at.write_text(json.dumps(json.loads(at.read_text()) | settings))


def turned(at: Path) -> None:
    """Number the tokens of a vocabulary in the other direction."""
    found = json.loads(at.read_text())
    vocab = found["model"]["vocab"]
    found["model"]["vocab"] = dict(zip(vocab, reversed(vocab.values()), strict=True))
    at.write_text(json.dumps(found))


CHANGES: dict[str, Callable[[Path], object]] = {
    "numbers overwritten": lambda at: doubled(at / WEIGHTS),
    "numbers moved": lambda at: longer_header(at / WEIGHTS),
    "numbers cut off": lambda at: os.truncate(at / WEIGHTS, (at / WEIGHTS).stat().st_size // 2),
    "numbers grown": lambda at: os.truncate(at / WEIGHTS, (at / WEIGHTS).stat().st_size + 64),
    "numbers gone": lambda at: (at / WEIGHTS).unlink(),
    "another epsilon": lambda at: set_to(at / CONFIG, layer_norm_epsilon=0.5),
    "configuration of nothing": lambda at: (at / CONFIG).write_bytes(b""),
    "configuration gone": lambda at: (at / CONFIG).unlink(),
    "another vocabulary": lambda at: turned(at / TOKENIZER),
    "tokenizer gone": lambda at: (at / TOKENIZER).unlink(),
    "another file": lambda at: (at / "added_tokens.json").write_text('{"the": 5}'),
    "folder gone": shutil.rmtree,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("written")
    write(root, "gpt2")
    return root


@pytest.fixture
def root(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "models"))


def weights_of(root: Path) -> torch.Tensor:
    return torch.stack([layer.weights for layer in ModelFolder(root).load("gpt2").run(TEXT).layers])


def changed_at(root: Path, change: Callable[[Path], object], step: int) -> tuple[str, torch.Tensor | None, bool]:
    """Load a model whose files change at a step of the load. Return the refusal, the weights, and if it came so far."""
    steps = 0

    def looked() -> bool:
        nonlocal steps
        steps += 1
        if steps == step:
            change(root / "gpt2")
        return False

    try:
        with stopping(looked):
            model = ModelFolder(root).load("gpt2")
    except InvalidInput as problem:
        return problem.code, None, steps >= step
    return "", torch.stack([layer.weights for layer in model.run(TEXT).layers]), steps >= step


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("step", [1, 9])
def test_a_change_during_a_load_is_said(root: Path, change: str, step: int) -> None:
    """At step 1 the small files are read, at step 9 some of the numbers."""
    code, _, reached = changed_at(root, CHANGES[change], step)
    assert (code, reached) == ("model_changed", True)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_between_two_files_is_said(root: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration is read, the header of the numbers is not."""
    own, once = folder_files.placed, [CHANGES[change]]

    def placed(path: Path) -> Any:
        if once:
            once.pop()(root / "gpt2")
        return own(path)

    monkeypatch.setattr(folder_files, "placed", placed)
    with pytest.raises(InvalidInput) as raised:
        ModelFolder(root).load("gpt2")
    assert (raised.value.code, raised.value.details["value"]) == ("model_changed", "gpt2")


def test_a_changed_model_loads_anew(root: Path) -> None:
    before = weights_of(root)
    assert changed_at(root, CHANGES["numbers overwritten"], 9)[0] == "model_changed"
    assert not weights_of(root).equal(before)


@pytest.mark.night
@pytest.mark.parametrize("change", CHANGES)
def test_at_any_step_it_is_the_model_that_was_there_or_a_sentence(written: Path, tmp_path: Path, change: str) -> None:
    before, step, reached = weights_of(written), 1, True
    while reached:
        at = tmp_path / str(step)
        code, weights, reached = changed_at(Path(shutil.copytree(written, at)), CHANGES[change], step)
        assert code == "model_changed" if weights is None else weights.equal(before)
        step += 7
    assert step > 9
