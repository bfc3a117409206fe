"""A cell of Jupyter Lab shows the live page, with the state of what it was handed, and a mailed one its figures."""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, FrameLocator, Page

from tests.ports import free_port
from tests.visualiser.notebook.kernels import environment, notebook

PATIENCE = 120_000  # milliseconds: a kernel imports torch and gradio

CELLS = (
    """import torch, visualiser
from attention_core import AttentionConfig
from tests.attention_core.models.small_models import READ
model, inputs = READ["GPT-2"]()
visualiser.show(AttentionConfig(n=7, h=2, d_k=5, mask="causal"))""",
    "visualiser.show(model, layer=2, head=3, **inputs)",
    """from tests.attention_core.models import small_folders
visualiser.show(small_folders.MODELS["gpt2"](), "The keys to the cat", tokenizer=small_folders.byte_level())""",
    "visualiser.show(torch.ones(3, 11, 5), torch.ones(3, 11, 5), mask='causal')",
    "visualiser.show(model, static=True, **inputs)",
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve Jupyter Lab with a notebook; return the notebook's address."""
    folder = tmp_path_factory.mktemp("lab")
    work = folder / "work"
    work.mkdir()
    (work / "own.ipynb").write_text(json.dumps(notebook(CELLS)))
    port = free_port()
    options = {
        "ServerApp.port": port, "IdentityProvider.token": "", "ServerApp.root_dir": work, "ServerApp.allow_root": True,
        "ServerApp.disable_check_xsrf": True, "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.news_url": "",
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        *(f"--{name}={one}" for name, one in options.items()),
    ]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=work, env=environment(folder) | {"HOME": str(folder)}, stdout=log, stderr=log
        )
        try:
            _wait(f"http://localhost:{port}/api", process, folder / "log")
            yield f"http://localhost:{port}/lab/tree/own.ipynb?reset"
        finally:
            process.terminate()  # ends its kernels as well
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url):
                return
        except urllib.error.URLError:
            time.sleep(0.2)
    raise RuntimeError(f"Jupyter Lab did not start:\n{log.read_text()}")


@pytest.fixture(scope="module")
def opened(chromium: Browser, lab: str) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.route("**/*", lambda route: route.continue_() if _is_here(route.request.url) else route.abort())
    page = context.new_page()
    page.goto(lab)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=PATIENCE)
    # a cell that is run before Lab knows of its kernel is asked for one in a dialog
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first.wait_for(timeout=PATIENCE)
    yield page
    context.close()


def _is_here(url: str) -> bool:
    return url.startswith(("http://localhost:", "http://127.0.0.1:", "data:", "blob:", "about:"))


def run(page: Page, number: int) -> FrameLocator:
    """Run a cell with the keys of its notebook, and return the frame of its output."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(number)
    cell.evaluate("(one) => one.scrollIntoView({ block: 'nearest' })")  # Lab may draw the cell anew meanwhile
    begun = cell.locator(".jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]"))
    chooses = page.locator("dialog.jp-Dialog .jp-mod-accept")
    while not begun.count():  # Lab passes over a wish that comes before it knows of its kernel, or asks for one
        if chooses.count():
            chooses.first.click()
        cell.locator(".jp-InputArea-editor").click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(500)
    frame = cell.locator("iframe[title=Headlight]")
    frame.wait_for(state="attached", timeout=PATIENCE)
    frame.scroll_into_view_if_needed()
    return cell.frame_locator("iframe[title=Headlight]")


def painted(frame: FrameLocator, figure: str) -> dict[str, str]:
    """Return the state that a figure shows."""
    root = frame.locator(f"#figure-{figure}[data-painted]")
    root.wait_for(timeout=PATIENCE)
    return {name: found[0] for name, found in parse_qs(root.get_attribute("data-painted") or "").items()}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cell_shows_the_live_page_with_what_it_was_handed(opened: Page) -> None:
    state = painted(run(opened, 0), "heat-maps")
    assert {name: state[name] for name in ("n", "h", "d_k", "mask")} == {
        "n": "7", "h": "2", "d_k": "5", "mask": "causal",
    }  # fmt: skip

    frame = run(opened, 3)
    assert painted(frame, "heat-maps")["source"] == "upload"
    frame.locator("#control-mask input[value=none]").check()
    frame.locator("#figure-heat-maps[data-painted]:not([data-painted*='mask'])").wait_for(timeout=PATIENCE)
    frame.locator("#figure-entropy", has_text="2.4 of 2.4").wait_for(timeout=PATIENCE)  # ln 11: equal keys, read alike


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_cells_show_models_and_figures_that_can_be_mailed(opened: Page) -> None:
    run(opened, 0)
    frame = run(opened, 1)
    state = painted(frame, "model-heads")
    assert (state["layer"], state["head"], state["over"]) == ("2", "3", "text")
    assert frame.locator(".token").count() == 11
    assert not frame.locator("#control-text").is_visible()

    frame = run(opened, 2)
    assert painted(frame, "model-heads")["text"] == "The keys to the cat"
    tokens = frame.locator(".token").count()
    frame.locator("#control-text textarea").fill("The keys to the cat and the keys")
    frame.locator("#figure-model-heads[data-painted*='cat+and+the+keys']").wait_for(timeout=PATIENCE)
    assert frame.locator(".token").count() > tokens

    frame = run(opened, 4)
    frame.locator(".js-plotly-plot .main-svg").first.wait_for(state="attached", timeout=PATIENCE)
    assert frame.locator(".js-plotly-plot").count() == 7


def test_a_frame_leaves_the_notebook_its_keys(opened: Page) -> None:
    assert opened.evaluate("document.activeElement.tagName") != "IFRAME"
