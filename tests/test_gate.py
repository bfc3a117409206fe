"""What the gate does with journeys that are red once, and with what nights have found."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import pytest

from tests import conftest, draws, gate, tiers
from tests.gate import Regression

FIRST, SECOND = "tests/browser/test_a.py::test_x", "tests/browser/test_b.py::test_y[1]"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[Any, int]:
    """Stand in for pytest: the exit status of a run of these tests with this seed, 0 if none is given."""
    statuses: dict[Any, int] = {}

    def run(*arguments: str, seed: int | None = None) -> int:
        tests = tuple(one for one in arguments if "::" in one)
        return statuses.setdefault((*tests, seed), 0)

    monkeypatch.setattr(gate, "run_pytest", run)
    monkeypatch.setattr(gate, "SUSPECTS", tmp_path / "suspects")
    return statuses


def test_a_red_journey_runs_once_more_alone(runs: dict[Any, int]) -> None:
    runs[FIRST, None] = 1
    assert gate.run_journeys_again([FIRST, SECOND]) == [SECOND]
    assert gate.SUSPECTS.read_text() == f"{SECOND}\n"


@pytest.mark.parametrize("many", [0, gate.AGAIN + 1])
def test_many_red_journeys_do_not_run_again(runs: dict[Any, int], many: int) -> None:
    assert gate.run_journeys_again([f"{FIRST}[{case}]" for case in range(many)]) == []
    assert runs == {}


def test_cases_of_a_night_run_with_its_seed(runs: dict[Any, int]) -> None:
    cases = [Regression("a::b", 5, "why"), Regression("c::d", 6, "why"), Regression("e::f", 5, "why")]
    assert gate.run_regressions(cases) == []
    assert set(runs) == {("a::b", "e::f", 5), ("c::d", 6)}
    runs["c::d", 6] = 1
    assert len(gate.run_regressions(cases)) == 1


@pytest.mark.parametrize(("status", "wrong"), [(1, 0), (0, 1), (4, 1)])
def test_a_known_fault_has_to_fail(runs: dict[Any, int], status: int, wrong: int) -> None:
    runs["a::b", 5] = status
    assert len(gate.run_regressions([Regression("a::b", 5, "why", fails=True)])) == wrong


def test_cases_of_nights_are_read(tmp_path: Path) -> None:
    path = tmp_path / "regressions.toml"
    path.write_text('[[case]]\ntest = "a::b"\nseed = 5\nbecause = "why"\nfails = true\n')
    assert gate.regressions(path) == [Regression("a::b", 5, "why", fails=True)]
    assert all(case.because for case in gate.regressions())
    path.write_text('[[case]]\ntest = "a::b"\nsed = 5\n')
    with pytest.raises(TypeError, match="sed"):
        gate.regressions(path)


@pytest.mark.parametrize(
    ("outcome", "told"), [("failed", ["bash tests/night.sh --seed 5 'a::b'", "why"]), ("passed", [])]
)
def test_a_night_tells_a_red_test_when_it_ends(
    monkeypatch: pytest.MonkeyPatch, outcome: Literal["failed", "passed"], told: list[str]
) -> None:
    """A night that is stopped has told what it found."""
    lines: list[str] = []
    terminal = SimpleNamespace(write=lambda _: None, write_line=lines.append)
    config: Any = SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin={"terminalreporter": terminal}.get), option=SimpleNamespace(done=None)
    )
    monkeypatch.setattr(draws, "NIGHT", 5)
    report = pytest.TestReport("a::b", ("a", 1, "b"), {}, outcome, "why", "call")
    conftest.ToldAtOnce(config).pytest_runtest_logreport(report)
    assert lines == told


def test_a_night_goes_on_behind_the_files_that_were_green(tmp_path: Path) -> None:
    """A file with a red test, or with one that has not run, runs again: its tests may need each other."""
    done = tmp_path / "done"
    config: Any = SimpleNamespace(
        pluginmanager=SimpleNamespace(get_plugin=lambda _: None), option=SimpleNamespace(done=done)
    )
    told = conftest.ToldAtOnce(config)
    for name in ("a::1", "a::2", "b::1", "b::2"):
        for when in ("setup", "call", "teardown"):
            red = (name, when) == ("b::1", "call")
            report = pytest.TestReport(name, ("", 1, ""), {}, "failed" if red else "passed", "why", when)
            told.pytest_runtest_logreport(report)
    assert done.read_text().splitlines() == ["a::1", "a::2", "b::2"]
    items: Any = [SimpleNamespace(nodeid=name) for name in ("a::1", "a::2", "b::1", "b::2", "c::1")]
    left = tiers.of_open_files(items, set(done.read_text().splitlines()))
    assert [item.nodeid for item in left] == ["b::1", "b::2", "c::1"]
