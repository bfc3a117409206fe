"""Downloads match the page: pictures, numbers, a page for offline, code and a link."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image
from playwright.sync_api import Browser, Page

from attention_core import AttentionConfig, AttentionResult, __version__, compute
from tests.browser import controls, drawn
from tests.browser.comparison import query
from visualiser import locale
from visualiser.drawing.map_colours import limits
from visualiser.export import snippet
from visualiser.state.view import View
from visualiser.theme import WEIGHTS

ROW = View(row=2)
"""A locked row, so that its Jacobian is open."""
CONFIG = AttentionConfig(source="text", text="the cat <b> the 고양이 =1+1", h=3, d_k=7, mask="causal")
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
NO_COPYING = NO_CLIPBOARD + "document.execCommand = () => false;"


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    """Return a page that shows `CONFIG`."""
    return open_module_page(query(CONFIG, ROW), permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture(scope="module")
def result() -> AttentionResult:
    return compute(CONFIG, device="cpu")


def saved(page: Page, selector: str, name: str) -> bytes:
    """Click, and return the downloaded file."""
    with page.expect_download() as download:
        controls.press(page, selector)
    assert download.value.suggested_filename == name
    return Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("figure", drawn.FIGURES)
def test_a_png_is_large_and_not_blank(page: Page, figure: str) -> None:
    button = f"#figure-{figure} .tool[data-format=png]"
    picture = Image.open(io.BytesIO(saved(page, button, f"headlight-{figure}.png"))).convert("RGB")
    assert picture.width == 2400  # 1200 CSS pixels at twice the density
    assert 400 <= picture.height <= 4000
    pixels = np.asarray(picture).reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    assert counts.max() < 0.97 * len(pixels)
    assert len(colours) > 50


def test_the_png_of_the_heat_maps_has_every_cells_colour(page: Page, result: AttentionResult) -> None:
    button = "#figure-heat-maps .tool[data-format=png]"
    picture = Image.open(io.BytesIO(saved(page, button, "headlight-heat-maps.png"))).convert("RGB")
    colours, counts = np.unique(np.asarray(picture).reshape(-1, 3), axis=0, return_counts=True)
    large = colours[counts > 200].astype(int)  # a cell has thousands of pixels, the edge of a letter few
    low, high = limits(result, View()).axis
    stops = np.array([stop for stop, _ in WEIGHTS])
    channels = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in WEIGHTS])
    shares = ((result.weights[:, result.mask].numpy() - low) / (high - low)).reshape(-1).clip(0, 1)
    wanted = np.stack([np.interp(shares, stops, channels[:, i]) for i in range(3)], axis=1)
    distance = np.abs(wanted[:, None] - large[None]).max(-1).min(-1)
    assert distance.max() <= 2


@pytest.mark.parametrize("figure", drawn.FIGURES)
def test_an_svg_is_one_and_has_the_figures_words(page: Page, figure: str) -> None:
    content = saved(page, f"#figure-{figure} .tool[data-format=svg]", f"headlight-{figure}.svg").decode()
    root = ElementTree.fromstring(content)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["width"] == "1200"
    words = " ".join("".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text"))
    keys = {
        "heat-maps": ("figure.axis.query", "figure.axis.key"),
        "score-distribution": ("figure.score_distribution.x", "figure.score_distribution.y"),
        "entropy": ("figure.entropy.y", "figure.axis.head"),
        "gradient": ("figure.gradient.trace", "figure.axis.head"),
        "jacobian": ("figure.jacobian.x", "figure.jacobian.y"),
        "row-weights": ("figure.axis.key", "figure.stage.weights"),
    }
    for key in keys[figure]:
        assert locale.text("en", key) in words
    if figure == "heat-maps":
        for head in (1, 2, 3):
            assert locale.text("en", "figure.head", head=head) in words
        assert "고양이" in words
        assert "< b >" in words  # the tokens of <b>, as text
        assert root.find(".//{http://www.w3.org/2000/svg}b") is None


def lines(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


def test_the_statistics_in_csv_are_those_of_the_result(page: Page, result: AttentionResult) -> None:
    found = lines(saved(page, "#take-rows", "headlight-rows.csv"))
    h, n, _ = result.weights.shape
    assert [(int(line["head"]), int(line["query"])) for line in found] == [
        (head + 1, row) for head in range(h) for row in range(n)
    ]
    for column, numbers in {
        "entropy_nats": result.entropy,
        "effective_keys": result.effective_keys,
        "jacobian_norm": result.jacobian_norm,
        "jacobian_trace": result.jacobian_trace,
        "largest_weight": result.largest_weight,
        "ceiling_nats": result.ceiling.expand(h, n),
    }.items():
        seen = np.array([line[column] for line in found], np.float32).reshape(h, n)
        np.testing.assert_array_equal(seen, numbers.numpy(), err_msg=column)
    assert [line["token"] for line in found[:n]] == [
        token if token[0] not in "=+" else "'" + token for token in result.tokens or ()
    ]


def test_the_cells_in_csv_are_those_of_the_result(page: Page, result: AttentionResult) -> None:
    found = lines(saved(page, "#take-cells", "headlight-cells.csv"))
    for column, numbers in {"score": result.scores, "scaled": result.scaled, "weight": result.weights}.items():
        seen = np.array([line[column] for line in found], np.float32).reshape(tuple(numbers.shape))
        np.testing.assert_array_equal(seen, numbers.numpy(), err_msg=column)
    allowed = np.array([line["allowed"] == "1" for line in found]).reshape(tuple(result.weights.shape))
    assert result.mask is not None
    np.testing.assert_array_equal(allowed, result.mask.expand(3, -1, -1).numpy())


def test_the_tensors_in_npz_are_those_of_the_result(page: Page, result: AttentionResult) -> None:
    file = np.load(io.BytesIO(saved(page, "#take-npz", "headlight.npz")), allow_pickle=False)
    for name in ("Q", "K", "V", "scores", "weights", "output", "entropy", "jacobian_norm", "score_variance"):
        tensor = getattr(result, name)
        assert isinstance(tensor, torch.Tensor)
        np.testing.assert_array_equal(file[name], tensor.numpy(), err_msg=name)
    assert file["tokens"].tolist() == list(result.tokens or ())


@pytest.fixture
def offline_page(page: Page, chromium: Browser, tmp_path: Path) -> Iterator[tuple[Page, list[str]]]:
    """Open the downloaded page from the disk without a network; collect its requests and errors."""
    place = tmp_path / "headlight.html"
    place.write_bytes(saved(page, "#take-html", "headlight.html"))
    context = chromium.new_context(offline=True)
    opened = context.new_page()
    noise: list[str] = []
    opened.on("request", lambda sent: noise.append(sent.url) if sent.url != place.as_uri() else None)
    opened.on("console", lambda message: noise.append(message.text))
    opened.on("pageerror", lambda error: noise.append(str(error)))
    opened.goto(place.as_uri())
    yield opened, noise
    context.close()


def test_the_page_for_offline_draws_and_hovers(
    offline_page: tuple[Page, list[str]], page: Page, result: AttentionResult
) -> None:
    opened, noise = offline_page
    opened.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .main-svg').length >= 5")
    assert opened.locator(".js-plotly-plot").count() == len(drawn.FIGURES)
    seen = opened.evaluate(
        """() => [...document.querySelector(".js-plotly-plot")._fullData].filter((trace) => trace.type === "heatmap")
          .map((trace) => trace.z.map((row) => [...row].map((cell) => (Number.isFinite(cell) ? cell : null))))"""
    )
    assert result.mask is not None
    wanted = torch.where(result.mask, result.weights, torch.nan).numpy()
    np.testing.assert_array_equal(np.array(seen, np.float32), wanted)
    opened.locator(".js-plotly-plot .nsewdrag").first.hover(position={"x": 8, "y": 60})
    label = opened.locator(".hoverlayer .hovertext")
    label.first.wait_for()
    assert re.search(r"\d", label.first.text_content() or "")
    assert opened.locator("main a").count() == 0
    assert opened.locator("main code").first.inner_text() == "?" + query(CONFIG, ROW)
    assert "127.0.0.1" not in opened.content()
    assert noise == []


def pasted(page: Page) -> str:
    """Return what Ctrl+V puts into a box."""
    page.evaluate(
        """() => {
          const box = Object.assign(document.createElement("textarea"), { id: "pasted" });
          document.body.append(box);
          box.focus();
        }"""
    )
    page.keyboard.press("ControlOrMeta+v")
    page.wait_for_function("() => document.getElementById('pasted').value")
    return page.locator("#pasted").input_value()


def wait_status(page: Page, sentence: str) -> None:
    """Wait until the line below the buttons says this."""
    page.wait_for_function(
        "(wanted) => document.querySelector('#take-away .said').textContent === wanted", arg=sentence
    )


def test_a_script_says_which_file_it_needs(open_page: Callable[..., Page]) -> None:
    """Planted structure is not drawn in the script: it loads the page's own tensors, with numpy."""
    structured = AttentionConfig(source="structured", n=6, h=1, d_k=4)
    page = open_page(query(structured, View()), permissions=["clipboard-read", "clipboard-write"])
    controls.press(page, "#take-snippet")
    wait_status(page, locale.text("en", "export.snippet_copied_file"))
    code = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n")
    assert code.endswith(snippet(structured))


