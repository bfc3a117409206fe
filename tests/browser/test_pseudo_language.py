"""A third language needs a file and nothing else: in a made-up one no page shows a word that is not from its file.

The language is English with an accent on every vowel of every word, under the name of a real one, so that it has plural
rules. A word without an accent is one that some code holds by itself.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.served import ROOT, serving
from tests.browser.test_language import KEPT
from tests.browser.visits import Visits
from visualiser.locale import texts

LANG = "fr"
ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")
WORD = re.compile(r"\{[^{}]*\}|(?<![\w=])[A-Za-z]{2,}(?![\w(=])")

VISIBLE = """() => {
  const found = [];
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !element.closest("script, style, noscript, textarea, math, footer");  // formulas; the footer is gradio's
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (seen(node.parentElement)) found.push(node.textContent);
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const element of document.querySelectorAll(`[${name}]`)) {
      if (seen(element)) found.push(element.getAttribute(name));
    }
  }
  return found.map((text) => text.trim()).filter(Boolean);
}"""

SHOWN = """() => document.querySelector('#insight')?.dataset.painted !== undefined
  && !document.getElementById('outline')"""
"""The sentences are there and the page stands: under its outline they can be painted already, and not be seen."""

START = """
import pathlib
from visualiser import asset_folder
asset_folder.ASSETS = pathlib.Path({folder!r})
asset_folder.PLOTLY = asset_folder.ASSETS / "plotly" / asset_folder.PLOTLY.name
from visualiser.launch import main
main()
"""


def accented(template: str) -> str:
    """Put an accent on the vowels of each word; fields and what KEPT names stay, the words of a plural do not."""
    kept = set(KEPT.split())

    def word(match: re.Match[str]) -> str:
        found = match[0]
        if found.startswith("{"):
            name, bar, forms = found[1:-1].partition("|")
            if ":" in forms:
                cases = (one.split(":", 1) for one in forms.split("|"))
                forms = "|".join(f"{case}:{accented(form)}" for case, form in cases)
            return f"{{{name}{bar}{forms}}}"
        return found if found in kept else found.translate(ACCENTS)

    return WORD.sub(word, template)


@pytest.fixture(scope="module")
def open_foreign(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Page]]:
    """Open a page of an app that has one more language."""
    folder = tmp_path_factory.mktemp("foreign")
    shutil.copytree(ROOT / "assets", folder / "assets", ignore=shutil.ignore_patterns("node_modules", "pictures"))
    made = {key: accented(value) for key, value in texts("en").items()} | {"language.name": "Fránçáis"}
    (folder / "assets" / "locales" / f"{LANG}.json").write_text(json.dumps(made), encoding="utf-8")
    script = folder / "start.py"
    script.write_text(START.format(folder=str(folder / "assets")), encoding="utf-8")
    with serving(script=str(script)) as app:
        visits = Visits(chromium, app.url)
        yield visits.open
        visits.end()


@pytest.mark.parametrize(
    "query",
    [
        "source=text&text=7 8 7&h=2&row=1&mask=causal&pin=source%3Dtext%26text%3D7+8%26h%3D2",
        "mechanism=additive&n=5&h=2",
        "page=why",
        "page=anatomy&text=7 8 7",
        "page=cost",
        "page=train",
        "page=train&experiment=heads",
        "page=map&n=64",
    ],
)
def test_every_visible_word_comes_from_the_file(open_foreign: Callable[..., Page], query: str) -> None:
    page = open_foreign(f"{query}&lang={LANG}", painted=False)
    page.wait_for_function(SHOWN)
    seen = page.evaluate(VISIBLE)
    assert len(seen) > 60
    kept = {*KEPT.split(), "model", "English"}  # d with a lowered "model"; each language calls itself by its own name
    for shipped in (ROOT / "assets" / "shipped").glob("*.json"):
        kept |= set(re.findall("[A-Za-z]+", json.loads(shipped.read_text(encoding="utf-8"))["machine"]))
    left = {
        word
        for text in seen
        for word in re.findall(r"(?<![\wáéíóúÁÉÍÓÚ_=.])[A-Za-z]{3,}(?![\wáéíóúÁÉÍÓÚ_(=])", text)
        if word not in kept and re.search("[aeiou]", word, re.IGNORECASE)
    }
    assert not left, sorted(left)
