"""A vision model's files and its layers on other pages: numbers of its own run, and windows refused in words."""

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from attention_core import AttentionConfig, InvalidInput
from attention_core.learned import patch_totals
from tests.alone import alone
from tests.attention_core.models import small_pictured
from tests.attention_core.models.small_pictures import write
from tests.offline import offline
from tests.visualiser.pages.anatomy.test_live import asked as walked
from tests.visualiser.pages.map.test_trained import passed
from tests.visualiser.pages.map.test_trained import request as map_request
from visualiser.figures.plots.head_scatter import head_scatter
from visualiser.locale import LANGUAGES, text
from visualiser.models import listing, pictures, runs
from visualiser.models.folder import LoadedModels
from visualiser.models.kept import Kept
from visualiser.pages.explore.frame import result_of
from visualiser.pages.explore.take_away import KINDS
from visualiser.pages.map import every_head
from visualiser.pages.map.sequence import subject
from visualiser.pages.map.store import STORE
from visualiser.pages.model import MOST_TOKENS
from visualiser.pages.model.endpoint import model_heads
from visualiser.pages.model.reading import read
from visualiser.pages.model.take_away import FILES
from visualiser.server.admission.cost import SMALL, Cost
from visualiser.server.live import routes
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.view import View

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[4]
NAMES = ("vit", "clip", "beit", "swin")
MIXED = "llava"
"""Of a text with pictures."""
GREY = np.random.default_rng(3).integers(0, 256, (41, 57, 3), dtype=np.uint8)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("here")
    with offline():
        for name in NAMES:
            write(found / "models", name)
        small_pictured.write(found / "models", MIXED)
    return found


@pytest.fixture(scope="module")
def served(root: Path) -> LoadedModels:
    found = LoadedModels(root / "models", 2**30, 2**28)
    with offline():
        for name in (*NAMES, MIXED):
            found.load(name, lambda done: None)
            found.measure(name, lambda done: None)
    return found


@pytest.fixture(autouse=True)
def _models(served: LoadedModels, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(listing, "FOLDER", served)
    monkeypatch.setattr(runs, "_KEPT", Kept(runs.MOST_BYTES, runs.size_of))
    with offline():
        yield


def png() -> bytes:
    made = io.BytesIO()
    Image.fromarray(GREY).save(made, format="PNG")
    return made.getvalue()


def asked(query: str, own: bytes = b"") -> PageRequest:
    return PageRequest(f"page=model&{query}", None, frozenset(), own, "en", "light", 0, "", {}, "model")


def ran(script: str, folder: Path) -> list[list[str]]:
    """Run a script in a folder and return the words of its lines."""
    (folder / "script.py").write_text(script, encoding="utf-8")
    printed = subprocess.run(
        [sys.executable, "-X", "utf8", "script.py"], cwd=folder, capture_output=True, text=True, check=True,
        encoding="utf-8", timeout=300,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(folder)} | _windows(),
    ).stdout  # fmt: skip
    return [line.split() for line in printed.splitlines()]


def _windows() -> dict[str, str]:
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


