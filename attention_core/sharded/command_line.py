"""The command line as a frozen value."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from jaxtyping import Float
from torch import Tensor

from attention_core import normalisations, treatments
from attention_core.blocks.row_statistics import RowStatistic, of_kind
from attention_core.blocks.weighing import Weighing
from attention_core.config import BOUNDS, CHOICES, MEANINGS, AttentionConfig
from attention_core.errors import InvalidInput
from attention_core.exact.masks import Band, band
from attention_core.exact.rms_norm import rms_norm
from attention_core.validation import choice, real_number, whole_number

__all__ = ["parse"]

BLOCK_ROWS = 1024
TIMEOUT = 1800.0

FIELDS: Final = ("qk_norm", "log_n", "softcap", "normalisation", "sink")
"""The settings of a run that are fields of `AttentionConfig`. Its defaults are the weights of equation 1."""

_AT_ONCE: Final = "here: others need all scores of a row at once"

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The files of Q and K and the options of a run; `histogram` is (lowest edge, highest edge, bins).

    Of `config` only `FIELDS` count. Whatever depends on the number of keys takes those of the whole sequence, `n_k`.
    """

    q: Path
    k: Path
    out: Path
    scale: float | None = None
    causal: bool = False
    window: int | None = None
    histogram: tuple[float, float, int] | None = None
    config: AttentionConfig = field(default_factory=AttentionConfig)
    block_rows: int = BLOCK_ROWS
    device: str = "auto"
    timeout: float = TIMEOUT

    @property
    def mask(self) -> Band:
        """The mask of `causal` and `window`."""
        return band(self.causal, self.window)

    @property
    def changed(self) -> dict[str, Any]:
        """Those of `FIELDS` that differ from their default."""
        usual = AttentionConfig()
        values = {name: getattr(self.config, name) for name in FIELDS}
        return {name: value for name, value in values.items() if value != getattr(usual, name)}

    @property
    def statistics(self) -> tuple[RowStatistic, ...]:
        """The statistics that the rows of this run have."""
        kind = normalisations.of(self.config).kind
        assert kind is not None  # weights that are made in parts have statistics
        return of_kind(kind)

    def compared(self, vectors: Float[Tensor, "*heads n d_k"]) -> Float[Tensor, "*heads n d_k"]:
        """Return queries or keys as they are compared: with `qk_norm` normalised and in float32, else as stored."""
        return rms_norm(vectors.float()) if self.config.qk_norm else vectors

    def base(self, d_k: int) -> float:
        """Return the factor of q · k without `log_n`."""
        return 1 / math.sqrt(d_k) if self.scale is None else self.scale

    def factor(self, d_k: int, n_k: int) -> float:
        """Return the factor of q · k."""
        return self.base(d_k) * replace(self.config, n_k=n_k).growth

    def weighing(self, n_k: int) -> Weighing:
        """Return the way from scores to weights. Raises `InvalidInput` (`unknown_choice`)."""
        passes = normalisations.part(self.config, lambda one: one.passes, _AT_ONCE)
        return passes(self.config, n_k, treatments.of(self.config))


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
    parser.add_argument("--qk-norm", action="store_true", help=MEANINGS["qk_norm"])
    parser.add_argument("--log-n", action="store_true", help=MEANINGS["log_n"])
    parser.add_argument("--softcap", type=_bounded("softcap"), default=0.0, metavar="C", help=MEANINGS["softcap"])
    parser.add_argument(
        "--normalisation",
        type=_checked(_normalisation),
        default=AttentionConfig().normalisation,
        metavar="NAME",
        help=f"{MEANINGS['normalisation']}. Refused, for all scores of a row are never there at once: {_refused()}",
    )
    parser.add_argument("--sink", type=_bounded("sink"), metavar="B", help=MEANINGS["sink"])
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
        config=_config(parser, given),
        block_rows=given.block_rows,
        device=given.device,
        timeout=given.timeout,
    )


def _config(parser: argparse.ArgumentParser, given: argparse.Namespace) -> AttentionConfig:
    settings = {name: getattr(given, name) for name in FIELDS if getattr(given, name) is not None}
    config = AttentionConfig(**settings)
    if given.sink is not None and "sink_weight" not in normalisations.of(config).statistics:
        parser.error(f"argument --sink: {config.normalisation} has no sink; give --normalisation sink, too.")
    return config


def _normalisation(text: str) -> str:
    """Return the name of weights that are made of a row in parts. Raises `InvalidInput` (`unknown_choice`)."""
    config = AttentionConfig(normalisation=choice("normalisation", text, CHOICES["normalisation"]))
    normalisations.part(config, lambda one: one.passes, _AT_ONCE)
    return text


def _refused() -> str:
    return ", ".join(name for name, one in normalisations.NORMALISATIONS.items() if one.passes is None)


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


def _bounded(field: str) -> Callable[[str], float]:
    return _real(field, BOUNDS[field].minimum, BOUNDS[field].maximum)


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
