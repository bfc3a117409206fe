"""A mechanism, a normalisation and a mask by the recipes give the right numbers everywhere or are refused by name."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.visualiser.recipes import followed

PROGRAM = Path(__file__).with_name("with_new_choices.py")
PLACES = [
    node.name
    for node in ast.parse(PROGRAM.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith(("cosine_", "relu_", "strided_"))
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return how each place failed in a fresh interpreter, or nothing."""
    folder = followed(tmp_path_factory.mktemp("recipes"))
    made = subprocess.run(
        [sys.executable, PROGRAM],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_place_has_the_right_number_or_refuses_by_name(found: dict[str, str], place: str) -> None:
    assert not found[place], found[place]
