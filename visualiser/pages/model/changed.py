"""The runs of a changed model: what a link's changes become for a run, without those that it cannot have."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from attention_core import AttentionConfig, InvalidInput, normalisations
from attention_core.changes import Change, LayerSize, Mean, Mute, Normalise, Replace, Uniform
from attention_core.learned import ModelRun
from visualiser import models
from visualiser.locale import text
from visualiser.pages.model import changes
from visualiser.pages.model.change_kinds import Item, is_lined
from visualiser.pages.model.reach import most_tokens

REFUSED: Final = ("change_unreached", "change_crosses", "change_shape", "change_held", "out_of_range")
"""Errors of a run that say that a change cannot act in the model."""


class Changed(NamedTuple):
    """What a model makes of what it reads, before and after its changes: the same run if there are none.

    as_is    the run of the model as it is
    before   that with what is pinned as A; `as_is` if nothing is, and `run` itself if A changes the same
    items    the changes that act, and `changes` the same as `attention_core` takes them
    against  those of A in the same two forms, and `notices` a sentence for each change of the link that is left out
    """

    as_is: ModelRun
    before: ModelRun
    run: ModelRun
    items: tuple[Item, ...]
    changes: tuple[Change, ...]
    notices: tuple[str, ...]
    against: tuple[Item, ...] = ()
    against_changes: tuple[Change, ...] = ()


class _Acted(NamedTuple):
    run: ModelRun
    items: tuple[Item, ...]
    changes: tuple[Change, ...]
    notices: tuple[str, ...]


def changed(config: AttentionConfig, written: str, lang: str, own: bytes = b"", against: str = "") -> Changed:
    """Run a model as it is, with the changes of a link, and with those that are pinned as A.

    `own` are the bytes of the visitor's picture or sound. Raises `InvalidInput` as `models.run` does for the model as
    it is.
    """
    as_is = models.run(config, most_tokens(config.model), own)
    now = _acted(config, written, lang, own, as_is)
    if not against:
        return Changed(as_is, as_is, *now)
    then = _acted(config, against, lang, own, as_is) if against != written else now
    told = () if then is now else tuple(text(lang, "notice.against", notice=one) for one in then.notices)
    before = now.run if then.changes == now.changes else then.run
    return Changed(as_is, before, *now[:3], (*now.notices, *told), then.items, then.changes)


def _acted(config: AttentionConfig, written: str, lang: str, own: bytes, as_is: ModelRun) -> _Acted:
    """Run a model with the changes of a list that it can have."""
    if not written:
        return _Acted(as_is, (), (), ())
    outputs, layer = models.measured(config.model).outputs, min(config.layer, len(as_is.layers))
    items, notices = changes.read(written, as_is, layer, outputs, lang)
    kept, told = list(items), list(notices)
    while kept:  # of changes that the model refuses by name those of that kind are left out, else all
        made = changes.core(kept, as_is, layer, outputs)
        try:
            return _Acted(models.run(config, most_tokens(config.model), own, made), tuple(kept), made, tuple(told))
        except InvalidInput as problem:
            if problem.code not in REFUSED:
                raise
            name = problem.details.get("change")
            refused = [item for item, one in zip(kept, made, strict=True) if type(one).__name__ == name] or kept
            told.append(changes.left_out(changes.write(refused), problem, lang))
            kept = [item for item in kept if item not in refused]
    return _Acted(as_is, (), (), tuple(told))


def of_one(made: Changed) -> tuple[Change, ...]:
    """Return the changes that A and B do not share: all without a pinned A."""
    return (
        *(one for one in made.changes if one not in made.against_changes),
        *(one for one in made.against_changes if one not in made.changes),
    )


def touched(made: Sequence[Change], run: ModelRun) -> frozenset[tuple[int, int]]:
    """Return the heads, by layer and head from 1, on which a change acts itself."""
    return frozenset(
        (number + 1, head + 1)
        for number, layer in enumerate(run.layers)
        for change in made
        for head in change.heads_of(number, layer.weights.shape[-3])
    )


def decided(made: Sequence[Change], run: ModelRun) -> dict[tuple[int, int], Change]:
    """Return the change that decides what a head reads or gives, whatever its scores are, by layer and head from 1."""
    return {at: one for one in made if isinstance(one, (Mute, Uniform, Replace, Mean)) for at in touched([one], run)}


def sizes(run: ModelRun) -> list[LayerSize]:
    """Return what decides where a change acts in each layer of a run."""
    shapes = [layer.weights.shape for layer in run.layers]
    return [LayerSize(shape[-3], shape[-1], is_lined(run, number)) for number, shape in enumerate(shapes, 1)]


def reweighted(made: Sequence[Change], layer: int, head: int) -> bool:
    """Return True if a change gives a head, from 1, other weights than the softmax of its scores."""
    found = False
    for change in made:
        if head - 1 in change.heads_of(layer - 1, head):
            if isinstance(change, Normalise):
                walk = normalisations.of(change.config).walk
                found = walk is None or walk.box != "softmax"  # beside a sink it is one as well
            elif isinstance(change, (Mute, Replace, Uniform)):
                return True
    return found


def required(config: AttentionConfig, written: str) -> Changed:
    """Run a model with all changes of a list.

    Raises `InvalidInput` as `changes.parse` and `changes.require` do for one that cannot be, and as `models.run` does.
    """
    before = models.run(config, most_tokens(config.model))
    outputs, layer = models.measured(config.model).outputs, min(config.layer, len(before.layers))
    items = changes.required(written, before, layer, outputs)
    made = changes.core(items, before, layer, outputs)
    run = models.run(config, most_tokens(config.model), changes=made) if made else before
    return Changed(before, before, run, items, made, ())
