"""The page of the language model says what the shipped files say."""

from pathlib import Path

import pytest

from attention_core.language import MEASURES, STATED, WORDS, LanguageFile, shipped
from attention_core.language.texts import PLACES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language-model.md").read_text(encoding="utf-8")
HEADS = ("previous_token", "induction", "agreement", "bracket", "sink", "same_token")


def cells(file: LanguageFile) -> list[str]:
    """Return the scores of a row of the table."""
    best = [file.evaluation.best(name) for name in HEADS]
    answers = [file.evaluation.accuracy[kind] for kind in PLACES]
    return [
        *("1" if share == 1 else f"{share:.3f}" for share in answers),
        *(f"{float(f'{score:.4f}'):.3f} L{layer}H{head}" for layer, head, score in best),
    ]


@pytest.mark.parametrize("layers", [1, 2])
def test_the_row_of_the_shipped_seed_is_that_of_the_file(layers: int):
    file = shipped(layers)
    assert f"| **{file.seed}** | {layers} | {' | '.join(cells(file))} | " in PAGE


def test_every_seed_of_the_table_reaches_what_is_stated():
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and " | 2 | " in line]
    names = [*PLACES, *(f"{name}_head" for name in HEADS)]
    assert len(rows) == 5
    for row in rows:
        scores = dict(zip(names, (float(cell.split()[0]) for cell in row[2:12]), strict=True))
        assert {name for name in STATED if scores[name] < STATED[name]} == set()


def test_every_measure_and_the_words_are_on_the_page():
    assert all(f"| `{name}` |" in PAGE for name in MEASURES)
    assert set(HEADS) == set(MEASURES)
    assert f"{len(WORDS)} tokens" in PAGE
