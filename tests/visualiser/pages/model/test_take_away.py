"""The files of the page Model: the script prints the page's weights, the archive holds every layer's tensors."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from visualiser.pages.model.reading import read
from visualiser.pages.model.take_away import FILES
from visualiser.server.live.page_request import PageRequest

ROOT = Path(__file__).resolve().parents[4]
QUERIES = (
    "layer=2&head=1",
    "model=headlight-one-layer&head=3&row=4",
    "layer=1&head=2&row=7&text=고양이 cat 고양이 <b>",
    "layer=2&head=1&changes=mute@1.1,factor:2.5@2,softcap:5@2.1",
    "layer=2&head=2&changes=mean@1.3,sigmoid@2.2,hide:4,causal:6",
    "layer=2&head=3&row=9&changes=replace:1.4@2.3,sink:1@1,full@1,qk_norm@1.2,log_n,entmax@1.1,uniform@1.2",
)


def asked(query: str) -> PageRequest:
    return PageRequest(f"page=model&{query}", None, frozenset(), b"", "en", "light", 0, "", {}, "model")


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("query", QUERIES)
def test_the_script_prints_the_row_of_the_page(query: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_bytes(b"".join(FILES["snippet"].content(asked(query))))
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    printed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment, timeout=120
    ).stdout
    rows = [line.split() for line in printed.splitlines()]
    shown = read(asked(query)).shown
    assert [int(key) for key, _ in rows] == list(range(len(shown.run.tokens)))
    np.testing.assert_allclose([float(weight) for _, weight in rows], shown.weights[shown.row], rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("query", QUERIES)
def test_the_archive_has_the_tensors_of_every_layer_under_its_name(query: str) -> None:
    found = np.load(io.BytesIO(b"".join(FILES["npz"].content(asked(query)))), allow_pickle=False)
    run = read(asked(query)).shown.run
    for layer in run.layers:
        for name in ("Q", "K", "V", "scores", "weights"):
            held = getattr(layer, name)
            assert (held is None) == (f"{layer.name}/{name}" not in found)  # scores made anew have no Q and K
            if held is not None:
                torch.testing.assert_close(torch.from_numpy(found[f"{layer.name}/{name}"]), held)
        assert (layer.scale is None) == (f"{layer.name}/scale" not in found)
        assert layer.scale is None or float(found[f"{layer.name}/scale"]) == layer.scale
    assert tuple(found["tokens"].tolist()) == run.tokens
    assert len({name.split("/")[0] for name in found if "/" in name}) == len(run.layers)


@pytest.mark.parametrize("kind", FILES)
def test_a_link_that_asks_gets_no_file(kind: str) -> None:
    assert FILES[kind].is_withheld(asked("predict=true"))
    assert not FILES[kind].is_withheld(asked("layer=2"))


def test_the_page_as_a_file_says_what_is_changed() -> None:
    query = "layer=2&changes=mute@1.1,hide:4@2"
    written = b"".join(FILES["html"].content(asked(query))).decode()
    assert "Changes: 1.1 muted" in written
    assert "key 4 hidden (layer 2)" in written
    assert "Changed are" not in b"".join(FILES["html"].content(asked("layer=2"))).decode()
