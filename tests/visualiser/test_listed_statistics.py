"""The lists of row statistics: today's names and orders, their words, and a new statistic in every list."""

import subprocess
import sys

import pytest

from attention_core import AttentionConfig, AttentionResult, compute
from attention_core.blocks.row_statistics import ROW_STATISTICS
from visualiser import listed_statistics as lists
from visualiser.export import rows
from visualiser.export.archive import MOMENTS
from visualiser.figures import FIGURES
from visualiser.locale import LANGUAGES, texts
from visualiser.state.view import View

NEW = "tests.visualiser.with_a_new_statistic"


def names(listed: object) -> list[str]:
    """Return the listed names that exist today: links, programs and files depend on them."""
    return [each.name for each in getattr(lists, str(listed)) if each.name in TODAY]


TODAY = ("entropy", "ceiling", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight")
CSV = (
    *("head", "query", "token", "entropy_nats", "ceiling_nats", "effective_keys", "jacobian_norm", "jacobian_trace"),
    *("largest_weight", "largest_weight_key", "largest_weight_token"),
)


@pytest.mark.parametrize(
    ("listed", "expected"),
    {
        "IN_FILES": TODAY,
        "PER_HEAD": ("entropy", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight"),
        "SPREAD_BOXES": ("entropy",),
        "SPREAD_MEANS": ("entropy", "effective_keys"),
        "GRADIENT_BOXES": ("jacobian_norm", "jacobian_trace"),
        "MECHANISMS": ("entropy", "effective_keys", "largest_weight", "jacobian_norm", "jacobian_trace"),
        "MAP_HEADS": ("entropy", "effective_keys", "jacobian_norm"),
        "STRIPS": ("entropy", "largest_weight", "effective_keys"),
        "ROW_FACTS": ("entropy", "ceiling", "effective_keys", "jacobian_norm", "largest_weight"),
    }.items(),
)
def test_each_place_lists_what_it_listed(listed: str, expected: tuple[str, ...]) -> None:
    assert names(listed) == list(expected)


def test_files_keep_their_columns_and_arrays() -> None:
    assert rows.columns(lists.IN_FILES)[: len(CSV)] == CSV
    assert names("IN_FILES")[: len(TODAY)] == list(TODAY)
    assert MOMENTS == ("score_mean", "score_variance")
    assert [*ROW_STATISTICS][:8] == ["logsumexp", *TODAY[:3], "sum_of_squares", *TODAY[3:]]


def test_other_weights_list_what_their_rows_have() -> None:
    def listed(normalisation: str) -> list[str]:
        config = AttentionConfig(normalisation=normalisation)
        return [each.name for each in lists.of_rows(config, lists.IN_FILES)]

    assert listed("softmax") == list(TODAY)
    assert listed("sink") == [*TODAY, "sink_weight"]
    assert listed("sigmoid") == ["jacobian_norm", "jacobian_trace", "largest_weight", "mass"]
    assert listed("entmax") == [*TODAY, "support"]
    gates = AttentionConfig(normalisation="sigmoid")
    assert [each.name for each in lists.of_rows(gates, lists.SPREAD_BOXES, lists.WEIGHTS)] == ["mass"]
    assert [each.name for each in lists.of_rows(gates, lists.GRADIENT_BOXES, lists.GRADIENT)] == [
        "jacobian_norm",
        "jacobian_trace",
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_statistic_and_unit_has_a_name_in_every_language(lang: str) -> None:
    for each in ROW_STATISTICS.values():
        assert not each.public or f"statistic.{each.name}" in texts(lang)
        assert f"statistic.in.{each.unit}" in texts(lang)


def columns(name: str, result: AttentionResult) -> list[str]:
    return [column.label for column in FIGURES[name].table(result, View(row=2)).columns]


def test_tables_call_the_statistics_by_their_names() -> None:
    result = compute(AttentionConfig(n=7, h=3, d_k=5, tie=False))
    shown = columns("entropy", result)
    assert shown[:2] == ["head", "mean entropy (nats)"]
    assert shown[7:] == ["mean effective keys", "entropy (nats), locked row"]
    assert columns("gradient", result)[1:] == [
        "median norm ‖J‖_F",
        "median trace tr J",
        "norm ‖J‖_F, locked row",
        "trace tr J, locked row",
    ]


@pytest.mark.night
@pytest.mark.slow
def test_a_new_statistic_appears_wherever_statistics_are_listed() -> None:
    """Runs in a separate process, since modules read the table when they are loaded."""
    done = subprocess.run([sys.executable, "-m", NEW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        *("npz", "csv", "endpoint", "map-endpoint", "entropy-figure", "gradient-figure", "entropy-table"),
        *("gradient-table", "entropy-sentence", "gradient-sentence", "means", "hover", "mechanisms-table"),
        *("map-csv", "map-npz", "map-look", "map-strips", "map-heads", "map-row", "map-row-sentence", "documentation"),
    ]
