"""Files of slow tests begin first, and the daily subset leaves out slow tests."""

import random
from typing import Any
from unittest.mock import Mock

import pytest

from tests import spread


def item(nodeid: str, *fixtures: str, slow: bool = False) -> Any:
    return Mock(nodeid=nodeid, fixturenames=fixtures, get_closest_marker=lambda name: (slow and name == "slow") or None)


PROXIED = item("tests/deploy/test_pages.py::test_a", "site")
SHOWN = item("tests/browser/test_link.py::test_b[1-page]", "page", "chromium")
READ = item("tests/browser/test_link.py::test_c")
TRAINED = item("tests/attention_core/test_curves.py::test_d", slow=True)
ADDED = item("tests/attention_core/test_curves.py::test_e")
COUNTED = item("tests/visualiser/test_view.py::test_f", "monkeypatch")


@pytest.mark.parametrize("seed", range(5))
def test_what_takes_longest_begins_first_and_files_stay_whole(seed: int) -> None:
    files = [[PROXIED], [SHOWN, READ], [TRAINED, ADDED], [COUNTED]]
    mixed = random.Random(seed).sample(files, len(files))
    assert spread.in_order([one for file in mixed for one in file]) == [one for file in files for one in file]


def test_one_process_takes_all_that_share_replicas_and_else_a_file() -> None:
    kept = "tests/deploy/test_kept.py::test_a[1]"
    assert {spread.part(one) for one in (PROXIED.nodeid, kept)} == {spread.PROXIES}
    assert spread.part(SHOWN.nodeid) == spread.part(READ.nodeid) == "tests/browser/test_link.py"


def test_a_run_by_day_has_one_of_the_cases_that_take_long_and_a_night_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = ["a", "b", "c"]
    seen: set[str] = set()
    while seen != set(long):
        (one,) = spread.chosen(long)
        assert repr(one) in capsys.readouterr().out
        seen.add(one)
    monkeypatch.setattr(spread, "RUNS", 4)
    assert sorted(spread.chosen(long)) == long


def of_a_test(test: str, cases: int) -> list[Any]:
    return [item(f"tests/browser/{test}[{case}-page]", "chromium") for case in range(cases)]


def test_a_whole_run_draws_cases_of_browser_tests_alike_in_a_file_and_all_of_them_in_time() -> None:
    first, second = of_a_test("test_one.py::test_a", 20), of_a_test("test_one.py::test_b", 20)
    few, other = of_a_test("test_one.py::test_c", 2), of_a_test("test_two.py::test_a", 20)
    quick = [item(f"tests/test_three.py::test_a[{case}]") for case in range(50)]
    whole = [*first, *second, *few, *other, *quick]
    seen: set[str] = set()
    apart = False
    for seed in map(str, range(100)):
        kept, left = spread.split(whole, seed)
        one, same, few_kept, another = (
            [each.nodeid.partition("[")[2] for each in kept if each in group] for group in (first, second, few, other)
        )
        assert [len(one), len(few_kept), len(another)] == [5, 1, 5]
        assert one == same
        assert set(quick) <= set(kept)
        assert sorted(map(id, [*kept, *left])) == sorted(map(id, whole))
        assert kept == spread.split(whole, seed)[0]
        apart |= one != another
        seen.update(one)
    assert apart
    assert len(seen) == 20


def test_random_cases_are_a_tenth_in_the_daily_subset_and_never_fewer_than_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    for daily, share, counts in ((True, 3, [3, 10, 20]), (False, 3, [3, 10, 66]), (False, 1, [3, 25, 200])):
        monkeypatch.setattr(spread, "daily", daily)
        monkeypatch.setattr(spread, "SHARE", share)
        assert [spread.cases(most) for most in (3, 25, 200)] == counts
        assert [spread.fixed_cases(most) for most in (3, 25, 200)] == ([3, 10, 20] if daily else [3, 25, 200])


def test_the_daily_subset_needs_no_browser_and_no_running_app_and_holds_nothing_slow() -> None:
    assert [spread.quick(one) for one in (PROXIED, SHOWN, READ, TRAINED)] == [False] * 4
    assert [spread.quick(one) for one in (ADDED, COUNTED)] == [True] * 2
