"""The Anatomy page in a real browser: shapes, numbers and their arithmetic against the core's tensors."""

import re
from collections.abc import Callable

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from attention_core import AttentionConfig, layers, walk
from tests.browser import controls
from tests.browser.walked import SMALL, opened, painted
from visualiser.locale import number, text, texts
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.reasons.kinds import SECTIONS

_NUMBERS = """() => [...document.querySelectorAll("#figure-walk td[data-row]")].map((cell) => [
  cell.closest("[data-tensor]").dataset.tensor,
  Number(cell.dataset.row), Number(cell.dataset.column), cell.textContent])"""

_BOXES = """() => Object.fromEntries([...document.querySelectorAll("#figure-anatomy [data-box]")].map((box) => [
  box.dataset.box, [...box.querySelectorAll("text.axes")].map((line) => line.textContent).join(" ")]))"""

_LIT = """() => [...document.querySelectorAll("#figure-anatomy [data-lit]")].map((part) =>
  part.getAttribute("data-symbol"))"""


@pytest.fixture(scope="module")
def page(open_module_page: Callable[..., Page]) -> Page:
    page = open_module_page("page=anatomy", painted=False)
    painted(page)
    return page


@pytest.fixture(scope="module")
def korean(open_module_page: Callable[..., Page]) -> Page:
    page = open_module_page("page=anatomy&lang=ko", painted=False, color_scheme="dark", locale="ko-KR")
    painted(page)
    return page


def tensors(config: AttentionConfig, layer_number: int, row: int, head: int) -> dict[str, torch.Tensor]:
    """Return the core's tensors under the names on the page."""
    layer = layers(config, layer_number)[-1]
    steps, attention, own = walk(layer, row, head), layer.attention, head - 1
    found = {name: getattr(layer, name) for name in ("X", "W_O")}
    found |= {name: getattr(layer, name)[own] for name in ("W_Q", "W_K", "W_V")}
    found |= {name: getattr(attention, name)[own] for name in ("Q", "K", "V", "scores", "scaled", "masked", "weights")}
    found |= {"head": attention.heads[own], "concatenation": attention.concatenation, "output": attention.output}
    found |= {"weighted": steps.weighted, **steps.weighing}
    found |= {} if steps.capped is None else {"capped": steps.capped}
    found |= {name: torch.atleast_2d(tensor[own]) for name, tensor in layer.parameters.items()}
    return {**found, **steps.normed, **steps.own}


def assert_numbers(page: Page, expected: dict[str, torch.Tensor]) -> int:
    """Compare every number in the walk with the core's, and return how many there are."""
    shown = page.evaluate(_NUMBERS)
    for name, row, column, written in shown:
        # Adding 0 makes the −0 of a masked product a 0.
        assert written == number(float(expected[name][row, column]) + 0.0), (name, row, column)
    return len(shown)


def test_a_walk_by_keyboard_shows_every_tensor_of_the_core(page: Page, app_url: str) -> None:
    opened(page, app_url, "mask=causal&row=2&head=2")
    config = AttentionConfig(**SMALL, mask="causal")
    expected = tensors(config, 1, 2, 2)
    page.locator(".walk").focus()
    seen: dict[tuple[str, str], int] = {}
    states = [(rows, step) for rows in ("one", "all") for step in _steps(page)]
    for at, (rows, step) in enumerate(states):
        if at:
            page.keyboard.press("ArrowRight")
        query = [("mask", "causal"), ("page", "anatomy"), ("head", "2"), ("row", "2")]
        query += [("step", step)] * (step != "input") + [("rows", rows)] * (rows != "one")
        page.wait_for_function(
            """(query) => query === [...new URLSearchParams(
              document.getElementById("figure-walk").dataset.painted)].sort().join()""",
            arg=",".join(",".join(pair) for pair in sorted(query)),
        )
        seen[rows, step] = assert_numbers(page, expected)
    assert len(states) == 24
    # products of one query with four keys of four components: q, k, their products, four scores
    assert seen["one", "scores"] == 4 + 16 + 16 + 4
    assert seen["all", "output"] == 4 * 8 + 8 * 8 + 4 * 8
    assert page.locator("#step-next").is_disabled()
    page.wait_for_url("**step=output&rows=all**")
    page.reload()
    painted(page)
    assert page.locator("#control-step").input_value() == "output"
    assert page.locator("#control-rows [aria-pressed=true]").get_attribute("data-rows") == "all"
    page.locator("#step-back").click()
    page.wait_for_function("() => document.querySelector('#control-step').value === 'concatenation'")
    assert_numbers(page, expected)


