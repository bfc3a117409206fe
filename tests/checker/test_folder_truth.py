"""The models of a folder that the checker draws."""

from pathlib import Path

import pytest
import torch

from attention_core.models import ModelFolder
from tests.attention_core.models.small_folders import write
from tests.checker import folder_truth
from tests.checker.folder_truth import SMALL, model, names
from tests.offline import offline


def test_no_folder_has_the_small_models_alone() -> None:
    assert names("") == SMALL


def test_a_model_of_the_folder_with_a_small_ones_name_is_drawn_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "gpt2")
    monkeypatch.setattr(folder_truth, "FOLDER", str(tmp_path))
    (added,) = names(str(tmp_path))[len(SMALL) :]
    assert added not in SMALL
    with offline():
        own = ModelFolder(tmp_path).load("gpt2")
    found, written = (
        dict(one.model.named_parameters())["transformer.h.0.attn.c_attn.weight"]
        for one in (model.__wrapped__(added), own)
    )
    assert torch.equal(found, written), "the small one's queries are sharper"
