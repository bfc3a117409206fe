"""A vision model on the page: what a patch reads lies over the picture, and the picture is the visitor's to choose."""

import base64
import io
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest
import torch
from gradio_client import Client
from gradio_client.exceptions import AppError
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page, Position, expect

from attention_core.learned import Given, ModelRun, Picture
from attention_core.models import ModelFolder
from tests.attention_core.models.small_pictures import write
from tests.browser import printed
from tests.browser.controls import reveal
from tests.browser.modelled import loaded, painted, pressed
from tests.browser.served import FLEETING, serving
from visualiser import locale
from visualiser.locale import LANGUAGES, text
from visualiser.models.pictures import shipped_picture
from visualiser.theme import WEIGHTS

GREY = np.full((60, 60, 3), 200, dtype=np.uint8)
"""A picture of the visitor's in one colour: what is painted over it is the weights' alone."""
SIDE = 5
CLASS = 0
PATCHES = SIDE * SIDE
REFUSALS = [r"status of 422"]

_COLOURS = """([rows, columns, within]) => {
  const canvas = document.querySelector(".picture-canvas");
  const brush = canvas.getContext("2d");
  const side = Math.min(canvas.width, canvas.height);
  const [left, top] = [(canvas.width - side) / 2, (canvas.height - side) / 2];
  return Array.from({ length: rows * columns }, (_, at) => [...brush.getImageData(
    Math.floor(left + ((at % columns) + within) * side / columns),
    Math.floor(top + (Math.floor(at / columns) + within) * side / rows), 1, 1,
  ).data].slice(0, 3));
}"""
"""The colour at one place of each patch of a square picture."""

_SMALL = """([head, rows, columns]) => {
  const canvas = document.querySelector(`.small-maps [data-head="${head}"] canvas`);
  const brush = canvas.getContext("2d");
  return Array.from({ length: rows * columns }, (_, at) => [...brush.getImageData(
    Math.floor(((at % columns) + 0.5) * canvas.width / columns),
    Math.floor((Math.floor(at / columns) + 0.5) * canvas.height / rows), 1, 1,
  ).data].slice(0, 3));
}"""

_GIVE = """([way, name, content]) => {
  const file = new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name);
  const carried = new DataTransfer();
  carried.items.add(file);
  if (way === "drop") {
    const figure = document.getElementById("figure-head-picture");
    figure.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
  } else {
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: carried, bubbles: true, cancelable: true }));
  }
}"""

