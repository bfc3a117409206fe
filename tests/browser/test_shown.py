"""What pages show while somebody uses them, as somebody last looked at it: a story a page, in `__snapshots__`.

The first state is written whole, a later one by the lines that went (−) and came (+). Words and states are held as they
are; numbers may differ by two in a hundred and shades by one of ten, as another processor's do.
`bash tests/run.sh tests/browser/test_shown.py --snapshot-update` writes the stories anew: read their difference.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from syrupy.assertion import SnapshotAssertion

from tests.attention_core.models import small_folders, small_pictured, small_pictures
from tests.browser import controls, drawn, mapped
from tests.browser.in_class import answered, asks, here, opened, votes
from tests.browser.outlined import Story, Told, alike, settle
from tests.browser.served import FLEETING, serving
from tests.draws import SUMS

FRAME = "nav, #menus, #control-lang, #present-start"
"""What is the same on each page, and told on Explore."""


@pytest.fixture
def told(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Return the stories that were kept."""
    return snapshot.use_extension(Told)


@pytest.mark.parametrize(
    ("one", "other", "so"),
    [
        ("p 0.906 of 9 rows", "p 0.907 of 9 rows", True),
        ("p 0.906 of 9 rows", "p 0.906 of 8 rows", False),
        ("p 0.906", "p 0.946", False),
        ("p 0.906", "p −0.906", False),
        ("p 0.906", "p most 0.906", False),
        ("div.marker @11,55", "div.marker @13,52", True),
        ("div.marker @11,55", "div.marker @15,55", False),
        ("▦ ·0125 99", "▦ 00136 98", True),
        ("▦ ·0125 99", "▦ ·0127 99", False),
        ("▦ ·0125 99", "▦ ·0125 9", False),
    ],
)
def test_what_is_alike(one: str, other: str, so: bool) -> None:
    assert alike(one, other) is so


def cell(page: Page, figure: str, panel: int, row: int, column: int) -> tuple[float, float]:
    """Return where a cell of a heat map is in the window."""
    return drawn.in_view(page, *drawn.panels(page, figure)[panel].centre(row, column))


def point_at_curves(page: Page, figure: str, down: float) -> None:
    """Point at the middle of a chart, so far down as a part of its height."""
    box = page.locator(f"#figure-{figure} .chart-area").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + down * box["height"])


_RESTED = """() => {
  const { painted, rested } = document.getElementById("figure-score-distribution").dataset;
  return rested === painted && location.search.includes("mechanism=additive") && painted.includes("mechanism=additive");
}"""


def away(page: Page) -> None:
    """Point at nothing."""
    page.mouse.move(1, 1)


