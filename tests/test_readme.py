"""The README is short, a Space accepts its front matter, and its commands and links work."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
_, FRONT, BODY = TEXT.split("---\n", 2)
FRONT_MATTER = yaml.safe_load(FRONT)


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


def test_it_is_short_enough_to_be_read():
    assert len(TEXT.splitlines()) <= 150


def test_it_links_to_every_page_of_the_documents():
    linked = set(re.findall(r"\]\((docs/[^)#]+\.md)", BODY))
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    from_another = {"docs/index.md", "docs/changelog.md", "docs/contributing.md"}
    assert linked == pages - from_another | {"docs/decisions/index.md"}


def test_pictures_are_small():
    pictures = [ROOT / path for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", BODY)]
    assert len(pictures) >= 3
    assert all(path.stat().st_size <= 250_000 for path in pictures)


def test_the_python_example_runs():
    (block,) = re.findall(r"```python\n(.*?)```", BODY, re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)  # noqa: S102 (the README's own lines)
    assert type(names["result"]).__name__ == "AttentionResult"
