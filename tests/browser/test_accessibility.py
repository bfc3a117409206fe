"""axe-core finds no violations, the keyboard reaches everything, and every picture has a text behind it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from attention_core import AttentionConfig, compute
from tests.browser import controls, drawn
from tests.browser.comparison import assert_page_shows
from visualiser.locale import text
from visualiser.state.parameters import PAGES
from visualiser.state.view import View

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}

STATES = {
    "locked row": "n=9&h=2&row=4",
    "pinned": "n=9&h=2&scaling=none&pin=n%3D9%26h%3D2",
    "masked scores": "n=9&h=16&mask=window&stage=masked&scaling=custom&colour_range=per_head",
    "text": "source=text&row=1&head=2",
    "notices": "h=99&stage=nothing",
    "Korean": "n=9&h=2&lang=ko&row=3",
}


_RULES = {"rules": {"label-content-name-mismatch": {"enabled": True}}}
"""Of those that are not on by themselves: a name says the words in sight, for those who speak to their device."""


def violations(page: Page, within: str | None = None) -> list[str]:
    """Return axe-core's violations: rule, advice, place. A colour in the midst of a transition is no contrast."""
    page.wait_for_function("() => document.getAnimations().every((one) => one.playState !== 'running')")
    found = Axe().run(page, context=within, options=_RULES).response["violations"]
    return [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:5]}" for one in found]


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    return open_module_page()


