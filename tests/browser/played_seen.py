"""What a page of a class shows: its figures' sizes, its texts, the marks of an answer. Each is read inside the page."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from attention_core.learned import NAMES
from visualiser.asset_folder import ASSETS

LEAST = {
    (1280, 720): 160,
    (1300, 800): 160,
    (1920, 1080): 200,
    (1024, 640): 55,
    (390, 844): 55,
    (844, 390): 80,
}
"""The least height of a plot in each window, in CSS pixels."""

TROUBLES = """([name, least]) => {
  const found = [];
  const box = (one) => one.getBoundingClientRect();
  const phone = matchMedia("(max-width: 820px), (max-height: 480px)").matches;
  const strip = document.getElementById("lesson");
  const top = box(strip).top;
  // the sentence of the step
  const sentences = [".lesson-said", ".lesson-verdict"].map((one) => strip.querySelector(one));
  const shown = sentences.find((one) => one?.checkVisibility()) ?? sentences[0]; // a talk shows one of them
  const [words, sentence] = [box(strip.querySelector(".lesson-text")), box(shown)];
  if (sentence.top < words.top - 1 || words.bottom > innerHeight + 1) found.push("the sentence is out of sight");
  if (words.height < 30) found.push(`the sentence has ${words.height} px`);
  const bar = strip.querySelector(".lesson-bar");
  if (box(bar).height > 6) found.push(`the lesson's progress is ${box(bar).height} px high`);
  // what is asked, and what came
  const card = document.querySelector(".class-card");
  if (!phone && card.checkVisibility()) {
    const { left, right, top: high, bottom } = box(card);
    if (left < 0 || high < 0 || right > innerWidth + 1 || bottom > innerHeight + 1) found.push("the card is cut");
    for (const one of [document.getElementById("room-reveal"), document.getElementById("room-answered")]) {
      if (one?.checkVisibility() && (box(one).bottom > box(card).bottom + 1)) found.push(`${one.id} is cut`);
    }
  }
  if (!phone && document.documentElement.scrollHeight > innerHeight) found.push("the page scrolls");
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push("the page scrolls sideways");
  const tracks = [...document.querySelectorAll(".class-shares, .class-votes .is-withheld")];
  const widths = tracks.map((one) => box(one).width);
  if (widths.length && Math.max(...widths) - Math.min(...widths) > 1) found.push(["tracks", ...widths]);
  const teacher = document.querySelector("#class.is-teacher");
  for (const id of teacher?.dataset.asked === "open" ? ["room-code", "room-answered", "room-reveal"] : []) {
    const { left, right, top: high, bottom } = box(document.getElementById(id));
    const there = document.elementFromPoint((left + right) / 2, (high + bottom) / 2);
    if (there?.id !== id) found.push(`${id} is out of sight`);
  }
  const answered = document.getElementById("room-results");
  if (innerWidth >= 1280 && answered?.checkVisibility()) {
    for (const one of answered.querySelectorAll("table, .class-flow, .class-curves, .class-legend")) {
      const over = Math.round(box(one).bottom - box(card).bottom);
      if (over > 0) found.push(`${one.className} is cut by ${over} px`);
    }
  }
  const drawn = [...document.querySelectorAll(".class-card svg text")].filter((one) => one.checkVisibility());
  const boxes = drawn.filter((one) => one.textContent.trim()).map((one) => [one.textContent, box(one)]);
  for (const [i, [text, one]] of boxes.entries()) {
    for (const [other, two] of boxes.slice(i + 1)) {
      const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const down = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (across > 1 && down > 0.3 * Math.min(one.height, two.height)) found.push(`${text} over ${other} on the card`);
    }
  }
  const first = document.querySelector("#class.is-student[data-asked=open] #room-ballot .predict-choices label");
  if (first) {
    const { left, top: high, height } = box(first);
    const there = document.elementFromPoint(left + 12, high + height / 2);
    if (!first.contains(there)) found.push("the first answer is out of sight");
  }
  const small = Math.min(...drawn.map((word) => {
    const { a = 1, b = 0 } = word.getScreenCTM() ?? {};
    return parseFloat(getComputedStyle(word).fontSize) * Math.hypot(a, b);
  }));
  if (small < 9) found.push(`words of ${small.toFixed(1)} px on the card`);
  const pages = document.getElementById("control-page");
  const wider = pages?.checkVisibility() && pages.scrollWidth > pages.clientWidth + 1;
  if (!phone && wider) found.push("a page's name is cut");
  // the figure
  if (document.querySelector(".page.is-inviting")) {
    const shown = document.querySelector("#predict");
    return shown?.checkVisibility() && box(shown).height > 20 ? found : [...found, "an empty field"];
  }
  const place = document.getElementById(`figure-${name}`);
  if (!place) return name ? [...found, `no ${name}`] : found;
  if (place.classList.contains("is-out")) return found;
  const figure = place.querySelector(".figure");
  if (!figure.checkVisibility()) return [...found, "no figure"];
  const room = { left: 0, top: phone ? -1e5 : 0, right: innerWidth, bottom: phone ? 1e5 : top };
  const out = (one) =>
    Math.max(room.left - one.left, room.top - one.top, one.right - room.right, one.bottom - room.bottom);
  if (out(box(figure)) > 1) found.push(["figure cut", out(box(figure))]);
  const title = [place.querySelector("h2"), document.getElementById("tabs")];
  if (innerWidth >= 1280 && !title.some((one) => one?.checkVisibility() && box(one).width > 2)) found.push("no title");
  const legend = place.querySelector(".chart-legend");
  const chart = place.living;
  const stage = chart?.area;
  if (chart?.panels && stage) {
    for (const { box: inside } of chart.panels) {
      const height = Math.round(inside.bottom - inside.top);
      if (height < least) found.push(`a plot of ${height} px`);
    }
    if (legend?.children.length && (!legend.checkVisibility() || out(box(legend)) > 1)) found.push("no legend");
    const ticks = [...place.querySelectorAll(".word.tick")].filter((one) => one.checkVisibility());
    const covers = [...place.querySelectorAll(".prediction-cover")].filter((one) => one.checkVisibility());
    const bare = chart.panels.length - covers.length; // a covered panel gives nothing away
    if (bare > 0 && ticks.length < 2 * bare) found.push(`${ticks.length} ticks`);
    const sizes = ticks.map((one) => parseFloat(getComputedStyle(one).fontSize));
    if (Math.min(...sizes) < 10) found.push(["ticks", Math.min(...sizes)]);
    const value = [...place.querySelectorAll(".marker-value")].find((one) => one.checkVisibility());
    const over = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
      && one.top < other.bottom - 2 && other.top < one.bottom - 2;
    const notes = [...place.querySelectorAll(".word.note")];
    const words = [...notes, ...(value ? [value] : [])].map((one) => [one.textContent, box(one), one]);
    for (const [text, note, self] of words) {
      for (const other of place.querySelectorAll(".word")) {
        const meet = other !== self && other.checkVisibility({ visibilityProperty: true }) && over(note, box(other));
        if (meet) found.push(`${text} over ${other.textContent}`);
      }
    }
  }
  for (const cell of place.querySelectorAll("canvas.cells")) {
    const fewest = cell.closest(".small-maps") ? 40 : 60;
    if (cell.checkVisibility() && box(cell).height < fewest) found.push(`maps of ${box(cell).height} px`);
  }
  return found;
}"""
"""What is wrong with the layout of a page in a lesson whose step speaks of a figure; its plots have a least height."""

_READ = """() => {
  const seen = { opacityProperty: true, visibilityProperty: true };
  const plain = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
  const inline = (one) => one instanceof HTMLElement && getComputedStyle(one).display.startsWith("inline");
  const blocks = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let one = node.parentElement;
    if (!plain(node.data) || !one?.checkVisibility(seen) || one.closest("script, style, math, #control-lang")) continue;
    if (one.closest(".token, .tick, .upright.start")) continue; // a text's tokens are as they were written
    while (inline(one) && one.parentElement) one = one.parentElement;
    blocks.add(one);
  }
  const texts = [...blocks].map((one) => plain(one.textContent));
  const named = [...document.querySelectorAll("[aria-label], [title], [placeholder], [alt]")]
    .filter((one) => one.checkVisibility(seen) && !one.closest("#control-lang"))
    .flatMap((one) => ["aria-label", "title", "placeholder", "alt"].map((name) => plain(one.getAttribute(name))))
    .filter(Boolean);
  const cells = [...document.querySelectorAll("td, th, caption, figcaption")].map((one) => plain(one.textContent));
  const marks = [...document.querySelectorAll(
    ".is-real, .is-true, .class-true, [data-truth], [data-verdict], .is-right, #room-results, .predict-real[points]")]
    .filter((one) => one.checkVisibility(seen) && one.getAttribute("points") !== "")
    .map((one) => `${one.localName}${one.id && `#${one.id}`}.${one.getAttribute("class") ?? ""}`);
  const painted = [...document.querySelectorAll(".figure-place[data-painted]")]
    .filter((one) => one.checkVisibility(seen)).map((one) => one.dataset.painted);
  return { texts, named, cells, marks, painted, title: document.title, link: location.search };
}"""

_KEY = re.compile(r"\b[a-z_]+(?:\.[a-z0-9_-]+)+\b")
_SLOT = re.compile(r"\{[^{}]*\}")
_ENGLISH = re.compile(r"(?:\b[A-Za-z][a-z’']+[,;:]? ){4}")
_HANGUL = re.compile("[가-힣]")
_TOKEN = re.compile(r"\b\d+ “[^”]*”")
"""A token of a text with its place."""
_LETTERS = 8
"""Letters that a sentence with slots has at least, to be known again."""


@dataclass(frozen=True)
class Seen:
    """The texts and marks of one page at one moment."""

    texts: list[str]
    named: list[str]
    cells: list[str]
    marks: list[str]
    painted: list[str]
    title: str
    link: str

    @property
    def visible(self) -> list[str]:
        """Texts that a visitor sees or hears."""
        return [*self.texts, *self.named, self.title]

    @property
    def everything(self) -> list[str]:
        """Those and the tables behind the figures."""
        return [*self.visible, *self.cells]


def read(place: Any) -> Seen:
    """Read a page or a frame."""
    return Seen(**place.evaluate(_READ))


@cache
def sentences(lang: str) -> dict[str, str]:
    """Return the sentences of the pages in a language."""
    return json.loads((ASSETS / "locales" / f"{lang}.json").read_text(encoding="utf-8"))


@cache
def lesson(name: str) -> dict[str, Any]:
    """Return a lesson that comes with the app."""
    return json.loads((ASSETS / "lessons" / f"{name}.json").read_text(encoding="utf-8"))


def _pattern(sentence: str) -> re.Pattern[str]:
    """Return the pattern of a sentence with anything in its slots."""
    return re.compile(".+?".join(map(re.escape, _SLOT.split(_plain(sentence)))))


def _plain(text: str) -> str:
    """Return a text as a page shows it: without its signs of emphasis, on one line."""
    return " ".join(re.sub(r"[*`]", "", text).split())


def _pairs(node: Any) -> Iterator[tuple[str, str]]:
    """Yield every text of a lesson in English and Korean."""
    if isinstance(node, dict):
        if node.keys() == {"en", "ko"}:
            yield node["en"], node["ko"]
        else:
            for value in node.values():
                yield from _pairs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _pairs(value)


@cache
def _words_read(name: str) -> frozenset[str]:
    """Return the words that a lesson's model reads: in every language they stand as they are."""
    steps = lesson(name)["steps"]
    links = [link for step in steps for link in (step["link"], step.get("question", {}).get("reveal", ""))]
    texts = [text for link in links for key, text in parse_qsl(link) if key == "text"]
    return frozenset(" ".join([NAMES, *texts]).split())


