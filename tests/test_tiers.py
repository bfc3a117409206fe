"""Which tests the gate, its quick subset and the night have, in what order they begin, and what they draw."""

import ast
import os
import random
import subprocess
import sys
from typing import Any
from unittest.mock import Mock

import pytest

from tests import draws, tiers
from tests.tiers import ROOT


def item(nodeid: str, *fixtures: str, slow: bool = False, night: Any = None) -> Any:
    marks = {"slow": Mock() if slow else None, "night": None if night is None else Mock(kwargs=night)}
    return Mock(nodeid=nodeid, fixturenames=fixtures, get_closest_marker=marks.get)


PROXIED = item("tests/deploy/test_pages.py::test_a", "site")
SHOWN = item("tests/browser/test_link.py::test_b[1-page]", "page", "chromium")
OTHER = item("tests/browser/test_link.py::test_b[2-page]", "page", "chromium")
READ = item("tests/browser/test_link.py::test_c")
TRAINED = item("tests/attention_core/test_curves.py::test_d", slow=True)
ADDED = item("tests/attention_core/test_curves.py::test_e")
COUNTED = item("tests/visualiser/test_view.py::test_f", "monkeypatch")
DRAWN = item("tests/visualiser/test_view.py::test_g", night={})
STORED = item("tests/visualiser/test_store.py::test_h", "redis_server")
ALL = (PROXIED, SHOWN, OTHER, READ, TRAINED, ADDED, COUNTED, DRAWN, STORED)


@pytest.fixture
def _journeys(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    path = tmp_path / "journeys.txt"
    path.write_text("# why\ntest_link.py  # links\n  test_b[1-page]  # a link\n\n  test_c\n")
    monkeypatch.setattr(tiers, "JOURNEYS", path)
    tiers.journeys.cache_clear()
    yield
    tiers.journeys.cache_clear()


@pytest.mark.usefixtures("_journeys")
def test_gate_and_quick_leave_out_the_night() -> None:
    assert tiers.of_gate(ALL) == [SHOWN, READ, TRAINED, ADDED, COUNTED]
    assert tiers.of_quick(ALL) == [ADDED, COUNTED]


def test_the_gate_has_the_first_cases() -> None:
    cases = [item(f"tests/test_x.py::test_a[{case}]", night={"but": 2}) for case in "abcd"]
    others = [item(f"tests/test_x.py::test_b[{case}]") for case in "abc"]
    assert tiers.of_gate([*cases[:1], *others, *cases[1:]]) == [cases[0], *others, cases[1]]


@pytest.mark.usefixtures("_journeys")
def test_a_journey_that_names_no_test_is_found() -> None:
    assert tiers.unknown_journeys(list(ALL)) == []
    assert tiers.unknown_journeys([OTHER, ADDED]) == [
        "tests/browser/test_link.py::test_b[1-page]",
        "tests/browser/test_link.py::test_c",
    ]


def test_folders_of_the_night_are_not_imported() -> None:
    browser, fuzz, core = ROOT / "tests/browser", ROOT / "tests/fuzz", ROOT / "tests/attention_core"
    assert [tiers.is_left_out(path, quick=False) for path in (browser, fuzz, core)] == [False, True, False]
    assert [tiers.is_left_out(path, quick=True) for path in (browser, fuzz, core)] == [True, True, False]


@pytest.mark.parametrize("seed", range(5))
def test_long_files_begin_first_and_stay_whole(seed: int) -> None:
    files = [[PROXIED], [SHOWN, READ], [TRAINED, ADDED], [COUNTED]]
    mixed = random.Random(seed).sample(files, len(files))
    assert tiers.in_order([one for file in mixed for one in file]) == [one for file in files for one in file]


def test_one_process_takes_a_file_or_all_replicas() -> None:
    kept = "tests/deploy/test_kept.py::test_a[1]"
    assert {tiers.part(one) for one in (PROXIED.nodeid, kept)} == {tiers.PROXIES}
    assert tiers.part(SHOWN.nodeid) == tiers.part(READ.nodeid) == "tests/browser/test_link.py"


SHOWN_DRAWS = "from tests import draws; print(draws.seed('a'), draws.cases(200), draws.cases(3), draws.chosen('abc'))"


def drawn(night: str | None) -> str:
    """Return what a process draws in a night, or in the gate."""
    environment = {name: value for name, value in os.environ.items() if name != "HEADLIGHT_NIGHT"}
    environment |= {"HEADLIGHT_NIGHT": night} if night else {}
    command = (sys.executable, "-c", SHOWN_DRAWS)
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_the_gate_repeats_its_draws_and_a_night_follows_its_seed() -> None:
    assert drawn(None) == drawn(None) == "63922210 20 3 ['a']\n"
    assert drawn("5") == drawn("5") != drawn("6")
    assert drawn("5").endswith("200 3 ['a', 'b', 'c']\n")


def test_seeds_tell_names_apart() -> None:
    assert draws.seed("a", 1) == draws.seed("a", 1) != draws.seed("a", 2)
    assert draws.generator("a").random() == draws.generator("a").random() != draws.generator("b").random()


def unseeded(text: str) -> list[int]:
    """Return the lines that make a generator of random numbers without a seed."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and not node.args]
    named = [node for node in calls if not node.keywords and ast.unparse(node.func).split(".")[-1] in GENERATORS]
    return [node.lineno for node in named]


GENERATORS = {"Random", "default_rng", "SystemRandom", "RandomState"}


@pytest.mark.slow
def test_no_generator_is_made_without_a_seed() -> None:
    assert unseeded("a = Random(1)\nb = np.random.default_rng()\nc = random.Random()") == [2, 3]
    paths = [path for path in sorted((ROOT / "tests").rglob("*.py")) if path.name != "test_tiers.py"]
    assert {path.name: lines for path in paths if (lines := unseeded(path.read_text(encoding="utf-8")))} == {}
