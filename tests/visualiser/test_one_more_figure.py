"""A figure is one value: its own file, its words and an entry in a page's list; nothing else names it."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from visualiser.figures import FIGURES
from visualiser.pages.anatomy import FIGURES as OF_ANATOMY

ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "visualiser" / "figures" / "plots"
MODULES = sorted((ROOT / "visualiser").rglob("*.py"))
SCRIPTS = sorted((ROOT / "assets" / "js").rglob("*.js"))
LISTS = {
    ROOT / "visualiser" / "pages" / page / "__init__.py" for page in ("explore", "why", "cost", "train", "map", "model")
}
NAMES = {figure.name for figure in (*FIGURES.values(), *OF_ANATOMY)}
PLAIN = {name for name in NAMES if "-" in name}
"""Names that are nothing else's, such as a statistic's."""

FIGURE = '''
"""A level line.

How this can mislead: it is flat.
"""

from attention_core import AttentionResult
from visualiser.drawing.drawing import Drawing
from visualiser.figures.figure import Figure
from visualiser.locale import text
from visualiser.locale.message import message
from visualiser.reasons.explained import Reason
from visualiser.state.view import View
from visualiser.tables import Table, column
import numpy as np


def _level(subject):
    return float(subject.weights.mean()) if isinstance(subject, AttentionResult) else 0.25


def _made(line):
    return message("reason.made.seed", value=line + 1)


def drawing(subject, view=None):
    lang, level = (view or View()).lang, _level(subject)
    line = {"type": "scatter", "x": [0, 1], "y": np.array([level, level]), "name": text(lang, "figure.all_alike.title")}
    return Drawing("all-alike", [{**line, "meta": {"kind": "level"}}], {"height": 90})


all_alike = Figure(
    name="all-alike",
    draw=drawing,
    sentence=lambda subject, view: [message("table.all_alike.summary", level=_level(subject))],
    table=lambda subject, view: Table(
        text(view.lang, "table.all_alike.caption"),
        [column(view.lang, "weight", np.array([1.0, 2.0]), "weight", _made)],
    ),
    brief=lambda subject, view: [message("brief.all_alike", level=_level(subject))],
    reasons={"brief.all_alike": {"level": lambda shown, facts: Reason("weight", message("reason.made.plan"))}},
)
'''
WORDS = {
    "en": {
        "figure.all_alike.title": "A level",
        "figure.all_alike.hint": "How this can mislead: it is flat.",
        "table.all_alike.summary": "All lie at {level}.",
        "table.all_alike.caption": "The level twice",
        "brief.all_alike": "level {level}",
    },
    "ko": {
        "figure.all_alike.title": "한 높이",
        "figure.all_alike.hint": "오해하기 쉬운 점: 평평합니다.",
        "table.all_alike.summary": "모두 {level}에 있습니다.",
        "table.all_alike.caption": "같은 높이 두 번",
        "brief.all_alike": "높이 {level}",
    },
}
ENTRIES = {
    "explore": "PANELS: Final = (",
    "why": "RESTING: Final = (",
    "cost": "FIGURES: Final = (",
    "train": "QUALITY: Final = (",
    "map": "OF_MAP: Final = (MAP, ",
}
"""The list of each page that the new figure enters."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Copy the app, add the figure as the recipe says, and return what its pages then do."""
    copy = tmp_path_factory.mktemp("app")
    shutil.copytree(ROOT / "visualiser", copy / "visualiser", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "assets").mkdir()
    for path in (ROOT / "assets").iterdir():
        (copy / "assets" / path.name).symlink_to(path)
    (copy / "assets" / "locales").unlink()
    shutil.copytree(ROOT / "assets" / "locales", copy / "assets" / "locales")
    for lang, words in WORDS.items():
        path = copy / "assets" / "locales" / f"{lang}.json"
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **words}, ensure_ascii=False), "utf-8")
    (copy / "visualiser" / "figures" / "plots" / "all_alike.py").write_text(FIGURE, "utf-8")
    for page, list_of in ENTRIES.items():
        path = copy / "visualiser" / "pages" / page / "__init__.py"
        before, _, after = path.read_text("utf-8").partition(list_of)
        assert after, f"{page} has no {list_of}"
        start = before.replace("\nfrom ", "\nfrom visualiser.figures.plots.all_alike import all_alike\nfrom ", 1)
        path.write_text(f"{start}{list_of}all_alike, {after}", "utf-8")
    paths = os.pathsep.join((str(copy), str(ROOT)))
    program = ROOT / "tests" / "visualiser" / "with_a_new_figure.py"
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=copy,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return json.loads(done.stdout.decode().splitlines()[-1])


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("lang", WORDS)
@pytest.mark.parametrize("page", ENTRIES)
def test_its_page_draws_it_with_its_sentence_and_its_table(found: Any, page: str, lang: str) -> None:
    answer, words = found["answers"][lang][page], WORDS[lang]
    assert answer["drawings"]["structure"]["data"][0]["name"] == words["figure.all_alike.title"]
    assert answer["summaries"] == words["table.all_alike.summary"].replace("{level}", "0.25")
    assert answer["tables"]["structure"]["caption"] == words["table.all_alike.caption"]


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("lang", WORDS)
def test_its_numbers_have_reasons(found: Any, lang: str) -> None:
    answers = found["answers"][lang]
    ((before, (shown, formula, _, section)),) = answers["explore"]["briefs"]
    assert before + shown == WORDS[lang]["brief.all_alike"].replace("{level}", "0.25")
    assert (formula, section) == ("p = e^s / Σ e^s", "attention")
    assert len(answers["line"]) == 1
    assert "2" in answers["line"][0]


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("lang", WORDS)
def test_it_is_in_the_files(found: Any, lang: str) -> None:
    for key in ("figure.all_alike.title", "figure.all_alike.hint", "table.all_alike.caption"):
        assert WORDS[lang][key] in found["answers"][lang]["html"]
    picture = json.loads(found["answers"][lang]["figure"])
    assert picture["data"][0]["name"] == WORDS[lang]["figure.all_alike.title"]


