"""The Why √d_k page in a browser: curves that come by themselves, the marker, the factor, the prediction."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, LengthsConfig, compute, lengths
from attention_core.studies.sweep import CURVES, MEASURES, SweepConfig, sweep
from tests.browser import controls, drawn
from tests.browser.held import Held
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.pages.why.outcome import MECHANISMS
from visualiser.theme import WEIGHTS

FIGURES = ("sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics")
PAINTED = """([names, query]) => names.every((name) => {
  const { painted } = document.getElementById(`figure-${name}`)?.dataset ?? {};
  return painted !== undefined && (query === null || painted === query);
})"""


def wait(page: Page, query: str | None = None) -> None:
    """Wait until every figure shows this state (None: any)."""
    page.wait_for_function(PAINTED, arg=[list(FIGURES), query])


def result(**settings: Any):
    return compute(AttentionConfig(**{"n": 13, "h": 1, "tie": False, "seed": 2, **settings}), device="cpu")


@pytest.fixture(scope="module")
def why(open_module_page: Callable[..., Page]) -> Page:
    """Open one visit for most tests: n = 13, two seeds, nothing to predict."""
    page = open_module_page("page=why&n=13&seed=2&seeds=2&d_k=16", painted=False)
    wait(page, "n=13&d_k=16&seed=2&page=why&seeds=2")
    return page


def test_the_drawn_curves_are_the_cores_and_come_without_a_button(why: Page) -> None:
    wanted = {(point.curve, point.d_k): point for point in sweep(SweepConfig(n=13, seed=2, seeds=2))}
    data = drawn.graph(why, "sweep")["data"]
    for curve in CURVES:
        for measure in MEASURES:
            line = drawn.find(data, curve=curve, measure=measure)
            expected = [wanted[curve, d_k].spread(measure)[0] for d_k in line["x"]]
            np.testing.assert_allclose(line["y"], expected, rtol=1e-5)
    caption, lines = drawn.table(why, "sweep")
    assert caption == text("en", "table.sweep.caption", n=13, seed=2, seeds=2)
    assert len(lines) == 1 + 33


def test_the_marker_moves_d_k_by_pointer_and_keys_and_everything_follows(why: Page) -> None:
    marker = why.locator("#figure-sweep .marker")
    assert marker.count() == 6
    handle = why.get_by_role("slider", name=text("en", "control.d_k.label"), exact=True)
    handle.press("PageUp")
    wait(why, "n=13&d_k=32&seed=2&page=why&seeds=2")
    expect(handle).to_have_attribute("aria-valuenow", "32")
    expect(controls.box(why, "d_k")).to_have_value("32")

    third = marker.nth(2)  # any panel's marker moves all of them
    box = third.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    why.mouse.move(x, y)
    why.mouse.down()
    why.mouse.move(x + 20, y, steps=4)
    why.mouse.up()
    d_k = int(controls.box(why, "d_k").input_value())
    assert d_k > 40
    wait(why, f"n=13&d_k={d_k}&seed=2&page=why&seeds=2")
    places = why.evaluate("""() => {
      const root = document.querySelector("#figure-sweep");
      return [...root.querySelectorAll(".marker")].map((marker, i) =>
        root.living.panels[i].across.value(parseFloat(marker.style.left)));
    }""")
    assert len(places) == 6
    np.testing.assert_allclose(places, d_k, rtol=0.01)
    panels = drawn.panels(why, "mechanism-maps")
    settings = ({}, {"scaling": "none"}, {"mechanism": "additive"})
    weights = [result(d_k=d_k, **more).weights[0].numpy() for more in settings]
    most = float(drawn.colour_bars(why, "mechanism-maps")[0][1][-1])
    assert most >= max(float(one.max()) for one in weights)
    for panel, one in zip(panels, weights, strict=True):
        np.testing.assert_allclose(panel.values(WEIGHTS, 0, most), one, atol=most / 100)


def test_a_moved_factor_is_an_own_one_and_stays_on_its_logarithmic_slider(why: Page) -> None:
    controls.choose(why, "scaling", "sqrt_d_k")
    why.wait_for_function("() => new URLSearchParams(location.search).get('scaling') === 'sqrt_d_k'")
    d_k = int(controls.box(why, "d_k").input_value())
    assert float(controls.box(why, "scale").input_value()) == pytest.approx(d_k**-0.5, rel=0.01)
    controls.slider(why, "scale").press("End")
    why.wait_for_function("() => new URLSearchParams(location.search).get('scale') === '16'")
    expect(why.locator("#control-scaling input[value=custom]")).to_be_checked()
    wait(why, urlsplit(why.url).query)
    assert why.locator("#figure-mechanism-maps .panel-title").count() == 4
    expect(why.locator("#figure-temperature .summary")).to_contain_text(
        "The chosen factor, 16, lies on the collapsed side."
    )
    expect(why.locator("#figure-numerics .summary")).to_contain_text("float16 – plain: exp overflows in 13 of 13 rows")
    controls.choose(why, "scaling", "none")
    why.wait_for_function("() => document.querySelectorAll('#figure-mechanism-maps .panel-title').length === 3")


def test_a_box_is_left_as_it_is_while_it_is_typed_in(why: Page) -> None:
    box = controls.box(why, "d_k")
    box.press("ControlOrMeta+A")
    box.press_sequentially("12.7")
    why.wait_for_function("() => new URLSearchParams(location.search).get('d_k') === '13'")
    expect(box).to_have_value("12.7")
    box.press("Tab")
    expect(box).to_have_value("13")
    box.press("ControlOrMeta+A")
    box.press_sequentially("5000")
    why.wait_for_function("() => new URLSearchParams(location.search).get('d_k') === '500'")
    box.press("Tab")
    expect(box).to_have_value("1024")
    why.wait_for_function("() => new URLSearchParams(location.search).get('d_k') === '1024'")


def test_another_seed_draws_another_sweep(why: Page) -> None:
    before = drawn.trace(why, "sweep", curve="unscaled", measure="entropy")["y"]
    controls.write(why, "seed", 7)
    why.wait_for_function("() => document.getElementById('figure-sweep').dataset.painted?.includes('seed=7')")
    wanted = [p.spread("entropy")[0] for p in sweep(SweepConfig(n=13, seed=7, seeds=2)) if p.curve == "unscaled"]
    after = drawn.trace(why, "sweep", curve="unscaled", measure="entropy")["y"]
    np.testing.assert_allclose(after, wanted, rtol=1e-5)
    assert not np.allclose(before, after, rtol=1e-3)


def test_the_numbers_can_be_taken_away_with_the_marker_in_the_picture(why: Page) -> None:
    with why.expect_download() as download:
        controls.press(why, "#take-tables")
    written = download.value.path().read_text(encoding="utf-8")
    assert text("en", "table.sweep.caption", n=13, seed=7, seeds=2).split(",")[0] in written
    assert text("en", "table.numerics.caption").split(":")[0] in written
    # the page moves its own marker; downloads have the figure's line in its place
    assert why.evaluate("() => document.querySelector('#figure-sweep').living.replaced") == "present"
    with why.expect_download() as download:
        why.locator("#figure-sweep .saves > summary").click()
        why.locator("#figure-sweep [data-format=svg]").click()
    assert download.value.path().read_text(encoding="utf-8").count("shape-group") >= 6


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_predict_then_reveal_in_both_languages(open_page: Callable[..., Page], lang: str) -> None:
    page = open_page(f"page=why&n=13&seeds=2&lang={lang}&predict=true", painted=False)
    wait(page)
    expect(page.locator("#figure-sweep h2")).to_have_text(text(lang, "figure.sweep.title"))
    expect(page.locator("#predict legend")).to_have_text(text(lang, "predict.why_falls.question", n=13))
    assert page.locator("#figure-sweep .prediction-cover").count() == 5
    expect(page.locator("#insight")).to_be_hidden()  # it would give the entropies away
    expect(page.locator("#figure-sweep .summary")).to_be_hidden()
    files = page.locator("#take-tables, #take-html")
    assert files.count() == 2
    assert [file.is_disabled() for file in files.all()] == [True, True]  # so would a table or an offline page
    assert page.locator("#take-link").is_enabled()
    tools = ("sweep", "mechanism-maps", "mechanism-scores", "temperature", "numerics")
    for name in tools:
        expect(page.locator(f"#figure-{name} .saves")).to_be_hidden()
        expect(page.locator(f"#figure-{name} .behind")).to_be_hidden()
    page.locator("#predict input[value=scaled]").check()
    page.locator("#predict-reveal").click()
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "false")
    assert [file.is_enabled() for file in files.all()] == [True, True]
    expect(page.locator("#figure-sweep .saves")).to_be_visible()
    expect(page.locator("#predict .predict-verdict")).to_contain_text(text(lang, "predict.why_falls.unscaled"))
    expect(page.locator("#figure-sweep .prediction-covers")).to_be_hidden()
    expect(page.locator("#insight")).to_be_visible()
    expect(page.locator("#figure-sweep .summary")).to_be_visible()
    page.locator("#predict-shut").click()
    expect(page.locator("#predict")).to_be_hidden()
    expect(page.locator("#predict-open")).to_be_focused()


def test_the_curves_are_told_in_the_words_of_the_verdict_without_predicting(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seeds=2", painted=False)
    wait(page)
    expect(page.locator("#predict")).to_be_hidden()
    assert page.locator(".is-covered").count() == 0
    points = list(sweep(SweepConfig(n=13, seeds=2)))
    because = plain(" ".join(write_all(MECHANISMS.outcome(SweepConfig(n=13, seeds=2), points), "en")))
    script = "() => [...document.querySelectorAll('#insight p')].map((one) => one.textContent).join(' ')"
    page.wait_for_function("() => document.querySelectorAll('#insight p').length === 5")
    assert plain(page.evaluate(script)).endswith(because)
    page.locator("#predict-open").click()
    page.locator("#predict input[value=unscaled]").check()
    page.locator("#predict-reveal").press("Enter")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    assert plain(page.locator(".predict-verdict").inner_text()).endswith(because)
    page.wait_for_function("() => document.querySelectorAll('#insight p').length === 4")  # it is said once
    page.locator("#predict-shut").click()
    page.wait_for_function("() => document.querySelectorAll('#insight p').length === 5")


def test_curves_that_grow_once_more_are_not_painted_until_they_are_whole(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seeds=2&predict=true", painted=False)
    wait(page)
    state = page.locator("#figure-sweep").get_attribute("data-painted")
    held = Held(page, "**/page/why/curves")
    page.locator("#predict input[value=scaled]").check()
    with page.expect_request("**/page/why/curves"):
        page.locator("#predict-reveal").click()
    assert page.locator("#figure-sweep").get_attribute("data-painted") is None
    held.release()
    wait(page, state)
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "false")


def plain(sentence: str) -> str:
    """Return a sentence without what the page's letters, roots and spaces are made of."""
    return "".join(sentence.replace("_", "").split())


