"""Two visitors at once: neither sees the other's state, upload or language."""

import io
from collections.abc import Callable

import numpy as np
import torch
from playwright.sync_api import Page, Request

from attention_core import AttentionConfig, AttentionInputs, compute
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows, assert_result
from visualiser import locale
from visualiser.server.admission.clients import client_of
from visualiser.state.view import View


def upload(page: Page, seed: int, h: int, n: int) -> AttentionInputs:
    """Upload a file of random numbers and return them."""
    generator = np.random.default_rng(seed)
    arrays = {name: generator.standard_normal((h, n, 3)).astype(np.float32) for name in "QKV"}
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    controls.choose(page, "source", "upload")
    content = stream.getvalue()
    page.locator("#upload-file").set_input_files({"name": "own.npz", "mimeType": "", "buffer": content})
    Q, K, V = (torch.from_numpy(arrays[name]) for name in "QKV")
    return AttentionInputs(Q, K, V)


def assert_draws(page: Page, config: AttentionConfig, inputs: AttentionInputs) -> None:
    assert_result(page, compute(config, inputs, device="cpu"), View())


def test_interleaved_updates_stay_apart(open_page: Callable[..., Page]) -> None:
    first, second = open_page("n=12&h=3&lang=en"), open_page("n=7&h=2&mask=causal&lang=ko")
    english, korean = AttentionConfig(n=12, h=3), AttentionConfig(n=7, h=2, mask="causal")
    assert_page_shows(first, english, chosen_language=True)
    assert_page_shows(second, korean, View(lang="ko"), chosen_language=True)
    for step, (mine, theirs) in enumerate([(5, 60), (70, 8), (300, 302)]):
        controls.slide(first, "d_k", mine)
        controls.slide(second, "d_k", theirs)
        if step == 1:
            controls.choose(first, "scaling", "none")
            controls.slide(second, "h", 3)
    assert_page_shows(second, AttentionConfig(n=7, h=3, d_k=302, mask="causal"), View(lang="ko"), chosen_language=True)
    assert_page_shows(first, AttentionConfig(n=12, h=3, d_k=300, scaling="none"), chosen_language=True)
    for page, lang in ((first, "en"), (second, "ko")):
        assert page.locator("#title-entropy").inner_text() == locale.text(lang, "figure.entropy.title")
        assert page.locator("html").get_attribute("lang") == lang


def test_two_uploads_stay_apart(open_page: Callable[..., Page]) -> None:
    first, second = open_page(), open_page("lang=ko")
    mine, theirs = upload(first, 1, 3, 5), upload(second, 2, 2, 7)
    drawn.wait_painted(first, "source=upload")
    drawn.wait_painted(second, "source=upload&lang=ko")
    assert_draws(first, AttentionConfig(source="upload"), mine)
    assert_draws(second, AttentionConfig(source="upload"), theirs)
    controls.choose(first, "scaling", "none")
    controls.choose(second, "mask", "causal")
    drawn.wait_painted(first, "scaling=none&source=upload")
    drawn.wait_painted(second, "mask=causal&source=upload&lang=ko")
    assert_draws(first, AttentionConfig(source="upload", scaling="none"), mine)
    assert_draws(second, AttentionConfig(source="upload", mask="causal"), theirs)
    # The first visitor's link brings none of their tensors, and nothing of it stays on the server.
    third = open_page("scaling=none&source=upload")
    assert third.locator("#message .notices").inner_text() == locale.text("en", "notice.no_upload")
    assert_page_shows(third, AttentionConfig(scaling="none"))


def test_every_request_names_its_tab_and_no_two_tabs_share_a_name(open_page: Callable[..., Page]) -> None:
    named: list[str | None] = []

    def asked(sent: Request) -> None:
        if sent.method == "POST" and "/headlight/" in sent.url:
            named.append(sent.headers.get("x-headlight-tab"))

    def name() -> str:
        """Return the tab's name, the same in all its requests since the last call."""
        (one,) = set(named)
        named.clear()
        assert one is not None
        return one

    page = open_page("n=12&h=3")
    page.context.on("request", asked)
    page.reload()
    drawn.wait_painted(page)
    controls.slide(page, "d_k", 40)
    drawn.wait_painted(page, "n=12&h=3&d_k=40")
    assert len(named) > 1
    names = [name()]
    page.reload()
    drawn.wait_painted(page)
    names.append(name())
    other = page.context.new_page()
    other.goto(page.url)
    drawn.wait_painted(other)
    names.append(name())
    assert len(set(names)) == 3
    assert [client_of({"headers": [(b"x-headlight-tab", one.encode())]}).tab for one in names] == names
