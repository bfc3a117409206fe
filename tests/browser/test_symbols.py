"""The paper's symbols are typeset wherever a person reads them; their text stays plain."""

import re

import pytest

from tests.browser.modules import Module

HTML = """(m, text) => { const place = document.createElement("p"); place.append(...m.typeset(text));
  for (const silent of place.querySelectorAll(".silent")) silent.remove();
  return place.innerHTML.replaceAll(/<(\\w+) class="(\\w+)"(?: data-sign="([^"]+)")?>/g,
    (_, tag, name, sign) => `<${tag}.${name}${sign ? " " + sign : ""}>`); }"""
TEXT = """(m, text) => { const place = document.createElement("p"); place.append(...m.typeset(text));
  return place.textContent; }"""

TYPESET = {
    "d_k": "<span.math><i>d</i><sub><i>k</i></sub></span>",
    "d_model": "<span.math><i>d</i><sub>model</sub></span>",
    "W_Q는": "<span.math><i>W</i><sub><i>Q</i></sub></span>는",
    "e^H": "<span.math><i>e</i><sup><span.math><i>H</i></span></sup></span>",
    "n^3.17": "<span.math><i>n</i><sup>3.17</sup></span>",
    "d_k^(−1/4)": "<span.math><i>d</i><sub><i>k</i></sub><sup>−1/4</sup></span>",
    "1/√d_k": "<span.unbroken>1/<span.root><span.radicand><span.math><i>d</i><sub><i>k</i></sub></span></span>"
    "</span></span>",
    "is 1/√512, not": "is <span.unbroken>1/<span.root><span.radicand>512</span></span></span>, not",
    "q/2 and (w/h)/n, m": "<span.unbroken><span.math><i>q</i></span>/2</span> and (<span.unbroken>"
    "<span.math><i>w</i></span>/<span.math><i>h</i></span></span><span.unbroken>)/<span.math><i>n</i></span></span>, "
    "<span.math><i>m</i></span>",
    "of q · k?": "of <span.unbroken><span.math><i>q</i></span> · <span.math><i>k</i></span></span>?",
    "|dL/ds|로": "|<span.unbroken><span.math><i>dL</i></span>/<span.math><i>ds</i></span></span>|로",
    "√512": "<span.root><span.radicand>512</span></span>",
    "q̂ⁱ": "<span.math><i>q̂</i><sup.raised i></sup></span>",
    "Q̂K̂ᵀ와 K̂": "<span.math><i>Q̂K̂</i><sup.raised T></sup></span>와 <span.math><i>K̂</i></span>",
    "QKᵀ": "<span.math><i>QK</i><sup.raised T></sup></span>",
    "eᴴ": "<span.math><i>e</i><sup.raised H></sup></span>",
    "bⁱ·ʰ": "<span.math><i>b</i><sup.raised i·h></sup></span>",
    "α′": "<span.math><i>α</i>′</span>",
    "Σp²": "Σ<span.math><i>p</i><sup.raised 2></sup></span>",
    "‖J‖_F": "<span.math><span.bar>‖</span></span><span.math><i>J</i></span>"
    "<span.math><span.bar>‖</span><sub><i>F</i></sub></span>",
    "‖J‖<sub>F</sub>": "<span.math><span.bar>‖</span></span><span.math><i>J</i></span>"
    "<span.math><span.bar>‖</span></span><sub>F</sub>",
    "h, heads": "<span.math><i>h</i></span>, heads",
    "h개": "<span.math><i>h</i></span>개",
}

PLAIN = [
    "QK-norm, 계수 없음",
    "A head's",
    "25 s",
    "A and B",
    "snake_case",
    "?n=9&h=2&d_k=4",
    "d_k=4",
    "file.n",
    "max_file",
    "I",
    "<b>",
]


@pytest.mark.parametrize("text", TYPESET)
def test_a_symbol_is_typeset_and_keeps_its_text(module: Module, text: str) -> None:
    assert module("words/symbols", HTML, text) == TYPESET[text]
    assert module("words/symbols", TEXT, text) == re.sub(r"</?sub>", "", text)


@pytest.mark.parametrize("text", PLAIN)
def test_words_units_and_links_are_no_symbols(module: Module, text: str) -> None:
    assert module("words/symbols", "(m, text) => m.typeset(text)", text) == [text]


def test_markup_stays_text(module: Module) -> None:
    text = "<img src=x onerror=alert(1)> <b>d_k</b>"
    assert module("words/symbols", TEXT, text) == text
    assert "<img" not in module("words/symbols", HTML, text)


def test_a_root_in_a_picture_keeps_its_sign(module: Module) -> None:
    seen = """(m, text) => m.symbolsIn(text).filter((part) => part.getAttribute("class") !== "unseen")
      .map((part) => part.textContent).join("")"""
    assert module("words/svg_symbols", seen, "1/√d_k · ln n") == "1/√dk · ln n"