@pytest.mark.night
@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("model=vit&layer=2&head=3&row=7", False),
        ("model=clip&layer=1&head=2&pictures=own", True),
        ("model=beit&layer=2&head=1&row=3&pictures=poster", False),
        ("model=swin&layer=2&head=2&row=21&pictures=cat", False),
        ("model=swin&layer=4&head=3&row=99&pictures=own", True),
        ("model=llava&layer=3&head=4&text=the+cat+sat&pictures=cat,own", True),
        ("model=llava&layer=2&head=1&text=the+cat&target=a+mat&pictures=poster&row=5", False),
    ],
)
def test_the_script_prints_the_row_of_the_page(root: Path, query: str, own: bool) -> None:
    request = asked(query, png() if own else b"")
    (root / "picture.png").write_bytes(png())
    printed = ran(b"".join(FILES["snippet"].content(request)).decode(), root)
    rows = [row for row in printed if row]  # a token may be the end of a line
    shown = read(request).shown
    assert shown.keys is not None
    assert [" ".join(key) for *key, _ in rows] == [" ".join(token.split()) for token in shown.keys.tokens]
    np.testing.assert_allclose([float(row[-1]) for row in rows], shown.weights[shown.row], rtol=2e-5, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_archive_has_every_window_and_the_places_of_patches(name: str) -> None:
    request = asked(f"model={name}&pictures=cat")
    found = np.load(io.BytesIO(b"".join(FILES["npz"].content(request))), allow_pickle=False)
    run = read(request).shown.run
    for number, layer in enumerate(run.layers, 1):
        torch.testing.assert_close(torch.from_numpy(found[f"{layer.name}/weights"]), layer.weights, atol=0, rtol=0)
        first, rows, columns = found[f"{layer.name}/grid"].tolist()
        line, windows = run.keys(number), run.windows[number - 1]
        assert line.tokens[first + 2 * columns + 3] == "3·4"
        assert len(line) == first + rows * columns
        if windows is None:
            assert f"{layer.name}/windows" not in found
            continue
        stored = found[f"{layer.name}/windows"]
        assert np.array_equal(stored, windows.numpy())
        assert found[f"{layer.name}/weights"].shape[::3] == (len(stored), stored.shape[1])
        assert sorted(stored[stored >= 0].tolist()) == list(range(rows * columns))
    several = len(run.lines) > 1
    for number, line in enumerate(run.lines, 1):
        assert found[f"picture {number}/tokens" if several else "tokens"].tolist() == list(line.tokens)


WHOLE = "source=model&model=vit&layer=2&head=3&pictures=cat"


def own_layer() -> Any:
    return read(asked("model=vit&pictures=cat")).shown.run.layers[1]


@pytest.mark.night
def test_explore_shows_the_layer_and_its_script_prints_the_same(root: Path) -> None:
    state = share.read(WHOLE).state
    result = result_of(state, b"")
    torch.testing.assert_close(result.weights, own_layer().weights, rtol=1e-5, atol=1e-7)
    request = PageRequest(WHOLE, None, frozenset(), b"", "en", "light", 0, "", {}, "explore")
    _, *rows = ran(b"".join(KINDS["snippet"].content(request)).decode(), root)
    largest = [float(row[-1]) for row in rows]
    np.testing.assert_allclose(largest, result.weights.amax((-2, -1)), rtol=1e-5)


def test_anatomy_walks_through_the_layer() -> None:
    found = walked(f"{WHOLE}&row=4")["walk"]
    shown = found["tensors"]["weights"]
    np.testing.assert_allclose(
        shown["values"].reshape(shown["rows"], shown["columns"]), own_layer().weights[2], rtol=1e-5, atol=1e-6
    )
    assert found["tokens"][:3] == ["[CLS]", "1·1", "1·2"]


def test_the_map_has_the_layer_and_all_heads_have_their_measures() -> None:
    name, _ = passed(f"page=map&{WHOLE}")
    kept = STORE.get(name)
    np.testing.assert_allclose(
        kept.statistics.entropy, torch.special.entr(own_layer().weights.double()).sum(-1), rtol=1e-4, atol=1e-5
    )
    for model in ("vit", "swin"):
        config = share.read(f"page=map&source=model&model={model}&pictures=cat").state.config
        expected = patch_totals(read(asked(f"model={model}&pictures=cat")).shown.run).means
        heads = every_head.read(config, 128)
        assert set(heads.values) == set(expected)
        np.testing.assert_allclose(heads.values["patch_distance"], expected["patch_distance"])


@pytest.mark.parametrize("layer", [1, 2])
def test_windows_are_refused_by_name_on_the_other_pages(layer: int) -> None:
    query = f"source=model&model=swin&layer={layer}&pictures=cat"
    named = read(asked(f"model=swin&layer={layer}&pictures=cat")).shown.run.layers[layer - 1].name
    for ask in (
        lambda: result_of(share.read(query).state, b""),
        lambda: walked(query),
        lambda: subject(map_request(f"page=map&{query}")),
    ):
        with pytest.raises(InvalidInput) as refused:
            ask()
        assert (refused.value.code, refused.value.details) == ("learned_windows", {"value": named})
        for lang in LANGUAGES:
            assert text(lang, "error.learned_windows", value=named).startswith(named)


@pytest.mark.parametrize(
    "axes", ["x=patch_distance&y=entropy", "x=neighbours&y=patch_distance", "x=variance&y=class_token"]
)
def test_the_points_of_all_heads_lie_within_the_axes(axes: str) -> None:
    drawn = head_scatter.drawing(read(asked(f"model=swin&over=text&{axes}")).shown, View())
    seen = 0
    for trace in drawn.data:
        if trace["meta"]["kind"] != "heads":
            continue
        for side in "xy":
            low, high = drawn.layout[f"{side}axis"]["range"]
            values = trace[side][np.isfinite(trace[side])]
            seen += len(values)
            assert ((values > low) & (values < high)).all()
    assert seen


def test_an_own_picture_stays_on_the_page_of_models() -> None:
    with pytest.raises(InvalidInput) as refused:
        result_of(share.read(WHOLE.replace("cat", "own")).state, b"")
    assert refused.value.code == "picture_own"


def test_the_endpoint_answers_for_a_text_with_pictures() -> None:
    asked: dict[str, Any] = {"model": MIXED, "text": "a cat", "pictures": "lighthouse,cat"}
    answer = model_heads(**asked, layer=2, head=3)  # pyright: ignore[reportCallIssue]
    run = runs.run(AttentionConfig(source="model", **asked), MOST_TOKENS)
    (line,) = run.lines
    assert {grid.picture for grid in line.grids} == {0, 1}
    assert answer["tokens"] == [*line.tokens]
    np.testing.assert_array_equal(np.array(answer["weights"], np.float32), run.layers[1].weights[2, -1].numpy())
    shares = np.array(answer["measures"]["picture"], float)
    assert shares.shape == (3, 4)
    text_rows = [at for at in range(len(line)) if at not in line.patches]
    behind = [at for at in line.patches if at]
    expected = run.layers[1].weights[2][text_rows][:, behind].sum(-1)
    counted = run.layers[1].allowed[2][text_rows][:, behind].any(-1)
    assert shares[1, 2] == pytest.approx(float(expected[counted].mean()), abs=1e-5)


def own_png(width: int, height: int) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(made, format="PNG")
    return made.getvalue()


@pytest.mark.parametrize("model", ["vit", "swin", "llava"])
@pytest.mark.parametrize("size", [(57, 41), (300, 80), (1024, 1000)])
def test_a_run_over_an_own_picture_is_priced_without_decoding_it(
    monkeypatch: pytest.MonkeyPatch, model: str, size: tuple[int, int]
) -> None:
    config, body = AttentionConfig(source="model", model=model, text="the cat", pictures="own"), own_png(*size)
    n = listing.find(model).positions(runs.given(config, body))

    def decoded(body: bytes) -> None:
        raise AssertionError("it is decoded")

    monkeypatch.setattr(pictures, "read_picture", decoded)
    found = runs.sizes(config, 128, body)
    assert found is not None
    assert found.n == n


def test_an_own_picture_larger_than_what_is_kept_is_refused_from_its_header(monkeypatch: pytest.MonkeyPatch) -> None:
    config, body = AttentionConfig(source="model", model="vit", pictures="own"), own_png(1025, 300)
    monkeypatch.setattr(pictures, "read_picture", None)  # nothing reaches it
    with pytest.raises(InvalidInput) as caught:
        runs.run(config, 128, body)
    assert caught.value.code == "picture_pixels"
    found = runs.sizes(config, 128, body)
    assert found is not None
    assert found.n == 1


@pytest.mark.parametrize("upload", [b"", b"a file"])
def test_a_request_with_a_file_is_priced_beside_the_loop(upload: bytes) -> None:
    threads = []

    def price(request: PageRequest) -> Cost:
        threads.append(threading.get_ident())
        return SMALL

    async def asking() -> tuple[Cost, int]:
        return await routes._priced(asked("model=vit", upload), price), threading.get_ident()

    found, loop = alone(asking())
    assert found is SMALL
    assert (threads == [loop]) is not bool(upload)


@pytest.mark.parametrize(("name", "change"), [("hide", "hide:3"), ("causal", "causal"), ("full", "full:2@1")])
def test_what_windows_cannot_have_is_said(name: str, change: str) -> None:
    found = read(asked(f"model=swin&pictures=cat&changes={change},mute@2.1"))
    why = text("en", "error.change_windows", change=name, layer=1)
    assert text("en", "notice.change", value=change, why=why) in found.notices
    assert found.state.own["changes"] == "mute@2.1"
    assert found.shown.is_muted(2, 1)
    assert np.isnan(float(patch_totals(found.shown.run).means["entropy"][1, 0]))
    assert not np.isnan(float(patch_totals(found.before).means["entropy"][1, 0]))


@pytest.mark.parametrize("model", [*NAMES, MIXED])
def test_every_kind_of_model_runs_with_the_mean_of_a_head(model: str) -> None:
    found = read(asked(f"model={model}&pictures=cat&changes=mean@1.1,replace:1.2@1.1,uniform@1.2&layer=2"))
    assert found.state.own["changes"] == "replace:1.2@1.1,uniform@1.2"
    found = read(asked(f"model={model}&pictures=cat&changes=mean@1.1,factor:2@1&layer=2"))
    assert found.state.own["changes"] == "mean@1.1,factor:2@1"
    assert not torch.equal(found.shown.run.layers[1].weights, found.before.layers[1].weights)
