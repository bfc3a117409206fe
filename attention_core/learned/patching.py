"""What each head carries of a second text: its output, or its weights, is taken from there, head by head.

Two texts of as many tokens differ in one thing, such as who gives. The measure is ln p of an answer at the last
position. A patch from the text that has the answer into the other is *denoising*: a head that carries what the answer
needs raises ln p. The reverse is *noising*: such a head lowers it (Wang et al. 2022, Heimersheim & Nanda 2024).

How this can mislead: a head that another one stands in for costs nothing in noising, and a head whose readers need
other heads as well gains nothing in denoising. A head that says the same in both texts shows no effect at all, however
much the answer needs it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.changes import Change, PatchEach
from attention_core.errors import InvalidInput
from attention_core.errors import shown as shown_in_error
from attention_core.learned.each_muted import batch_of, every_head, in_batches, sequence_bytes
from attention_core.learned.given import Given
from attention_core.learned.run import ModelRun
from attention_core.learned.says import Said, SayingModel, Says

__all__ = ["Patched", "PatchingModel", "patch_bytes", "patched_heads"]


@runtime_checkable
class PatchingModel(SayingModel, Protocol):
    """A model that can read two texts at once, and take what a head gives in one of them from the other."""

    def says_patched(
        self,
        each: PatchEach,
        given: str | Given,
        other: str | Given,
        most: int | None = None,
        changes: Sequence[Change] = (),
    ) -> Sequence[Says | None]:
        """Return what the model says of `given` with each patch from `other`, which has as many tokens.

        All of them are run at once, so the caller bounds their number.
        """
        ...


@dataclass(frozen=True, eq=False)
class Patched:
    """What each head carries.

    heads      layers and heads of the run, from 0
    nats       ln p of the answer with the head from the other text, less ln p without: positive where that helps
    log        ln p of the answer after the text, without a patch
    other_log  ln p of the answer after the other text, without a patch
    answer     the token, as the model calls it, and its number
    """

    heads: tuple[tuple[int, int], ...]
    nats: Float[Tensor, " heads"]
    log: float
    other_log: float
    answer: str
    number: int


def patched_heads(
    model: PatchingModel,
    given: str,
    other: str,
    answer: str,
    what: str = "output",
    positions: Sequence[int] | None = None,
    most: int | None = None,
    changes: Sequence[Change] = (),
    heads: Sequence[tuple[int, int]] | None = None,
    progress: Callable[[float], object] = lambda done: None,
) -> Patched:
    """Run a model over `given` with each head's output or weights from `other`, several heads at a time.

    Parameters
    ----------
    answer
        The first token of it after `given`, with the blank that begins it, is what ln p is of.
    what, positions
        As for `PatchEach`; −1 is the last position.
    most, changes
        As for `SayingModel.says`. The changes hold over both texts.
    heads
        Layers and heads from 0; None for all of the run.
    progress
        Called with the share that is done.

    Raises
    ------
    InvalidInput
        `patch_says_no_next` for a model that does not foretell the next token of a text; `patch_counts` for texts of
        different numbers of tokens; `patch_cut` for a text that is not read to its end; `patch_answer` for an answer
        that begins no token of its own after the text; `out_of_range` for a position; `unknown_choice`.
    Cancelled
        If a `stopping` around this call says so, between two batches.
    """
    before, then = (_said(model, one, most, changes) for one in (given, other))
    run = _read(model, given, most)
    _require_as_many(run, _read(model, other, most))
    number, n = _first_of(model, given, run, answer, most), len(run.ids)
    at = None if positions is None else tuple(dict.fromkeys(_place(one, n) for one in positions))
    heads = every_head(run) if heads is None else tuple(heads)
    log = _log(before, number)

    def moved(some: Sequence[tuple[int, int]]) -> list[float]:
        said = model.says_patched(PatchEach(tuple(some), what, at), given, other, most, changes)
        return [_log(after, number) - log for after in said]

    size = max(1, batch_of(model, n) - 1)  # the other text is one more of the batch
    nats = in_batches(heads, size, moved, progress)
    return Patched(
        heads,
        torch.tensor(nats, dtype=torch.float64),
        log,
        _log(then, number),
        before.name(number),
        number,
    )


def patch_bytes(model: SayingModel, n: int, heads: int) -> int:
    """Return the bytes of the largest batch in a run over n positions, the other text with it."""
    return (1 + min(heads, max(1, batch_of(model, n) - 1))) * sequence_bytes(model, n)


def _log(said: Says | None, number: int) -> float:
    assert isinstance(said, Said)
    return float(said.logs[-1, number])


def _read(model: PatchingModel, text: str, most: int | None) -> ModelRun:
    run = model.run(text, most)
    if run.cut:
        count = len(run.ids)
        raise InvalidInput(
            "patch_cut", f"A text is read only up to its token {count}, not to its end. Shorten both.", count=count
        )
    return run


def _said(model: PatchingModel, text: str, most: int | None, changes: Sequence[Change]) -> Said:
    found = model.says(text, most, changes) if model.takes == {"text"} else None
    if not isinstance(found, Said) or not found.reads_on:
        raise InvalidInput(
            "patch_says_no_next",
            f"The model {model.name} does not foretell the next token of a text, so no answer has a probability. "
            "Choose a causal language model.",
            value=model.name,
        )
    return found


def _require_as_many(run: ModelRun, its: ModelRun) -> None:
    """Raise `InvalidInput` with both counts and what differs, unless two texts have as many tokens."""
    least = min(len(run.ids), len(its.ids))
    if len(run.ids) == len(its.ids):
        return
    first = next((at for at in range(least) if run.ids[at] != its.ids[at]), least)
    last = next((at for at in range(least - first) if run.ids[-1 - at] != its.ids[-1 - at]), least - first)
    own, other = (shown_in_error(" ".join(one.tokens[first : len(one.ids) - last])) for one in (run, its))
    raise InvalidInput(
        "patch_counts",
        f"The text has {len(run.ids)} tokens and the second text {len(its.ids)}; both must have as many. From token "
        f"{first} on, counted from 0, the one has {own} where the other has {other}.",
        count=len(run.ids),
        other_count=len(its.ids),
        first=first,
        own=own,
        other=other,
    )


def _first_of(model: PatchingModel, given: str, run: ModelRun, answer: str, most: int | None) -> int:
    """Return the number of the token that begins an answer after a text."""
    n = len(run.ids)
    ids = model.run(given + answer, None if most is None else most + 1).ids if answer.strip() else ()
    if len(ids) <= n or ids[:n] != run.ids:
        raise InvalidInput(
            "patch_answer",
            f"The answer {shown_in_error(answer)} begins no token of its own after the text. Write a word that the "
            "model has.",
            value=shown_in_error(answer),
        )
    return ids[n]


def _place(position: int, n: int) -> int:
    if not -n <= position < n:
        raise InvalidInput(
            "out_of_range",
            f"positions must be between {-n} and {n - 1}, got {position}.",
            field="positions",
            value=position,
            range=f"{-n} … {n - 1}",
            minimum=-n,
            maximum=n - 1,
        )
    return position % n
