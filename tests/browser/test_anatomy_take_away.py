"""The files, figures and numbers that visitors and programs take from the Anatomy page, against the core's tensors."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from gradio_client import Client
from playwright.sync_api import Browser, Page

from attention_core import AttentionConfig, layers
from tests.browser import controls
from tests.browser.walked import SMALL, painted
from visualiser.locale import number


def test_what_is_taken_away_holds_the_tensors(
    open_page: Callable[..., Page], chromium: Browser, tmp_path: Path
) -> None:
    page = open_page("page=anatomy&step=weights&seed=5", painted=False)
    painted(page)
    layer = layers(AttentionConfig(**SMALL, seed=5), 1)[0]
    saved = {}
    for kind in ("tables", "html"):
        with page.expect_download() as download:
            controls.press(page, f"#take-{kind}")
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    blocks = saved["tables"].read_bytes().decode().split("\r\n\r\n")
    weights = next(block for block in blocks if block.lstrip().startswith('"weights'))
    lines = [[float(cell) for cell in line.split(",")] for line in weights.strip().split("\r\n")[2:]]
    assert torch.tensor(lines).equal(layer.attention.weights[0])
    context = chromium.new_context(offline=True)
    offline = context.new_page()
    offline.goto(saved["html"].as_uri())
    titles = offline.locator("td[data-row]").evaluate_all("(cells) => cells.map((cell) => cell.title)")
    assert any(
        title.startswith(f"weights[2, 1] = {number(float(layer.attention.weights[0, 2, 1]))}") for title in titles
    )
    assert offline.locator("section h2").count() == 24
    assert offline.locator("svg").count() == 2
    context.close()


def test_a_picture_of_each_figure_is_made(open_page: Callable[..., Page], tmp_path: Path) -> None:
    page = open_page("page=anatomy&step=weights", painted=False)
    painted(page)
    for name, kind in (("walk", "png"), ("anatomy", "svg")):
        with page.expect_download() as download:
            controls.press(page, f"#figure-{name} [data-format={kind}]")
        made = tmp_path / f"{name}.{kind}"
        download.value.save_as(made)
        if kind == "png":
            assert made.read_bytes().startswith(b"\x89PNG")
        else:
            assert "MatMul QKᵀ" in made.read_text(encoding="utf-8")
        assert made.stat().st_size > 10_000


def test_a_program_gets_the_walk(app_url: str) -> None:
    client = Client(app_url, verbose=False)
    answer = client.predict(h=4, head=3, row=1, api_name="/anatomy")
    client.close()
    attention = layers(AttentionConfig(**{**SMALL, "h": 4}), 1)[0].attention
    assert answer["weights"] == pytest.approx(attention.weights[2, 1].tolist())
    assert answer["shapes"]["concat"] == [4, 8]