@pytest.mark.night
@pytest.mark.slow
def test_it_has_a_place_on_each_page_and_a_name_in_links_and_notebooks(found: Any) -> None:
    for page in ENTRIES:
        assert found["pages"][page]["figures"].count("all-alike") == 1
        assert "all-alike" in found["pages"][page]["charts"]
    assert found["places"] == len(ENTRIES)
    assert found["link"] == ["all-alike", ["all-alike"], 0, 1]
    assert found["notebook"] == ["A level", 1]


def named(path: Path) -> Iterator[str]:
    """Yield the figures that a module names: their modules, their elements, and names that are nothing else's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("visualiser.figures"):
            module = str(node.module)
            inner = module.removeprefix("visualiser.figures.plots.")
            yield from [inner] if inner != module else [each.name for each in node.names if each.name in FIGURES]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            of_element = node.value.removeprefix("figure-") in NAMES - {node.value}
            yield from [node.value] if node.value in PLAIN or of_element else []


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_only_its_own_module_and_the_list_of_a_page_name_a_figure(path: Path) -> None:
    if path.parent != PLOTS and path not in LISTS:
        assert set(named(path)) == set()


def test_each_module_has_its_figures_and_names_no_other() -> None:
    own = {path.stem: set(named(path)) - {path.stem.replace("_", "-")} for path in PLOTS.glob("*.py")}
    assert {name: others for name, others in own.items() if others} == {
        "compare": {"heat_maps"},  # it stands in the place of the maps
        "mechanisms": {"mechanism-maps", "mechanism-scores", "score_distribution"},
    }


def test_a_script_names_a_figure_only_where_its_page_arranges_it() -> None:
    quoted = [f'"{name}"' for name in PLAIN]
    naming = {path for path in SCRIPTS if any(name in path.read_text(encoding="utf-8") for name in quoted)}
    assert {path.relative_to(ROOT / "assets" / "js").parts[0] for path in naming} == {"pages"}
