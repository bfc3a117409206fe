"""`long_statistics`: one forward pass over a long text, of which every row is read and no n × n tensor is kept."""

import inspect
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from jaxtyping import Float
from torch import Tensor, nn

from attention_core.blocks.statistics import AttentionStatistics
from attention_core.errors import InvalidInput
from attention_core.exact.masks import Band
from attention_core.learned.head_totals import Totals
from attention_core.models.as_written import itself
from attention_core.models.capturing import require_evaluation, require_every_layer
from attention_core.models.eager import recorded_by, recording, require_model
from attention_core.models.entered import Path
from attention_core.models.layer_rows import Asked, LayerRows
from attention_core.models.long_recorder import Enough, LongRecorder
from attention_core.models.recorder import Recorder
from attention_core.models.row_mask import row_mask
from attention_core.validation import whole_number

__all__ = ["LongLayer", "LongRun", "long_statistics"]

MOST_SQUARE: Final = 2**28
"""The most bytes of an n × n tensor that a model makes by itself, as a bias over positions."""


@dataclass(frozen=True, eq=False)
class LongLayer:
    """One call of attention, as `CapturedLayer` has it, without its n_q × n_k scores and weights.

    statistics  of every row: of the softmax over the scores that enter it, a learned sink included. A softcap is in
                these scores, and its slope is not in the Jacobian
    totals      sums behind the measures of its heads, if `delimiters` were given
    mask        as a rule of positions; None for a mask that is none, such as one with padding
    sinks       the score of each head's learned sink; None without one
    biased      True if the scores are no products of q and k alone; False if Q and K were not kept
    Q, K, V     None for a layer whose tensors were not asked for, and for a family that does not hand them over
    """

    name: str
    index: int
    kind: str
    statistics: AttentionStatistics
    totals: Totals | None
    mask: Band | None
    sinks: tuple[float, ...] | None
    scale: float | None
    softcap: float | None
    biased: bool
    Q: Float[Tensor, "h n_q d_k"] | None
    K: Float[Tensor, "h_k n_k d_k"] | None
    V: Float[Tensor, "h_k n_k d_v"] | None


@dataclass(frozen=True, eq=False)
class LongRun:
    """One long run of a model.

    layers  the calls of attention that were read, in their order
    names   of every call up to the last that was read
    square  the most bytes of an n × n tensor that the model made by itself; 0 if it made none
    widest  the most bytes of any other tensor that it made of the tokens, attention's own apart
    """

    layers: tuple[LongLayer, ...]
    names: tuple[str, ...]
    square: int
    widest: int


def long_statistics(
    model: nn.Module,
    /,
    *,
    layers: Collection[int] | None = None,
    tensors: Collection[int] = (),
    delimiters: frozenset[int] | None = None,
    rows: int | None = None,
    most_square: int = MOST_SQUARE,
    progress: Callable[[float], object] = lambda calls: None,
    **inputs: Any,
) -> LongRun:
    """Run `model(**inputs)` over one long text and return the statistics of every row of its heads.

    The model attends a few queries at a time, by its own eager function; masks are made in the same rows, by
    transformers' own. So h × n × n scores and weights never exist at once, and results are those of `capture` to
    rounding. After the last chosen layer the model stops. It is told to keep no cache and to make no logits of all
    tokens.

    Parameters
    ----------
    model
        A model of transformers. It stays as it is.
    layers
        Numbers of the calls of attention that are read, from 0, as `capture` counts them; all if None.
    tensors
        Those of them whose Q, K and V are kept.
    delimiters
        Ids that part a text, for the measures of the heads (`learned.measures`); None for none.
    rows
        Queries of a block; as many as are quick if None.
    most_square
        The most bytes of an n × n tensor that the model may make by itself, such as T5's bias.
    progress
        Is told how many calls of attention are done, as a number with a fraction.
    **inputs
        As the model takes them; `input_ids` of one text.

    Raises
    ------
    InvalidInput
        As `capture` does; `attention_rows` for a layer whose attention cannot be cut into rows; `long_batch` for
        several sequences; `attention_square` for a tensor of more than `most_square` bytes.
    Cancelled
        If a `stopping` around this call says so, before the next block.
    """
    wanted = frozenset(whole_number("tensors", one, 0) for one in tensors)
    chosen = None if layers is None else frozenset(whole_number("layers", one, 0) for one in layers) | wanted
    model = itself(model)
    require_model(model)
    require_evaluation(model)
    ids, n = _tokens(inputs)
    path = Path(model)

    def asked(index: int) -> Asked:
        return Asked(index in wanted, None if delimiters is None else ids, delimiters or frozenset())

    found: list[LongLayer] = []

    def done(index: int, read: LayerRows) -> None:
        found.append(_layer(index, read, index in wanted, delimiters is not None))

    recorder = LongRecorder(path, chosen, asked, done, n, most_square, rows, progress)
    ended = True
    try:
        with recorded_by(recorder, model), path.followed(lambda: recording.get() is recorder), recorder:
            model(**_lean(model, inputs))
    except Enough:
        ended = False
    if ended:
        require_every_layer(path)
        for one in chosen or ():
            whole_number("layers", one, 0, len(recorder.names) - 1)
    return LongRun(tuple(found), tuple(recorder.names), recorder.square, recorder.widest)


def require_length(model: nn.Module, /, **inputs: Any) -> None:
    """Run a model up to its first attention, where positions are in. Raises what the model raises for too many."""
    model = itself(model)
    require_model(model)
    recorder = _Entering(Path(model), ())
    with suppress(Enough), recorded_by(recorder, model), recorder:
        model(**_lean(model, inputs))


class _Entering(Recorder):
    """Ends a pass at its first attention."""

    def attend(self, own: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        raise Enough

    def attend_by(self, function: Callable[..., Any], module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
        raise Enough

    def mask(self, own: Callable[..., Any], /, **asked: Any) -> Any:
        return row_mask(own, asked, lambda size: None)


def _tokens(inputs: dict[str, Any]) -> tuple[Tensor | None, int]:
    """Return the ids of the text, and how many there are; of a model without a text the number is 0."""
    ids = inputs.get("input_ids")
    if isinstance(ids, Tensor):
        if len(ids) != 1:
            raise InvalidInput("long_batch", f"A long run reads one text; got {len(ids)}.", value=len(ids))
        return ids[0].cpu(), ids.shape[-1]
    embedded = inputs.get("inputs_embeds")
    return None, embedded.shape[1] if isinstance(embedded, Tensor) else 0


def _lean(model: nn.Module, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs, without a cache and the logits of every token, unless they say otherwise."""
    known = inspect.signature(model.forward).parameters
    lean: dict[str, Any] = {"logits_to_keep": 1}
    if "past_key_values" not in inputs:
        lean["use_cache"] = False
    return {name: one for name, one in lean.items() if name in known} | inputs


def _layer(index: int, read: LayerRows, kept: bool, measured: bool) -> LongLayer:
    statistics, handed, sinks = read.statistics, read.handed, read.sinks
    copied = dict.fromkeys("QKV")
    if handed is not None and kept:
        copied = {name: getattr(handed, name).detach().cpu().clone() for name in "QKV"}
    return LongLayer(
        name=read.name,
        index=index,
        kind=read.kind,
        statistics=statistics,
        totals=read.totals(statistics) if measured else None,
        mask=read.mask,
        sinks=None if sinks is None else tuple(sinks),
        scale=None if handed is None else handed.scale,
        softcap=None if handed is None else handed.softcap,
        biased=handed is not None and read.biased,
        **copied,
    )
