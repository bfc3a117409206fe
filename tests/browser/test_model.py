"""The page Model in a browser: it shows what the model does, a press chooses, and nothing answers a question early."""

import json
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from attention_core.learned import SUBJECTS, corpus_measures, shipped_model
from tests.browser import drawn
from tests.browser.boxes import boxes, require_apart
from tests.browser.drawn import EVERYTHING
from tests.browser.modelled import SHARES, TEXT, painted, point, pressed, require_shaded
from tests.browser.test_phone import LYING, STANDING, phone
from tests.browser.visits import unroute
from visualiser.locale import number, text
from visualiser.pages.model.layout import PRESETS

SHORT = "Ben sees Anna . Ben"
LARGE = "document.getElementById('figure-head-map').dataset.painted"


def opened(led_page: Callable[..., Page], query: str = "", **options: object) -> Page:
    page = led_page(
        f"page=model{query}" if "lang=" in query else f"page=model&lang=en{query}", painted=False, **options
    )
    painted(page)
    return page


def test_it_opens_with_the_tokens_and_the_weights_of_the_last_one(led_page: Callable[..., Page]) -> None:
    page = opened(led_page)
    require_shaded(page, shipped_model("headlight").run(TEXT), 1, 1, 19)
    assert page.locator(".small-maps button").count() == 8