def test_explore(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("n=6&h=2&d_k=8&mask=causal&lang=en")
    story = Story(page, "body")
    story.tell("opened")
    page.mouse.move(*cell(page, "heat-maps", 0, 3, 1))
    story.tell("a cell pointed at")
    page.mouse.click(*cell(page, "heat-maps", 1, 4, 2))
    away(page)
    story.tell("a row locked")
    controls.press(page, "#pin")
    settle(page)
    controls.choose(page, "scaling", "none")
    story.tell("pinned, and without scaling")
    page.locator("#side-difference").click()
    settle(page)
    page.mouse.move(*cell(page, "heat-maps", 0, 3, 1))
    story.tell("the difference pointed at")
    controls.press(page, "#pin")
    settle(page)
    controls.choose(page, "mechanism", "additive")
    page.wait_for_function(_RESTED)  # the scores before the next change are these
    controls.choose(page, "source", "text")
    page.locator("[aria-controls=group-more]").click()
    story.tell("additive attention over a text, with all settings")
    assert story.text == told


@pytest.mark.parametrize("name", ["explore", "model", "map"])
def test_phone(led_page: Callable[..., Page], told: SnapshotAssertion, name: str) -> None:
    size = {"width": 390, "height": 844}
    page = led_page(f"page={name}&n=6&h=2&lang=en", painted=False, viewport=size, has_touch=True, is_mobile=True)
    story = Story(page, "#banner, .control-names, #controls, .dots", ".map-run")
    story.tell("opened")
    for control in page.locator(".control-names button:visible").all()[:3]:
        control.click()
        story.tell(control.inner_text())
    for panel in page.locator(".dots button:visible").all()[1:3]:
        panel.click()
        expect(panel).to_have_attribute("aria-current", "true")
        story.tell(panel.get_attribute("aria-label") or "")
    assert story.text == told


def test_present(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("n=6&h=2&d_k=8&lang=en", viewport={"width": 1280, "height": 720})
    story = Story(page, "body")
    story.tell("opened")
    page.keyboard.press("p")
    page.wait_for_url("**present=1**")
    story.tell("presented")
    page.locator("#figure-entropy .enlarge").click()
    story.tell("one figure alone")
    page.keyboard.press("Escape")
    story.tell("and back")
    assert story.text == told


def test_menus(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("n=6&h=2&d_k=8&lang=en")
    story = Story(page, "#menus, .tools", "#figures > *")
    story.tell("shut")
    for menu in page.locator("#menus summary:visible, #figure-heat-maps .tools summary:visible").all():
        menu.click()
        story.tell(menu.get_attribute("title") or "")
        page.keyboard.press("Escape")
    page.locator("#predict-open").click()
    page.locator("#menus .takes > summary").click()
    story.tell("what may be taken away while a question is open")
    assert story.text == told


@pytest.fixture(scope="module")
def exact_url() -> Iterator[str]:
    """The address of an app whose rounding errors, which the page Why shows, are those of every processor."""
    with serving(None, FLEETING, **SUMS) as app:
        yield app.url


def test_why(open_page: Callable[..., Page], exact_url: str, told: SnapshotAssertion) -> None:
    page = open_page("page=why&n=8&seeds=2&lang=en", painted=False, url=exact_url)
    page.locator("[data-painted]:visible").first.wait_for()
    story = Story(page, "body", FRAME, address=exact_url)
    story.tell("opened")
    marker = page.get_by_role("slider", name="d_k, width of a head").and_(page.locator(".marker"))
    marker.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    story.tell("a larger d_k by the marker's keys")
    for tab in page.locator(".tab:visible").all()[1:]:
        tab.click()
        story.tell(f"tab {tab.inner_text()}")
    controls.choose(page, "scaling", "custom")
    story.tell("another factor")
    page.locator("#predict-open").click()
    story.tell("asked")
    page.locator("#predict input[value=scaled]").check()
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    story.tell("answered")
    assert story.text == told


def test_anatomy(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("page=anatomy&mask=causal&lang=en", painted=False)
    story = Story(page, "body", FRAME)
    story.tell("opened")
    page.locator("[data-box=compare]").click()
    story.tell("the scores, by their box")
    page.locator("[data-tensor=scores] td").nth(1).hover()
    page.locator("#reason strong:visible").wait_for()
    story.tell("a score pointed at")
    away(page)
    page.locator("#step-next").click()
    page.locator("#step-next").click()
    page.locator("#control-rows [data-rows=all]").click()
    story.tell("the mask, for all queries")
    page.locator("#control-step").select_option("exponentials")
    settle(page)
    page.locator("#figure-walk td[data-row]").first.hover()
    page.locator("#reason strong:visible").wait_for()
    story.tell("an exponential pointed at")
    away(page)
    controls.choose(page, "mechanism", "additive")
    page.locator("#control-step").select_option("scores")
    story.tell("additive scores")
    page.locator("#control-step").select_option("output")
    story.tell("the output")
    assert story.text == told


def test_cost(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("page=cost&lang=en", painted=False)
    story = Story(page, "body", FRAME)
    story.tell("opened")
    point_at_curves(page, "cost-time", 0.25)
    story.tell("the curves pointed at")
    away(page)
    controls.choose(page, "varied", "d_k")
    story.tell("over d_k")
    page.locator("#predict-open").click()
    story.tell("asked")
    assert story.text == told


def test_train(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("page=train&lang=en", painted=False)
    story = Story(page, "body", FRAME)
    story.tell("opened")
    point_at_curves(page, "train-accuracy", 0.5)
    story.tell("the curves pointed at")
    away(page)
    controls.choose(page, "experiment", "heads")
    story.tell("the number of heads")
    page.locator("#predict-open").click()
    story.tell("asked")
    point = page.locator("#predict [role=slider]").nth(4)
    point.focus()
    page.keyboard.press("End")
    page.locator("#predict-reveal").click()
    page.locator("#predict[data-verdict]").wait_for()
    story.tell("answered by a curve")
    assert story.text == told


def test_model(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("page=model&layer=2&head=4&lang=en", painted=False)
    story = Story(page, "body", FRAME)
    story.tell("opened")
    page.locator("#model-text [data-row='12']").hover()
    story.tell("a token pointed at")
    away(page)
    page.mouse.click(*cell(page, "head-map", 0, 12, 8))
    away(page)
    story.tell("a cell locked")
    controls.choose(page, "overview", "scatter")
    story.tell("heads as points")
    controls.choose(page, "overview", "grid")
    controls.choose(page, "cost", "text")
    page.locator(".small-map-cost").first.wait_for()
    story.tell("what each head costs")
    controls.choose(page, "cost", "none")
    page.locator("#change-model summary").click()
    page.locator("#change-head").get_by_label("muted").check(force=True)
    story.tell("a head muted")
    page.locator("#change-where input[value=layer]").check(force=True)
    page.locator("#change-weights label").nth(1).click()
    page.locator("#change-mask label").nth(1).click()
    page.locator("#change-factor").fill("40")
    story.tell("and a layer's weights, mask and factor")
    page.locator("#predict-open").click()
    story.tell("asked")
    assert story.text == told


def computed(page: Page) -> None:
    """Compute the map; how long it takes is the machine's."""
    controls.begin(page)
    page.locator("[data-run=ended]").wait_for()
    mapped.wait(page)


def test_map(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("n=1500&h=2&d_k=16&seed=3&page=map&lang=en", painted=False)
    computed(page)
    story = Story(page, "body", f"{FRAME}, .map-run")
    story.tell("computed")
    page.locator(".map-heads button").nth(1).click()
    for _ in range(5):  # the window rests after each turn: a rest rounds it, and a busy machine may rest at any
        mapped.wheel(page, 0.3, 0.6, -400)
    story.tell("zoomed in another head")
    page.locator("#figure-map .stage").focus()
    page.keyboard.press("ArrowRight")
    mapped.settled(page)
    story.tell("moved by a key")
    page.mouse.move(*mapped.at(page, 0.52, 0.41))
    page.locator("#figure-map .tip strong").wait_for()
    story.tell("a weight pointed at")
    page.mouse.click(*mapped.at(page, 0.52, 0.41))
    away(page)
    page.locator(".map-chosen").wait_for()
    story.tell("a cell chosen")
    page.locator("#open-row").click()
    page.locator("#figure-row[data-painted]").wait_for()
    story.tell("its row opened")
    assert story.text == told


def test_map_of_a_text(led_page: Callable[..., Page], told: SnapshotAssertion) -> None:
    page = led_page("source=text&h=2&d_k=16&page=map&lang=en", painted=False)
    computed(page)
    story = Story(page, "body", f"{FRAME}, .map-run")
    story.tell("computed")
    mapped.go(page, 9, 4)
    story.tell("a cell by its words")
    page.locator("#open-row").click()
    page.locator("#figure-row[data-painted]").wait_for()
    story.tell("its row opened")
    assert story.text == told


@pytest.fixture(scope="module")
def folder_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("models")
    small_folders.write(root, "bart")
    small_pictures.write(root, "vit")
    small_pictured.write(root, "llava")
    with serving(None, FLEETING, HEADLIGHT_MODELS=str(root)) as app:
        yield app.url


@pytest.mark.parametrize(
    "query",
    [
        "model=bart&layer=7&head=2&over=text&text=The+keys+to+the+cabinet&target=the+cat+sees",
        "model=vit&layer=2&head=3",
        "model=llava&text=what+says+the+cat&pictures=lighthouse,cat&layer=2&head=3",
    ],
    ids=["bart", "vit", "llava"],
)
def test_model_of_a_folder(
    open_page: Callable[..., Page], folder_url: str, told: SnapshotAssertion, query: str
) -> None:
    page = open_page(f"page=model&lang=en&{query}", painted=False, url=folder_url)
    page.locator("#figure-model-heads[data-painted*='model=']").wait_for()
    page.locator(".head-measuring").wait_for(state="hidden")
    story = Story(page, "body", FRAME, address=folder_url)
    story.tell("loaded")
    token = page.locator(".joined-line .token, #model-text .token").nth(2)
    if token.count():
        token.hover()
        story.tell("a token pointed at")
        token.click()
        away(page)
        story.tell("a token locked")
    for way in page.locator(".picture-ways button:visible").all():
        way.click()
        story.tell(f"pictures as {way.inner_text()}")
    stage = page.locator(".picture-stage:visible, .patch-reads-stage:visible")
    for key in ("ArrowRight", "ArrowDown", "Home", "Enter") if stage.count() else ():
        stage.first.focus()
        page.keyboard.press(key)
        story.tell(f"{key} on the patches")
    page.locator("[aria-haspopup=dialog]", has_text="All models").click()
    page.locator("dialog[open] [data-model]").first.wait_for()
    story.tell("all models")
    assert story.text == told


def test_share(open_page: Callable[..., Page], told: SnapshotAssertion, app_url: str) -> None:
    page = open_page("n=6&h=2&lang=en")
    controls.press(page, "#share-open")
    page.locator("#share-code").wait_for()
    story = Story(page, "dialog[open]", address=app_url)
    story.tell("opened")
    assert story.text == told


def test_lessons(open_page: Callable[..., Page], told: SnapshotAssertion, app_url: str) -> None:
    page = open_page("lesson=why-sqrt-d-k&step=1&lang=en", painted=False)
    page.locator("#lesson[data-step='1']").wait_for()
    story = Story(page, "#lesson", address=app_url)
    story.tell("step 1")
    page.keyboard.press("PageDown")
    page.locator("#lesson[data-step='2']").wait_for()
    story.tell("step 2")
    assert story.text == told


def test_lesson_editor(open_page: Callable[..., Page], told: SnapshotAssertion, app_url: str) -> None:
    page = open_page("n=6&h=2&d_k=8&lang=en")
    page.locator("#lessons-open > summary").click()
    page.locator(".lesson-making .lesson-add").click()
    page.locator("#lesson-editor[open]").wait_for()
    story = Story(page, "#lesson-editor", address=app_url)
    story.tell("opened")
    page.locator(".editor-step .editor-question select").first.select_option("answers")
    story.tell("with a question")
    truth = page.locator(".editor-truth select")
    truth.nth(0).select_option("entropy")
    truth.nth(1).select_option("1")
    truth.nth(2).select_option("largest")
    story.tell("about the largest of a column")
    page.locator(".editor-step .editor-question select").first.select_option("curve")
    story.tell("with a curve to draw")
    assert story.text == told


def test_room(open_page: Callable[..., Page], told: SnapshotAssertion, app_url: str) -> None:
    teacher = open_page("n=6&h=2&lang=en", viewport={"width": 1280, "height": 720})
    code = opened(teacher)
    student = open_page(f"room={code}&lang=en", painted=False)
    here(teacher, 1)
    stories = [Story(page, "#class", address=app_url, code=code, letters=" ".join(code)) for page in (teacher, student)]

    def tell(what: str) -> None:
        for who, story in zip(("teacher", "student"), stories, strict=True):
            story.tell(f"{who}: {what}")

    tell("together")
    asks(teacher, "Which?", ["this", "that"], right=1)
    student.locator("#class[data-asked=open]").wait_for()
    tell("asked")
    votes(student, 0)
    answered(teacher, 1)
    tell("answered")
    teacher.locator("#room-reveal").click()
    for page in (teacher, student):
        page.locator("#room-results").wait_for()
    tell("revealed")
    expect(student.locator("#room-results")).to_be_visible()
    assert "".join(story.text for story in stories) == told
