"""How many tokens of a text the page reads: as many as fit, and on a server for strangers no more than before."""

from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from attention_core import AttentionConfig
from attention_core.models import FolderModel, ModelFolder
from tests.attention_core.models.small_folders import write
from tests.visualiser.models.test_work import MIDDLE
from tests.visualiser.works import asking
from visualiser import models
from visualiser.held import new_name
from visualiser.models import HELD, HeldModel, runs, unmeasured
from visualiser.pages.model import live, reach
from visualiser.pages.model.reading import read
from visualiser.server.admission import entry

TEXT = " ".join(["Anna sees Ben ."] * 100)


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of 320 positions, as a notebook hands one over."""
    folder = tmp_path_factory.mktemp("models")
    write(folder, "gpt2", MIDDLE["gpt2"]())
    model = ModelFolder(folder).load("gpt2")
    held = new_name("gpt2")
    HELD.put(held, HeldModel(model, unmeasured(model)))
    return held


def model_of(name: str) -> FolderModel:
    found = models.find(name)
    assert isinstance(found, FolderModel)
    return found


def with_room(monkeypatch: pytest.MonkeyPatch, memory: int) -> None:
    found = SimpleNamespace(compute=SimpleNamespace(total=memory))
    monkeypatch.setattr(reach, "admission", lambda: found)


def memory(name: str, n: int) -> int:
    """The bytes of a run over n tokens and of another one with a change."""
    return reach.cost_of(name, runs.sizes_of(model_of(name), n), runs=2, states=2).memory


def test_strangers_are_read_as_much_as_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_room(monkeypatch, 2**40)
    monkeypatch.setenv("GRADIO_ROOT_PATH", "/headlight")
    assert reach.most_tokens(name) == reach.SERVED_TOKENS == 128
    assert reach.memory_for(name, 300) == 0


def test_an_owner_is_read_what_fits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (128, 129, 200, 320):
        with_room(monkeypatch, memory(name, n))
        assert reach.most_tokens(name) == n
        with_room(monkeypatch, memory(name, n) - 1)
        assert reach.most_tokens(name) == max(128, n - 1)
    assert reach.most_tokens("nobody") == 128


def test_a_long_text_is_shown_and_where_memory_ends_it_the_page_says_how_much_it_needs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asking(urlencode({"page": "model", "model": name, "text": TEXT}), "model")
    with_room(monkeypatch, 2**40)
    found = read(request)
    assert len(found.shown.run.tokens) == 320  # where the model ends
    assert live._values(found)["room"] == 0
    with_room(monkeypatch, memory(name, 200))
    found = read(request)
    assert len(found.shown.run.tokens) == 200
    enough = live._values(found)["room"]
    assert entry.COMPUTE * enough * 2**20 >= memory(name, 320)
    with_room(monkeypatch, int(entry.COMPUTE * enough * 2**20))
    assert len(read(request).shown.run.tokens) == 320


def test_the_price_is_of_what_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = AttentionConfig(source="model", model=name, text=TEXT)
    for n in (128, 200):
        with_room(monkeypatch, memory(name, n))
        sizes = reach.read_sizes(config)
        assert sizes is not None
        assert sizes.n == n
