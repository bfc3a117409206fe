"""The endpoint /heads under arguments that no program should send: a sentence, or finite numbers."""

import json
from collections.abc import Iterator
from typing import Any, Final

import gradio as gr
import pytest

from tests import draws
from tests.attention_core.models.small_folders import write, write_whisper
from tests.offline import offline
from visualiser.models import listing
from visualiser.models.folder import LoadedModels
from visualiser.pages.admitted import call_endpoint
from visualiser.pages.map.heads_endpoint import ENDPOINT
from visualiser.server.admission.clients import Client

pytestmark = pytest.mark.slow

PLAIN: Final = {"text": "Anna sees Ben", "pictures": "lighthouse", "target": "", "sound": "tones", "model": "headlight"}
LONGEST: Final = 700
"""Characters of the longest refusal: what was sent is not sent back."""

NO_TEXTS: Final = (
    True, 0, -1, 10**9, 10**400, 1.5, float("nan"), float("inf"), [], [1], [[1]], {}, {"a": 1}, b"x",
)  # fmt: skip
TEXTS: Final = (
    "", " ", "a", "\x00", "\n", "\ud800", "\ud800 a", "x" * 10**6, "a " * 200_000, "\u202e\u0301" * 5_000,
    "\U0001f600" * 3_000, "../../etc/passwd", "headlight\n", "http://x/", "own", "1", "<script>", "%s{value}{0}",
    "lighthouse lighthouse", ",,,", ">>fra<<", "<image>" * 99, "[MASK]", "9" * 5_000,
)  # fmt: skip


async def sent(**given: Any) -> dict[str, Any] | str:
    """Return an answer, or its refusal."""
    try:
        work = call_endpoint(
            ENDPOINT.function, ENDPOINT.price, Client("192.0.2.1", "tab"), {**PLAIN, **given}, run=True
        )
        found: dict[str, Any] = await work
    except gr.Error as refusal:
        return refusal.message
    return found


def require_sound(found: dict[str, Any] | str) -> None:
    if isinstance(found, str):
        assert 10 < len(found) < LONGEST
        assert "Traceback" not in found
        return
    json.dumps(found, allow_nan=False)
    assert found["tokens"] > 0
    layers = len(found["names"])
    for name, rows in found["values"].items():
        assert len(rows) == layers
        assert all(one is None or one >= 0 for row in rows for one in row if name == "entropy")


@pytest.mark.parametrize("field", PLAIN)
async def test_another_type_is_refused_in_words(field: str) -> None:
    for value in NO_TEXTS:
        found = await sent(**{field: value})
        assert isinstance(found, str)
        assert found.startswith(f"{field} must be a text")
        require_sound(found)


@pytest.mark.parametrize("field", PLAIN)
async def test_an_odd_text_is_answered_or_refused_in_words(field: str) -> None:
    for value in TEXTS:
        found = await sent(**{field: value})
        require_sound(found)
        if field == "model":
            assert isinstance(found, str)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> LoadedModels:
    root = tmp_path_factory.mktemp("models")
    with offline():
        for name in KINDS[:-1]:
            write(root, name)
        write_whisper(root)
        found = LoadedModels(root, 2**30, 2**28)
        for name in KINDS:
            found.load(name, lambda done: None)
    return found


KINDS: Final = ("bert", "marian", "t5", "whisper")


@pytest.fixture
def _models(served: LoadedModels, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(listing, "FOLDER", served)
    with offline():
        yield


@pytest.mark.night
@pytest.mark.usefixtures("_models")
@pytest.mark.parametrize("model", draws.chosen(KINDS))
@pytest.mark.parametrize("field", ["text", "target", "sound", "pictures"])
async def test_a_model_of_a_folder_answers_odd_texts_or_refuses(model: str, field: str) -> None:
    for value in TEXTS:
        require_sound(await sent(model=model, **{field: value}))
