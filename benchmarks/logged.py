"""The failures in an app's log, and the limit of its lines."""

LONGEST_LINE = 2048
"""Largest number of bytes in a line."""


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
