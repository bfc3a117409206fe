"""A model with an encoder and a decoder: its script prints the page's row, of a translation and of a sound."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.attention_core.models.small_folders import write, write_whisper
from tests.offline import offline
from tests.visualiser.upload.test_sounds import written
from visualiser.locale import text
from visualiser.models import listing, runs
from visualiser.models.folder import LoadedModels
from visualiser.models.kept import Kept
from visualiser.pages.model.reading import read
from visualiser.pages.model.take_away import FILES
from visualiser.server.live.page_request import PageRequest
from visualiser.upload.sounds import canonical_sound, read_sound

pytestmark = [pytest.mark.slow, pytest.mark.night]

ROOT = Path(__file__).resolve().parents[4]
SOUND = written(np.random.default_rng(7).integers(-9000, 9000, 40_000).astype("<i2").tobytes(), rate=22_050)
TEXT = "The keys to the cabinet"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("here")
    with offline():
        for name in ("t5", "marian"):
            write(found / "models", name)
        write_whisper(found / "models")
    (found / "sound.wav").write_bytes(SOUND)
    return found


@pytest.fixture(scope="module")
def served(root: Path) -> LoadedModels:
    found = LoadedModels(root / "models", 2**30, 2**28)
    with offline():
        for name in ("t5", "marian", "whisper"):
            found.load(name, lambda done: None)
            found.measure(name, lambda done: None)
    return found


@pytest.fixture(autouse=True)
def _models(served: LoadedModels, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(listing, "FOLDER", served)
    monkeypatch.setattr(runs, "_KEPT", Kept(runs.MOST_BYTES, runs.size_of))
    with offline():
        yield


def asked(query: str, own: bytes = b"") -> PageRequest:
    return PageRequest(f"page=model&{query}", None, frozenset(), own, "en", "light", 0, "", {}, "model")


def kept() -> bytes:
    """Return what the browser sends with each question of the visitor's file."""
    return canonical_sound(read_sound("", SOUND))


def ran(script: str, folder: Path) -> list[list[str]]:
    """Run a script in a folder and return the words of its lines."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    kept_by = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    printed = subprocess.run(
        [sys.executable, "-X", "utf8", "script.py"], cwd=folder, capture_output=True, text=True, check=True,
        encoding="utf-8", timeout=300, env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(folder)} | kept_by,
    ).stdout  # fmt: skip
    return [line.split() for line in printed.splitlines()]


@pytest.mark.night
@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("model=marian&layer=8&head=2&row=2&target=the cat sees", False),
        ("model=t5&layer=6&head=3&row=1", False),
        ("model=t5&layer=1&head=1&row=3&target=a cat", False),
        ("model=whisper&layer=7&head=2&target=the cat sees", False),
        ("model=whisper&layer=8&head=3&row=1", False),
        ("model=whisper&layer=2&head=1&row=40&sound=own", True),
        ("model=whisper&layer=7&head=1&row=2&sound=own&target=the cat", True),
        ("model=marian&layer=8&head=2&row=2&target=the cat sees&changes=mute@7.1,hide:1,factor:3@8.2", False),
        ("model=t5&layer=6&head=3&row=1&changes=mean@1.1,sink:1", False),
    ],
)
def test_the_script_prints_the_row_of_the_page(root: Path, query: str, own: bool) -> None:
    request = asked(f"{query}&text={TEXT}", kept() if own else b"")
    script = b"".join(FILES["snippet"].content(request)).decode()
    assert ("sound.wav" in script) == own
    rows = ran(script, root)
    shown = read(request).shown
    assert [int(key) for key, _ in rows] == list(range(shown.weights.shape[1]))
    np.testing.assert_allclose([float(weight) for _, weight in rows], shown.weights[shown.row], rtol=2e-5, atol=1e-9)


def test_a_file_of_another_kind_is_not_the_visitor_s_sound() -> None:
    picture = b"\x89PNG\r\n\x1a\n" + bytes(90)
    found = read(asked("model=whisper&layer=7&sound=own&target=a", picture))
    assert found.state.config.sound == "tones"
    assert found.sound == ("tones", 3.0)
    assert any("sound" in notice for notice in found.notices)
    heard = read(asked("model=whisper&layer=7&sound=own&target=a", kept()))
    assert heard.sound == ("own", pytest.approx(40_000 / 22_050, abs=1e-4))
    assert not np.allclose(heard.shown.weights, found.shown.weights, atol=1e-3)


def test_a_hidden_key_is_one_of_the_line_that_the_chosen_layer_attends_to() -> None:
    def hidden(layer: int) -> list[bool]:
        found = read(asked(f"model=marian&layer={layer}&text={TEXT}&target=the cat sees a&changes=hide:1"))
        assert found.notices == ()
        return [not bool(one.weights[..., 1].any()) for one in found.shown.run.layers]

    run = read(asked(f"model=marian&text={TEXT}&target=the cat sees a")).shown.run
    of_source = [keys == 0 for _, keys in run.between]
    decoder = of_source.index(False) + 1
    assert hidden(1) == hidden(len(of_source)) == of_source
    assert hidden(decoder) == [not one for one in of_source]
    assert 0 < sum(of_source) < len(of_source)


def test_what_a_layer_between_two_texts_cannot_have_is_said() -> None:
    query = f"model=marian&text={TEXT}&target=the cat sees"
    run = read(asked(query)).shown.run
    cross = len(run.layers)
    found = read(asked(f"{query}&changes=causal@{cross},replace:1.1@{cross}.1"))
    assert found.state.own["changes"] == ""
    why = text("en", "error.change_crosses", value=run.layers[-1].name)
    assert found.notices[0] == text("en", "notice.change", value=f"causal@{cross}", why=why)
    assert "size" in found.notices[1]
    whole = read(asked(f"{query}&changes=causal"))
    assert whole.state.own["changes"] == "causal"
