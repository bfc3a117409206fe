"""What each head carries of a second text: computed once, kept, and priced."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from attention_core import AttentionConfig
from attention_core.changes import Change
from attention_core.errors import InvalidInput
from attention_core.learned import Patched, PatchingModel, patch_bytes, patched_heads
from visualiser.models.kept import Kept
from visualiser.models.listing import find, known
from visualiser.models.run_work import Sizes, Work, work

_MOST: Final = 64
"""Results that are kept: a number for each head."""
_BESIDE: Final = 5
"""Runs besides one for each head: both texts, what is said after each, and the answer's first token."""

_LOCK: Final = threading.Lock()
_PATCHED: Final = Kept[Patched](_MOST)
_RUNS: Final = Counter[str]()


@dataclass(frozen=True)
class SecondText:
    """What is taken from which text, and the answer that is measured.

    other       the second text, with as many tokens
    what        `output` or `weights` of a head
    positions   −1 is the last; None for all
    denoising   True if heads of the text are put into the second one, and not the reverse
    """

    other: str
    answer: str
    what: str
    positions: tuple[int, ...] | None
    denoising: bool

    def texts(self, own: str) -> tuple[str, str]:
        """Return the text that runs, and that from which each head is taken."""
        return (self.other, own) if self.denoising else (own, self.other)


def patched(
    config: AttentionConfig,
    most: int,
    second: SecondText,
    changes: Sequence[Change] = (),
    *,
    now: bool = False,
    progress: Callable[[float], object] | None = None,
) -> Patched | None:
    """Return what each head of `config.model` carries of a second text, beside changes; None if that is not there.

    What is not there is computed `now`, or in a run, which asks for progress. Raises as `patched_heads` does.
    """
    model = find(config.model)
    if not isinstance(model, PatchingModel):
        name = config.model
        raise InvalidInput(
            "patch_says_no_next",
            f"The model {name} does not foretell the next token of a text, so no answer has a probability. "
            "Choose a causal language model.",
            value=name,
        )
    key = config.model, config.text, second, most, tuple(changes)
    found = _PATCHED.find(key)
    if found is not None or not (now or progress):
        return found
    text, its = second.texts(config.text)
    told = progress or (lambda done: None)
    made = patched_heads(model, text, its, second.answer, second.what, second.positions, most, changes, progress=told)
    if progress is not None:
        with _LOCK:
            _RUNS[config.model] += 1
    return _PATCHED.keep(key, made)


def patch_runs(name: str) -> int:
    """Return how many such runs a model has had: an answer before the last one may lack what it has now."""
    return _RUNS[name]


def patch_work(of: Sizes, name: str) -> Work:
    """Return what it takes to run a model with each head from a second text, several heads at a time."""
    model = known(name)
    if not isinstance(model, PatchingModel):
        return Work(0.0, 0, 0, 0)
    heads, one = of.layers * of.h, work(of)
    count = heads + _BESIDE
    cells = of.n * model.outcomes
    memory = 2 * one.memory + patch_bytes(model, of.n, heads)
    return Work(count * (one.seconds + 2e-8 * cells), memory, 0, count * model.says_multiply_adds(of.n))
