"""Open cells, rows of results, and a file of results cut off at any byte."""

import re
from dataclasses import replace

import pytest

from attention_core import InvalidInput
from attention_core.experiments import HeadsExperiment, QualityCurve, QualityExperiment
from attention_core.experiments.grid import Cell, computed, open_cells
from attention_core.experiments.results_file import ResultsFile
from attention_core.experiments.rows import columns

SMALL = QualityExperiment(d_k=(3, 5), mechanism=("scaled", "unscaled"), seeds=3, steps=2, evaluation=32)


@pytest.fixture(scope="module")
def rows():
    return [row for cell in open_cells(SMALL, []) for row in computed(cell)]


def test_a_row_says_how_to_repeat_it(rows):
    assert len(rows) == 12
    assert set(rows[0]) == set(columns(SMALL))
    needed = ["mechanism", "d_k", "seed", "learning_rate", "steps", "accuracy"]
    assert [name for name in columns(SMALL) if name in needed] == needed
    row = rows[-1]
    again = QualityExperiment(
        task=row["task"],
        mechanism=(row["mechanism"],),
        d_k=(int(row["d_k"]),),
        seed=int(row["seed"]),
        seeds=1,
        learning_rate=float(row["learning_rate"]),
        steps=int(row["steps"]),
        batch=int(row["batch"]),
        initialisation=row["initialisation"],
        evaluation=int(row["evaluation"]),
    )
    assert (row["mechanism"], row["d_k"], row["seed"]) == ("unscaled", "5", "2")
    (repeated,) = computed(Cell(again, again.curves[0], again.every_seed))
    assert {name: repeated[name] for name in ("mechanism", "d_k", "seed", "torch")} == {
        name: row[name] for name in ("mechanism", "d_k", "seed", "torch")
    }
    for name in ("accuracy", "entropy", "score_gradient", "projection_gradient"):
        assert float(repeated[name]) == pytest.approx(float(row[name]), rel=1e-4)


def test_heads_have_rows_too():
    experiment = HeadsExperiment(h=(2,), m=3, d_model=10, seeds=1, steps=1, evaluation=32)
    (row,) = computed(open_cells(experiment, [])[0])
    assert list(row) == list(columns(experiment))
    assert (row["mechanism"], row["h"], row["d_k"], row["m"], row["mlp"]) == ("scaled", "2", "5", "3", "False")
    assert [len(head.split()) for head in row["mass"].split(";")] == [3, 3]
    assert open_cells(experiment, [row]) == []
    assert len(open_cells(replace(experiment, mlp=True), [row])) == 1


def test_finished_runs_are_not_open(rows):
    assert [cell.curve for cell in open_cells(SMALL, [])] == list(SMALL.curves)
    assert open_cells(SMALL, rows) == []
    missing = [row for row in rows if (row["mechanism"], row["d_k"], row["seed"]) != ("scaled", "5", "1")]
    assert open_cells(SMALL, missing) == [Cell(SMALL, QualityCurve("scaled", 5), (1,))]
    assert [cell.seeds for cell in open_cells(replace(SMALL, seeds=5), rows)] == [(3, 4)] * 4


@pytest.mark.parametrize(
    "other",
    [
        {"learning_rate": 1e-2},
        {"steps": 3},
        {"initialisation": "large_w"},
        {"task": "recall", "batch": 16},
        {"batch": 4},
    ],
)
def test_rows_of_other_settings_answer_for_nothing(rows, other):
    assert len(open_cells(replace(SMALL, **other), rows)) == 4


def test_a_file_is_made_and_read(tmp_path):
    path = tmp_path / "results.csv"
    file = ResultsFile(path, ("a", "b"))
    assert file.rows() == []
    file.add([{"b": "2", "a": "1"}, {"a": "3, 4", "b": '"5"'}])
    assert ResultsFile(path, ("a", "b")).rows() == [{"a": "1", "b": "2"}, {"a": "3, 4", "b": '"5"'}]


def test_a_file_cut_off_at_any_byte_keeps_its_whole_lines(tmp_path):
    path = tmp_path / "results.csv"
    ResultsFile(path, ("mechanism", "accuracy")).add([{"mechanism": "scaled", "accuracy": str(i)} for i in range(3)])
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        file = ResultsFile(path, ("mechanism", "accuracy"))
        lines = max(0, whole[:length].count(b"\n") - 1)
        assert [row["accuracy"] for row in file.rows()] == [str(i) for i in range(lines)]
        file.add([{"mechanism": "unscaled", "accuracy": "9"}])
        assert path.read_bytes() == b"".join(whole.splitlines(True)[: lines + 1]) + b"unscaled,9\n"


def test_a_file_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "diary.csv"
    path.write_text("day,text\n1,nothing\n")
    message = f"{path} must begin with the columns a,b; it begins with 'day,'."
    with pytest.raises(InvalidInput, match=f"^{re.escape(message)}$") as caught:
        ResultsFile(path, ("a", "b"))
    assert caught.value.code == "results_columns"
    assert path.read_text() == "day,text\n1,nothing\n"


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.write_bytes(b"a,b\n\xff\xfe\n")])
def test_what_is_no_text_file_is_said(tmp_path, make):
    path = tmp_path / "results.csv"
    make(path)
    with pytest.raises(InvalidInput, match=r"^The results go to a CSV file that can be read and written; ") as caught:
        ResultsFile(path, ("a", "b"))
    assert caught.value.code == "results_unreadable"
