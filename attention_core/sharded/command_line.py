"""The command line as a frozen value."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from attention_core.errors import InvalidInput
from attention_core.exact.masks import Band, band
from attention_core.validation import real_number, whole_number

BLOCK_ROWS = 1024
TIMEOUT = 1800.0

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The files of Q and K and the options of a run; `histogram` is (lowest edge, highest edge, bins)."""

    q: Path
    k: Path
    out: Path
    scale: float | None = None
    causal: bool = False
    window: int | None = None
    histogram: tuple[float, float, int] | None = None
    block_rows: int = BLOCK_ROWS
    device: str = "auto"
    timeout: float = TIMEOUT

    @property
    def mask(self) -> Band:
        """The mask of `causal` and `window`."""
        return band(self.causal, self.window)


def parse(arguments: Sequence[str] | None) -> Options:
    """Return the options in `arguments`. Exits with status 2 and a usage line if they are invalid."""
    parser = argparse.ArgumentParser(
        prog="python -m attention_core.sharded",
        description="Exact attention statistics of Q and K in safetensors files, in blocks of query rows, restartable. "
        "Start it by torchrun to share the blocks among ranks.",
    )
    parser.add_argument("file", nargs="?", type=Path, help='safetensors file with "Q" and "K", h × n × d_k or n × d_k')
    parser.add_argument("--q", type=Path, metavar="FILE", help='file with "Q", where not both are in one')
    parser.add_argument("--k", type=Path, metavar="FILE", help='file with "K"; it may have fewer heads than Q')
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the blocks and the result")
    parser.add_argument("--scale", type=_real("scale"), metavar="FACTOR", help="factor of q · k; 1/√d_k if not given")
    parser.add_argument("--causal", action="store_true", help="no query sees a key after its own position")
    parser.add_argument("--window", type=_whole("window", 0), metavar="W", help="keys at most W positions away")
    parser.add_argument(
        "--histogram",
        nargs=3,
        metavar=("LOW", "HIGH", "BINS"),
        help="count each head's scores in BINS equal bins between two edges, which all blocks share",
    )
    parser.add_argument(
        "--block-rows",
        type=_whole("block-rows", 1),
        default=BLOCK_ROWS,
        metavar="ROWS",
        help="query rows of all heads in one block: what a killed rank loses at most (default: %(default)s)",
    )
    parser.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="auto")
    parser.add_argument(
        "--timeout",
        type=_real("timeout", 1.0, 1e7),
        default=TIMEOUT,
        metavar="SECONDS",
        help="how long a rank waits for the others; more than one block takes (default: %(default)s)",
    )
    given = parser.parse_args(arguments)
    q, k = given.q or given.file, given.k or given.file
    if q is None or k is None or (given.file and given.q and given.k):
        parser.error("give one file with Q and K, or --q and --k")
    return Options(
        q=q,
        k=k,
        out=given.out,
        scale=given.scale,
        causal=given.causal,
        window=given.window,
        histogram=_histogram(parser, given.histogram),
        block_rows=given.block_rows,
        device=given.device,
        timeout=given.timeout,
    )


def _histogram(parser: argparse.ArgumentParser, given: list[str] | None) -> tuple[float, float, int] | None:
    if given is None:
        return None
    try:
        low, high, bins = _real("LOW")(given[0]), _real("HIGH")(given[1]), _whole("BINS", 1)(given[2])
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --histogram: {error}")
    if not low < high:
        parser.error(f"argument --histogram: LOW must be below HIGH; got {low} and {high}.")
    return low, high, bins


def _real(field: str, minimum: float = -math.inf, maximum: float = math.inf) -> Callable[[str], float]:
    return _checked(lambda text: real_number(field, _number(float, text), minimum, maximum))


def _whole(field: str, minimum: int) -> Callable[[str], int]:
    return _checked(lambda text: whole_number(field, _number(int, text), minimum))


def _number(kind: type[int] | type[float], text: str) -> int | float | str:
    """Return the number in `text`, or `text` itself if it is none, so that the check reports it."""
    try:
        return kind(text)
    except ValueError:
        return text


def _checked(check: Callable[[str], T]) -> Callable[[str], T]:
    """Wrap `check` for argparse, which expects its own exception."""

    def checked(text: str) -> T:
        try:
            return check(text)
        except InvalidInput as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked
