"""The output of a cell as HTML: a frame of the live page or of figures, whatever stands in an address or a document."""

import base64
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from PIL import Image

from attention_core import AttentionConfig, InvalidInput
from visualiser import show
from visualiser.models.only_run import Named
from visualiser.notebook import made
from visualiser.notebook.offline import DARK, LIGHT
from visualiser.notebook.output import Cell
from visualiser.notebook.places import Place
from visualiser.notebook.saved import saved
from visualiser.notebook.things import Wish, handed
from visualiser.theme import THEMES, WEIGHTS, template

HALF = next(str(colour) for share, colour in WEIGHTS if share == 0.5)
"""The colour of half the largest weight."""


class Frames(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


HOSTILE = """'"></iframe><script>alert("1")</script>&amp;<b>고양이"""


def test_a_document_is_the_very_one_in_a_frame_that_reaches_nothing() -> None:
    frames = Frames(Cell(None, HOSTILE, said=("<i>",))._repr_html_())
    (frame,) = frames.of("iframe")
    assert frame["srcdoc"] == HOSTILE
    assert frame["sandbox"] == "allow-scripts"  # of no origin, so it sees neither the notebook nor its storage
    assert frames.of("script") == frames.of("i") == []


def test_an_address_stays_an_attribute() -> None:
    cell = Cell("http://127.0.0.1:7/x/?text='\"><script>", dark="http://127.0.0.1:7/x/?text=</script>")
    frames = Frames(cell._repr_html_())
    (frame,), (link, again) = frames.of("iframe"), frames.of("a")
    assert link == again
    assert frame["src"] == link["href"] == cell.address
    assert len(frames.of("script")) == 2


def test_marimo_gets_the_same() -> None:
    kind, html = Cell(None, "x")._mime_()
    assert (kind, html) == ("text/html", Cell(None, "x")._repr_html_())


def test_a_saved_notebook_holds_the_head_that_was_shown() -> None:
    """GitHub shows no frame and runs no script: the picture and its words stand there by themselves."""
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    found = handed(weights, Wish(named=Named(["a", "<b>", "c"])))
    kept = saved(found, found.query(head=1, row=1))
    assert kept is not None
    pixels = np.asarray(Image.open(io.BytesIO(kept.png)).convert("RGB"))
    assert pixels.shape == (240, 240, 3)
    seen = ["#" + bytes(pixels[row, column]).hex() for row, column in ((40, 40), (120, 40), (40, 200))]
    assert seen == [WEIGHTS[-1][1], HALF, "#ffffff"]  # the largest, half of it, the forbidden
    html = Cell("http://127.0.0.1:7/x/?", saved=kept)._repr_html_()
    assert base64.b64encode(kept.png).decode() in html
    assert "head 1.1, query 1 “&lt;b&gt;”" in html
    assert repr(Cell("http://127.0.0.1:7/x/?", saved=kept)) == "<Headlight: head 1.1, query 1 “<b>”>"


def test_pages_without_a_head_leave_no_picture() -> None:
    found = handed(AttentionConfig(n=7, h=2), Wish())
    assert saved(found, found.query()) is None


def test_a_hub_without_a_proxy_has_the_figures_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    class App:
        port = 15013

    monkeypatch.setattr(made, "served", App)
    cell = made.made(AttentionConfig(n=7, h=2), Wish(), {}, at=Place(None, "notebook.hub"))
    assert cell.address is None
    assert cell.document is not None
    assert "jupyter-server-proxy" in cell.said[0]


def test_a_static_output_follows_the_notebook_s_colours_unless_it_has_its_own() -> None:
    config = AttentionConfig(n=7, h=2, seed=5)
    following = made.made(config, Wish(), {}, static=True)
    assert following.follows
    assert following.document is not None
    (other,) = re.findall(r'<script type="application/json" id="dark">(.*)</script>', following.document)
    assert json.loads(other) == template("dark")
    assert following.document.count(LIGHT) == 1
    assert f'frame.srcdoc.replace("{LIGHT}", "{DARK}")' in following._repr_html_()
    for theme in THEMES:
        own = made.made(config, Wish(), {}, static=True, theme=theme)
        assert own.document is not None
        assert 'id="dark"' not in own.document
        assert f"color-scheme: {theme};" in own.document
        assert "frame.srcdoc" not in own._repr_html_()


@pytest.mark.slow
def test_a_static_output_has_its_numbers_and_is_bounded() -> None:
    cell = made.made(AttentionConfig(n=7, h=2, seed=5), Wish(), {}, static=True)
    assert cell.document is not None
    assert "seed: 5" in cell.document
    with pytest.raises(InvalidInput) as problem:
        made.made(AttentionConfig(n=509, h=16), Wish(), {}, static=True)
    assert problem.value.code == "notebook_large"


def test_the_figures_alone_need_no_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "served", lambda: pytest.fail("an app was started"))
    assert made.made(AttentionConfig(n=7, h=2), Wish(), {}, static=True).address is None


def test_a_problem_is_a_sentence_and_not_the_way_to_it() -> None:
    with pytest.raises(InvalidInput) as problem:
        show("text")
    assert len(problem.traceback) == 2  # this line, and show
    assert "str" in str(problem.value)
