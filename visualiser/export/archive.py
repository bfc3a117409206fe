"""A result as one npz file, which `numpy.load` opens without pickle and the page accepts as an upload."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator

import numpy as np

from attention_core import ROW_STATISTICS, AttentionResult, checkpoint
from attention_core.learned import Line
from visualiser.export.origin import Origin
from visualiser.listed_statistics import IN_FILES, of_rows

TENSORS = ("Q", "K", "V", "scores", "weights", "output")
MOMENTS = ("score_mean", "score_variance")


def npz(result: AttentionResult, origin: Origin | None = None) -> bytes:
    """Return Q, K, V, scores, weights, output (h × n × d, h × n_q × n_k) and the statistics; entropy in nats.

    Scores times `factor` are the scaled scores. `mask` is True where attention is allowed, `tokens` are the keys', with
    `forms` and `ids` in the vocabulary of the model whose they are, `config` is the configuration and `origin`, if
    given, the file's origin, both as JSON. `marks` is there if a number format left marks on weights: 0 for none, else
    the place in `attention_core.exact.formats.MARKS`, from 1. Not compressed: random mantissas do not shrink.
    """
    return b"".join(npz_pieces(result, origin))


def npz_pieces(result: AttentionResult, origin: Origin | None = None) -> Iterator[bytes]:
    """Yield the bytes of `npz`, a head at a time, so that no second copy of the result ever exists."""
    return pieces(_arrays(result, origin))


def pieces(arrays: Iterable[tuple[str, np.ndarray]]) -> Iterator[bytes]:
    """Yield the bytes of an npz file of named arrays, a row of their first axis at a time."""
    room = _Room()
    with zipfile.ZipFile(room, "w") as archive:
        for name, array in arrays:
            # the default date, so that two files of the same result are equal
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                header = np.lib.format.header_data_from_array_1_0(array)
                np.lib.format.write_array_header_1_0(member, header | {"fortran_order": False})
                for part in array if array.ndim > 1 else (array,):
                    checkpoint()
                    member.write(part.tobytes())
                    yield room.taken()
    yield room.taken()


def _arrays(result: AttentionResult, origin: Origin | None) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the file's arrays, each made on demand."""
    for name in (*TENSORS, *(each.name for each in of_rows(result.config, IN_FILES)), *MOMENTS):
        yield name, (result.statistic(name) if name in ROW_STATISTICS else getattr(result, name)).numpy()
    marks = result.marks("weights")
    if marks is not None:
        yield "marks", marks.numpy()
    yield "factor", np.array(result.config.factor)
    yield "config", np.array(json.dumps(result.config.chosen, ensure_ascii=False))
    if origin is not None:
        yield "origin", origin.array
    if result.mask is not None:
        yield "mask", result.mask.numpy()
    if result.tokens is not None:
        yield "tokens", np.array(result.tokens)
    yield from of_vocabulary(None if result.inputs is None else result.inputs.line)
    if result.rows is not None:
        yield "rows", np.array(result.rows)


def of_vocabulary(line: Line | None, before: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a model knows the tokens of a line by, under names with `before` in front; nothing if it is not known.

    `stands` has the text that each unknown token stands for.
    """
    if line is None:
        return
    if line.forms:
        yield f"{before}forms", np.array(line.forms)
    yield f"{before}ids", np.array(line.ids)
    if any(line.stands):
        yield f"{before}stands", np.array(line.stands)


class _Room(io.RawIOBase):
    """A file that forgets what was read. It cannot seek, so the archive writes sizes after the contents."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        self._parts.append(bytes(content))  # type: ignore[arg-type]
        return len(self._parts[-1])

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
