"""Files made in the browser carry link, seed, versions and date, and no address of this machine."""

import csv
import io
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from PIL import Image, PngImagePlugin
from playwright.sync_api import Browser, Page

from attention_core import __version__
from tests.browser import controls
from visualiser.export import versions
from visualiser.locale import text

QUERIES = {
    "explore": "n=12&h=3&seed=5",
    "why": "page=why&n=13&seeds=2&seed=5",
    "anatomy": "page=anatomy&step=weights&seed=5",
}
FIGURES = {"explore": "entropy", "why": "sweep", "anatomy": "walk"}
SVG = "{http://www.w3.org/2000/svg}"
DATE = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture(scope="module", params=QUERIES)
def page(request: pytest.FixtureRequest, open_module_page: Callable[..., Page]) -> Page:
    opened = open_module_page(QUERIES[request.param], painted=request.param == "explore")
    opened.set_default_timeout(8000)
    opened.wait_for_function(
        "(name) => document.getElementById(`figure-${name}`)?.dataset.painted", arg=FIGURES[request.param]
    )
    return opened


def name_of(page: Page) -> str:
    return next((name for name in QUERIES if f"page={name}" in page.url), "explore")


def saved(page: Page, selector: str) -> bytes:
    with page.expect_download() as download:
        controls.press(page, selector)
    return Path(download.value.path()).read_bytes()


def picture(page: Page, kind: str) -> bytes:
    return saved(page, f"#figure-{FIGURES[name_of(page)]} .tool[data-format={kind}]")


def check(page: Page, origin: dict[str, str]) -> None:
    """Expect the origin of the page's state."""
    assert set(origin) == {"link", "seed", "headlight", "torch", "plotly", "date"}
    assert origin["link"].startswith("?")
    assert set(QUERIES[name_of(page)].split("&")) <= set(origin["link"][1:].split("&"))
    assert origin["seed"] == "5"
    assert (origin["headlight"], origin["torch"]) == (__version__, torch.__version__)
    assert origin["plotly"] == versions()["plotly"]
    assert DATE.fullmatch(origin["date"])


def texts(png: bytes) -> dict[str, str]:
    """Return the texts of a PNG; PIL checks every chunk's checksum."""
    image = Image.open(io.BytesIO(png))
    assert isinstance(image, PngImagePlugin.PngImageFile)
    image.load()
    return {keyword: str(value) for keyword, value in image.text.items()}


def words_below(svg: str) -> tuple[float, list[tuple[float, str]]]:
    """Return the width of a picture and the baselines and texts of the lines below it."""
    root = ElementTree.fromstring(svg)
    (ground,) = [one for one in root.findall(f"{SVG}rect") if one.get("fill") in ("#ffffff", "#0f172a")]
    top = float(ground.attrib["y"])
    found = [(float(one.attrib["y"]), one.text or "") for one in root.findall(f"{SVG}text") if "y" in one.attrib]
    return float(root.attrib["width"]), [(y, line) for y, line in found if y > top]


