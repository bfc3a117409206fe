"""`python -m attention_core.experiments language`: a folder of models, gone on with, and the one that is chosen."""

import csv
from pathlib import Path
from typing import Any

import pytest

from attention_core import InvalidInput
from attention_core.experiments.__main__ import main
from attention_core.experiments.language import LANGUAGE_BOUNDS, LanguageExperiment, chosen
from attention_core.language import load

FEW = ("language", "--steps", "2", "--seed", "7")


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_default_experiment():
    experiment = LanguageExperiment()
    assert (experiment.learning_rate, experiment.steps, experiment.every_seed) == (6e-3, 2000, (0,))
    assert LanguageExperiment(seed=3, seeds=2).every_seed == (3, 4)
    assert experiment.recipe(2) == {
        "layers": 2, "learning_rate": 6e-3, "steps": 2000, "d_model": 64, "h": 4, "context": 96,
        "repeats": 8, "pairs": 8, "sentences": 16, "verbs": 5.0,
    }  # fmt: skip


@pytest.mark.parametrize("field", LANGUAGE_BOUNDS)
def test_settings_lie_within_their_bounds(field: str):
    bound = LANGUAGE_BOUNDS[field]
    for allowed in (bound.minimum, bound.maximum):
        given: dict[str, Any] = {field: allowed}
        assert getattr(LanguageExperiment(**given), field) == allowed
    for refused in (bound.minimum - 1, bound.maximum + 1):
        given = {field: refused}
        with pytest.raises(InvalidInput, match=rf"^{field} must be between "):
            LanguageExperiment(**given)


def test_the_seed_with_the_highest_minimum_is_chosen():
    def row(seed: int, least: str) -> dict[str, str]:
        return {"seed": str(seed), "least": least}

    assert chosen([row(0, "0.7000"), row(10, "0.8100"), row(3, "0.8000")]) == 10
    assert chosen([row(10, "0.8000"), row(9, "0.8000"), row(2, "0.0500")]) == 9


@pytest.mark.night
@pytest.mark.slow
def test_a_folder_is_filled_gone_on_with_and_chosen_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "models"
    assert main([*FEW, "--out", str(folder)]) == 0
    model, twin = rows(folder)
    assert (model["layers"], twin["layers"], model["seed"], twin["seed"]) == ("2", "1", "7", "7")
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(first) == {
        "results.csv",
        "seed-7-language.safetensors",
        "seed-7-language-one-layer.safetensors",
        "language.safetensors",
        "language-one-layer.safetensors",
    }
    assert first["language.safetensors"] == first["seed-7-language.safetensors"]
    found = load(folder / "language.safetensors")
    assert (found.seed, found.recipe) == (7, LanguageExperiment(seed=7, steps=2).recipe(2))
    assert f"{found.evaluation.accuracy['pair']:.4f}" == model["pair"]
    assert model["least"] == f"{min(found.evaluation.stated.values()):.4f}"
    assert "seed 7 is chosen; it does not reach the stated scores" in capsys.readouterr().err

    (folder / "seed-7-language-one-layer.safetensors").unlink()
    assert main([*FEW, "--seeds", "2", "--out", str(folder)]) == 0
    assert [(row["layers"], row["seed"]) for row in rows(folder)] == [
        ("2", "7"), ("1", "7"), ("1", "7"), ("2", "8"), ("1", "8"),
    ]  # fmt: skip
    again = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {name for name in first if name.startswith("seed-7") and again[name] != first[name]} == set()
    best = chosen([row for row in rows(folder) if row["layers"] == "2"])
    assert again["language.safetensors"] == again[f"seed-{best}-language.safetensors"]


@pytest.mark.slow
def test_messages_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["language", "--steps", "0", "--out", str(tmp_path / "a")]) == 2
    assert capsys.readouterr().err == "steps must be between 1 and 10000; got 0.\n"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "results.csv").write_text("other,columns\n1,2\n")
    assert main([*FEW, "--out", str(tmp_path / "b")]) == 2
    assert "results.csv must begin with the columns layers,seed," in capsys.readouterr().err