def test_axe_on_the_default_page_with_everything_unfolded(page: Page) -> None:
    assert not violations(page)
    page.locator("[aria-controls=group-more]").click()
    assert not violations(page, within="#controls")
    for fold in page.locator("details.menu > summary >> visible=true").all():
        fold.click()
        assert not violations(page, within="details.menu[open]")
        page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_on_the_dialog_that_shares(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page("n=9&h=2", color_scheme=scheme)
    controls.press(page, "#share-open")
    page.locator("#share-code").wait_for()
    assert not violations(page, within="#share")
    page.set_viewport_size({"width": 390, "height": 844})
    assert not violations(page, within="#share")
    width = page.locator("#share").evaluate("(one) => [one.scrollWidth, one.clientWidth]")
    assert width[0] == width[1]


@pytest.mark.parametrize("state", STATES)
def test_axe_on_other_states(page: Page, app_url: str, state: str) -> None:
    page.goto(f"{app_url}?{STATES[state]}")
    drawn.wait_painted(page)
    assert not violations(page)


def test_axe_on_the_page_that_waits_for_a_file(page: Page, app_url: str, tmp_path: Path) -> None:
    page.goto(f"{app_url}?n=9")
    drawn.wait_painted(page, "n=9")
    controls.wait_shown(page, n=9)
    controls.choose(page, "source", "upload")
    page.locator("#upload-file").wait_for()
    assert not violations(page)
    generator = np.random.default_rng(0)
    np.savez(tmp_path / "own.npz", Q=generator.normal(size=(5, 3)), K=generator.normal(size=(5, 3)))
    page.locator("#upload-file").set_input_files(tmp_path / "own.npz")
    drawn.wait_painted(page, "source=upload")
    assert not violations(page)


def test_axe_in_the_dark(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2&row=4", color_scheme="dark")
    assert not violations(page)
    page.goto(page.url.split("?")[0] + "?source=text&pin=h%3D4&lang=ko&mask=causal")
    drawn.wait_painted(page)
    assert not violations(page)


def test_axe_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("n=9&h=2&source=text&row=2", **PHONE)
    assert not violations(page)


_CLOSED = """() => {
  const { activeElement: at } = document;
  return at.matches("details:not([open]) > summary, [aria-controls=group-more][aria-expanded=false]");
}"""


def test_the_radios_of_a_control_are_one_stop_with_arrows_inside(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?n=9")
    drawn.wait_painted(page, "n=9")
    page.locator("#control-mask input:checked").focus()
    page.keyboard.press("Tab")
    assert not page.evaluate("Boolean(document.activeElement.closest('#control-mask'))")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.value") == "none"
    page.keyboard.press("ArrowRight")
    drawn.wait_painted(page, "n=9&mask=causal")
    assert page.evaluate("document.activeElement.value") == "causal"


def test_the_keyboard_alone_reaches_and_moves_everything(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?mask=window&scaling=custom&normalisation=sink&row=1")
    drawn.wait_painted(page)
    wanted = {f"control-{name}" for name in (*controls.SLIDERS, *controls.RADIOS, *controls.NUMBERS, "tie")} - {
        "control-split"
    }
    wanted |= {
        "dark",
        "reset",
        "pin",
        "new-draw",
        "preset-causal",
        "preset-base",
        "take-link",
        "take-snippet",
        "take-npz",
        "take-html",
    }
    wanted |= {f"figure-{name}" for name in drawn.FIGURES}
    reached: set[str] = set()
    page.evaluate("document.activeElement?.blur()")
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate(_CLOSED):
            page.keyboard.press("Enter")
        reached |= set(
            page.evaluate(
                """() => { const ids = [];
                  for (let e = document.activeElement; e; e = e.parentElement) if (e.id) ids.push(e.id);
                  return ids; }"""
            )
        )
        if wanted <= reached:
            break
    assert not sorted(wanted - reached)
    controls.slider(page, "h").focus()
    page.keyboard.press("ArrowLeft")
    drawn.wait_painted(page, "h=7&scaling=custom&mask=window&normalisation=sink&row=1")
    page.locator("#control-mask input[value=causal]").focus()
    page.keyboard.press("Space")
    drawn.wait_painted(page, "h=7&scaling=custom&mask=causal&normalisation=sink&row=1")
    page.locator("#control-tie input").focus()
    page.keyboard.press("Space")
    controls.wait_shown(page, tie=False)
    page.locator("#pin").focus()
    page.keyboard.press("Enter")
    page.locator("#pin[aria-pressed=true]").wait_for()
    controls.reveal(page, "#reset").focus()
    page.keyboard.press("Enter")
    assert_page_shows(page, AttentionConfig())


def test_a_table_and_a_sentence_stand_behind_every_figure(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?n=6&h=2&row=3&head=2")
    drawn.wait_painted(page)
    result = compute(AttentionConfig(n=6, h=2))
    for name in drawn.FIGURES:
        assert len(page.locator(f"#figure-{name} .summary").inner_text()) > 30
        caption, lines = drawn.table(page, name)
        assert caption
        assert len({len(line) for line in lines}) == 1
        assert page.locator(f"#figure-{name} table th[scope=col]").count() == len(lines[0])
    numbers = {
        name: [[float(cell.replace("−", "-")) for cell in line] for line in drawn.table(page, name)[1][1:]]
        for name in drawn.FIGURES
    }
    weights = result.weights[1, 3]

    def close(values: torch.Tensor) -> object:
        return pytest.approx(values.tolist(), rel=6e-3, abs=1e-6)

    assert [line[-1] for line in numbers["heat-maps"]] == close(weights)
    assert [line[-2] for line in numbers["heat-maps"]] == close(result.scaled[1, 3])
    assert [line[2] for line in numbers["score-distribution"]] == close(result.score_variance)
    assert [line[-1] for line in numbers["entropy"]] == close(result.entropy[:, 3])
    assert [line[-2] for line in numbers["gradient"]] == close(result.jacobian_norm[:, 3])
    assert [line[2] for line in numbers["jacobian"]] == close(weights - weights**2)
    assert page.locator("#insight").inner_text().count(".") >= 1
    assert_page_shows(page, AttentionConfig(n=6, h=2), View(row=3, head=2))


def test_name_number_and_slider_are_one_control(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?n=9&h=2&scaling=custom")
    drawn.wait_painted(page)
    for name in ("h", "d_k", "n", "scale"):
        label = text("en", f"control.{name}.label")
        group = page.locator("#controls").get_by_role("group", name=label, exact=True)
        assert group.count() == 1, name
        assert group.get_by_role("slider").count() == 1
        assert group.get_by_role("spinbutton").count() == 1


def test_focus_is_seen_on_every_control(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?n=9&h=2")
    drawn.wait_painted(page)
    page.evaluate("document.activeElement?.blur()")
    unseen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => { const one = document.activeElement;
              const marked = [one, one.closest("label")].some((part) => {
                if (!part) return false;
                const { outlineStyle, outlineWidth, opacity } = getComputedStyle(part);
                return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 && opacity > 0; });
              return marked ? null : one.outerHTML.slice(0, 120); }"""
        )
        if found:
            unseen.add(found)
    assert not unseen


def test_a_click_on_a_row_leaves_sentence_and_stages_in_their_place(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?n=9&h=2")
    drawn.wait_painted(page)
    stays = "['#insight', '#stage-row', '#controls'].map((one) => document.querySelector(one).getBoundingClientRect())"
    before = page.evaluate(f"{stays}.map(({{ top, height }}) => [top, height])")
    page.locator("#figure-heat-maps canvas.cells").first.click(position={"x": 40, "y": 40}, force=True)
    page.locator("#row-title").wait_for()
    page.wait_for_function("() => location.search.includes('row=')")
    assert page.evaluate(f"{stays}.map(({{ top, height }}) => [top, height])") == before


@pytest.mark.parametrize("where", ["phone", "dark"])
@pytest.mark.parametrize("name", [one for one in PAGES if one != "explore"])
def test_axe_on_every_page(open_page: Callable[..., Page], name: str, where: str) -> None:
    options = PHONE if where == "phone" else {"color_scheme": "dark"}
    page = open_page(f"page={name}&n=32" if name != "map" else "page=map&n=300", painted=False, **options)
    page.locator("#insight[data-painted], [data-run]").first.wait_for(state="attached")
    assert not violations(page)
