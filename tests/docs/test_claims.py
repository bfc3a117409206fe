"""Every number of the statements in docs/claims.md comes from its command or from a shipped result."""

import re
from pathlib import Path

import pytest

from benchmarks.statements import HERE, STATEMENTS

PAGE = (Path(__file__).resolve().parents[2] / "docs/claims.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w.^])−?\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w^])")


ROWS = [line for line in PAGE.split("## The trainings")[0].splitlines() if line.startswith("|")][2:]


def numbers(sentence: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in NUMBER.findall(sentence)]


def test_the_table_has_the_statements_in_their_order():
    assert len(ROWS) == len(STATEMENTS)
    for line, statement in zip(ROWS, STATEMENTS, strict=True):
        paper, _, command, verdict = (cell.strip() for cell in line.strip("|").split(" | "))
        assert (paper, command, verdict) == (statement.paper, statement.command, statement.verdict)


@pytest.mark.slow
@pytest.mark.parametrize("at", range(len(STATEMENTS)), ids=[one.measured.__name__ for one in STATEMENTS])
def test_every_number_is_what_its_command_gives(at: int):
    """Trainings agree within what another processor's rounding makes of them, the rest to its last digits but one."""
    statement, written = STATEMENTS[at], ROWS[at].split(" | ")[1]
    measured = statement.measured()
    assert NUMBER.sub("#", written) == NUMBER.sub("#", measured)
    trained = statement.command == HERE and any(word in measured for word in ("reverse", "noisy", "MLP", "20 seeds"))
    assert numbers(written)
    for one, other in zip(numbers(written), numbers(measured), strict=True):
        assert one == pytest.approx(other, abs=0.15) if trained else one == pytest.approx(other, rel=0.02)
