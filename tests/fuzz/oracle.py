"""Rules that every answer and log must keep, whatever the request."""

import json
from dataclasses import dataclass
from typing import Final

from tests.fuzz.cases import Case
from tests.fuzz.draws import MARK
from tests.raw_http import Answer
from visualiser.locale import LANGUAGES, text

LONGEST_REFUSAL: Final = 64_000
"""Largest size of a refusal in bytes."""

LONGEST_LINE: Final = 2048
"""Largest number of bytes in a line of the log."""

APOLOGIES: Final = tuple(text(lang, "error.server").encode() for lang in LANGUAGES)
"""Sentences of an update in which the server failed midway: a 500 too late for its status."""


@dataclass(frozen=True)
class Failure:
    """A complaint, and the number of the request that caused it, if known."""

    what: str
    number: int | None


def judged(case: Case, answer: Answer) -> str | None:
    """Return the complaint about an answer, or None."""
    if answer.status >= 500 and not _busy(answer):
        return f"status {answer.status}: {answer.body[:300]!r}"
    ours = not case.route.startswith("/") and case.endpoint is None
    if ours and any(apology in answer.body for apology in APOLOGIES):
        return f"an apology inside an answer of status {answer.status}"
    if answer.size > case.most:
        return f"{answer.size:,} bytes, at most {case.most:,.0f}"
    if answer.status >= 400 and answer.size > LONGEST_REFUSAL:
        return f"a refusal of {answer.size:,} bytes"
    plain = ours and not case.odd and case.method == "POST" and MARK not in case.route
    if plain and 400 <= answer.status < 500 and answer.status != 405 and not _message(answer):
        return f"status {answer.status} without a sentence: {answer.body[:200]!r}"
    return None


def _busy(answer: Answer) -> bool:
    return answer.status == 503 and _message(answer)


def _message(answer: Answer) -> bool:
    try:
        body = json.loads(answer.body)
    except ValueError:
        return False
    return isinstance(body, dict) and isinstance(body.get("message"), str) and bool(body["message"])


def complaints(log: bytes) -> list[str]:
    """Return forbidden content of a log."""
    found = failures(log)
    for line in log.split(b"\n"):
        if len(line) > LONGEST_LINE:
            found.append(f"a line of {len(line):,} bytes: {line[:120]!r}")
        if MARK.encode() in line:
            found.append(f"a visitor's text: {line[:300]!r}")
    return found


def failures(log: bytes) -> list[str]:
    """Return a sentence for each traceback in a log, printed by Python or logged in a line by the app."""
    found, lines = [], log.split(b"\n")
    for at, line in enumerate(lines):
        if line.startswith(b"Traceback"):
            found.append("a traceback: " + _last_of(lines[at:]))
        elif b" ERROR " in line[:40] or b" CRITICAL " in line[:40]:
            found.append(f"a traceback: {line[21:400].decode(errors='replace')}")
    return found


def _last_of(lines: list[bytes]) -> str:
    """Return the place of the traceback and its last line."""
    where = b""
    for line in lines[1:]:
        if line.startswith(b"  File"):
            where = line.strip()
        elif line and not line.startswith((b" ", b"\t")):
            return f"{line[:200].decode(errors='replace')} at {where.decode(errors='replace')}"
    return where.decode(errors="replace")
