"""Each control changes the right figures to the results of `compute`, by slider, typing or keys."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from attention_core import AttentionConfig
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows, changed_figures, picture
from visualiser.state.view import View

ALL = set(drawn.FIGURES) - set(drawn.OF_ROW)
"""What a change of numbers redraws while no row is locked."""


@pytest.fixture(scope="module")
def shared(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page()


@pytest.fixture
def page(shared: Page) -> Page:
    """Return the shared page at its defaults, without loading it again."""
    controls.press(shared, "#reset")
    drawn.wait_painted(shared, "")
    controls.wait_shown(shared, n=32, h=8, d_k=64, d_model=512, source="gaussian", seed=0, row=None, head=0, tie=True)
    return shared


def test_the_first_picture_is_the_papers_base_model(shared: Page) -> None:
    controls.press(shared, "#reset")
    result = assert_page_shows(shared, AttentionConfig())
    assert result.weights.shape == (8, 32, 32)
    assert (result.config.d_model, result.config.d_k) == (512, 64)
    assert "512 / 8 = 64" in shared.locator("#arithmetic").inner_text()


def test_n(page: Page) -> None:
    before = picture(page)
    controls.slide(page, "n", 7)
    assert_page_shows(page, AttentionConfig(n=7))
    assert changed_figures(before, picture(page)) == ALL
    controls.write(page, "n", 19)
    assert_page_shows(page, AttentionConfig(n=19))
    controls.slider(page, "n").press("ArrowRight")
    assert_page_shows(page, AttentionConfig(n=23))  # a key goes about a fifth further


def test_a_number_that_is_half_typed_is_left_alone_until_its_box_is_left(open_page: Callable[..., Page]) -> None:
    """A visitor who types 19 slowly asks for 1 on the way; the smallest d_model is 8."""
    page = open_page("h=2")
    box = controls.box(page, "d_model")
    drawn.take_clock(page)
    box.click()
    box.press("ControlOrMeta+a")
    box.press("1")
    drawn.wait_painted(page, "d_model=8&h=2")
    page.clock.fast_forward(5000)  # by now the other controls have taken the server's values
    box.press("9")
    assert_page_shows(page, AttentionConfig(d_model=19, h=2))
    assert box.input_value() == "19"
    controls.write(page, "d_model", 1)
    controls.wait_shown(page, d_model=8)


_IN_ONE_FRAME = """async ([name, typed]) => {
  document.querySelector(`#control-${name} input[type=number]`).focus();
  document.execCommand("selectAll");
  document.execCommand("delete");
  for (const key of typed.slice(0, -1)) document.execCommand("insertText", false, key);
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  document.execCommand("insertText", false, typed.at(-1));
}"""


@pytest.mark.parametrize("typed", ["0.3", "1.05"])
def test_a_number_that_is_typed_within_a_frame_keeps_its_point(open_page: Callable[..., Page], typed: str) -> None:
    """gradio writes the number of before the point a frame later, as on a busy machine: 0.3 became 30, and so 16."""
    page = open_page("scaling=custom")
    page.evaluate(_IN_ONE_FRAME, ["scale", typed])
    assert controls.box(page, "scale").input_value() == typed
    assert_page_shows(page, AttentionConfig(scaling="custom", scale=float(typed)))


def test_a_logarithmic_slider_asks_for_no_number_outside_its_ends(open_page: Callable[..., Page]) -> None:
    """The 1 of a 19 is no n: the page waits for the rest; a box that is left with it takes the nearest."""
    page = open_page("h=2")
    drawn.take_clock(page)
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/page/explore") else None)
    box = controls.box(page, "n")
    box.click()
    box.press("ControlOrMeta+a")
    box.press("1")
    page.clock.fast_forward(5000)
    assert box.input_value() == "1"
    box.press("9")
    assert_page_shows(page, AttentionConfig(n=19, h=2))
    assert len(asked) == 1
    controls.write(page, "n", 1)
    controls.wait_shown(page, n=2)
    drawn.wait_painted(page, "n=2&h=2")


def test_d_k_unties_itself_and_ties_again(page: Page) -> None:
    before = picture(page)
    controls.slide(page, "d_k", 7)
    assert_page_shows(page, AttentionConfig(d_k=7))
    assert changed_figures(before, picture(page)) == ALL
    controls.wait_shown(page, tie=False, d_k=7, d_model=512)
    assert "d_k from 64 to 7" in page.locator("#arithmetic").inner_text()
    controls.slider(page, "d_k").press("ArrowLeft")
    assert_page_shows(page, AttentionConfig(d_k=6))
    controls.write(page, "d_k", 512)
    assert_page_shows(page, AttentionConfig(d_k=512))
    controls.write(page, "d_k", 64)  # the paper's value ties it again
    assert_page_shows(page, AttentionConfig())
    controls.wait_shown(page, tie=True)


def test_h_and_d_model_move_a_tied_d_k(page: Page) -> None:
    controls.slide(page, "h", 5)
    assert_page_shows(page, AttentionConfig(h=5))
    controls.wait_shown(page, d_k=102)
    controls.slide(page, "d_model", 50)
    assert_page_shows(page, AttentionConfig(h=5, d_model=50))
    controls.wait_shown(page, d_k=10)
    assert "50 / 5 = 10" in page.locator("#arithmetic").inner_text()
    controls.slider(page, "h").press("ArrowRight")
    assert_page_shows(page, AttentionConfig(h=6, d_model=50))
    controls.wait_shown(page, d_k=8, h=6)
    controls.write(page, "d_model", 96)
    assert_page_shows(page, AttentionConfig(h=6, d_model=96))


def test_tie(page: Page) -> None:
    controls.tick(page, "tie", False)
    before = picture(page)
    controls.wait_shown(page, d_k=64)
    controls.slide(page, "h", 4)
    assert_page_shows(page, AttentionConfig(h=4, d_k=64, tie=False))
    controls.wait_shown(page, d_k=64, tie=False)
    controls.tick(page, "tie", True)
    assert_page_shows(page, AttentionConfig(h=4))
    controls.wait_shown(page, d_k=128)
    assert changed_figures(before, picture(page)) == ALL


def test_mechanism(page: Page) -> None:
    before = picture(page)
    controls.choose(page, "mechanism", "additive")
    additive = AttentionConfig(mechanism="additive")
    assert_page_shows(page, additive)
    assert changed_figures(before, picture(page)) == ALL
    assert page.locator("#control-scaling").is_hidden()  # the paper scales dot products only
    controls.choose(page, "mechanism", "dot_product")
    assert_page_shows(page, AttentionConfig())
    assert page.locator("#control-scaling").is_visible()


def test_scaling_and_its_factor(page: Page) -> None:
    before = picture(page)
    controls.choose(page, "scaling", "none")
    unscaled = assert_page_shows(page, AttentionConfig(scaling="none"))
    assert changed_figures(before, picture(page)) == ALL
    assert unscaled.predicted_variance == 64
    controls.choose(page, "scaling", "d_k")
    assert_page_shows(page, AttentionConfig(scaling="d_k"))
    assert page.locator("#control-scale").is_hidden()
    controls.choose(page, "scaling", "custom")
    assert_page_shows(page, AttentionConfig(scaling="custom"))
    controls.slide(page, "scale", 0.25)
    assert_page_shows(page, AttentionConfig(scaling="custom", scale=0.25))
    controls.write(page, "scale", 0.5)
    assert_page_shows(page, AttentionConfig(scaling="custom", scale=0.5))
    controls.slide(page, "scale", 0)  # every weight is 1 / n
    assert_page_shows(page, AttentionConfig(scaling="custom", scale=0.0))


def test_mask_and_window(page: Page) -> None:
    before = picture(page)
    controls.choose(page, "mask", "causal")
    assert_page_shows(page, AttentionConfig(mask="causal"))
    assert changed_figures(before, picture(page)) == ALL
    assert page.locator("#figure-heat-maps .masked-legend").inner_text() == "masked"
    assert page.locator("#control-window").is_hidden()
    controls.choose(page, "mask", "window")
    assert_page_shows(page, AttentionConfig(mask="window"))
    controls.slide(page, "window", 2)
    assert_page_shows(page, AttentionConfig(mask="window", window=2))
    controls.slider(page, "window").press("ArrowLeft")
    assert_page_shows(page, AttentionConfig(mask="window", window=1))
    controls.choose(page, "mask", "none")
    assert_page_shows(page, AttentionConfig(window=1))
    assert page.locator("#figure-heat-maps .masked-legend").count() == 0


def test_every_stage_of_figure_2(page: Page) -> None:
    controls.choose(page, "mask", "causal")
    assert_page_shows(page, AttentionConfig(mask="causal"))
    for stage, bar in (("scores", "score q·k"), ("scaled", "scaled score"), ("masked", "masked score")):
        before = picture(page)
        controls.choose(page, "stage", stage)
        assert_page_shows(page, AttentionConfig(mask="causal"), View(stage=stage))
        assert changed_figures(before, picture(page)) == {"heat-maps"}
        ((title, ticks),) = drawn.colour_bars(page)
        assert title == bar
        assert "0" in ticks  # centred at 0, which has a mark


def test_text_split_and_positions(page: Page) -> None:
    controls.choose(page, "source", "text")
    result = assert_page_shows(page, AttentionConfig(source="text"))
    assert page.locator("#control-n").is_hidden()
    controls.write(page, "text", "나는 밥 나는 🙂")
    result = assert_page_shows(page, AttentionConfig(source="text", text="나는 밥 나는 🙂"))
    assert result.tokens == ("나는", "밥", "나는", "🙂")
    labels = drawn.graph(page, "heat-maps")["layout"]["xaxis"]["ticktext"]
    assert labels == ["나는", "밥", "나는", "🙂"]  # the repeated token keeps its own column
    assert len(drawn.panels(page)[0].columns) == 4
    before = picture(page)
    controls.tick(page, "positions", True)
    assert_page_shows(page, AttentionConfig(source="text", text="나는 밥 나는 🙂", positions=True))
    assert changed_figures(before, picture(page)) == ALL
    controls.choose(page, "split", "characters")
    config = AttentionConfig(source="text", text="나는 밥 나는 🙂", positions=True, split="characters")
    assert config.n > 4
    assert_page_shows(page, config)


def test_seed_and_new_draw(page: Page) -> None:
    before = picture(page)
    controls.write(page, "seed", 20170612)
    assert_page_shows(page, AttentionConfig(seed=20170612))
    assert changed_figures(before, picture(page)) == ALL
    controls.press(page, "#new-draw")
    page.wait_for_function("() => Number(document.querySelector('#control-seed input').value) !== 20170612")
    seed = controls.shown(page)["seed"]
    assert 0 <= seed < 2**31
    assert_page_shows(page, AttentionConfig(seed=seed))


def test_dtype(page: Page) -> None:
    controls.slide(page, "d_k", 512)
    assert_page_shows(page, AttentionConfig(d_k=512, tie=False))
    for dtype in ("bfloat16", "float16"):
        before = picture(page)
        controls.choose(page, "dtype", dtype)
        assert_page_shows(page, AttentionConfig(d_k=512, tie=False, dtype=dtype))
        assert "entropy" in changed_figures(before, picture(page))


def test_colour_scale_and_range(page: Page) -> None:
    before = picture(page)
    controls.choose(page, "colour", "log")
    assert_page_shows(page, AttentionConfig(), View(colour="log"))
    assert changed_figures(before, picture(page)) == {"heat-maps"}
    ((title, ticks),) = drawn.colour_bars(page)
    assert title == "weight"
    assert {"0.001", "0.01"} <= set(ticks)  # weights and not their logarithms
    controls.choose(page, "colour_range", "per_head")
    assert_page_shows(page, AttentionConfig(), View(colour="log", colour_range="per_head"))
    assert [title for title, _ in drawn.colour_bars(page)] == [f"head {head}" for head in range(1, 9)]
    controls.choose(page, "colour", "linear")
    assert_page_shows(page, AttentionConfig(), View(colour_range="per_head"))


def test_columns(page: Page) -> None:
    def lines() -> list[int]:
        tops = [round(panel.top) for panel in drawn.panels(page)]
        return [tops.count(top) for top in sorted(set(tops))]

    controls.slide(page, "columns", 3)
    assert_page_shows(page, AttentionConfig(), View(columns=3))
    assert lines() == [3, 3, 2]
    controls.slider(page, "columns").press("ArrowLeft")
    assert_page_shows(page, AttentionConfig(), View(columns=2))
    assert lines() == [2, 2, 2, 2]


def test_head(page: Page) -> None:
    width = drawn.panels(page)[0].width
    controls.slide(page, "head", 2)
    assert_page_shows(page, AttentionConfig(), View(head=2))
    (panel,) = drawn.panels(page)
    assert panel.title == "head 2"
    assert panel.width > 2 * width
    controls.slide(page, "head", 0)
    assert_page_shows(page, AttentionConfig())


def test_row(page: Page) -> None:
    before = picture(page)
    controls.write(page, "row", 5)
    assert_page_shows(page, AttentionConfig(), View(row=5))
    # the cells of the maps only get a frame; those of the row open beside them
    assert changed_figures(before, picture(page)) == set(drawn.FIGURES) - {"heat-maps"}
    assert page.locator("#figure-heat-maps .row-mark.is-locked:visible").count() == 8
    controls.write(page, "row", "")
    assert_page_shows(page, AttentionConfig())
    assert page.locator("#figure-heat-maps .row-mark.is-locked:visible").count() == 0


def test_a_number_out_of_range_comes_to_rest_inside(page: Page) -> None:
    controls.write(page, "row", 40)
    drawn.wait_painted(page, "row=31")
    controls.wait_shown(page, row=31)
    controls.write(page, "n", 9999)
    drawn.wait_painted(page, "n=512&row=31")
    controls.wait_shown(page, n=512)


@pytest.mark.parametrize("name", ["n", "d_k", "h", "d_model"])
def test_holding_a_key_ends_on_the_sliders_own_value(page: Page, name: str) -> None:
    slider = controls.slider(page, name)
    value = getattr(AttentionConfig(), name)
    for _ in range(6):
        slider.press("ArrowRight")
        value += max(1, round(value * 2**0.25) - value) if name in ("n", "d_k") else 1
    assert controls.shown(page)[name] == value
    assert_page_shows(page, AttentionConfig(**{name: value}))
