"""Values to draw: right ones, wrong ones, and texts that break careless code. Every text carries `MARK`."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, TypeVar

MARK: Final = "zqfuzz"
"""A mark in every text of a request: it reveals a log that repeats requests."""

Drawn = TypeVar("Drawn")

NUMBERS: Final = (
    *("0", "1", "-1", "2", "3.5", "1e9", "-0", "1e400", "-1e400", "nan", "inf", "1e-320", "0x10", "1_000", " 7 "),
    *("٣", "９", "½", "1,5", "--1", "+4", "99999999999999999999", "2147483647", "2147483648", "1" * 5000, ""),
)
"""Values in a link for a number."""

TEXTS: Final = (
    *("", "\ud800", "\udfff\ud800", "\0", "a\r\nb: c", "‮גב", "👩‍👩‍👧‍👦", "é" * 50, "<script>alert(1)</script>"),
    *("../../etc/passwd", "%", "%zz", "%61", "{0}{name}", "{{", "$%&=;#?", "' or 1=1", "한국어 문장", "word " * 700),
)
"""Values in a link for a text."""


def often(random: Random, chance: float) -> bool:
    """True with this chance."""
    return random.random() < chance


def one(random: Random, *ways: tuple[float, Callable[[Random], Drawn]]) -> Drawn:
    """Draw by one of the ways, chosen by weight."""
    return random.choices([way for _, way in ways], [weight for weight, _ in ways])[0](random)


def words(random: Random) -> str:
    """Return a text with the mark in it."""
    return f"{MARK}{random.randrange(10**6)}{random.choice(TEXTS)}"


def junk(random: Random, depth: int = 2) -> Any:
    """Return a JSON value of any type."""
    kinds: Sequence[Callable[[], Any]] = (
        lambda: None,
        lambda: often(random, 0.5),
        lambda: random.choice((0, 1, -1, 7, 2**31, 2**63, -(2**70), 1.5, -0.0, 1e308)),
        lambda: words(random),
        lambda: random.choice(NUMBERS),
        lambda: random.choice(TEXTS),
        lambda: [junk(random, depth - 1) for _ in range(random.randrange(4))] if depth else [],
        lambda: {words(random): junk(random, depth - 1) for _ in range(random.randrange(3))} if depth else {},
    )
    return random.choice(kinds)()
