"""What a model says of what it reads, as it is and as changes have it; as it is, kept for the next change."""

from collections.abc import Sequence
from typing import Final

from attention_core import AttentionConfig
from attention_core.changes import Change
from attention_core.learned import Likeness, SayingModel, Says
from visualiser.models.kept import Kept
from visualiser.models.listing import find
from visualiser.models.runs import given, read_by
from visualiser.server import settings

MOST_BYTES: Final = settings.memory() // 16
"""Of all distributions that are kept. A larger one is not."""


def _size(said: Says) -> int:
    tensor = said.vectors if isinstance(said, Likeness) else said.logs
    return tensor.numel() * tensor.element_size()


_KEPT: Final = Kept(MOST_BYTES, _size)


def says(
    config: AttentionConfig, most: int, own: bytes = b"", changes: Sequence[Change] = (), at: int | None = None
) -> tuple[Says, Says] | None:
    """Return what `config.model` says before and after changes; None for a model that says nothing of what it reads.

    Both are the same object without changes. `at` is the position of a masked word. Raises `InvalidInput` as `run` of
    a model does.
    """
    model = find(config.model)
    if not isinstance(model, SayingModel):
        return None
    read = given(config, own)
    key = config.model, read_by(model, config, own), most, at
    before = _KEPT.find(key)
    if before is None:
        before = model.says(read, most, at=at)
        if before is None:
            return None
        _KEPT.keep(key, before)
    if not changes:
        return before, before
    after = model.says(read, most, changes, at)
    return None if after is None else (before, after)