def _steps(page: Page) -> list[str]:
    return page.locator("#control-step option").evaluate_all("(options) => options.map((option) => option.value)")


def test_the_additive_mechanism_has_a_walk_of_its_own(korean: Page, app_url: str) -> None:
    opened(korean, app_url, "mechanism=additive&lang=ko&row=1&layer=2")
    steps = _steps(korean)
    assert [step for step in steps if step not in ("input", "queries", "keys", "values")][:5] == [
        "hidden_q", "hidden_k", "hidden", "tanh", "scores"
    ]  # fmt: skip
    expected = tensors(AttentionConfig(**SMALL, mechanism="additive"), 2, 1, 1)
    for step, formula in (
        ("hidden_q", {"Q", "W_q"}),
        ("tanh", {"tanh"}),
        ("scores", {"Q", "K", "w"}),
        ("heads", {"weigh", "V", "head"}),
    ):
        korean.locator("#control-step").select_option(step)
        korean.wait_for_function(
            "(q) => document.getElementById('figure-walk').dataset.painted.includes(q)", arg=f"step={step}"
        )
        assert assert_numbers(korean, expected) > 4
        assert set(korean.evaluate(_LIT)) == formula
        assert korean.locator(".walk h3").inner_text() == texts("ko")[f"anatomy.title.{step}"]


@pytest.mark.parametrize(
    ("mechanism", "compares", "lit"),
    [("dot_product", "scores", {"Q", "norm_Q", "K", "norm_K"}), ("additive", "hidden_q", {"Q", "norm_Q", "W_q"})],
)
def test_normalised_queries_and_keys_have_boxes_steps_and_a_place_in_the_formula(
    korean: Page, app_url: str, mechanism: str, compares: str, lit: set[str]
) -> None:
    query = f"mechanism={mechanism}&qk_norm=true&log_n=true&lang=ko&row=1&layer=2"
    opened(korean, app_url, query)
    config = AttentionConfig(**SMALL, mechanism=mechanism, qk_norm=True, log_n=True)
    expected = tensors(config, 2, 1, 1)
    boxes = korean.evaluate(_BOXES)
    assert {boxes[name].replace(" ", "").replace("n×d_k=", "") for name in ("norm_q", "norm_k")} == {"→4×4"}
    for rows, step, symbols in (
        ("one", "normed_q", {"norm_Q", "Q"}), ("all", "normed_k", {"norm_K", "K"}), ("one", compares, lit),
    ):  # fmt: skip
        opened(korean, app_url, f"{query}&step={step}&rows={rows}")
        assert assert_numbers(korean, expected) >= 10
        assert set(korean.evaluate(_LIT)) == symbols
        own = walk_steps.treated(config, step)
        assert korean.locator(".walk h3").inner_text() == texts("ko")[f"anatomy.title.{own}"]
    formula = korean.locator(".formulas math").first.text_content() or ""
    assert formula.count("RMSNorm") == 2
    assert ("ln" in formula) == (mechanism == "dot_product")


def test_the_factor_that_grows_is_in_its_box_its_step_and_the_formula(page: Page, app_url: str) -> None:
    query = "log_n=true&step=scaled"
    opened(page, app_url, query)
    config = AttentionConfig(**SMALL, log_n=True)
    assert config.factor == pytest.approx(0.2)
    box = page.locator("[data-box=scale]")
    assert "1/√d_k · ln n / ln 32" in " ".join(box.locator("text").all_text_contents())
    assert "0.2" in " ".join(box.locator("text").all_text_contents())
    assert "1/√d_k · ln n / ln 32 = 0.2" in (box.get_attribute("aria-description") or "")
    assert box.locator("tspan:not(.unseen)", has_text="√").count() == 1, "the root is seen"
    assert page.locator("#figure-walk .sign").first.inner_text() == "/ √4 × ln 4 / ln 32"
    assert_numbers(page, tensors(config, 1, 3, 1))
    formula = page.locator(".formulas math").first
    assert page.evaluate(_LIT) == ["scale", "scale"]
    assert "ln32" in re.sub(r"\s", "", formula.text_content() or "")
    box.hover()
    expect(page.locator("#diagram-tip")).to_contain_text("1/√d_k · ln n / ln 32 = 0.2")
    page.locator("#figure-walk .is-result td[data-column='1']").hover()
    expect(page.locator("#reason strong")).to_have_text("sᵢⱼ = qᵢ · kⱼ / √d_k · ln n / ln 32")
    assert page.locator(".reason-tip a").get_attribute("href") == SECTIONS["growth"]


