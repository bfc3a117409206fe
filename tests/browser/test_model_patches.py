"""A text with pictures on the page Model: what a token gives the patches, layer by layer, and who reads a patch."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from attention_core.learned import Given
from attention_core.models import ModelFolder
from tests.attention_core.models.small_pictured import write
from tests.browser.modelled import loaded, painted
from tests.browser.served import serving
from visualiser.models.pictures import shipped_picture

TEXT = "what says the cat"
LINK = f"page=model&lang=en&model=llava&text={TEXT.replace(' ', '+')}&pictures=lighthouse,cat&layer=2&head=3"

PATCH = """([picture, row, column]) => {
  const canvas = document.querySelector(".patch-reads-canvas").getBoundingClientRect();
  const all = 2.06; // two squares and what is between them
  const beside = Math.min(canvas.height, canvas.width / all), below = Math.min(canvas.width, canvas.height / all);
  const side = Math.max(beside, below), [wide, high] = beside >= below ? [all, 1] : [1, all];
  const left = canvas.left + (canvas.width - wide * side) / 2 + (wide > 1 ? picture * 1.06 * side : 0);
  const top = canvas.top + (canvas.height - high * side) / 2 + (high > 1 ? picture * 1.06 * side : 0);
  return [left + (column + 0.5) * side / 5, top + (row + 0.5) * side / 5];
}"""
"""Where a patch of one of two square pictures stands, of 5 × 5 each, which lie beside or below each other."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pictured")
    write(root, "llava")
    return root


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(None, "app.py", HEADLIGHT_MODELS=str(folder)) as app:
        yield app.url


@pytest.fixture(scope="module")
def page(url: str, open_module_page: Callable[..., Page]) -> Page:
    found = open_module_page(LINK, painted=False, url=url)
    loaded(found, "picture-reads", model="llava", layer="2", head="3")
    return found


def test_a_token_over_its_pictures_layer_by_layer(folder: Path, page: Page) -> None:
    pictures = tuple(map(shipped_picture, ("lighthouse", "cat")))
    run = ModelFolder(folder).load("llava").run(Given(TEXT, pictures=pictures), 128)
    line = run.lines[0]
    patches = [position for grid in line.grids for position in grid.positions]
    words = [token for position, token in enumerate(line.tokens) if position not in line.patches]
    assert page.locator("#model-text .token").count() == len(words) + 2
    assert page.locator("#model-text .token-grid").all_inner_texts() == [
        "picture 1: 5 × 5 patches",
        "picture 2: 5 × 5 patches",
    ]
    row = len(line) - 1
    shares = [float(layer.weights[2, row, patches].sum()) for layer in run.layers]
    layers = page.locator(".patch-layers button")
    assert layers.all_inner_texts() == [f"{at} · {share:.2f}" for at, share in enumerate(shares, 1)]
    page.locator(".picture-ways button", has_text="mean").locator("visible=true").click()
    means = [float(layer.weights[:, row, patches].sum(-1).mean()) for layer in run.layers]
    assert layers.all_inner_texts() == [f"{at} · {share:.2f}" for at, share in enumerate(means, 1)]
    page.locator(".picture-ways button", has_text="head").locator("visible=true").first.click()
    layers.nth(0).click()
    painted(page, "picture-reads", layer=None, head="3")
    expect(layers.nth(0)).to_have_attribute("aria-pressed", "true")


def test_a_patch_says_who_reads_it_and_stays_if_pressed(page: Page) -> None:
    page.locator("#model-text .token", has_text="says").click()
    painted(page, "picture-reads", head="3")
    page.wait_for_function("() => new URLSearchParams(location.search).has('row')")
    x, y = page.evaluate(PATCH, [1, 2, 3])
    page.mouse.move(x, y)
    said = page.locator(".patch-said")
    expect(said).to_contain_text("patch 3·4 of picture 2")
    expect(said).to_contain_text("It gets most from “")
    page.mouse.click(x, y)
    page.wait_for_function("() => new URLSearchParams(location.search).has('key')")
    page.mouse.move(1, 1)
    expect(said).to_contain_text("patch 3·4 of picture 2")


def test_keys_move_over_patches_and_links_lead_to_the_same_run(page: Page) -> None:
    stage = page.locator(".patch-reads-stage")
    said = page.locator(".patch-said")
    x, y = page.evaluate(PATCH, [0, 1, 4])
    page.mouse.move(x, y)
    expect(said).to_contain_text("patch 2·5 of picture 1")
    stage.focus()
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("patch 3·5 of picture 1")
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("patch 3·4 of picture 1")
    page.keyboard.press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('key') === '19'")  # 6 + 2 rows of 5 + 3
    links = page.locator(".open-in a")
    expect(links).to_have_count(3)
    for link in links.all():
        expect(link).to_be_visible()
        assert "pictures=lighthouse%2Ccat" in (link.get_attribute("href") or "")


def test_a_picture_in_tiles_is_one_chip_on_a_phone_in_korean(
    tmp_path_factory: pytest.TempPathFactory, open_module_page: Callable[..., Page]
) -> None:
    root = tmp_path_factory.mktemp("tiled")
    write(root, "idefics3")
    with serving(None, "app.py", HEADLIGHT_MODELS=str(root)) as app:
        link = LINK.replace("lang=en", "lang=ko").replace("llava", "idefics3")
        page = open_module_page(link, painted=False, url=app.url, viewport={"width": 390, "height": 844})
        loaded(page, "picture-reads", model="idefics3", layer="2", head="3")
        run = (
            ModelFolder(root)
            .load("idefics3")
            .run(Given(TEXT, pictures=tuple(map(shipped_picture, ("lighthouse", "cat")))), 128)
        )
        chips = page.locator("#model-text .token-grid").all_inner_texts()
        counts = [sum(grid.rows * grid.columns for grid in run.lines[0].grids if grid.picture == at) for at in range(2)]
        assert chips == [f"그림 {at + 1}: 패치 {count}개, 10부분" for at, count in enumerate(counts)]
        row = len(run.lines[0]) - 1
        patches = [position for grid in run.lines[0].grids for position in grid.positions]
        shares = [float(layer.weights[2, row, patches].sum()) for layer in run.layers]
        expected = [f"{at} · {share:.2f}" for at, share in enumerate(shares, 1)]
        assert page.locator(".patch-layers button").all_inner_texts() == expected