@cache
def _english(name: str) -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Return the English sentences that Korean pages have others for: whole ones, and patterns of those with slots."""
    en, ko = sentences("en"), sentences("ko")
    pairs = [*((en[key], ko[key]) for key in en), *_pairs(lesson(name))]
    others = [text for text, other in pairs if text != other]
    whole = frozenset(_plain(text) for text in others if "{" not in text and re.search("[A-Za-z]{2}", text))
    whole -= _words_read(name)
    slots = [text for text in others if "{" in text and len(re.findall("[A-Za-z]", _SLOT.sub("", text))) >= _LETTERS]
    return whole, tuple(map(_pattern, slots))


def untranslated(seen: Seen, lang: str, name: str) -> Iterator[str]:
    """Yield texts of a page in another language than its own, and names of sentences instead of sentences."""
    keys = sentences("en").keys()
    for found in dict.fromkeys(seen.visible):
        text = "" if found in _words_read(name) else _TOKEN.sub("", found)  # a text is read as it was written
        if any(key in keys for key in _KEY.findall(text)):
            yield f"a sentence's name: {text[:80]}"
        if lang == "en" and _HANGUL.search(text):
            yield f"Korean: {text[:80]}"
        if lang == "ko" and not _HANGUL.search(text):
            whole, slots = _english(name)
            if text in whole or any(one.fullmatch(text) for one in slots) or _ENGLISH.search(f"{text} "):
                yield f"English: {text[:80]}"


@cache
def _telling() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of what is said only beside a truth."""
    keys = ("lesson.measured", "lesson.measured_before", "lesson.measured_ratio", "predict.right", "predict.differs")
    named = [*keys, "lesson.is"]
    found = [_pattern(sentences(lang)[key]) for lang in ("en", "ko") for key in named]
    return (*found, *(re.compile(f"✓ {sentences(lang)['room.true']}") for lang in ("en", "ko")))


def leaks(seen: Seen, because: Iterable[str], state: str | None) -> Iterator[str]:
    """Yield what a page tells of an answer before its reveal. `state` is the link that shows it."""
    for mark in seen.marks:
        yield f"mark {mark}"
    reasons = [_plain(text) for text in because]
    for text in seen.everything:
        if any(one.search(text) for one in _telling()):
            yield f"told: {text[:80]}"
        if any(reason and reason in text for reason in reasons):
            yield f"because: {text[:80]}"
    if state is not None and any(link == state for link in map(stated, seen.painted)):
        yield f"a figure of {state}"


def stated(query: str) -> str:
    """Return a link's state, without what belongs to one visitor, to the class or to its lesson."""
    own = {"lang", "room", "columns", "present", "lesson", "aside", "theme"}
    pairs = parse_qsl(query.lstrip("?"), keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if name not in own and not (name == "step" and value.isdigit())]
    return urlencode(sorted(kept))


def numbers(texts: Iterable[str]) -> frozenset[str]:
    """Return the numbers in texts, as they are written."""
    return frozenset(found for text in texts for found in re.findall(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", text))
