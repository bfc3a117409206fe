"""What an app's log tells: the failures in it, and how long its lines may be."""

LONGEST_LINE = 2048
"""Bytes of a line, at most."""


def failures(log: bytes) -> list[str]:
    """A sentence for each traceback in a log, whether Python printed it or the app's own log told it in a line."""
    found, lines = [], log.split(b"\n")
    for at, line in enumerate(lines):
        if line.startswith(b"Traceback"):
            found.append("a traceback: " + _last_of(lines[at:]))
        elif b" ERROR " in line[:40] or b" CRITICAL " in line[:40]:
            found.append(f"a traceback: {line[21:400].decode(errors='replace')}")
    return found


def _last_of(lines: list[bytes]) -> str:
    """Where the traceback was, and what it ended with."""
    where = b""
    for line in lines[1:]:
        if line.startswith(b"  File"):
            where = line.strip()
        elif line and not line.startswith((b" ", b"\t")):
            return f"{line[:200].decode(errors='replace')} at {where.decode(errors='replace')}"
    return where.decode(errors="replace")
