"""What a page prints, as a PDF reader finds it, and the sheet of paper before it is cut into pages."""

import io
import re
import unicodedata
from typing import Any

from playwright.sync_api import Page
from pypdf import PdfReader

SIZES = {"A4": (595, 842), "Letter": (612, 792)}
"""Width and height of a page in points, the 72nd part of an inch."""

SYMBOL = re.compile(r"\S*[_^√‖\u2070-\u209f\u1d2c-\u1d6a¹²³ᵀᴴⁱʲ<]\S*|(?<!\w)[A-Za-z](?!\w)")
"""Words that are typeset: with indices, roots, norms and exponents, and single letters."""

PIECE = 24
"""Letters that are looked for at once."""

PAINTED = (
    """(names) => names.every((name) => document.getElementById(`figure-${name}`)?.dataset.painted !== undefined)"""
)


def ready(page: Page, *names: str) -> None:
    """Wait until these figures are painted."""
    page.wait_for_function(PAINTED, arg=list(names))


def pages(page: Page, size: str) -> list[str]:
    """Print, and return the text of each page; spaces are left out, which PDFs write as they like."""
    reader = PdfReader(io.BytesIO(page.pdf(format=size)))
    for sheet in reader.pages:
        found = (float(sheet.mediabox.width), float(sheet.mediabox.height))
        assert all(abs(one - other) < 2 for one, other in zip(found, SIZES[size], strict=True)), found
    return [bare(sheet.extract_text()) for sheet in reader.pages]


def bare(text: str) -> str:
    """Return a text without spaces, which PDFs write as they like, with ligatures as letters and one kind of dash."""
    plain = unicodedata.normalize("NFKC", text)
    return re.sub(r"[\u2010-\u2015\u2212]", "-", re.sub(r"[\s\u200b]", "", plain))


def holds(found: str, sentence: str) -> bool:
    """Return True if a print says a sentence: four fifths of it, since a PDF places indices apart from their line."""
    parts = [bare(part) for part in SYMBOL.split(sentence)]
    pieces = [part[at : at + PIECE] for part in parts for at in range(0, len(part), PIECE)]
    assert pieces, sentence
    return sum(len(piece) for piece in pieces if piece in found) >= 0.8 * sum(map(len, pieces))


def page_texts(page: Page) -> dict[str, list[str]]:
    """Return the titles of all figures and the sentences below those that are drawn, as the page holds them."""
    return page.evaluate(
        """() => ({
          titles: [...document.querySelectorAll(".figure h2")].map((one) => one.textContent),
          sentences: [...document.querySelectorAll("#insight .insight > p:not(.purpose)")]
            .map((one) => one.textContent),
        })"""
    )


def on_paper(page: Page) -> None:
    """Show the sheet of paper, as before a print."""
    page.emulate_media(media="print")
    page.locator("#paper").wait_for()


def boxes(page: Page) -> list[dict[str, Any]]:
    """Return each figure on paper: its title, its box, and what sticks out of the paper."""
    return page.evaluate(
        """() => {
          const paper = document.getElementById("paper").getBoundingClientRect();
          return [...document.querySelectorAll("#paper .printed")].map((figure) => {
            const { top, bottom, height } = figure.getBoundingClientRect();
            const parts = [...figure.querySelectorAll("*")].filter((one) => !one.closest(".tip, [hidden]"));
            const out = parts.filter((one) => {
              const box = one.getBoundingClientRect();
              return box.width && (box.left < paper.left - 3 || box.right > paper.right + 3);
            });
            const canvases = [...figure.querySelectorAll("canvas")].filter((one) => one.clientWidth);
            const below = canvases.filter((one) => one.getBoundingClientRect().bottom > bottom + 1);
            return { title: figure.querySelector("h2").textContent, height, top,
              out: out.map((one) => `${one.tagName} ${one.className} ${one.textContent}`),
              below: below.length,
              densities: canvases.map((one) => one.width / one.clientWidth) };
          });
        }"""
    )