_HOLD_PICTURES = """() => {
  const { decode } = HTMLImageElement.prototype;
  const { abort } = AbortController.prototype;
  AbortController.prototype.abort = () => {};  // an answer is not given up because this machine is slow
  window.waiting = [];
  HTMLImageElement.prototype.decode = async function () {
    await new Promise((resolve) => window.waiting.push(resolve));
    return decode.call(this);
  };
  window.goOn = () => {
    HTMLImageElement.prototype.decode = decode;
    for (const one of window.waiting) one();
  };
  const other = document.querySelectorAll(".picture-choices button")[1];
  new MutationObserver(() => {
    window.seen ||= other.getAttribute("aria-pressed") === "true";
    if (window.seen) AbortController.prototype.abort = abort;
  }).observe(other, { attributeFilter: ["aria-pressed"] });
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    for name in ("vit", "swin"):
        write(root, name)
    return root


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(None, FLEETING, HEADLIGHT_MODELS=str(folder)) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    """Open a page of that server with the first model loaded."""
    link = "page=model&lang=en&model=vit&layer=2&head=3"
    found = open_module_page(link, painted=False, url=url, expected_errors=REFUSALS)
    expect(found.locator("#control-text")).to_be_hidden()
    found.locator(".picture-choices button").nth(1).click()
    found.wait_for_function("() => new URLSearchParams(location.search).get('pictures') === 'cat'")
    cat = found.locator(".picture-choices button[aria-pressed=true]")
    expect(cat).to_have_accessible_name(text("en", "picture.cat"))
    found.locator(".picture-choices button").first.click()
    loaded(found, "head-picture", model="vit")
    return found


@pytest.fixture(scope="module")
def run(folder: Path) -> Callable[[str, str], ModelRun]:
    """Return what a model of the folder makes of a shipped picture, or of the grey one."""

    @cache
    def found(model: str, picture: str) -> ModelRun:
        shown = Picture("own", torch.from_numpy(GREY)) if picture == "own" else shipped_picture(picture)
        return ModelFolder(folder).load(model).run(Given(pictures=(shown,)))

    return found


def png(pixels: NDArray[np.uint8]) -> bytes:
    made = io.BytesIO()
    Image.fromarray(pixels).save(made, format="PNG")
    return made.getvalue()


def give(page: Page, way: str, name: str, content: bytes) -> None:
    """Hand over a file as a visitor does."""
    if way == "choose":
        page.locator("#picture-file").set_input_files({"name": name, "mimeType": "", "buffer": content})
    else:
        page.evaluate(_GIVE, [way, name, base64.b64encode(content).decode()])


def colours_over(shares: NDArray[np.float32], under: float) -> NDArray[np.float64]:
    """Return the colours of patches with these shares of the largest weight over a grey: patches × 3."""
    stops = [float(stop) for stop, _ in WEIGHTS]
    parts = np.array([[int(str(colour)[at : at + 2], 16) for at in (1, 3, 5)] for _, colour in WEIGHTS])
    ink = np.stack([np.interp(shares, stops, parts[:, part]) for part in range(3)], -1)
    thick = (60 + 165 * np.sqrt(shares))[:, None] / 255
    return thick * ink + (1 - thick) * under


def require_painted(page: Page, weights: torch.Tensor) -> None:
    """Require that the patches of the grey picture have the colours of these weights."""
    patches = weights[CLASS + 1 :].numpy()
    expected = colours_over(patches / patches.max(), GREY[0, 0, 0] / 2)
    drawn = np.array(page.evaluate(_COLOURS, [SIDE, SIDE, 0.5]))
    np.testing.assert_allclose(drawn, expected, atol=3)


def said(page: Page, key: str, /, **facts: str) -> None:
    expect(page.locator("#picture-said")).to_have_text(text("en", key, **facts))


def spot(page: Page, rows: int, row: int, column: int) -> Position:
    """Return where a patch of a square picture lies on the stage."""
    box = page.locator(".picture-stage").bounding_box()
    assert box is not None
    side = min(box["width"], box["height"])
    left, top = (box["width"] - side) / 2, (box["height"] - side) / 2
    return {"x": left + (column + 0.5) * side / rows, "y": top + (row + 0.5) * side / rows}


def best(line: torch.Tensor, run: ModelRun, layer: int) -> dict[str, str]:
    at = int(line.argmax())
    return {"key": run.queries(layer).tokens[at], "weight": locale.number(float(line[at]))}


@pytest.mark.parametrize("way", ["choose", "drop", "paste"])
def test_an_own_picture_is_taken_and_the_weights_lie_over_its_patches(
    page: Page, run: Callable[[str, str], ModelRun], way: str
) -> None:
    page.locator(".picture-choices button").first.click()
    painted(page, "head-picture", pictures=None)
    give(page, way, "grey.png", png(GREY))
    painted(page, "head-picture", "model-heads", pictures="own")
    status = text("en", "picture.read", name="grey.png", width=60, height=60)
    expect(page.locator("#picture-file-said")).to_have_text(status)
    found = run("vit", "own")
    weights = found.layers[1].weights[2, CLASS]
    require_painted(page, weights)
    token = page.locator(".picture-special button")
    expect(token).to_have_text(f"[CLS] {locale.number(float(weights[CLASS]))}")
    expect(token).to_have_attribute("aria-pressed", "true")
    said(page, "model.patch_reads", query="[CLS]", **best(weights, found, 2))


def test_an_answer_from_before_the_file_leaves_what_is_said_of_it(page: Page) -> None:
    page.locator(".picture-choices button").first.click()
    painted(page, "head-picture", pictures=None)
    give(page, "choose", "grey.png", png(GREY))
    painted(page, "head-picture", "model-heads", pictures="own")
    page.evaluate(_HOLD_PICTURES)
    page.locator(".picture-choices button").nth(1).click()
    page.wait_for_function("() => window.waiting.length === 1")  # the answer is there, its picture is not
    give(page, "choose", "grey.png", png(GREY))
    status = text("en", "picture.read", name="grey.png", width=60, height=60)
    expect(page.locator("#picture-file-said")).to_have_text(status)
    page.evaluate("() => window.goOn()")
    page.wait_for_function("() => window.seen")  # the answer from before is shown
    painted(page, "head-picture", "model-heads", pictures="own")
    expect(page.locator(".picture-choices button[aria-pressed=true]")).to_have_count(0)
    expect(page.locator("#picture-file-said")).to_have_text(status)


@pytest.mark.parametrize("way", ["choose", "drop", "paste"])
def test_what_is_no_picture_is_refused_in_a_sentence_and_changes_nothing(page: Page, way: str) -> None:
    page.wait_for_function(  # the address follows what is painted
        """() => {
          const { painted } = document.getElementById("figure-head-picture").dataset;
          const [there, shown] = [location.search, painted].map((one) => new URLSearchParams(one).get("pictures"));
          return there === shown;
        }"""
    )
    standing = page.evaluate("() => [location.search, document.getElementById('figure-head-picture').dataset.painted]")
    give(page, way, "picture.png", b"<svg onload='alert(1)'></svg>")
    expect(page.locator("#picture-file-said")).to_have_text(text("en", "error.picture_format"))
    give(page, way, "cut.png", png(GREY)[:-30])
    expect(page.locator("#picture-file-said")).to_have_text(text("en", "error.picture_unreadable"))
    assert standing == page.evaluate(
        "() => [location.search, document.getElementById('figure-head-picture').dataset.painted]"
    )


def test_a_pointed_patch_shows_what_it_reads_who_reads_it_and_a_press_keeps_it(
    page: Page, run: Callable[[str, str], ModelRun]
) -> None:
    give(page, "choose", "grey.png", png(GREY))
    painted(page, "head-picture", pictures="own", row=None)
    found = run("vit", "own")
    weights = found.layers[1].weights[2]
    stage, at = page.locator(".picture-stage"), CLASS + 1 + 3 * SIDE + 1
    stage.hover(position=spot(page, SIDE, 3, 1))
    said(page, "model.patch_reads", query="4·2", **best(weights[at], found, 2))
    require_painted(page, weights[at])
    page.get_by_role("button", name=text("en", "model.read_by")).click()
    stage.hover(position=spot(page, SIDE, 0, 4))
    last = weights[:, CLASS + 5]
    said(page, "model.patch_read_by", query="1·5", **best(last, found, 2))
    require_painted(page, last)
    expect(page.locator(".picture-special button")).to_have_text(f"[CLS] {locale.number(float(last[CLASS]))}")
    page.get_by_role("button", name=text("en", "model.reads_what")).click()
    stage.click(position=spot(page, SIDE, 3, 1))
    painted(page, "head-picture", "model-heads", row=str(at))
    page.locator(".small-maps").hover()
    said(page, "model.patch_reads", query="4·2", **best(weights[at], found, 2))
    for layer, head in ((1, 2), (2, 3)):
        patches = found.layers[layer - 1].weights[head - 1, at, CLASS + 1 :].numpy()
        drawn = np.array(page.evaluate(_SMALL, [f"{layer}.{head}", SIDE, SIDE]))
        np.testing.assert_allclose(drawn, colours_over(patches / patches.max(), GREY[0, 0, 0] / 2), atol=3)
    stage.click(position=spot(page, SIDE, 3, 1))
    painted(page, "head-picture", row=None)


def test_keys_move_the_frame_and_a_small_picture_chooses_its_head(
    page: Page, run: Callable[[str, str], ModelRun]
) -> None:
    page.locator(".picture-stage").focus()
    page.keyboard.press("ArrowDown")  # from the class token to the middle
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    painted(page, "head-picture", row=str(CLASS + 1 + 2 * SIDE + 3))
    page.locator(".small-maps [data-head='1.2']").click()
    painted(page, "head-picture", layer=None, head="2")
    for name in ("explore", "anatomy", "map"):
        there = page.locator(f"#figure-head-picture .open-in a[data-page={name}]")
        expect(there).to_be_visible()
        link = parse_qs((there.get_attribute("href") or "").partition("?")[2])
        assert (link["model"], link["head"], link["pictures"]) == (["vit"], ["2"], ["own"])
        assert "text" not in link
    assert pressed(page) == ["1.2"]
    found = run("vit", "own")
    said(page, "model.patch_reads", query="3·4", **best(found.layers[0].weights[1, 14], found, 1))


def test_before_a_model_is_loaded_its_kind_of_input_is_asked_for(open_page: Callable[..., Page], url: str) -> None:
    page = open_page("page=model&lang=en&model=swin", url=url, painted=False, viewport={"width": 390, "height": 844})
    page.locator("#run-start").wait_for(state="attached")
    names = page.locator(".control-names button:visible")
    expect(names.first).to_have_text(text("en", "control.pictures.label"))
    assert text("en", "control.text.label") not in names.all_inner_texts()
    page.locator(".control-names [aria-controls=control-model]").click()
    page.locator("#control-model input[value=headlight]").check()
    painted(page, "head-map", model=None)
    expect(names.first).to_have_text(text("en", "control.text.label"))
    assert text("en", "control.pictures.label") not in names.all_inner_texts()


def test_a_print_and_a_file_hold_the_picture(page: Page) -> None:
    sheets = printed.pages(page, "A4")
    assert printed.holds(sheets[1], text("en", "figure.head_picture.title"))  # the first has all heads
    assert "vit" in sheets[0]
    button = reveal(page, "#figure-head-picture .tool[data-format=png]")
    with page.expect_download() as download:
        button.click()
    with Image.open(download.value.path()) as saved:
        assert len(np.unique(np.asarray(saved.convert("RGB")).reshape(-1, 3), axis=0)) > PATCHES


def test_windows_are_said_and_the_text_of_a_page_stays_away(
    page: Page, url: str, run: Callable[[str, str], ModelRun]
) -> None:
    for lang in LANGUAGES:  # the first loads the model
        require_windows(page, url, run, lang)


def require_windows(page: Page, url: str, run: Callable[[str, str], ModelRun], lang: str) -> None:
    page.goto(f"{url}?page=model&lang={lang}&model=swin&layer=2&head=2&row=21&pictures=cat")
    loaded(page, "head-picture", model="swin", layer="2")
    found = run("swin", "cat")
    windows = found.windows[1]
    assert windows is not None
    ((number, place),) = (windows == 21).nonzero().tolist()
    weights = found.layers[1].weights[number, 1, place]
    shown = {"query": "2·2", "key": found.queries(2).tokens[int(windows[number, int(weights.argmax())])]}
    sentences = [
        text(lang, "model.patch_reads", **shown, weight=locale.number(float(weights.max()))),
        text(lang, "model.in_shifted_window", side=4, shift=2),
    ]
    expect(page.locator("#picture-said")).to_have_text(" · ".join(sentences))
    expect(page.locator("#insight")).to_contain_text(
        text(lang, "model.window_shifted", layer=2, side=4, shift=2).split("<")[0][:12]
    )
    for absent in ("#figure-head-map", "#figure-head-row", "#model-text", "#control-text"):
        expect(page.locator(absent)).to_be_hidden()
    expect(page.locator(".picture-choices button[aria-pressed=true]")).to_have_accessible_name(
        text(lang, "picture.cat")
    )


def test_a_program_reads_a_named_picture_and_is_refused_in_words(url: str, run: Callable[[str, str], ModelRun]) -> None:
    client = Client(url, verbose=False)
    try:
        answer = client.predict(model="vit", pictures="poster", layer=2, head=3, row=7, api_name="/model")
        found = run("vit", "poster")
        assert answer["tokens"] == list(found.lines[0].tokens)
        assert answer["weights"] == pytest.approx(found.layers[1].weights[2, 7].tolist())
        assert answer["keys"] is None
        answer = client.predict(model="swin", pictures="cat", layer=2, head=2, row=21, api_name="/model")
        found, windows = run("swin", "cat"), run("swin", "cat").windows[1]
        assert windows is not None
        ((number, place),) = (windows == 21).nonzero().tolist()
        assert answer["keys"] == windows[number].tolist()
        assert answer["weights"] == pytest.approx(found.layers[1].weights[number, 1, place].tolist())
        refused = (
            ("dog", r"pictures must be some of lighthouse, cat, poster, own\."),
            ("own", r"The picture own is the visitor's, and none came with the request\."),
        )
        for pictures, sentence in refused:
            with pytest.raises(AppError, match=sentence):
                client.predict(model="vit", pictures=pictures, api_name="/model")
        with pytest.raises(AppError, match=r"row must be between -1 and 25, got 26\."):
            client.predict(model="vit", row=26, api_name="/model")
    finally:
        client.close()
