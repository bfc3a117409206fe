"""A recorder that lets a model attend a few rows at a time, by its own eager function, and keeps no n × n tensor.

A row of attention hangs on its query, on all keys and on its row of the mask and of a bias. So the model's function is
called with some queries, the keys that these may read, and those rows. Before a function is trusted with it, it is
tried on the first tokens: in two blocks it must give what it gives at once.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, Final

import torch
from torch import Tensor, nn

from attention_core.cancellation import checkpoint
from attention_core.errors import InvalidInput
from attention_core.models.eager import runs_a_kernel
from attention_core.models.entered import Path
from attention_core.models.kernels import in_float32, with_numbers
from attention_core.models.layer_rows import Asked, Handed, LayerRows, Rows
from attention_core.models.recorder import Reading, Recorder, factor, handed, name_of, read
from attention_core.models.row_call import RowCall
from attention_core.models.row_mask import SIZES, RowMask, row_mask

__all__ = ["CELLS"]

CELLS: Final = 2**20
"""Scores of all heads together that are made at once."""
_TRIED: Final = 24
"""Tokens on which a function is tried in blocks."""
_OFF: Final = 1e-4
"""The share by which blocks may differ from all at once: they round otherwise."""


class Enough(Exception):
    """Every chosen layer was read: the rest of the model need not run."""


class LongRecorder(Recorder):
    """The calls of attention of one forward pass over `n` tokens, row by row.

    chosen      numbers of the calls whose rows are read; None for all
    asked       what is wanted of each of them beside statistics
    done        takes a layer whose rows are all read
    most_bytes  of a tensor of n × n that the model makes by itself
    rows        queries of a block; None for as many as `CELLS` allows
    progress    is told the calls that are done, and parts of one
    """

    def __init__(
        self,
        path: Path,
        chosen: Collection[int] | None,
        asked: Callable[[int], Asked],
        done: Callable[[int, LayerRows], None],
        n: int,
        most_bytes: int,
        rows: int | None,
        progress: Callable[[float], object],
    ) -> None:
        super().__init__(path, chosen)
        self.square = 0
        """The most bytes of an n × n tensor that the model made by itself."""
        self._asked, self._done, self._n, self._most_bytes, self._rows, self._progress = (
            asked,
            done,
            n,
            most_bytes,
            rows,
            progress,
        )
        self.widest = 0
        """The most bytes of any other tensor that it made of the tokens."""
        self._ours = False
        self._halved = False
        """True in a call whose model's kernel adds up in float32 what it has in float16."""
        self._uncut: list[Tensor] = []
        self._tried: set[tuple[object, type]] = set()

    def mask(self, own: Callable[..., Any], /, **asked: Any) -> Any:
        """Return a mask whose rows are made when they are read."""
        return row_mask(own, asked, self._squared)

    def attend(self, own: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        """Call the model's own function for some rows after the other, and read each of them."""
        kept = self._counted(module)
        self._ours = True
        try:
            self._halved = False
            if runs_a_kernel(module):
                args, kwargs = with_numbers(args, kwargs)
                self._halved = handed("query", 0, args, kwargs).dtype == torch.float16
            made = self._attended(RowCall.of(own, module, args, kwargs), kept)
        finally:
            self._ours = False
        return made, None

    def attend_by(self, function: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the caller's for some rows after the other, which it is tried for as any other is."""
        self._foreign = module, 0, name_of(function)
        try:
            return self.attend(function, module, *args, **kwargs)
        finally:
            self._foreign = None

    def _attended(self, call: RowCall, kept: bool) -> Tensor:
        h, n_q, n_k = call.sizes
        size = self._rows or max(1, CELLS // (h * n_k))
        if size < n_q:
            self._try(call)
        reader = self._reader(call) if kept else None
        made = []
        for start in range(0, n_q, size):
            checkpoint()
            rows = slice(start, min(n_q, start + size))
            made.append(self._of_rows(call, rows, reader, cut=size < n_q))
            self._progress(len(self.names) - 1 + rows.stop / n_q)
        self._finish(reader)
        return torch.cat(made, 1)

    def _reader(self, call: RowCall) -> LayerRows:
        if len(call.Q) != 1:
            raise self._several(len(call.Q))
        handed = None
        if self._foreign is None:  # whose formula is unknown
            (Q, K, V), settings = (one[0] for one in (call.Q, call.K, call.V)), call.settings
            scale, before = factor(call.module, settings.get("scaling"), Q.shape[-1])
            handed = Handed(Q / scale if before else Q, K, V, scale, float(settings.get("softcap") or 0))
        return LayerRows(self.names[-1], self._kind(call.module), call.sizes, handed, self._asked(len(self.names) - 1))

    def _of_rows(self, call: RowCall, rows: slice, reader: LayerRows | None, cut: bool) -> Tensor:
        """Return what the function makes of some queries; `reader` reads their scores and weights."""
        part = call.part(rows)
        reading = Reading(keys=part.keys.stop - part.keys.start, softmaxes=[])
        self._inside, self._reading, self._uncut = True, reading if reader else None, call.uncut() if cut else []
        try:
            args, kwargs = in_float32(part.args, part.kwargs) if self._halved else (part.args, part.kwargs)
            made = call.own(call.module, *args, **kwargs)
        finally:
            self._inside, self._reading, self._uncut = False, None, []
        if reader is not None:
            scores, weights, sunk = read(self.names[-1], reading, made)
            score = sunk.get("sink_score")
            reader.add(Rows(rows, part.keys, scores[0], weights[0], None if score is None else score[0]))
        return made[0].half() if self._halved else made[0]

    def _finish(self, reader: LayerRows | None) -> None:
        if reader is not None:
            self._done(len(self.names) - 1, reader)
        if self._chosen and len(self.names) > max(self._chosen):
            raise Enough

    def _kind(self, module: nn.Module) -> str:
        entered = next((one for one in reversed(self._path.now) if one.module is module), None)
        return "self" if entered is None else entered.kind

    def _add(self, module: nn.Module, scores: Tensor, weights: Tensor, **further: Any) -> None:
        """Read the rows of a module that attends by itself, which has made them all."""
        if len(scores) != 1:
            raise self._several(len(scores))
        scores, weights = scores[0], weights[0]
        h, n_q, n_k = scores.shape
        reader = LayerRows(self.names[-1], self._kind(module), (h, n_q, n_k), None, self._asked(len(self.names) - 1))
        size = self._rows or max(1, CELLS // (h * n_k))
        for start in range(0, n_q, size):
            checkpoint()
            rows = slice(start, min(n_q, start + size))
            reader.add(Rows(rows, slice(0, n_k), scores[:, rows], weights[:, rows], None))
        self._progress(len(self.names))
        self._finish(reader)

    def _try(self, call: RowCall) -> None:
        """Raise `InvalidInput` (`attention_rows`) unless the function gives the same in two blocks as at once."""
        kind = call.own, type(call.module)
        if kind in self._tried:
            return
        few = min(_TRIED, *call.sizes[1:])
        tried = replace(call, most=few)
        whole, *parts = (
            self._of_rows(tried, rows, None, cut=True)
            for rows in (slice(0, few), slice(0, few // 2), slice(few // 2, few))
        )
        size, alike = float(whole.abs().max()), whole.shape[1] == few
        off = float((torch.cat(parts, 1) - whole).abs().max()) if alike else math.inf
        if off > max(_OFF, 16 * torch.finfo(whole.dtype).eps) * size:  # NaN is no difference
            raise self._refused("has rows that hang on other rows")
        self._tried.add(kind)

    def _refused(self, why: str) -> InvalidInput:
        name = self.names[-1]
        return InvalidInput("attention_rows", f"The attention of {name} {why}.", value=name)

    def _several(self, sequences: int) -> InvalidInput:
        name = self.names[-1]
        return InvalidInput(
            "long_batch",
            f"The attention of {name} reads {sequences} sequences at once, and a long run reads one.",
            value=name,
        )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self._uncut and func not in SIZES and any(one is uncut for one in args for uncut in self._uncut):
            raise self._refused("reads a tensor that cannot be cut into rows")
        made = super().__torch_function__(func, types, args, kwargs)
        if not self._ours and isinstance(made, Tensor) and not isinstance(made, RowMask):
            axes = list(made.shape).count(self._n) if self._n > 1 else 0
            size = made.untyped_storage().nbytes() if axes else 0
            if axes > 1 and size >= made.numel():  # less is a view that repeats a few cells
                self._squared(size)
            elif axes:
                self.widest = max(self.widest, size)
        return made

    def _squared(self, size: int) -> None:
        self.square = max(self.square, size)
        if size > self._most_bytes:
            where = self._path.name(self._path.now[-1].module) if self._path.now else ""
            raise InvalidInput(
                "attention_square",
                f"{where or 'The model'} makes a tensor of {self._n} × {self._n} by itself, of {size >> 20} MB; "
                f"at most {self._most_bytes >> 20} MB are for that.",
                value=where or "The model",
                n=self._n,
                megabytes=size >> 20,
                limit=self._most_bytes >> 20,
            )