def test_the_wish_for_a_line_holds_for_every_figure_and_page_of_the_tab(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=1")
    ticked = "(all) => all.map((one) => one.checked)"
    controls.press(page, "#figure-entropy .lined input")
    boxes = page.locator(".lined input")
    assert set(boxes.evaluate_all(ticked)) == {True}
    page.goto(page.url.split("?")[0] + "?page=cost&lang=ko")
    page.wait_for_function("() => document.getElementById('figure-cost-time')?.dataset.painted")
    assert set(boxes.evaluate_all(ticked)) == {True}
    with page.expect_download() as download:
        controls.press(page, "#figure-cost-time .tool[data-format=svg]")
    width, lines = words_below(Path(download.value.path()).read_text(encoding="utf-8"))
    assert width == 1200
    assert "lang=ko" in lines[0][1]
    controls.press(page, "#figure-cost-memory .lined input")
    assert set(boxes.evaluate_all(ticked)) == {False}


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_line_below_a_narrow_picture_is_broken_and_not_cut(open_page: Callable[..., Page], lang: str) -> None:
    query = f"page=anatomy&step=weights&source=text&text={'wide+' * 5}&lang={lang}"
    page = open_page(query, painted=False, viewport={"width": 390, "height": 844}, has_touch=True)
    page.wait_for_function("() => document.getElementById('figure-walk')?.dataset.painted")
    controls.press(page, "#figure-walk .lined input")
    made = {kind: saved(page, f"#figure-walk .tool[data-format={kind}]") for kind in ("svg", "png")}
    width, lines = words_below(made["svg"].decode())
    assert width < 400
    assert len(lines) >= 3
    whole = " ".join(one for _, one in lines)
    assert all(f"{name}: " in whole for name in ("link", "seed", "headlight", "torch", "plotly", "date"))
    widths = page.evaluate(
        """(lines) => { const brush = document.createElement("canvas").getContext("2d");
          brush.font = "11px system-ui";
          return lines.map((one) => brush.measureText(one).width); }""",
        [one for _, one in lines],
    )
    assert max(widths) <= width - 24
    steps = [low - high for (high, _), (low, _) in itertools.pairwise(lines)]
    assert set(steps) == {14}
    picture = np.asarray(Image.open(io.BytesIO(made["png"])).convert("L"), int)
    below = picture[-2 * (26 + 14 * (len(lines) - 1)) :]
    inked = np.abs(below - below[0, 0]) > 60
    assert inked[:, :20].sum() == inked[:, -20:].sum() == 0, "letters reach no edge"
    for i in range(len(lines)):
        assert inked[2 * (26 - 10 + 14 * i) - 14 : 2 * (26 - 10 + 14 * i) + 2].sum() > 100


def test_a_png_has_it_in_text_chunks(page: Page) -> None:
    found = texts(picture(page, "png"))
    key = FIGURES[name_of(page)].replace("-", "_")
    assert found.pop("Title") == text("en", f"figure.{key}.title")
    found.pop("Description", None)
    check(page, found)


def test_an_svg_has_it_as_metadata(page: Page) -> None:
    content = picture(page, "svg").decode()
    assert "127.0.0.1" not in content
    root = ElementTree.fromstring(content)
    assert [child.tag for child in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}metadata"]
    check(page, json.loads(root.findtext(f"{SVG}metadata") or ""))


def test_a_line_of_the_state_stands_below_a_picture_on_wish(page: Page) -> None:
    plain = {kind: picture(page, kind) for kind in ("png", "svg")}
    tick = f"#figure-{FIGURES[name_of(page)]} .lined input"
    controls.press(page, tick)
    lined = {kind: picture(page, kind) for kind in ("png", "svg")}
    before, after = (np.asarray(Image.open(io.BytesIO(made["png"])).convert("RGB")) for made in (plain, lined))
    _, lines = words_below(lined["svg"].decode())
    room = 26 + 14 * (len(lines) - 1)
    assert after.shape[0] == before.shape[0] + 2 * room
    np.testing.assert_array_equal(after[: before.shape[0]], before)
    assert len(np.unique(after[before.shape[0] :].reshape(-1, 3), axis=0)) > 5  # letters on the ground
    check(page, {name: value for name, value in texts(lined["png"]).items() if name[0].islower()})
    old, new = (ElementTree.fromstring(made["svg"]) for made in (plain, lined))
    assert float(new.attrib["height"]) == float(old.attrib["height"]) + room
    assert f"headlight: {__version__};" in " ".join(one for _, one in lines)
    controls.press(page, tick)


@pytest.mark.parametrize("page", ["why", "anatomy"], indirect=True)  # the server makes Explore's files
def test_the_last_table_of_a_csv_file_is_its_origin(page: Page) -> None:
    lines = list(csv.reader(io.StringIO(saved(page, "#take-tables").decode("utf-8-sig"), newline="")))
    at = lines.index([text("en", "export.origin")])
    assert len([line for line in lines[at:] if line]) == 3
    check(page, dict(zip(lines[at + 1], lines[at + 2], strict=True)))


def test_an_offline_page_has_it_and_opens_from_a_file(page: Page, chromium: Browser, tmp_path: Path) -> None:
    place = tmp_path / "headlight.html"
    place.write_bytes(saved(page, "#take-html"))
    assert place.stat().st_size <= 1_500_000
    assert b"127.0.0.1" not in place.read_bytes()
    context = chromium.new_context(offline=True)
    opened = context.new_page()
    noise: list[str] = []
    opened.on("request", lambda sent: noise.append(sent.url) if sent.url != place.as_uri() else None)
    opened.on("console", lambda message: noise.append(message.text))
    opened.on("pageerror", lambda error: noise.append(str(error)))
    opened.goto(place.as_uri())
    names = ("link", "seed", "headlight", "torch", "plotly", "date")
    check(page, {name: opened.get_attribute(f'meta[name="headlight:{name}"]', "content") or "" for name in names})
    assert f"headlight: {__version__}; " in opened.locator("footer").inner_text()
    graphs = opened.locator("figure").count()
    if name_of(page) != "anatomy":  # whose figures are no plotly graphs
        assert graphs >= 4
        opened.wait_for_function(
            "(count) => document.querySelectorAll('.js-plotly-plot .main-svg:first-child').length === count", arg=graphs
        )
    assert opened.locator("a[href]").count() == 0
    assert noise == []
    context.close()
