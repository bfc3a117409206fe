"""Every control, setting, endpoint and kind of upload is on a page of docs/, with its values and its default."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

from attention_core import BOUNDS, CHOICES, AttentionConfig
from attention_core.config import MEANINGS, settings
from docs.made.marks import filled
from tests.alone import alone
from visualiser.locale import texts
from visualiser.pages.explore import endpoint
from visualiser.pages.shell import ENDPOINTS
from visualiser.state.link_values import written_as
from visualiser.state.parameters import PAGES, bounds, own, own_defaults
from visualiser.state.view import VIEW_CHOICES, VIEW_MEANINGS, View
from visualiser.upload import FORMATS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return filled((DOCS / name).read_text(encoding="utf-8"))


PARAMETERS = page("parameters.md")
ROWS: dict[str, str] = {}  # pages that declare a name differently have a row each
for match in re.finditer(r"^\| `(\w+)` \|.*$", PARAMETERS, re.MULTILINE):
    ROWS[match[1]] = ROWS.get(match[1], "") + match[0]


@pytest.fixture(scope="module")
def endpoints() -> str:
    async def made() -> str:
        return page("endpoints.md")

    return alone(made())  # gradio makes loops of its own where none runs


@pytest.mark.parametrize("name", settings())
def test_every_parameter_is_in_a_table_with_its_default_and_values(name):
    row = ROWS[name]
    default = getattr(AttentionConfig(), name)
    assert (f"`{written_as(default)}`" if default != "" else "none") in row
    for choice in CHOICES.get(name, ()):
        assert f"`{choice}`" in row
    if name in BOUNDS:
        assert f"{written_as(BOUNDS[name].minimum)} … {written_as(BOUNDS[name].maximum)}" in row


@pytest.mark.parametrize("name", [field.name for field in fields(View)])
def test_every_choice_of_the_eye_is_in_a_table(name):
    for choice in VIEW_CHOICES.get(name, ()):
        assert f"`{choice}`" in ROWS[name]


@pytest.mark.parametrize("on", PAGES)
def test_every_setting_of_a_page_is_in_a_table(on):
    for name, item in own(on).items():
        assert on in ROWS[name], name
        for choice in item.choices:
            assert f"`{choice}`" in ROWS[name], (name, choice)
        if item.bound:
            assert f"{item.bound.minimum:g} … {item.bound.maximum:g}" in ROWS[name], name


@pytest.mark.parametrize("on", PAGES)
def test_every_range_of_a_pages_own_is_in_a_table(on):
    for name in BOUNDS:
        bound = bounds(on)[name]
        row = f"| {on} | `{name}` | {written_as(bound.minimum)} … {written_as(bound.maximum)} |"
        assert (row in PARAMETERS) == (bound != BOUNDS[name] or name in own_defaults(on)), name


def test_the_table_of_other_ranges_says_what_a_person_reads_on_the_map():
    assert "| map | `n` | 2 … 16384 | `4096` |" in PARAMETERS
    assert "| anatomy | `source` | `text`, `gaussian`, `model` | `text` |" in PARAMETERS
    assert "| map | `colour` | `linear`, `log` | `log` |" in PARAMETERS


def test_every_parameter_has_its_sentence_and_none_is_left_over():
    assert MEANINGS.keys() == {field.name for field in fields(AttentionConfig)} - {"n_k", "trained"}  # of tensors alone
    assert VIEW_MEANINGS.keys() == {field.name for field in fields(View)}
    pages = {name: item.meaning for on in PAGES for name, item in own(on).items()}
    sentences = {**{name: MEANINGS[name] for name in settings()}, **VIEW_MEANINGS, **pages}
    assert ROWS.keys() - sentences.keys() == {"page", "pin"}
    for name, sentence in sentences.items():
        assert sentence
        assert ROWS[name].endswith(f"| {sentence} |")


def test_every_page_is_in_the_table_of_pages_with_its_name():
    teaching = page("teaching.md")
    for on in PAGES[1:]:
        assert f"| `?page={on}` | {texts('en')[f'choice.page.{on}']} | " in teaching
    assert "| `/` | Explore | heat maps, scores, entropy and gradient of one configuration |" in teaching


def test_no_meaning_names_a_mechanism():
    meanings = " ".join(MEANINGS.values()).lower()
    assert not [name for name in CHOICES["mechanism"] if name.replace("_", " ") in meanings]


@pytest.mark.slow
def test_every_endpoint_is_described(endpoints):
    for name in ENDPOINTS:
        assert f"## `/{name}`" in endpoints


def test_the_endpoint_its_parameters_and_its_answer_are_there(endpoints):
    section = endpoints.split("## `/attention`")[1].split("\n## ")[0]
    for name in (*inspect.signature(endpoint.attention).parameters, *endpoint.Attention.__annotations__):
        assert f"| `{name}` |" in section, name
    assert "| `d_model` | integer | `512` | width of the activations, 8 to 1024 |" in section
    assert "| `predicted_score_mean` | number or null |" in section


@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_argument_of_an_endpoint_is_there(endpoints, name):
    section = endpoints.split(f"## `/{name}`")[1].split("\n## ")[0]
    for argument in inspect.signature(ENDPOINTS[name].function).parameters:
        assert f"| `{argument}` |" in section, argument


def test_the_kinds_of_upload_are_there():
    for extension in FORMATS:
        assert extension.removeprefix(".") in page("uploads.md")


def notebook() -> str:
    blocks = re.findall(r"```python\n(.*?)```", page("notebooks.md"), re.DOTALL)
    (block,) = [block for block in blocks if "visualiser.figures" in block]
    return block


def test_the_notebook_example_runs():
    names: dict[str, object] = {}
    code = compile(notebook(), "notebooks.md", "exec")
    exec(code, names)  # noqa: S102 (the page's own lines)
    assert type(names["maps"]).__name__ == "Figure"


def test_every_station_of_one_press_exists():
    rows = [
        row.split("|")
        for row in (DOCS / "one-click.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("| ")
    ]
    stations = [(row[3].strip(" `"), row[4].strip(" `")) for row in rows if row[1].strip().isdigit()]
    assert len(stations) == 10
    for file, function in stations:
        source = (DOCS.parent / file).read_text(encoding="utf-8")
        python = rf"^(?:async )?def {function}\("
        script = rf"^(?:export )?(?:async )?function\*? {function}\(|^  (?:async )?{function}\([^;]*\) \{{$"
        begins = python if file.endswith(".py") else script  # a call alone is no function
        assert re.search(begins, source, re.MULTILINE), f"{file} has no {function}"