def test_the_two_settings_are_check_boxes_that_change_walk_and_link(page: Page, app_url: str) -> None:
    opened(page, app_url, "step=scaled")
    before = page.evaluate(_NUMBERS)
    for name in ("qk_norm", "log_n"):
        controls.reveal(page, f"#control-{name} input").click()
        page.wait_for_function(
            "(name) => document.getElementById('figure-walk').dataset.painted.includes(`${name}=true`)", arg=name
        )
        assert page.evaluate(_NUMBERS) != before
        before = page.evaluate(_NUMBERS)
    assert_numbers(page, tensors(AttentionConfig(**SMALL, qk_norm=True, log_n=True), 1, 3, 1))
    assert page.locator("[data-box=norm_q]").count() == 1


def test_changing_a_size_or_the_mask_changes_the_shapes(page: Page, app_url: str) -> None:
    opened(page, app_url, "")
    boxes = page.evaluate(_BOXES)
    assert boxes["q"] == "n × d_k = 4 × 4"
    assert boxes["attention"] == "→ h × n × d_v = 2 × 4 × 4"
    controls.slide(page, "h", 4)
    painted(page, "h=4&page=anatomy")
    controls.slide(page, "d_k", 3)
    painted(page, "h=4&d_k=3&page=anatomy")
    boxes = page.evaluate(_BOXES)
    assert boxes["q"] == "n × d_k = 4 × 3"
    assert boxes["attention"] == "→ h × n × d_v = 4 × 4 × 3"
    assert boxes["concat"] == "→ n × h·d_v = 4 × 12"
    assert boxes["linear_o"] == "h·d_v × d_model = 12 × 8 → n × d_model = 4 × 8"
    assert "is-idle" in (page.locator("[data-box=mask]").get_attribute("class") or "")
    controls.choose(page, "mask", "causal")
    painted(page, "h=4&d_k=3&mask=causal&page=anatomy")
    assert "is-idle" not in (page.locator("[data-box=mask]").get_attribute("class") or "")
    page.locator("[data-box=q]").focus()
    assert texts("en")["anatomy.size.d_k_untied"].format(d_k=3) in page.locator("#diagram-tip").inner_text()


def test_a_box_opens_its_tensor_and_lights_its_symbols(page: Page, app_url: str) -> None:
    opened(page, app_url, "")
    expected = tensors(AttentionConfig(**SMALL), 1, 3, 1)
    opens = {
        "linear_k": ("keys", {"X_K", "W_K", "K"}),
        "scale": ("scaled", {"scale"}),
        "softmax": ("weights", {"weigh"}),
        "concat": ("concatenation", {"Concat", "head"}),
    }
    # dashed while there is no mask, but the mouse still opens it
    page.locator("[data-box=mask]").click()
    painted(page, "page=anatomy&step=masked&rows=all")
    for box, (step, symbols) in opens.items():
        page.locator(f"[data-box={box}]").focus()
        page.keyboard.press("Enter")
        painted(page, f"page=anatomy&step={step}&rows=all")
        assert set(page.evaluate(_LIT)) == symbols
        assert page.locator(f"[data-box={box}]").get_attribute("aria-current") == "step"
        result = page.locator("#figure-walk .is-result").last
        name = {"keys": "K"}.get(step, step)
        assert result.get_attribute("data-tensor") == name
        assert result.locator("td[data-row]").count() == expected[name].numel()
        assert_numbers(page, expected)


def evaluated(written: str) -> float:
    """Evaluate the printed arithmetic: numbers, × + and brackets."""
    plain = written.removeprefix("= ").replace("−", "-").replace("(", "").replace(")", "")
    return sum(
        torch.tensor([float(factor) for factor in term.split(" × ")]).prod().item() for term in plain.split(" + ")
    )


