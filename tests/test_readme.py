"""The README's front matter is one that a Space accepts, and everything a visitor can set is in its tables."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from attention_core import BOUNDS, CHOICES, AttentionConfig
from visualiser.pages.explore import endpoint
from visualiser.state.parameters import PAGES, own
from visualiser.state.view import VIEW_CHOICES, View
from visualiser.upload import FORMATS

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
_, FRONT, BODY = TEXT.split("---\n", 2)
FRONT_MATTER = yaml.safe_load(FRONT)
ROWS = {match[1]: match[0] for match in re.finditer(r"^\| `(\w+)` \|.*$", BODY, re.MULTILINE)}


def pinned(name: str) -> str:
    match = re.search(rf"^{name}==(\S+)$", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    assert match, name
    return match[1]


def test_front_matter_is_complete():
    wanted = {"title", "emoji", "colorFrom", "colorTo", "sdk", "sdk_version", "python_version", "app_file", "license"}
    assert wanted | {"short_description", "tags", "thumbnail"} <= FRONT_MATTER.keys()
    assert FRONT_MATTER["sdk"] == "gradio"
    assert FRONT_MATTER["python_version"] == "3.12"
    assert FRONT_MATTER["license"] == "mit"
    assert 0 < len(FRONT_MATTER["short_description"]) <= 60
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {FRONT_MATTER["colorFrom"], FRONT_MATTER["colorTo"]} <= colours


def test_front_matter_names_the_gradio_that_is_installed():
    assert FRONT_MATTER["sdk_version"] == pinned("gradio")


def test_what_the_readme_points_to_exists():
    inside = re.findall(r"\]\((?!https?:|#)([^)]+)\)", BODY)
    for path in (FRONT_MATTER["app_file"], *inside):
        assert (ROOT / path).exists(), path


def test_the_commands_are_printed_as_they_work():
    assert "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python app.py" in BODY
    assert "bash tests/run.sh" in BODY
    assert "tests\\run.ps1" in BODY


@pytest.mark.parametrize("name", [field.name for field in fields(AttentionConfig)])
def test_every_parameter_is_in_a_table_with_its_default_and_values(name):
    row = ROWS[name]
    default = getattr(AttentionConfig(), name)
    shown = {True: "true", False: "false"}.get(default, default) if isinstance(default, bool) else default
    assert f"`{shown}`" in row
    for choice in CHOICES.get(name, ()):
        assert f"`{choice}`" in row
    if name in BOUNDS:
        assert f"{BOUNDS[name].minimum:g} … {BOUNDS[name].maximum}" in row.replace(",", "")


@pytest.mark.parametrize("name", [field.name for field in fields(View)])
def test_every_choice_of_the_eye_is_in_a_table(name):
    for choice in VIEW_CHOICES.get(name, ()):
        assert f"`{choice}`" in ROWS[name]


@pytest.mark.parametrize("page", PAGES)
def test_every_setting_of_a_page_is_in_a_table(page):
    for name, item in own(page).items():
        assert page in ROWS[name], name
        for choice in item.choices:
            assert f"`{choice}`" in ROWS[name], (name, choice)
        if item.bound:
            assert f"{item.bound.minimum:g} … {item.bound.maximum:g}" in ROWS[name].replace(",", ""), name


def test_every_page_and_its_endpoint_are_described():
    for page in PAGES[1:]:
        assert f"`?page={page}`" in BODY
        assert f"`/{page}`" in BODY


def test_the_endpoint_its_parameters_and_its_answer_are_there():
    assert "`/attention`" in BODY
    for name in (*inspect.signature(endpoint.attention).parameters, *endpoint.Attention.__annotations__):
        assert f"`{name}`" in BODY, name


def test_the_kinds_of_upload_are_there():
    for extension in FORMATS:
        assert extension.removeprefix(".") in BODY


def notebook() -> str:
    blocks = re.findall(r"```python\n(.*?)```", BODY, re.DOTALL)
    (block,) = [block for block in blocks if "visualiser.figures" in block]
    return block


def test_the_notebook_example_runs():
    names: dict[str, object] = {}
    code = compile(notebook(), "README.md", "exec")
    exec(code, names)  # noqa: S102 (the README's own lines)
    assert type(names["maps"]).__name__ == "Figure"
