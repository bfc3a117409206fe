"""`python -m attention_core.experiments` as a program: killed and resumed, on each engine, and its messages."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attention_core.experiments import __main__ as program

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
GRID = ("reverse", "--d_k", "3", "5", "--mechanisms", "scaled", "additive", "--seeds", "2", "--evaluation", "32")
CURVES = [(mechanism, d_k) for d_k in ("3", "5") for mechanism in ("scaled", "additive")]


def started(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "attention_core.experiments", *map(str, words)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(*words):
    process = started(*words)
    out, err = process.communicate(timeout=300)
    assert out == ""
    assert "Traceback" not in err
    return process.returncode, err.splitlines()


@pytest.fixture
def here(capsys):
    """Run the command in this process, which has imported torch already."""

    def finished_here(*words):
        try:
            status = program.main([*map(str, words)])
        except SystemExit as left:
            status = left.code
        out, err = capsys.readouterr()
        assert out == ""
        return status, err.splitlines()

    return finished_here


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def runs(rows):
    return sorted((row["mechanism"], row["d_k"], row["seed"]) for row in rows)


@pytest.mark.night
def test_killed_and_resumed(tmp_path, here):
    """Killed in its second cell or later: written rows stay, byte by byte, and are not computed again."""
    path = tmp_path / "results.csv"
    words = (*GRID, "--steps", "150", "--engine", "none", "--out", path)
    process = started(*words)
    assert process.stderr is not None
    while not process.stderr.readline().startswith("1/4"):
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    kept = path.read_bytes()
    before = read(path)
    cells = len(before) // 2
    assert 1 <= cells < 4
    path.write_bytes(kept + b"additive,5,0,0.0")  # left by a kill during a write

    status, lines = finished(*words)
    assert status == 0
    assert lines[0] == f"{cells} of 4 cells are in {path}; computing {4 - cells} with none"
    assert len(lines) == 1 + 4 - cells
    assert path.read_bytes().startswith(kept)
    assert runs(read(path)) == sorted((*curve, seed) for curve in CURVES for seed in "01")

    done = path.read_bytes()
    status, lines = here(*words)
    assert (status, lines) == (0, [f"4 of 4 cells are in {path}; computing 0 with none"])
    assert path.read_bytes() == done


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    path = tmp_path_factory.mktemp("none") / "results.csv"
    assert program.main([*GRID, "--steps", "3", "--engine", "none", "--out", str(path)]) == 0
    return sorted(read(path), key=lambda row: list(row.values()))


@pytest.mark.night
@pytest.mark.parametrize("engine", ["joblib", "ray"])
def test_every_engine_gives_the_same_rows(tmp_path, reference, engine):
    path = tmp_path / "results.csv"
    status, lines = finished(*GRID, "--steps", "3", "--engine", engine, "--jobs", "2", "--out", path)
    assert status == 0, lines
    assert lines[0] == f"0 of 4 cells are in {path}; computing 4 with {engine}"
    assert [line.split()[0] for line in lines if "accuracy=" in line] == ["1/4", "2/4", "3/4", "4/4"]
    assert sorted(read(path), key=lambda row: list(row.values())) == reference


def test_a_file_is_completed_and_other_settings_stay(tmp_path, here):
    path = tmp_path / "results.csv"
    words = ("--mechanisms", "scaled", "--engine", "none", "--steps", "2", "--evaluation", "32", "--out", path)
    assert here("reverse", "--d_k", "3", "--seeds", "1", "--learning_rate", "0.01", *words)[0] == 0
    assert here("reverse", "--d_k", "3", "--seeds", "1", *words)[0] == 0
    first = read(path)
    assert here("reverse", "--d_k", "3", "2", "--seeds", "2", *words)[0] == 0
    rows = read(path)
    assert rows[:2] == first
    found = [(row["d_k"], row["seed"], row["learning_rate"]) for row in rows]
    assert found[:2] == [("3", "0", "0.01"), ("3", "0", "0.003")]
    assert sorted(found[2:]) == [("2", "0", "0.003"), ("2", "1", "0.003"), ("3", "1", "0.003")]


def test_heads_from_the_command_line(tmp_path, here):
    path = tmp_path / "heads.csv"
    words = ("--h", "1", "2", "--m", "2", "--d_model", "8", "--mlp", "--seeds", "1", "--steps", "2", "--engine", "none")
    assert here("heads", *words, "--out", path)[0] == 0
    assert [(row["h"], row["d_k"], row["mlp"]) for row in read(path)] == [("1", "8", "True"), ("2", "4", "True")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reverse", "--d_k", "4096"), "d_k must be between 1 and 1024; got 4096."),
        (
            ("reverse", "--mechanisms", "cosine"),
            "mechanism must be one of scaled, unscaled, additive, qk_norm_unscaled; got 'cosine'.",
        ),
        (("heads", "--h", "5"), "d_model must be a multiple of every h (h · d_k = d_model); got d_model 48 and h 5."),
        (("reverse", "--jobs", "-1"), "jobs must be at least 1; got -1."),
        (("sort",), "invalid choice: 'sort'"),
        (("reverse", "--engine", "spark"), "invalid choice: 'spark'"),
        (("reverse", "--d_k", "four"), "invalid int value: 'four'"),
    ],
)
def test_errors_leave_with_status_2_and_a_sentence(tmp_path, here, words, message):
    path = tmp_path / "results.csv"
    status, lines = here(*words, "--out", path)
    assert status == 2
    assert message in lines[-1]
    assert not path.exists()


@pytest.mark.night
def test_the_program_ends_with_a_sentence_and_no_traceback(tmp_path):
    path = tmp_path / "nowhere" / "results.csv"
    status, lines = finished("reverse", "--out", path)
    assert status == 2
    assert lines == [
        f"The results go to a CSV file that can be read and written; {path} cannot: No such file or directory."
    ]


def test_an_interrupt_leaves_with_status_130_and_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_run_grid", interrupted)
    assert program.main([*GRID, "--out", str(tmp_path / "results.csv")]) == 130
    assert capsys.readouterr().err == "interrupted; the same command goes on from here\n"


def test_ray_and_joblib_are_not_imported_unless_asked_for(tmp_path):
    """Nor is ray needed: a sentence reports its absence."""
    program = (
        "import sys; sys.modules['ray'] = None\n"
        "from attention_core.experiments.__main__ import main\n"
        "loaded = [name for name in ('joblib', 'gradio', 'plotly') if name in sys.modules]\n"
        "assert not loaded, loaded\n"
        f"sys.argv = ['x', 'reverse', '--steps', '1', '--engine', 'ray', '--out', {str(tmp_path / 'r.csv')!r}]\n"
        "raise SystemExit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "engine ray needs the package ray, which is not installed; the engines joblib and none need nothing more."
    )