def test_every_number_tells_its_arithmetic_to_pointer_and_keyboard(page: Page, app_url: str) -> None:
    opened(page, app_url, "step=scores")
    attention = layers(AttentionConfig(**SMALL), 1)[0].attention
    made = page.locator("#reason p:not(.spoken)")
    page.locator("#figure-walk .is-result td[data-column='1']").hover()
    score = float(attention.scores[0, 3, 1])
    expect(made).to_contain_text(f"scores[3, 1] = {number(score)} = ")
    written = made.inner_text().split(" = ")[-1]
    assert written.count("×") == 4
    assert evaluated(written) == pytest.approx(score, abs=0.02)
    expect(page.locator("#reason strong")).to_have_text("qᵢ · kⱼ")
    assert page.locator(".reason-tip a").get_attribute("href") == SECTIONS["attention"]
    cells = page.locator("#figure-walk [data-tensor=K] td[data-row]")
    cells.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    K = attention.K[0]
    expect(made).to_contain_text(f"K[1, 1] = {number(float(K[1, 1]))} = ")
    assert evaluated(made.inner_text().split(" = ")[-1]) == pytest.approx(float(K[1, 1]), abs=0.02)
    expect(page.locator("#reason strong")).to_have_text("K = X W_K")
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "reason"
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".reason-tip:popover-open")).to_have_count(0)
    for index in range(cells.count()):
        cells.nth(index).dispatch_event("click")
        assert made.inner_text().count(" = ") == 2


def test_what_does_not_fit_in_print_is_a_heat_map_and_says_so(page: Page, app_url: str) -> None:
    opened(page, app_url, "source=gaussian&n=9&step=weights&rows=all")
    assert page.locator(".too-large").inner_text() == text("en", "anatomy.too_large", most=8)
    assert page.locator("#figure-walk td[data-row]").count() == 0
    canvases = page.locator("#figure-walk canvas").evaluate_all("(all) => all.map((one) => [one.width, one.height])")
    assert canvases == [[9, 9], [1, 9], [9, 9]]
    config = AttentionConfig(n=9, d_model=8, h=2)
    weights = layers(config, 1)[0].attention.weights[0]
    page.locator("#figure-walk .is-result canvas").scroll_into_view_if_needed()
    box = page.locator("#figure-walk .is-result canvas").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 2.5 / 9, box["y"] + box["height"] * 6.5 / 9)
    assert page.locator("#walk-tip strong").inner_text() == f"weights[6, 2] = {number(float(weights[6, 2]))}"
    light = page.evaluate(
        """() => { const canvas = document.querySelector("#figure-walk .is-result canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, 9, 9);
          return Array.from({ length: 81 }, (_, i) => data[4 * i] + data[4 * i + 1] + data[4 * i + 2]); }"""
    )
    # cividis grows lighter: the order of the colours is the order of the weights
    assert light.index(max(light)) == int(weights.argmax())
    assert light.index(min(light)) == int(weights.argmin())


def test_the_output_is_fed_in_again_as_the_next_layers_x(page: Page, app_url: str) -> None:
    opened(page, app_url, "row=0&step=output")
    below = layers(AttentionConfig(**SMALL), 1)[0].output
    shown = page.evaluate(_NUMBERS)
    assert [written for name, _, _, written in shown if name == "output"] == [
        number(float(value)) for value in below[0]
    ]
    page.locator("#feed").click()
    painted(page, "page=anatomy&layer=2&row=0")
    assert [written for *_, written in page.evaluate(_NUMBERS)] == [number(float(value)) for value in below[0]]
    page.locator("#figure-walk td[data-row]").first.hover()
    expect(page.locator("#reason p:not(.spoken)")).to_contain_text(text("en", "anatomy.below", below=1))
    page.wait_for_function("() => document.querySelector('#control-layer input[type=number]').value === '2'")


def test_the_slides_two_heads_are_a_preset(page: Page, app_url: str) -> None:
    opened(page, app_url, "h=1&mechanism=additive")
    controls.reveal(page, "#preset-anatomy_two_heads").click()
    painted(page, "page=anatomy&row=0&step=output")
    expected = tensors(AttentionConfig(**SMALL), 1, 0, 1)
    assert_numbers(page, expected)
    page.locator("#step-back").click()
    painted(page, "page=anatomy&row=0&step=concatenation")
    assert page.locator("#figure-walk .symbol").all_inner_texts() == ["b⁰·¹", "b⁰·²", "Concat b⁰"]


@pytest.mark.parametrize("query", ["mechanism=additive&step=scores", "source=gaussian&n=9&layer=2"])
def test_axe_has_no_objection(page: Page, app_url: str, query: str) -> None:
    opened(page, app_url, query)
    assert violations(page) == []