def test_a_question_that_is_closed_shows_everything_and_is_asked_again(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seeds=2&predict=true", painted=False)
    wait(page)
    page.locator("#prediction-cover-lift").click()
    expect(page.locator("#predict")).to_be_hidden()
    expect(page.locator("#insight")).to_be_visible()
    assert page.locator(".is-covered").count() == 0
    page.wait_for_function("() => !location.search.includes('predict')")
    page.locator("#predict-open").press("Enter")
    expect(page.locator("#figure-sweep .prediction-cover")).to_have_count(5)
    expect(page.locator("#insight")).to_be_hidden()
    page.locator("#predict input[value=unscaled]").check()
    page.locator("#predict-reveal").press("Enter")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    assert page.evaluate("document.activeElement.className") == "predict-verdict is-right"


def test_once_the_curves_are_shown_the_question_about_another_state_is_one_line(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seeds=2&predict=true", painted=False)
    page.locator("#predict input[value=unscaled]").check()
    page.locator("#predict-reveal").press("Enter")
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    page.evaluate("headlight.then((page) => page.act('ways.goTo', 'page=why&n=13&seed=5&seeds=2&predict=true'))")
    expect(page.locator("#predict .predict-declined")).to_have_text(text("en", "predict.declined"))
    expect(page.locator("#predict fieldset")).to_be_hidden()
    page.locator("#predict-again").click()
    expect(page.locator("#predict fieldset")).to_be_visible()


def test_the_curves_compare_what_is_chosen_above_them(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seed=2&seeds=2&d_k=16", painted=False)
    wait(page)
    assert page.locator("#control-curves").get_by_text(text("en", "control.curves.label"), exact=True).is_visible()
    controls.choose(page, "curves", "qk_norm")
    wait(page, "n=13&d_k=16&seed=2&page=why&seeds=2&curves=qk_norm")
    curves = ("unscaled", "scaled", "qk_norm", "qk_norm_unscaled")
    for point in sweep(SweepConfig(n=13, seed=2, seeds=2, d_ks=(1024,), curves=curves)):
        for measure in MEASURES:
            line = drawn.find(drawn.graph(page, "sweep")["data"], curve=point.curve, measure=measure)
            assert line["y"][-1] == pytest.approx(point.spread(measure)[0], rel=1e-4)
    assert page.locator("#figure-sweep .marker").count() == 6
    controls.choose(page, "curves", "keys")
    page.wait_for_function("() => document.querySelectorAll('#figure-sweep .marker').length === 2")
    wait(page, "n=13&d_k=16&seed=2&page=why&seeds=2&curves=keys")
    found = {(p.curve, p.n): p for p in lengths(LengthsConfig(d_k=16, seed=2, seeds=2))}
    for curve in ("softmax", "log_n", "sink"):
        for measure in ("largest_weight", "entropy_share"):
            line = drawn.find(drawn.graph(page, "sweep")["data"], curve=curve, measure=measure)
            expected = [found[curve, n].spread(measure)[0] for n in line["x"]]
            np.testing.assert_allclose(line["y"], expected, rtol=1e-5)
    caption, rows = drawn.table(page, "sweep")
    assert caption == text("en", "table.sweep.caption_keys", seed=2, seeds=2, d_k=16, queries=256)
    assert len(rows) == 1 + 36
    samples = page.locator("#figure-sweep .chart-legend .entry .sample")
    drawn_as = samples.evaluate_all(
        "all => all.slice(0, 3).map((one) => {"
        "  const { borderTopStyle, borderTopWidth, backgroundImage, height } = getComputedStyle(one);"
        "  const line = parseFloat(borderTopWidth);"
        "  return line ? [borderTopStyle, line] : [backgroundImage.split('(')[0], parseFloat(height)];"
        "})"
    )
    assert [style for style, _ in drawn_as] == ["solid", "dashed", "linear-gradient"]
    assert all(wide >= 2 for _, wide in drawn_as)


def test_over_the_number_of_keys_the_marker_moves_n_and_the_curves_stay(open_page: Callable[..., Page]) -> None:
    page = open_page("page=why&n=13&seed=2&seeds=2&d_k=16&curves=keys", painted=False)
    wait(page)
    page.wait_for_function("() => document.querySelectorAll('#figure-sweep .marker').length === 2")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "page/why/curves" in request.url else None)
    handle = page.locator("#figure-sweep").get_by_role("slider", name=text("en", "control.n.label"), exact=True)
    handle.press("PageUp")
    wait(page, "n=26&d_k=16&seed=2&page=why&seeds=2&curves=keys")
    expect(handle).to_have_attribute("aria-valuenow", "26")
    handle.press("End")  # the maps end at 128 keys
    wait(page, "n=128&d_k=16&seed=2&page=why&seeds=2&curves=keys")
    assert asked == []
    controls.write(page, "d_k", 8)
    wait(page, "n=128&d_k=8&seed=2&page=why&seeds=2&curves=keys")
    assert len(asked) >= 1


@pytest.mark.parametrize(
    ("curves", "name", "answer", "covers"),
    [("qk_norm", "why_normed", "qk_norm_unscaled", 6), ("keys", "why_fades", "log_n", 2)],
)
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_each_comparison_has_its_question(
    open_page: Callable[..., Page], curves: str, name: str, answer: str, covers: int, lang: str
) -> None:
    page = open_page(f"page=why&n=13&seeds=2&lang={lang}&predict=true&curves={curves}", painted=False)
    wait(page)
    expect(page.locator("#predict legend")).to_have_text(text(lang, f"predict.{name}.question", n=13, d_k=64))
    expect(page.locator("#figure-sweep .prediction-cover")).to_have_count(covers)
    expect(page.locator("#insight")).to_be_hidden()
    page.locator(f"#predict input[value={answer}]").check()
    page.locator("#predict-reveal").click()
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "true")
    expect(page.locator("#predict .predict-verdict")).to_contain_text(text(lang, f"predict.{name}.{answer}"))
    expect(page.locator("#figure-sweep .prediction-covers")).to_be_hidden()
    controls.choose(page, "curves", "mechanisms")
    expect(page.locator("#predict .predict-declined")).to_be_visible()


SHOWN = """() => {
  const box = document.querySelector("#predict .predict-verdict");
  const room = box.getBoundingClientRect();
  const ends = [...box.children].map((one) => [...one.getClientRects()].at(-1).bottom - room.bottom);
  return { hidden: box.scrollHeight - box.clientHeight, fades: box.classList.contains("has-more"),
    reached: box.tabIndex, ends, said: [...box.children].map((one) => one.textContent) };
}"""


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
@pytest.mark.parametrize("curves", ["mechanisms", "qk_norm", "keys"])
def test_the_reason_of_a_verdict_is_in_sight(
    open_page: Callable[..., Page], curves: str, width: int, height: int, lang: str
) -> None:
    link = f"page=why&predict=true&curves={curves}&lang={lang}"
    page = open_page(link, painted=False, viewport={"width": width, "height": height})
    wait(page)
    covers = page.locator("#figure-sweep .prediction-cover")
    expect(covers).to_have_count({"mechanisms": 5, "qk_norm": 6, "keys": 2}[curves])  # a variance answers for QK-norm
    page.locator("#predict input").first.check()
    page.locator("#predict-reveal").click()
    expect(page.locator("#predict")).to_have_attribute("data-verdict", "false")
    page.wait_for_function("() => document.querySelectorAll('#predict .predict-verdict p').length > 1")
    found = page.evaluate(SHOWN)
    because = 1
    if curves == "keys":
        assert plain(found["said"][1]) == plain(text(lang, "predict.why_fades.because"))
    assert found["ends"][because] <= 1, f"{found['ends']} below the box"
    assert (found["hidden"] > 4) == found["fades"]
    assert found["hidden"] <= 1 or (width, found["reached"]) == (390, 0)  # only a phone scrolls, by the keyboard, too
