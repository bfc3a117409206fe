"""The CSV file of a grid, which survives a kill at any byte.

The rows of a finished cell are added in one write, so a killed run leaves at most a part of that write. Whole lines are
kept and a half-written last line is cut away.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attention_core.errors import InvalidInput, shown


class ResultsFile:
    """A CSV file with the given columns. A file with other columns is refused, not overwritten.

    Raises `InvalidInput`: `results_columns` for another header, `results_unreadable` if the file is no text or cannot
    be read and written.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._path, self._columns = path, tuple(columns)
        try:
            self._repair()
        except (OSError, UnicodeDecodeError) as reason:
            raise _unreadable(path, reason) from None

    def rows(self) -> list[Mapping[str, str]]:
        """Return every complete row."""
        with self._path.open(encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file) if None not in row and None not in row.values()]

    def add(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Append all rows in one write and wait until they are on the disk."""
        lines = _encoded([row[column] for column in self._columns] for row in rows)
        try:
            with self._path.open("ab") as file:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as reason:
            raise _unreadable(self._path, reason) from None

    def _repair(self) -> None:
        header = _encoded([self._columns])
        self._path.touch()
        with self._path.open("r+b") as file:
            there = file.read()
            if header.startswith(there):  # empty, or killed while the first line was written
                file.truncate(0)
                file.seek(0)
                file.write(header)
            elif not there.startswith(header):
                first, expected = there[: len(header)].split(b"\n")[0].decode("utf-8"), ",".join(self._columns)
                raise InvalidInput(
                    "results_columns",
                    f"{self._path} must begin with the columns {expected}; it begins with {shown(first)}.",
                    path=str(self._path),
                    expected=expected,
                    value=shown(first),
                )
            else:
                there.decode("utf-8")
                file.truncate(there.rfind(b"\n") + 1)


def _encoded(lines: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def _unreadable(path: Path, reason: Exception) -> InvalidInput:
    why = reason.strerror or "" if isinstance(reason, OSError) else "it is no text"
    return InvalidInput(
        "results_unreadable",
        f"The results go to a CSV file that can be read and written; {path} cannot: {why}.",
        path=str(path),
        reason=why,
    )
