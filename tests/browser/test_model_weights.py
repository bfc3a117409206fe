"""The visitor's own weights on the page Model: chosen from a file, shown, kept over a reload, and left again."""

import base64
import io
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import shipped_model
from tests.browser.modelled import SHARES, TEXT, painted, pressed, require_shaded, shown
from visualiser.locale import text
from visualiser.models.file_weights import read_file
from visualiser.upload.weights import MOST_TOKENS

TOKENS = ["<s>", " The", " <b>cat</b>", " sat", "\n"]
REFUSALS = [r"status of 422"]


def weights() -> np.ndarray:
    found = np.tril(np.random.default_rng(3).random((2, 3, 5, 5), dtype=np.float32) + 0.05)
    return found / found.sum(-1, keepdims=True)


def npz(**arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def choose(page: Page, name: str, content: bytes) -> None:
    page.locator("#weights-file").set_input_files({"name": name, "mimeType": "", "buffer": content})


def require_row(page: Page, layer: int, head: int, row: int) -> None:
    expected = [72 * float(one) ** 0.5 for one in weights()[layer - 1, head - 1, row]]
    assert page.evaluate(SHARES) == pytest.approx(expected, abs=0.05)


def test_weights_of_a_file_are_shown_and_stay_over_a_reload(open_page: Callable[..., Page]) -> None:
    page = open_page("page=model&lang=en", painted=False, expected_errors=REFUSALS)
    painted(page)
    choose(page, "scores.npz", npz(scores=-weights()))
    said = page.locator("#weights-file-said")
    expect(said).to_have_text(text("en", "error.weights_file_values", name="layer.1"))
    assert "model=" not in shown(page)

    body = npz(attentions=weights(), tokens=np.array(TOKENS))
    name = read_file("mine.npz", body, MOST_TOKENS).name
    choose(page, "mine.npz", body)
    painted(page, model=name)
    expect(said).to_have_text(text("en", "weights.read", name="mine.npz", layers=2, h=3, n=5))
    assert page.locator("#model-text .token").all_inner_texts() == ["<s>", " The", " <b>cat</b>", " sat", "⏎"]
    assert page.locator(".small-maps button").count() == 6
    expect(page.locator(".models-chosen")).to_have_text(text("en", "model.name.weights_file"))
    for control in ("text", "over", "cost", "key_figure", "changes"):
        expect(page.locator(f"#control-{control}")).to_be_hidden()

    page.locator('.small-maps button[data-head="2.3"]').click()
    painted(page, model=name, layer="2", head="3")
    page.locator("#model-text .token").nth(3).click()
    painted(page, model=name, layer="2", head="3", row="3")
    require_row(page, 2, 3, 3)

    expect(page).to_have_url(re.compile("row=3"))  # the address follows once the picture has rested
    page.reload()
    painted(page, model=name, layer="2", head="3", row="3")
    assert pressed(page) == ["2.3"]
    require_row(page, 2, 3, 3)

    page.locator("#control-model label").first.click()
    painted(page, model=None, layer=None)
    require_shaded(page, shipped_model("headlight").run(TEXT), 1, 1, 19)
    expect(page.locator("#control-text")).to_be_visible()
    expect(said).to_be_empty()


def test_a_link_without_the_file_says_how_to_choose_it_again(open_page: Callable[..., Page]) -> None:
    page = open_page(f"page=model&lang=en&model=weights-file@{'0' * 24}&layer=2&head=3", painted=False)
    painted(page, model=None)
    used = text("en", "model.name.headlight")
    expect(page.locator("#message")).to_contain_text(text("en", "notice.no_weights", used=used))


_DRAG = """([kind, name, content]) => {
  const carried = new DataTransfer();
  if (name) carried.items.add(new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name));
  else carried.setData("text/plain", "a text");
  const at = document.getElementById("figure-head-map");
  const event = new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true });
  at.dispatchEvent(event);
  return event.defaultPrevented;
}"""


def test_a_file_is_dropped_anywhere_on_the_page(open_page: Callable[..., Page]) -> None:
    page = open_page("page=model&lang=en", painted=False)
    painted(page)
    body = npz(attentions=weights(), tokens=np.array(TOKENS))
    file = ["mine.npz", base64.b64encode(body).decode()]
    hint = page.get_by_text(text("en", "weights.drop"))
    assert page.evaluate(_DRAG, ["dragenter", "", ""]) is False
    expect(hint).to_be_hidden()
    page.evaluate(_DRAG, ["dragenter", *file])
    expect(hint).to_be_visible()
    assert page.evaluate(_DRAG, ["dragover", *file])
    assert page.evaluate(_DRAG, ["drop", *file])
    expect(hint).to_be_hidden()
    painted(page, model=read_file("mine.npz", body, MOST_TOKENS).name)
    expect(page.locator("#weights-file-said")).to_have_text(
        text("en", "weights.read", name="mine.npz", layers=2, h=3, n=5)
    )
