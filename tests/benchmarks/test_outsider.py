"""Heads over texts, recomputed in plain numpy over what transformers gives."""

from pathlib import Path

import pytest

from attention_core.learned.head_texts import passages, read_texts
from attention_core.learned.head_texts.cutting import read_at_once
from attention_core.models import ModelFolder
from attention_core.prose import prose
from benchmarks.outsider import MARKED, compare, read_by
from tests.attention_core.models.small_folders import write
from tests.offline import offline

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["llama", "bert"])
def test_the_numbers_of_a_head_are_those_of_somebody_else(name: str, tmp_path: Path) -> None:
    with offline():
        write(tmp_path, name)
        model = ModelFolder(tmp_path).load(name)
        texts = [*read_at_once(model, passages(prose("english")[:3]))]
        (own,) = read_by(tmp_path / name, texts, [(2, 1)])
    found = compare(read_texts(model, texts), own, 2, 1)
    assert found.keys() >= {*MARKED, "previous_token: strongest", "entropy: sample", "joined: pairs", "|q − k|"}
    assert {kind: apart for kind, apart in found.items() if not apart < 1e-4} == {}
