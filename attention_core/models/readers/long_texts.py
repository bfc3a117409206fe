"""Readers that also read texts of which no n × n matrix is made."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from attention_core.learned.positions import Line
from attention_core.models.cutting import Cut
from attention_core.models.long_run import LongLayer
from attention_core.models.readers.reader import Reader


@dataclass(frozen=True, eq=False)
class LongText:
    """What a model made of a long text: as `ModelRun`, with the layers that were read."""

    line: Line
    layers: tuple[LongLayer, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the text."""
        return self.line.tokens

    @property
    def ids(self) -> tuple[int, ...]:
        """Their numbers in the model's vocabulary."""
        return self.line.ids

    @property
    def cut(self) -> bool:
        """True if the text goes on after the last token."""
        return self.line.cut


@runtime_checkable
class LongReader(Reader, Protocol):
    """A reader that also reads row by row.

    context      tokens of the longest text that `read_long` takes
    token_bytes  of the widest tensor that a run makes of one token, attention's own apart
    square       bytes of a pair of tokens in the largest n × n tensor that the model makes by itself; 0 for none
    """

    @property
    def context(self) -> int: ...
    @property
    def token_bytes(self) -> int: ...
    @property
    def square(self) -> float: ...

    def tokens(self, text: str, most: int | None = None) -> int:
        """Return how many tokens of a text a run reads, or of at most `most`."""
        ...

    def cut(self, text: str, most: int | None = None) -> Cut:
        """Return the tokens that `read_long` reads. Raises `InvalidInput` as it does of a text."""
        ...

    def read_long(
        self,
        text: str,
        layers: Collection[int] | None = None,
        *,
        tensors: bool = False,
        measured: bool = False,
        most: int | None = None,
        progress: Callable[[float], object] = lambda calls: None,
    ) -> LongText:
        """Read a text of up to `context` tokens, at most `most` of it, and keep no n × n matrix.

        Parameters
        ----------
        layers
            Numbers of the layers that are read, from 1; all if None.
        tensors
            True to keep their Q, K and V.
        measured
            True to sum up what the measures of their heads need.
        progress
            Is told how many layers are done, as a number with a fraction.

        Raises `InvalidInput` as `run` does, and as `long_statistics`.
        """
        ...
