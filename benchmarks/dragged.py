"""The factor of a running model dragged on the page Model, beside the same page's answer to a letter of the text.

Both are timed by the browser from the key event to `data-painted`, which comes two animation frames after drawing. Two
pages of one server take turns: on one a letter is typed, on the other the factor of all layers moves a step, so that
each picture is of a text, or of a change, that nobody has asked for before. One model ships; the other is an encoder of
MiniLM's size with random weights, of a folder.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import Final
from urllib.parse import urlencode

import transformers as hf
from playwright.sync_api import Browser, Page, sync_playwright
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from benchmarks.machine import load
from benchmarks.presses import LIVE, PATIENCE
from benchmarks.server import server
from benchmarks.verdicts import chromium, verdict

WORDS: Final = ("the", "keys", "to", "cabinet", "are", "old", "anna", "sees", "ben", ".")
TOKENS: Final = 32
TURN: Final = 5
WARM_UP: Final = 3
BOUNDS: Final = {"headlight": 150.0, "minilm": 1000.0}
"""Milliseconds from a step of the factor to painted."""
SETTLING: Final = 4000
"""Milliseconds that a page has to itself before it is used."""
MAPS: Final = "figure-model-heads"

PAINTED = "([place, name]) => new URLSearchParams(document.getElementById(place).dataset.painted).get(name) ?? ''"


@dataclass
class Timed:
    """Milliseconds to the maps of all heads, and to every figure."""

    maps: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)


def report(presses: int) -> None:
    """Measure and print."""
    print(f"presses   {presses} of each after {WARM_UP} to warm up, in turns of {TURN}, 1280 × 900 pixels\n")
    print("| model | tokens | letter, all heads | letter, all figures | factor, all heads | factor, all figures | × |")
    print("| --- |" + " ---: |" * 6, flush=True)
    said = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        encoder(Path(folder) / "minilm")
        browser = driver.chromium.launch(executable_path=chromium())
        try:
            with server("app.py", environment={"HEADLIGHT_MODELS": folder, "HEADLIGHT_MEMORY_MB": "4096"}) as live:
                for name, bound in BOUNDS.items():
                    typed, dragged = measured(browser, live.address, name, presses)
                    cells = [middle_high(one) for way in (typed, dragged) for one in (way.maps, way.everything)]
                    ratio = median(dragged.everything) / median(typed.everything)
                    print(f"| {name} | {TOKENS} | {' | '.join(cells)} | {ratio:.2f} |", flush=True)
                    middle = median(dragged.everything)
                    sentence = f"{name}: a step of the factor is painted in {middle:.0f} ms, at most {bound:.0f}"
                    said.append(verdict(middle <= bound, sentence))
            print(f"\nmilliseconds, median / 95th percentile; Chromium {browser.version}", *said, sep="\n")
        finally:
            browser.close()
    print(f"\nload      {load()} at the end")


def measured(browser: Browser, address: str, model: str, presses: int) -> tuple[Timed, Timed]:
    """Measure letters on a page without changes, and steps of the factor on another one."""
    typed, dragged = Timed(), Timed()
    with visited(browser, address, model) as plain, visited(browser, address, model) as changed:
        letters = cycle("abcdefghijklmnopqrstuvwxyz")
        box, slider = plain.locator("#control-text textarea"), changed.locator("#change-factor")
        changed.locator("#change-model summary").click()
        plain.bring_to_front()
        box.focus()
        plain.keyboard.press("Control+End")

        def letter() -> tuple[float, float]:
            return pressed(plain, next(letters), "text", lambda shown: shown == box.input_value())

        def step() -> tuple[float, float]:
            return pressed(changed, "ArrowRight", "changes", lambda shown: shown.startswith("factor:"))

        changed.bring_to_front()
        slider.focus()
        changed.keyboard.press("ArrowRight")  # the first change brings other figures
        changed.wait_for_function(SETTLED)
        for at, turn in enumerate([WARM_UP, *[TURN] * (-(-presses // TURN))]):
            for page, focus, way, found in ((plain, box, letter, typed), (changed, slider, step, dragged)):
                page.bring_to_front()
                focus.focus()
                times = [way() for _ in range(turn)]
                if at:
                    found.maps += [maps for maps, _ in times]
                    found.everything += [everything for _, everything in times]
    return typed, dragged


SETTLED = """() => {
  const shown = [...document.querySelectorAll('[id^="figure-"]')].filter((one) => one.checkVisibility());
  return shown.every(({ dataset }) => new URLSearchParams(dataset.painted ?? "").get("changes"));
}"""


def pressed(page: Page, key: str, name: str, is_right: Callable[[str], bool]) -> tuple[float, float]:
    """Press a key and return the milliseconds to the maps, and to every figure."""
    page.evaluate(LIVE, [True, MAPS, True])
    page.keyboard.press(key)
    maps, everything = page.evaluate("window.measured")
    shown = page.evaluate(PAINTED, [MAPS, name])
    if not is_right(shown):
        raise RuntimeError(f"after {key} the picture shows {name}={shown!r}")
    return maps, everything


@contextmanager
def visited(browser: Browser, address: str, model: str) -> Iterator[Page]:
    """Open the page Model in its own profile, load the model if it is not, and wait for its first picture."""
    words = [word for word, _ in zip(cycle(WORDS), range(TOKENS - (model in ("headlight",))), strict=False)]
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/?{urlencode({'page': 'model', 'model': model, 'text': ' '.join(words), 'lang': 'en'})}")
        page.wait_for_function(OFFERED)
        page.wait_for_timeout(SETTLING)
        if page.locator("#run-start").is_visible():
            page.locator("#run-start").click()
        page.wait_for_function(PAINTED, timeout=2 * PATIENCE)  # a model reads the corpus once
        yield page
    finally:
        context.close()


OFFERED = """() => document.querySelector("#run-start")?.checkVisibility()
  || document.querySelector("#figure-head-map")?.dataset.painted !== undefined"""

PAINTED = """() => {
  const shown = [...document.querySelectorAll('[id^="figure-"]')].filter((one) => one.checkVisibility());
  return shown.length && shown.every(({ dataset }) => dataset.painted !== undefined);
}"""


def encoder(path: Path) -> None:
    """Write an encoder of MiniLM's size, 6 layers of 12 heads, with random weights."""
    names = ("[UNK]", *WORDS)
    words = Tokenizer(WordLevel({word: number for number, word in enumerate(names)}, "[UNK]"))
    words.pre_tokenizer = Whitespace()
    config = hf.BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    hf.BertModel._from_config(config).save_pretrained(path)
    hf.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").save_pretrained(path)


def middle_high(values: list[float]) -> str:
    """Return the median and the 95th percentile."""
    return f"{median(values):.0f} / {quantiles(values, n=20, method='inclusive')[-1]:.0f}"