def test_typing_gives_the_tokens_and_weights_of_the_new_text(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2")
    page.locator("#control-text textarea").fill(SHORT)
    painted(page, text=SHORT)
    require_shaded(page, shipped_model("headlight").run(SHORT), 2, 1, 5)


def test_all_heads_are_painted_before_the_figures_of_one(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2")
    before = page.evaluate(LARGE)

    def answer(route: Route) -> None:
        body = route.fetch().body()
        route.fulfill(body=body[: _end(body, "model")], content_type="application/octet-stream")

    page.route("**/page/model", answer)
    page.locator("#control-text textarea").fill(SHORT)
    painted(page, "model-heads", text=SHORT)
    require_shaded(page, shipped_model("headlight").run(SHORT), 2, 1, 5)
    assert page.evaluate(LARGE) == before
    unroute(page)


def _end(body: bytes, last: str) -> int:
    """Return where a part of an answer ends."""
    at, part = 0, ""
    while part != last:
        (length,) = struct.unpack_from("<I", body, at)
        header = json.loads(body[at + 4 : at + 4 + length])
        at, part = at + 4 + length + header["bytes"], header["part"]
    return at


def test_a_press_on_a_small_map_chooses_the_head(led_page: Callable[..., Page]) -> None:
    page = opened(led_page)
    page.locator('.small-maps button[data-head="2.4"]').click()
    painted(page, layer="2", head="4")
    assert pressed(page) == ["2.4"]
    require_shaded(page, shipped_model("headlight").run(TEXT), 2, 4, 19)
    links = page.locator(".open-in a").evaluate_all("(all) => all.map((one) => [one.dataset.page, one.href])")
    assert [name for name, _ in links] == ["explore", "anatomy", "map"]
    for _, href in links:
        found = {name: value for name, (value,) in parse_qs(urlsplit(href).query).items()}
        assert (found["source"], found["layer"], found["head"], found["text"]) == ("model", "2", "4", TEXT)


def test_pointing_at_a_token_shades_by_it_and_a_press_keeps_it(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2")
    run = shipped_model("headlight").run(TEXT)
    page.locator('#model-text [data-row="15"]').hover()
    require_shaded(page, run, 2, 1, 15)
    page.mouse.move(5, 5)
    require_shaded(page, run, 2, 1, 19)
    page.locator('#model-text [data-row="15"]').click()
    painted(page, row="15")
    page.mouse.move(5, 5)
    require_shaded(page, run, 2, 1, 15)


@contextmanager
def heard(page: Page) -> Iterator[list[bytes]]:
    """Collect what the server answers meanwhile, without the files that are the same for everybody."""
    found: list[bytes] = []

    def hear(route: Route) -> None:
        if route.request.resource_type not in ("document", "fetch", "xhr", "eventsource"):
            route.continue_()
            return
        response = route.fetch()
        found.append(response.body())
        route.fulfill(response=response)

    elsewhere = re.compile(r"^(?!.*/assets/)")
    page.route(elsewhere, hear)
    yield found
    unroute(page)


def taken(answers: list[bytes]) -> bytes:
    """Return what was answered, and forget it."""
    found = b"".join(answers)
    answers.clear()
    return found


def test_nothing_answers_before_the_reveal(led_page: Callable[..., Page], app_url: str) -> None:
    page = opened(led_page, "&layer=2&row=19")
    run = shipped_model("headlight").run(TEXT)
    row = run.layers[1].weights[0, 19]
    scores = corpus_measures(shipped_model("headlight")).scores["previous_token"]
    tells_key = (number(float(row.max())), row[2:18].numpy().tobytes())
    tells_head = (number(float(scores.max())), f"previous token {float(scores.max()):.2f}")
    expect(page.locator("#figure-model-heads table")).to_contain_text(tells_head[0])

    def require_silent(answers: list[bytes], *told: str | bytes) -> None:
        everything, answered = page.evaluate(EVERYTHING), taken(answers)
        assert b'"part":"question"' in answered
        for one in told:
            assert (one if isinstance(one, bytes) else one.encode()) not in answered
            assert isinstance(one, bytes) or one not in everything
        assert not page.locator(".small-map-name b").count()
        assert page.locator("#insight p").count() == 0

    with heard(page) as answers:
        page.locator("#predict-open").click()
        painted(page, predict="true")
        expect(page.locator("#predict label", has_text="1.1")).to_have_count(1)
        page.locator('.small-maps button[data-head="1.1"]').hover()
        require_silent(answers, *tells_head)
        expect(page.locator("#figure-head-map .brief")).to_have_text(text("en", "brief.head_map", head="2.1"))
        expect(page.locator(".cell-said")).to_contain_text("19 “Ben” → 5 “Taylor”")
        page.locator("#predict-another").click()
        painted(page, "head-map", "head-scatter", question="model_key")
        expect(page.locator("#predict label", has_text="5 “Taylor”")).to_have_count(1)
        page.locator("#model-text .token").nth(5).hover()
        require_silent(answers, *tells_key, *tells_head)
        assert set(page.evaluate(SHARES)) == {0}
        page.goto(f"{app_url}?page=model&lang=en&layer=2&row=19&overview=scatter&predict=true&question=model_key")
        painted(page, "head-map", "head-scatter", question="model_key")
        require_silent(answers, *tells_key, *tells_head)
        assert "is-covered" in (page.locator("#figure-head-scatter").get_attribute("class") or "")
        for question, right, tells in (("key", "5 “Taylor”", tells_key), ("previous", "1.1", tells_head)):
            if question == "previous":
                page.goto(f"{app_url}?page=model&lang=en&layer=2&row=19&predict=true&question=model_previous")
            page.locator("#predict label", has_text=right).click()
            page.locator("#predict-reveal").click()
            expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
            painted(page, predict=None)
            after = taken(answers)
            for told in tells:
                assert (told if isinstance(told, bytes) else told.encode()) in after


def pressed_cell(page: Page, row: int, key: int) -> None:
    """Press a cell of the head's map."""
    (panel,) = drawn.panels(page, "head-map")
    page.mouse.click(*drawn.in_view(page, *panel.centre(row, key)))


def test_a_press_on_a_cell_locks_its_query_and_key_and_the_terms_of_its_score_add_up(
    led_page: Callable[..., Page],
) -> None:
    page = opened(led_page, "&layer=2&head=4")
    run = shipped_model("headlight").run(TEXT)
    layer = run.layers[1]
    assert layer.Q is not None
    assert layer.K is not None
    brief, said = page.locator("#figure-why-key .brief"), page.locator(".cell-said")
    for row, key in ((12, 8), (19, 5), (6, 11)):
        pressed_cell(page, row, key)
        painted(page, "head-map", "why-key", row=str(row), key=str(key))
        require_shaded(page, run, 2, 4, row)
        named = {"query": f"{row} “{run.tokens[row]}”", "key": f"{key} “{run.tokens[key]}”"}
        dot = float(layer.Q[3, row].double() @ layer.K[3, key].double()) / layer.Q.shape[-1] ** 0.5
        bars = [value for trace in drawn.graph(page, "why-key")["data"] for value in trace["y"]]
        assert f"{sum(bars):.2f}" == f"{dot:.2f}"
        _, lines = drawn.table(page, "why-key")
        assert len(lines) == 1 + layer.Q.shape[-1]
        if key <= row:
            assert dot == pytest.approx(float(layer.scores[3, row, key]), rel=1e-4)
            expect(brief).to_have_text(text("en", "brief.why_key.score", query=row, key=key, score=dot))
            weight = number(float(layer.weights[3, row, key]))
            expect(said).to_have_text(
                text("en", "model.locked", said=text("en", "cell.weights", **named, weight=weight))
            )
        else:
            expect(brief).to_have_text(text("en", "brief.why_key.forbidden", query=row, key=key))
            summary = page.locator("#figure-why-key .summary")
            expect(summary).to_have_text(text("en", "table.why_key.forbidden", query=row, key=key, head="2.4"))
            expect(said).to_have_text(text("en", "model.cell_forbidden", **named))
    pressed_cell(page, 6, 11)
    painted(page, "head-map", "why-key", row=None, key=None)
    require_shaded(page, run, 2, 4, 19)


def test_a_press_on_a_point_of_the_scatter_chooses_its_head(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&overview=scatter&row=15")
    painted(page, "head-scatter", overview="scatter")
    run = shipped_model("headlight").run(TEXT)
    scores = corpus_measures(shipped_model("headlight")).scores
    for layer, head in ((2, 4), (1, 2), (2, 3)):
        x, y = point(page, layer, head)
        page.mouse.move(x, y)
        expect(page.locator("#figure-head-scatter .tip")).to_contain_text(f"{layer}.{head}")
        page.mouse.click(x, y)
        wanted = {"layer": str(layer) if layer > 1 else None, "head": str(head), "row": "15"}
        painted(page, "head-scatter", "head-map", "why-key", overview="scatter", **wanted)
        require_shaded(page, run, layer, head, 15)
        chosen = drawn.trace(page, "head-scatter", kind="chosen")
        at = [float(scores[name][layer - 1, head - 1]) for name in ("previous_token", "induction")]
        assert [*chosen["x"], *chosen["y"]] == pytest.approx(at)
        expect(page.locator("#figure-head-map .brief")).to_have_text(
            text("en", "brief.head_map", head=f"{layer}.{head}")
        )


def preset(page: Page, name: str) -> None:
    """Open the menu and choose a preset, or "reset"."""
    page.locator("#menus .presets > summary").click()
    page.locator("#reset" if name == "reset" else f"#preset-{name}").click()


def test_each_preset_shows_what_it_says(led_page: Callable[..., Page]) -> None:
    page = opened(led_page, "&layer=2&head=3&row=4&sort=entropy")
    two = shipped_model("headlight")
    own, insight = two.run(TEXT), page.locator("#insight")
    nothing = dict.fromkeys(("model", "layer", "head", "row", "key", "text", "sort", "overview", "x", "y"))
    figures = ("model-heads", "head-map", "head-row", "why-key", "head-scores", "head-entropy")

    preset(page, "model_previous")  # a line beside the diagonal: each token reads the one before it
    painted(page, *figures, **nothing)
    assert own.layers[0].weights[0].argmax(-1).tolist() == [0, *range(19)]
    require_shaded(page, own, 1, 1, 19)
    expect(insight).to_contain_text(text("en", "model.behaviour.previous_token"))

    preset(page, "model_induction")  # the surname that followed this name
    painted(page, *figures, **nothing | {"layer": "2"})
    require_shaded(page, own, 2, 1, 19)
    weight = float(own.layers[1].weights[0, 19, 5])
    reads = {"head": "2.1", "query": "19 “Ben”", "key": "5 “Taylor”", "weight": weight}
    expect(insight).to_contain_text(text("en", "model.reads", **reads))

    preset(page, "model_subject")  # the words behind the subject, over another noun
    painted(page, *figures, **nothing | {"layer": "2", "head": "4", "row": "13", "text": SUBJECTS})
    subjects = two.run(SUBJECTS)
    assert subjects.tokens[10:15] == ("key", "to", "the", "cabinets", "is")
    require_shaded(page, subjects, 2, 4, 13)
    expect(insight).to_contain_text("reads 12 “the” most")

    preset(page, "model_twin")  # one layer: no head finds what came next last time
    painted(page, *figures, **nothing | {"model": "headlight-one-layer"})
    require_shaded(page, shipped_model("headlight-one-layer").run(TEXT), 1, 1, 19)
    assert page.locator(".small-maps button").count() == 4
    induction = text("en", "measure.induction")
    assert induction not in " ".join(page.locator(".small-map-name").all_inner_texts())
    page.locator("#menus .presets > summary").click()
    assert len(set(page.locator("#menus .presets .promise").all_inner_texts())) == len(PRESETS) + 1
    page.keyboard.press("Escape")

    preset(page, "model_footnote")  # all heads by the variance of q·k and by entropy; the line is footnote 4's
    painted(page, "head-scatter", "head-map", **nothing | {"overview": "scatter", "x": "variance", "y": "entropy"})
    expect(page.locator("#figure-head-scatter")).to_be_visible()
    expect(page.locator("#figure-model-heads")).to_be_hidden()
    graph = drawn.graph(page, "head-scatter")
    scores = corpus_measures(two).scores
    for layer in (1, 2):
        points = drawn.find(graph["data"], kind="heads", layer=layer)
        assert points["x"] == pytest.approx(scores["variance"][layer - 1].tolist())
        assert points["y"] == pytest.approx(scores["entropy"][layer - 1].tolist())
    (line,) = [each for each in graph["data"] if each.get("name") == text("en", "figure.head_scatter.footnote")]
    assert line["x"] == [1, 1]

    preset(page, "reset")
    painted(page, *figures, **nothing)
    assert set(PRESETS) == {"model_previous", "model_induction", "model_subject", "model_twin", "model_footnote"}


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=str)
@pytest.mark.parametrize("query", ["", "&predict=true", "&overview=scatter"])
def test_it_is_one_screen(led_page: Callable[..., Page], size: tuple[int, int], query: str) -> None:
    width, height = size
    page = opened(led_page, query, viewport={"width": width, "height": height})
    over = page.evaluate(
        "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )
    assert max(over) <= 0


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_on_a_phone_the_map_is_as_wide_as_the_window_and_the_panels_are_a_swipe_away(
    open_page: Callable[..., Page], lang: str
) -> None:
    page = opened(open_page, f"&layer=2&lang={lang}", **phone(STANDING))
    (cells,) = boxes(page, "#figure-head-map canvas.cells")
    assert cells.width >= 0.55 * STANDING[0]
    assert page.locator("#one-head + .dots button:visible").count() == 6
    page.locator("#one-head + .dots button:visible").nth(3).tap()
    page.wait_for_function(
        "() => Math.abs(document.getElementById('figure-why-key').getBoundingClientRect().left - 10) < 40"
    )
    for link in boxes(page, ".open-in a"):
        assert min(link.width, link.height) >= 24, link


@pytest.mark.parametrize("step", [2, 5, 9])
def test_on_a_phone_a_step_on_all_heads_has_them_alone(open_page: Callable[..., Page], step: int) -> None:
    page = open_page(f"lesson=learned-heads&step={step}&lang=en", painted=False, **phone(STANDING))
    figure = "#figure-head-scatter" if step == 9 else "#figure-model-heads"
    page.locator(f"{figure}.is-taught-now[data-painted]").wait_for()
    page.wait_for_function("() => !document.getElementById('one-head').checkVisibility()")
    text, overview, strip = boxes(page, "#model-text", figure, "#lesson")
    require_apart(text, overview, strip)
    assert overview.height > 0.25 * STANDING[1]


@pytest.mark.parametrize("size", [LYING, (1000, 700), (1280, 720)], ids=str)
@pytest.mark.parametrize("query", ["", "&predict=true", "&overview=scatter"])
def test_its_parts_stand_apart(open_page: Callable[..., Page], size: tuple[int, int], query: str) -> None:
    page = opened(open_page, query, viewport={"width": size[0], "height": size[1]})
    places = [f"#figure-{name}" for name in ("head-map", "why-key", "head-scores", "head-entropy")]
    overview = "#figure-head-scatter" if "scatter" in query else "#figure-model-heads"
    require_apart(*boxes(page, "#model-text", overview, *places))
    (cells,) = boxes(page, "#figure-head-map canvas.cells")
    assert min(cells.width, cells.height) >= 110


def test_every_term_of_a_score_has_its_name(open_page: Callable[..., Page]) -> None:
    for lang in ("en", "ko"):
        page = opened(open_page, f"&layer=2&lang={lang}", viewport={"width": 1280, "height": 720})
        names = page.locator("#figure-why-key .word.tick.middle").all_inner_texts()
        assert len(names) == 9
        assert names[-1] == "+8"


def test_no_label_breaks_within_a_word(open_page: Callable[..., Page]) -> None:
    page = opened(open_page, viewport={"width": 1280, "height": 720})
    broken = page.locator(".small-map-name b").evaluate_all(
        """(all) => all.flatMap((one) => {
          const text = one.firstChild, range = document.createRange();
          return [...text.data.matchAll(/[^ ]+/g)].filter(({ 0: word, index }) => {
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return range.getClientRects().length > 1;
          }).map(([word]) => word);
        })"""
    )
    assert broken == []
