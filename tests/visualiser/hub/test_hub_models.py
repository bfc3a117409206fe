"""The models of the Hub that a server offers: what is fetched, by whom, and what the page is told."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from attention_core import AttentionConfig, Cancelled, InvalidInput, stopping
from attention_core.models import HUB_LIST, SMALL_BYTES, HubFolder, Listed
from tests.hub_server import Hub
from tests.visualiser.pieces import opened
from visualiser import models
from visualiser.export.script import snippet
from visualiser.models import folder, hub, listing
from visualiser.models.folder import LoadedModels
from visualiser.models.hub import HubModels, expanded
from visualiser.pages.model import live, loading, offered
from visualiser.server.admission.clients import Client
from visualiser.server.admission.entry import Admission
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.server.settings import MEBIBYTE

SHIPPED = ("headlight", "headlight-one-layer")
IDS = ("small/gpt2", "small/llama")
TEXT = "The cat sees"


@pytest.fixture
def here(tmp_path: Path, server: Hub, monkeypatch: pytest.MonkeyPatch) -> HubModels:
    """Offer two models of the Hub of this machine."""
    found = HubModels(HubFolder(tmp_path / "here", endpoint=server.url), expanded(IDS), 2**30)
    loaded = LoadedModels(None, 2**30, 2**27, found)
    for module in (listing, offered):
        monkeypatch.setattr(module, "HUB", found)
    monkeypatch.setattr(listing, "FOLDER", loaded)
    return found


def ask(name: str, extra: dict[str, Any] | None = None, lang: str = "en") -> PageRequest:
    query = urlencode({"page": "model", "text": TEXT, "model": name, "lang": lang})
    return PageRequest(query, None, frozenset(), b"", lang, "light", 0, "", extra or {}, "model")


def headers(pieces: Iterator[bytes]) -> list[dict[str, Any]]:
    return [opened(piece)[0] for piece in pieces]


def lacks(found: list[dict[str, Any]]) -> tuple[bool, str]:
    """Return if the model of an answer is here, and the key of what is said of it."""
    tree = found[1]["values"]["structure"]
    return tree["here"], tree["key"]


def listed(lang: str = "en") -> dict[str, dict[str, Any]]:
    """Return the lines of the list by their names."""
    ((header, _),) = [opened(piece) for piece in offered.listed(ask("headlight", lang=lang))]
    assert header["part"] == "models"
    return {one["name"]: one for one in header["values"]["structure"]["models"]}


def test_words_name_the_shipped_list_and_its_small_models() -> None:
    whole = [one.id for one in expanded(["list"])]
    assert set(whole) == set(HUB_LIST)
    assert [HUB_LIST[id].loaded_bytes for id in whole] == sorted(one.loaded_bytes for one in HUB_LIST.values())
    small = {one.id for one in expanded(["small"])}
    assert small == {id for id, one in HUB_LIST.items() if one.loaded_bytes <= SMALL_BYTES}
    assert {"openai-community/gpt2", "google-t5/t5-small"} <= small
    assert "Qwen/Qwen3-0.6B" not in small
    assert expanded(["own/one", "openai-community/gpt2", "own/one"]) == (
        HUB_LIST["openai-community/gpt2"],
        Listed("own/one", "main", "", "", 0),
    )
    assert expanded([]) == ()


def test_the_list_is_sound() -> None:
    for id, one in HUB_LIST.items():
        assert id == one.id
        assert len(one.revision) == 40
        assert one.takes in ("text", "translation", "picture", "picture_and_text")
        assert one.sha256 is None or len(one.sha256) == 64
    assert HUB_LIST["Qwen/Qwen3-0.6B"].loaded_bytes == 2 * 1_503_300_328  # two bytes each in the file, four in memory


@pytest.mark.slow
def test_an_offered_model_is_fetched_then_loaded_then_found(here: HubModels, published: Path) -> None:
    name = "small/gpt2"
    assert models.offered() == (*SHIPPED, *IDS)
    assert models.here() == SHIPPED
    for work in (models.find, models.load, models.measured):
        with pytest.raises(InvalidInput) as raised:
            work(name)
        assert raised.value.code == "model_not_fetched"
    shares: list[float] = []
    models.fetch(name, shares.append)
    assert shares[-1] == 1.0
    assert models.is_here(name)
    with pytest.raises(InvalidInput) as raised:
        models.find(name)
    assert (raised.value.code, raised.value.details["value"]) == ("model_not_loaded", name)
    assert models.described(name).parameters > 10_000
    models.load(name)
    assert models.find(name).run(TEXT).tokens == models.known(name).run(TEXT).tokens  # type: ignore[union-attr]
    assert models.is_loaded(name)


def test_no_other_id_is_asked_for(here: HubModels, server: Hub) -> None:
    (here.folder.path / "small" / "other").mkdir(parents=True)
    (here.folder.path / "small" / "other" / "headlight.json").write_text("{}")  # fetched when it was offered
    for name in ("small/bert", "small/other", "../small/gpt2", "gpt2", ""):
        assert name not in models.offered()
        for work in (models.fetch, models.load, models.find):
            with pytest.raises(InvalidInput) as raised:
                work(name)
            assert raised.value.code == "unknown_model"
    request = ask("small/bert", {"fetch": True})
    assert request.reading.state.config.model == "headlight"
    assert "small/bert" in request.reading.notices[0]
    list(loading.load(request, Run()))
    assert server.asked == []


def test_two_visitors_of_one_model_wait_for_one_fetch(here: HubModels, server: Hub) -> None:
    server.behaviour.gate = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(models.fetch, "small/gpt2") for _ in range(2)]
        while not server.sent["model.safetensors"]:
            time.sleep(0.01)
        server.behaviour.gate.set()
        for one in both:
            one.result(60)
    assert len([path for path in server.asked if path.startswith("/storage")]) == 1


def test_a_visitor_who_leaves_ends_no_other_s_fetch(here: HubModels, server: Hub) -> None:
    server.behaviour.gate = threading.Event()
    stop = threading.Event()

    def first() -> None:
        with stopping(stop.is_set):
            models.fetch("small/gpt2")

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(first)
        while not server.sent["model.safetensors"]:
            time.sleep(0.01)
        other = pool.submit(models.fetch, "small/gpt2")
        stop.set()
        with pytest.raises(Cancelled):
            one.result(60)
        server.behaviour.gate.set()
        other.result(60)
    assert here.here() == ("small/gpt2",)


def test_a_model_that_no_memory_holds_is_refused_before_its_first_byte(
    here: HubModels, server: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(here, "_most", 2**16)
    with pytest.raises(InvalidInput) as raised:
        models.fetch("small/gpt2")
    assert (raised.value.code, raised.value.details["limit"]) == ("model_too_large", 0)
    assert not [path for path in server.asked if "resolve" in path]
    large = HubModels(here.folder, expanded(["Qwen/Qwen3-0.6B"]), 2048 * MEBIBYTE)
    server.asked.clear()
    with pytest.raises(InvalidInput) as raised:
        large.fetch("Qwen/Qwen3-0.6B", lambda done: None)
    assert raised.value.details["megabytes"] == round(2 * 1_503_300_328 / MEBIBYTE)
    assert server.asked == []


def test_the_page_says_what_a_model_lacks(here: HubModels) -> None:
    name = "small/gpt2"
    before = headers(live.frame(ask(name)))
    assert [part["part"] for part in before] == ["state", "unloaded", "figures"]
    assert (before[1]["values"]["structure"]["here"], before[1]["values"]["structure"]["key"]) == (
        False,
        "model.unfetched_unsized",
    )
    models.fetch(name)
    after = headers(live.frame(ask(name)))
    assert lacks(after) == (True, "model.unloaded")
    assert after[0]["controls"]["model"] == name


def test_a_listed_model_says_its_sizes_and_where_they_come_from(
    here: HubModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = HubModels(here.folder, expanded(["openai-community/gpt2"]), 2**31)
    for module in (listing, offered):
        monkeypatch.setattr(module, "HUB", found)
    _, what, said = headers(live.frame(ask("openai-community/gpt2")))
    tree = what["values"]["structure"]
    assert (tree["to_fetch"], tree["megabytes"]) == (523, 523)
    (sentence,) = said["insight"]
    numbers = [piece for piece in sentence if isinstance(piece, list)]
    assert {number[0] for number in numbers} == {"523"}
    assert all(number[3] == "practice" for number in numbers)


def test_an_answer_before_a_fetch_is_not_one_after_it(here: HubModels) -> None:
    before = ask("small/gpt2").cache_key
    assert ask("small/gpt2").cache_key == before
    models.fetch("small/gpt2")
    assert ask("small/gpt2").cache_key != before


def test_a_fetch_is_a_run_of_its_own_line_and_a_load_fetches_nothing(here: HubModels, server: Hub) -> None:
    wish = ask("small/gpt2", {"fetch": True})
    cost = loading.price(wish)
    assert (cost.line, cost.memory) == ("fetches", 0)
    assert loading.price(ask("small/gpt2")).line == "runs"
    lines = Admission(2**30, 2)
    tickets = [lines.run(Client(f"10.0.0.{at}"), cost) for at in range(2)]
    assert [ticket.turn_came for ticket in tickets] == [True, False]
    assert tickets[1].before == 1
    assert lines.runs.working == 0
    with pytest.raises(InvalidInput, match="not on this machine yet"):
        list(loading.load(ask("small/gpt2"), Run()))
    assert server.asked == []
    found = headers(loading.load(wish, Run()))
    assert {part["part"] for part in found[:-1]} == {"progress"}
    assert found[-1] == {"part": "ended", "megabytes": 1, "again": False, "bytes": 0}
    assert not models.is_loaded("small/gpt2")  # loading computes, in another line


def test_a_cancelled_run_ends_its_fetch(here: HubModels, server: Hub) -> None:
    server.behaviour.gate = threading.Event()
    run = Run()
    pieces = loading.load(ask("small/gpt2", {"fetch": True}), run)
    assert opened(next(pieces))[0]["part"] == "progress"
    run.cancel()
    with pytest.raises(Cancelled):
        list(pieces)
    assert [one.name for one in here.folder.path.iterdir()] == [".turn"]  # the lock alone
    assert here._turn.acquire(timeout=5)  # the next one may


def test_the_list_tells_each_model_s_size_licence_kind_and_place(
    here: HubModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = HubModels(here.folder, expanded(["list", "small/gpt2"]), 2**30)
    for module in (listing, offered):
        monkeypatch.setattr(module, "HUB", found)
    monkeypatch.setattr(listing, "FOLDER", LoadedModels(None, 2**30, 2**27, found))
    lines = listed()
    assert tuple(lines)[:2] == SHIPPED
    assert lines["headlight"]["label"] == "Headlight's language model"
    assert (lines["headlight"]["loaded"], lines["headlight"]["takes"]) == (True, "text")
    gpt2 = lines["openai-community/gpt2"]
    assert (gpt2["licence"], gpt2["to_fetch"], gpt2["here"], gpt2["fits"], gpt2["shown"]) == (
        "MIT",
        523,
        False,
        True,
        True,
    )
    assert not lines["Qwen/Qwen3-0.6B"]["fits"]
    assert lines["WinKawaks/vit-tiny-patch16-224"]["shown"]
    assert (lines["small/gpt2"]["to_fetch"], lines["small/gpt2"]["here"]) == (0, False)
    models.fetch("small/gpt2")
    there = listed()["small/gpt2"]
    assert (there["here"], there["loaded"], there["megabytes"]) == (True, False, 1)
    (found.folder.path / "small/gpt2" / "config.json").write_text("[")
    found._looked = float("-inf")
    listing.FOLDER._sizes.clear()
    assert "damaged" in listed()["small/gpt2"]["problem"]


def test_the_network_is_asked_in_the_background(here: HubModels, server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    told, ask = threading.Event(), here.folder.is_reachable
    with monkeypatch.context() as waiting:
        waiting.setattr(HubFolder, "is_reachable", lambda self: told.wait(60) and ask())
        before = set(threading.enumerate())
        assert here.network() == "asked"
        (asking,) = set(threading.enumerate()) - before
        assert here.network() == "asked"
        assert set(threading.enumerate()) - before == {asking}  # one asks for all
        told.set()
        asking.join(60)
    assert here.network() == "there"
    away = HubModels(HubFolder(here.folder.path, endpoint="http://127.0.0.1:9"), expanded(IDS), 2**30)
    away._ask()
    assert away.network() == "away"
    assert HubModels(here.folder, (), 2**30).network() == "away"  # nothing is offered, and nobody asked


def test_a_script_fetches_the_model_of_its_link() -> None:
    for name, revision in (("openai-community/gpt2", HUB_LIST["openai-community/gpt2"].revision), ("own/one", "main")):
        code = snippet(AttentionConfig(source="model", model=name, text=TEXT))
        compile(code, "script.py", "exec")
        assert f"models.plan({name!r}, {revision!r})" in code


def test_the_folder_and_the_hub_are_one_list(here: HubModels, published: Path) -> None:
    store = LoadedModels(published / "small", 2**30, 2**27, here)
    models.fetch("small/gpt2")
    assert set(store.names()) >= {"gpt2", "llama", "small/gpt2"}
    assert store.sized("gpt2").path == published / "small" / "gpt2"
    assert store.sized("small/gpt2").path == here.folder.path / "small" / "gpt2"
    assert isinstance(store._folder, folder.Here)
    assert hub.HUB.ids == ()  # of the tests' own process
