"""The visitor's own sound on the page Model: chosen, dropped, refused in words, kept over a change of language."""

import base64
import io
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import Given
from attention_core.models import ModelFolder
from tests.attention_core.models.small_folders import write, write_whisper
from tests.browser import controls
from tests.browser.modelled import loaded, painted
from tests.browser.served import FLEETING, serving
from visualiser.locale import text
from visualiser.upload.sounds import canonical_sound, read_sound

LAYER, HEAD = 7, 2
REFUSALS = [r"status of 422"]

_DROP = """([name, content]) => {
  const file = new File([Uint8Array.from(atob(content), (one) => one.charCodeAt(0))], name);
  const carried = new DataTransfer();
  carried.items.add(file);
  const box = document.querySelector(".sound-control");
  box.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""
_LINES = """() => [...document.querySelectorAll(".joined-links path")].map(({ dataset }) =>
  [Number(dataset.query), Number(dataset.key)])"""


def wav(seconds: float, rate: int = 16_000, hertz: float = 500) -> bytes:
    file = io.BytesIO()
    at = np.arange(round(seconds * rate)) / rate
    with wave.open(file, "wb") as opened:
        opened.setnchannels(1)
        opened.setsampwidth(2)
        opened.setframerate(rate)
        opened.writeframes((8000 * np.sin(2 * np.pi * hertz * at)).astype("<i2").tobytes())
    return file.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("models")
    write(root, "bart")
    write_whisper(root)
    return root


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(None, FLEETING, HEADLIGHT_MODELS=str(folder)) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    query = f"page=model&lang=en&model=whisper&layer={LAYER}&head={HEAD}&target=the cat sees"
    page = open_module_page(query, painted=False, url=url, expected_errors=REFUSALS)
    loaded(page, "model-heads", "head-map", model="whisper")
    return page


def choose(page: Page, name: str, content: bytes) -> None:
    page.locator("#sound-file").set_input_files({"name": name, "mimeType": "", "buffer": content})


def said(page: Page, sentence: str) -> None:
    expect(page.locator("#sound-file-said")).to_have_text(sentence)


def require_heard(page: Page, folder: Path, file: bytes) -> None:
    """Require that the lines are those of the model's run over what is kept of a file."""
    heard = read_sound("own", canonical_sound(read_sound("own", file)))
    weights = ModelFolder(folder).load("whisper").run(Given(target="the cat sees", sound=heard)).layers[LAYER - 1]
    expected = (weights.weights[HEAD - 1] >= 0.03).nonzero().tolist()
    page.mouse.move(1, 1)
    assert expected
    assert page.evaluate(_LINES) == expected


def test_a_file_is_heard_and_what_of_it_is_said(page: Page, folder: Path) -> None:
    heard = page.locator(".sound-heard")
    expect(page.locator(".sound-choices [aria-pressed=true]")).to_have_text(text("en", "sound.tones"))
    expect(heard).to_have_text(text("en", "sound.heard_cut", heard="2", stretch="2"))
    choose(page, "<b>a.wav", wav(1.25, 44_100))
    painted(page, "head-map", sound="own")
    said(page, text("en", "sound.read", name="<b>a.wav"))
    expect(heard).to_have_text(text("en", "sound.heard", heard="1.25", stretch="2"))
    expect(page.locator(".sound-choices [aria-pressed=true]")).to_have_count(0)
    require_heard(page, folder, wav(1.25, 44_100))
    page.locator(".sound-choices button").first.click()
    painted(page, "head-map", sound=None)
    page.evaluate(_DROP, ["b.wav", base64.b64encode(wav(2, hertz=900)).decode()])
    painted(page, "head-map", sound="own")
    expect(heard).to_have_text(text("en", "sound.heard_whole", heard="2", stretch="2"))
    require_heard(page, folder, wav(2, hertz=900))


def test_another_file_is_heard_though_the_link_stays(page: Page, folder: Path) -> None:
    before = page.evaluate(_LINES)
    choose(page, "c.wav", wav(0.5, hertz=200))
    expect(page.locator(".sound-heard")).to_have_text(text("en", "sound.heard", heard="0.5", stretch="2"))
    require_heard(page, folder, wav(0.5, hertz=200))
    assert page.evaluate(_LINES) != before


@pytest.mark.parametrize(
    ("content", "code", "facts"),
    [
        (b"nothing of a sound", "sound_format", {}),
        (wav(31, 8000), "sound_too_long", {"limit": 30}),
        (wav(0), "sound_empty", {}),
        (wav(0.1, 4000), "sound_rate", {"value": 4000, "low": 8000, "high": 96000}),
    ],
)
def test_a_file_that_is_none_is_refused_in_words_and_nothing_changes(
    page: Page, content: bytes, code: str, facts: dict[str, int]
) -> None:
    before = page.evaluate(_LINES)
    choose(page, "x.wav", content)
    said(page, text("en", f"error.{code}", **facts))
    assert page.evaluate(_LINES) == before


def test_a_large_file_is_refused_before_it_is_sent(page: Page) -> None:
    choose(page, "x.wav", bytes(8 * 2**20 + 1))
    said(page, text("en", "error.sound_too_large", came=8 * 2**20 + 1, limit=8 * 2**20))


def test_the_file_stays_over_a_change_of_language_and_over_another_model(page: Page, folder: Path) -> None:
    choose(page, "d.wav", wav(0.75, hertz=700))
    expect(page.locator(".sound-heard")).to_have_text(text("en", "sound.heard", heard="0.75", stretch="2"))
    controls.choose(page, "lang", "ko")
    painted(page, "head-map", lang="ko", sound="own")
    expect(page.locator(".sound-heard")).to_have_text(text("ko", "sound.heard", heard="0.75", stretch="2"))
    require_heard(page, folder, wav(0.75, hertz=700))
    choose(page, "x.wav", b"RIFF1234WAVE")
    said(page, text("ko", "error.sound_format"))
    controls.choose(page, "model", "bart")
    loaded(page, "head-map", model="bart")
    expect(page.locator(".sound-control")).to_be_hidden()
    controls.choose(page, "model", "whisper")
    painted(page, "head-map", model="whisper", sound="own")
    expect(page.locator(".sound-heard")).to_have_text(text("ko", "sound.heard", heard="0.75", stretch="2"))


def test_a_link_of_somebody_else_s_sound_says_so(page: Page, url: str, open_page: Callable[..., Page]) -> None:
    other = open_page(f"page=model&lang=en&model=whisper&layer={LAYER}&sound=own", painted=False, url=url)
    painted(other, "head-map", model="whisper", sound=None)
    expect(other.locator("#message")).to_contain_text(text("en", "notice.no_sound", used=text("en", "sound.tones")))
