"""English and Korean: by switch, by link, by the browser's own language, and complete."""

import re
from collections.abc import Callable

from playwright.sync_api import Page

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows
from visualiser.locale import text, texts
from visualiser.state.view import View

KEPT = (
    "Headlight English QKᵀ Q K V J H n h d_k d_v d_model PNG SVG CSV npz HTML PyTorch safetensors NaN MB Ctrl C "
    "float32 float16 bfloat16 w tanh W_q W_k W_Q W_K W_V W_O p q k N ln e F tr s Enter Escape API"
)
"""Names that Korean keeps in Latin letters: the paper's symbols, file formats, key names."""

_TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const foreign = "script, style, noscript, textarea, footer"; // the footer is gradio's
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.closest(foreign)) found.push(node.textContent);
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (!element.closest(foreign)) found.push(element.getAttribute(name));
    }
  }
  return found.map((text) => text.trim()).filter(Boolean);
}"""


def assert_language(page: Page, lang: str) -> None:
    """Expect the page's own words, gradio's labels and the document's `lang` in this language."""
    assert page.evaluate("document.documentElement.lang") == lang
    controls.wait_shown(page, lang=lang)
    own = texts(lang)
    assert page.locator("#figure-entropy h2").inner_text() == own["figure.entropy.title"]
    assert own["control.d_k.label"] in page.locator("#control-d_k").inner_text()
    assert page.locator("#reset strong").text_content() == own["page.reset"]
    assert drawn.graph(page, "entropy")["layout"]["yaxis"]["title"]["text"] == own["figure.entropy.y"]
    page.get_by_role("button", name=own["page.dark"], exact=True).wait_for()


def test_the_switch_changes_the_language_and_nothing_else(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=2&seed=4")
    assert_language(page, "en")
    controls.choose(page, "lang", "ko")
    page.wait_for_url("**/?n=5&h=2&seed=4&lang=ko")
    drawn.wait_painted(page, "n=5&h=2&seed=4&lang=ko")
    assert_language(page, "ko")
    assert_page_shows(page, AttentionConfig(n=5, h=2, seed=4), View(lang="ko"), chosen_language=True)
    controls.slide(page, "n", 6)
    assert_page_shows(page, AttentionConfig(n=6, h=2, seed=4), View(lang="ko"), chosen_language=True)
    controls.choose(page, "lang", "en")
    drawn.wait_painted(page, "n=6&h=2&seed=4&lang=en")
    assert_language(page, "en")


def test_a_links_language_wins_over_the_browsers(open_page: Callable[..., Page]) -> None:
    page = open_page("n=5&h=2&lang=en", locale="ko-KR")
    assert_language(page, "en")


def test_a_korean_browser_gets_a_korean_page_without_english(open_page: Callable[..., Page]) -> None:
    page = open_page("source=text&text=가 나 가&h=2&row=1&mask=causal&pin=h%3D2", locale="ko-KR")
    assert_language(page, "ko")
    assert "lang" not in drawn.wait_painted(page)
    english = {text for text in texts("en").values() if re.search(r"[A-Za-z]{3}", text)} - set(texts("ko").values())
    english.discard(text("en", "language.name"))  # the switch calls each language by its own name
    seen = page.evaluate(_TEXTS)
    assert len(seen) > 150
    assert english & set(seen) == set()
    kept = set(KEPT.split())
    left = {
        word
        for text in seen
        for word in re.findall(
            r"[A-Za-z][A-Za-z_0-9]*", re.sub(r"\w+ = [^,·]+", "", text)
        )  # mask = causal, as in a link
        if word not in kept and not any(word in korean for korean in texts("ko").values())
    }
    assert not left, "words that are neither Korean nor a symbol"