def test_axe_has_no_objection_in_korean_and_the_dark(korean: Page, app_url: str) -> None:
    opened(korean, app_url, "lang=ko&step=exponentials")
    assert violations(korean) == []
    words = korean.locator("#figures").inner_text()
    assert re.search(r"[가-힣]", words)
    assert not re.search(r"\b[a-z]{3,} (?:the|of|is|are|and|to)\b", words)


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:5]}" for one in found]


def test_on_a_phone_nothing_is_wider_than_the_screen(open_page: Callable[..., Page]) -> None:
    phone = open_page(
        "page=anatomy&step=output",
        painted=False,
        viewport={"width": 390, "height": 844},
        is_mobile=True,
        has_touch=True,
    )
    painted(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") == 390
    assert phone.evaluate("document.querySelector('#figures').getBoundingClientRect().right") <= 390
    phone.locator("#figure-walk .is-result td[data-row]").first.tap()
    expect(phone.locator("#reason")).to_contain_text("output[3, 0]")


WEIGHED = {
    "sink": ({"normalisation": "sink", "sink": 0.5}, "softmax", "SoftMax, sink", ["exponentials"]),
    "sigmoid": ({"normalisation": "sigmoid"}, "sigmoid", "Sigmoid", ["lowered"]),
    "entmax": ({"normalisation": "entmax"}, "entmax", "Entmax", ["halved", "roots"]),
    "softcap": ({"softcap": 1.5}, "softmax", "SoftMax", ["exponentials"]),
}


@pytest.mark.parametrize("name", WEIGHED)
def test_other_weights_have_a_box_steps_and_numbers_of_their_own(page: Page, app_url: str, name: str) -> None:
    settings, box, title, own = WEIGHED[name]
    query = "&".join(f"{setting}={value}" for setting, value in settings.items())
    opened(page, app_url, f"{query}&mask=causal&row=2&head=2&step=scaled")
    expected = tensors(AttentionConfig(**SMALL, **settings, mask="causal"), 1, 2, 2)
    steps = _steps(page)
    assert steps[steps.index("masked") + 1 : steps.index("heads")] == [*own, "weights"]
    assert ("capped" in steps) == (name == "softcap")
    boxes = page.locator("#figure-anatomy [data-box]").evaluate_all("(all) => all.map((one) => one.dataset.box)")
    assert [one for one in boxes if one in ("softmax", "sigmoid", "entmax")] == [box]
    assert page.locator(f"[data-box={box}] text").first.text_content().startswith(title)  # pyright: ignore[reportOptionalMemberAccess]
    seen = 0
    while (step := page.locator("#control-step").input_value()) != "heads":
        seen += assert_numbers(page, expected)
        if step in (*own, "weights"):
            assert page.locator(f"[data-box={box}]").get_attribute("aria-current") == "step"
            assert "weigh" in page.evaluate(_LIT)
        if step == "capped":
            assert page.locator("[data-box=softcap]").get_attribute("aria-current") == "step"
            assert page.evaluate(_LIT) == ["cap"]
        shown = page.locator("#figure-walk").get_attribute("data-painted")
        page.locator("#step-next").click()
        page.wait_for_function("(shown) => document.getElementById('figure-walk').dataset.painted !== shown", arg=shown)
    assert seen > 3 * 8


def test_the_number_of_a_sink_and_of_a_softcap_stands_in_its_box_and_has_a_control(page: Page, app_url: str) -> None:
    opened(page, app_url, "")
    assert page.locator("#control-sink").is_hidden()
    assert page.locator("[data-box=softcap]").count() == 0
    page.locator("#control-normalisation label", has_text="sink").click()
    page.wait_for_function("() => document.querySelector('[data-box=softmax]').textContent.includes('b = 0')")
    assert page.locator("#control-sink").is_visible()
    opened(page, app_url, "normalisation=sink&sink=-2.5&softcap=3")
    assert "b = −2.5" in str(page.locator("[data-box=softmax]").text_content())
    capped = page.locator("[data-box=softcap]")
    assert "c = 3" in str(capped.text_content())
    assert texts("en")["anatomy.box_setting"].format(setting="c = 3") in str(capped.get_attribute("aria-description"))
    places = [page.locator(f"[data-box={name}] .face").bounding_box() for name in ("scale", "softcap", "mask")]
    heights = [place["y"] for place in places if place]
    assert heights == sorted(heights, reverse=True), "between Scale and Mask, from below"
    assert len(heights) == 3
    formula = str(page.locator(".formulas").text_content())
    assert "softmaxb=−2.5" in formula.replace(" ", "")
    assert "3·tanh(S/3)" in formula.replace(" ", "")
