"""Every number of the tables in docs/claims.md comes from its command or from a shipped result."""

import re
from pathlib import Path

import pytest

from benchmarks import later, statements
from benchmarks.later import LATER
from benchmarks.learned import LEARNED
from benchmarks.statements import STATEMENTS, Statement

PAGE = (Path(__file__).resolve().parents[2] / "docs/claims.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w.^])−?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w^])")


SAID = (
    ("## Statement by statement", STATEMENTS),
    ("## After the paper", LATER),
    ("## Heads that learned", LEARNED),
)
"""The headings of the page, each with the statements of its table."""


def rows(heading: str) -> list[str]:
    """Return the lines of the table below a heading."""
    section = PAGE.split(f"\n{heading}\n")[1].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("|")][2:]


BOTH = [pair for heading, said in SAID for pair in zip(said, rows(heading), strict=True)]
TRAINED = [pair for pair in BOTH if pair[0] not in LEARNED]
READ = [pair for pair in BOTH if pair[0] in LEARNED]


RANGE = re.compile(rf"({NUMBER.pattern}) \[({NUMBER.pattern}), ({NUMBER.pattern})\]|({NUMBER.pattern})")


def numbers(sentence: str) -> list[float]:
    """Return the numbers of a sentence, each with its interval: itself where all seeds agree and none is written."""
    found = RANGE.findall(sentence)
    return [float(one.replace("−", "-")) for *ranged, alone in found for one in ([alone] * 3 if alone else ranged)]


def without_numbers(sentence: str) -> str:
    return RANGE.sub("#", sentence)


@pytest.mark.parametrize(("heading", "said"), SAID)
def test_a_table_has_its_statements_in_their_order(heading: str, said: tuple[Statement, ...]):
    assert len(rows(heading)) == len(said)
    for line, statement in zip(rows(heading), said, strict=True):
        paper, _, command, verdict = (cell.strip() for cell in line.strip("|").split(" | "))
        assert (paper, command, verdict) == (statement.paper, statement.command, statement.verdict)


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize(("statement", "row"), READ, ids=[one.measured.__name__ for one, _ in READ])
def test_every_number_of_the_shipped_model_is_what_its_command_gives(statement: Statement, row: str):
    check(statement, row)


@pytest.mark.night
@pytest.mark.slow
@pytest.mark.parametrize(("statement", "row"), TRAINED, ids=[one.measured.__name__ for one, _ in TRAINED])
def test_every_number_is_what_its_command_gives(statement: Statement, row: str):
    check(statement, row)


def check(statement: Statement, row: str) -> None:
    """Trainings agree within what another processor's rounding makes of them, the rest to its last digits but one."""
    written = row.split(" | ")[1]
    measured = statement.measured()
    assert without_numbers(written) == without_numbers(measured)
    trains = any(word in measured for word in ("reverse", "recall", "noisy", "MLP", "20 seeds"))
    trained = trains and statement.command in (statements.HERE, later.HERE)
    assert numbers(written)
    for one, other in zip(numbers(written), numbers(measured), strict=True):
        assert one == pytest.approx(other, abs=0.15) if trained else one == pytest.approx(other, rel=0.02)