def test_code_and_link_are_copied(page: Page, app_url: str) -> None:
    controls.press(page, "#take-snippet")
    wait_status(page, locale.text("en", "export.snippet_copied"))
    code = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n")
    origin, needs, rest = code.partition("# needs ")
    assert needs + rest == snippet(CONFIG)
    assert origin.startswith(f"# link: ?{query(CONFIG, ROW)}\n# seed: 0\n# headlight: {__version__}\n")
    compile(code, "snippet.py", "exec")
    controls.press(page, "#take-link")
    wait_status(page, locale.text("en", "export.link_copied"))
    assert page.evaluate("navigator.clipboard.readText()") == f"{app_url}?{query(CONFIG, ROW)}"


def test_both_are_copied_without_the_clipboard_api(open_page: Callable[..., Page], app_url: str) -> None:
    page = open_page("n=12&h=3", init_script=NO_CLIPBOARD)
    controls.press(page, "#take-link")
    wait_status(page, locale.text("en", "export.link_copied"))
    assert pasted(page) == f"{app_url}?n=12&h=3"


def test_where_nothing_can_be_copied_the_text_is_there_to_copy(open_page: Callable[..., Page], app_url: str) -> None:
    page = open_page("n=12&h=3", init_script=NO_COPYING)
    for button, text in (("link", f"{app_url}?n=12&h=3"), ("snippet", "# link: ?n=12&h=3\n")):
        controls.press(page, f"#take-{button}")
        wait_status(page, locale.text("en", "export.copy_by_hand"))
        box = page.locator("#take-away .fallback")
        assert box.is_visible()
        whole = box.input_value()
        assert whole.startswith(text)
        assert whole.endswith(snippet(AttentionConfig(n=12, h=3)) if button == "snippet" else text)
        assert page.evaluate("document.activeElement.className") == "fallback"
        selected = page.evaluate("document.activeElement.selectionEnd - document.activeElement.selectionStart")
        assert selected == len(whole)


def test_a_link_restores_what_was_copied(open_page: Callable[..., Page], page: Page) -> None:
    again = open_page(query(CONFIG, ROW))
    assert drawn.wait_painted(again) == drawn.wait_painted(page) == query(CONFIG, ROW)
    for mine, theirs in zip(drawn.panels(again), drawn.panels(page), strict=True):
        np.testing.assert_array_equal(mine.pixels, theirs.pixels)
