"""What the chosen head writes, on the page: its figure in place of the one of the key, its numbers, what lacks it."""

from html import unescape
from typing import Any

import numpy as np
import pytest
import torch

from attention_core.language import WORDS, shipped
from attention_core.models import text_model
from tests.attention_core.models import small_folders
from tests.visualiser.pages.model.test_figures import trace
from visualiser.figures.plots.head_writes import head_writes
from visualiser.held import new_name
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.models import HELD, HeldModel, unmeasured
from visualiser.pages.model import present, price, reading
from visualiser.server.live.page_request import PageRequest
from visualiser.state.view import View


def request(**settings: Any) -> PageRequest:
    query = "&".join(f"{name}={value}" for name, value in {"page": "model", **settings}.items())
    lang = str(settings.get("lang", "en"))
    return PageRequest(query, None, frozenset(), b"", lang, "light", 0, "", {}, "model")


WRITES = {"key_figure": "writes", "layer": 2}


def own_logits(read: reading.Read) -> torch.Tensor:
    """What the chosen head writes for each key, from the parameters."""
    shown = read.shown
    parameters = {name: one.double() for name, one in shipped(2).model.parameters.items()}
    V = shown.attention.V
    assert V is not None
    rows = parameters[f"W_O/{shown.layer}"][16 * shown.head - 16 : 16 * shown.head]
    stream = V[shown.head - 1].double() @ rows
    logits = (stream - stream.mean(-1, keepdim=True)) @ parameters["U"]
    return logits - logits.mean(-1, keepdim=True)


@pytest.mark.parametrize("settings", [{"head": 1, "key": 2}, {"head": 3, "key": 5, "layer": 1}, {"head": 2}])
def test_the_lines_end_at_the_five_largest_logits(settings: dict[str, Any]) -> None:
    read = reading.read(request(**WRITES | settings))
    shown, logits = read.shown, own_logits(read)
    drawn = head_writes.drawing(shown, View())
    points, lines = trace(drawn, "written"), trace(drawn, "apart")
    most = logits[shown.key].topk(5)
    assert np.allclose(points["x"], most.values.numpy(), atol=1e-4)
    assert np.allclose(lines["x"].reshape(-1, 3)[:, :2], np.stack([np.zeros(5), points["x"]], 1))
    names = [WORDS[number] for number in most.indices.tolist()]
    ticks = [unescape(one).removeprefix("✓ ").replace("␣", " ") for one in drawn.layout["yaxis"]["ticktext"]]
    assert [one[:8] for one in ticks] == [one[:8] for one in names]
    marked = [one.startswith("✓") for one in drawn.layout["yaxis"]["ticktext"]]
    assert marked == [number == shown.run.ids[shown.key] for number in most.indices.tolist()]
    table = head_writes.table(shown, View())
    assert np.array_equal(np.asarray(table.columns[1].values), points["x"])


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_the_words_say_the_rank_of_the_key_s_own_token_and_how_much_is_copied(lang: str) -> None:
    for head, key in ((1, 2), (3, 5)):
        read = reading.read(request(**WRITES, head=head, key=key, lang=lang))
        logits, ids = own_logits(read), torch.tensor(read.shown.run.ids)
        ranks = (logits > logits.gather(-1, ids[:, None])).sum(-1)
        (brief,) = write_all(head_writes.brief(read.shown, View(lang=lang)), lang)
        assert brief == text(lang, "brief.head_writes", copying=float((ranks < 5).double().mean()))
        (said,) = head_writes.sentence(read.shown, View(lang=lang))
        assert said.key == ("table.head_writes.own" if not ranks[key] else "table.head_writes.summary")
        assert said.facts.get("rank", 1) == int(ranks[key]) + 1
        assert write_all([said], lang)


def test_it_shares_a_place_with_why_a_key_is_read() -> None:
    for chosen, shown, absent in (("why", "why-key", "head-writes"), ("writes", "head-writes", "why-key")):
        read = reading.read(request(key_figure=chosen))
        names = [figure.name for figure in present.figures_of(read.shown)]
        assert shown in names
        assert absent not in names
        assert (read.shown.written is None) == (chosen == "why")  # nothing is computed that is not shown


def test_a_changed_model_writes_with_its_own_values() -> None:
    as_it_is, changed = (
        reading.read(request(**WRITES, head=1, key=9, changes=one)).shown.written for one in ("", "factor:4@1")
    )
    assert as_it_is is not None
    assert changed is not None
    assert not torch.allclose(as_it_is.own, changed.own, atol=1e-3)
    assert torch.equal(as_it_is.own[:1], changed.own[:1])  # the first token reads itself alone, whatever the factor


@pytest.mark.slow
def test_a_model_without_a_next_token_shows_why_and_says_why_not() -> None:
    model = text_model(small_folders.MODELS["bert"](), small_folders.word_pieces(), "bert")
    name = new_name("bert")
    HELD.put(name, HeldModel(model, unmeasured(model), fixed=False))
    read = reading.read(request(**WRITES, model=name))
    assert read.shown.written is None
    assert "why-key" in [figure.name for figure in present.figures_of(read.shown)]
    assert text("en", "error.writes_no_words", value="bert") in read.notices


def test_the_price_grows_by_what_is_written_alone() -> None:
    why, writes = (price.frame(request(key_figure=one)) for one in ("why", "writes"))
    assert writes.multiply_adds > why.multiply_adds
    assert writes.multiply_adds - why.multiply_adds < 2 * 64 * 64 * (16 + len(WORDS)) + 64 * 64 * 4
    assert writes.seconds < why.seconds + 0.01
