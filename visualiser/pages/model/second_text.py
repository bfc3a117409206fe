"""What a frame shows of heads that are taken from a second text, as `without_heads` shows runs without each head."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from attention_core import AttentionConfig, InvalidInput
from attention_core.changes import Change
from attention_core.errors import shown as shown_in_error
from visualiser import models
from visualiser.figures.patched_heads import PATCH, Patches
from visualiser.figures.read_head import ReadHead
from visualiser.models import Work
from visualiser.models.second_text import SecondText
from visualiser.pages.model.reach import most_tokens, read_sizes

NOISE: Final = "noise"
DENOISE: Final = "denoise"
_MOST_POSITIONS: Final = 64


def is_asked(own: Mapping[str, Any]) -> bool:
    """Return True if a link takes heads from a second text."""
    return own["cost"] in (NOISE, DENOISE)


def asked(own: Mapping[str, Any]) -> SecondText:
    """Return what a link asks for.

    Raises `InvalidInput`: `patch_lacks` without a second text or an answer, `patch_positions` for what is no list of
    positions.
    """
    other, answer = str(own["other"]), str(own["answer"])
    if not other.strip() or not answer.strip():
        raise InvalidInput("patch_lacks", "Write a second text with as many tokens as the text, and an answer.")
    answer = answer if answer[:1].isspace() else f" {answer}"  # a word of its own
    return SecondText(other, answer, str(own["patch"]), _positions(str(own["patch_at"])), own["cost"] == DENOISE)


def _positions(written: str) -> tuple[int, ...] | None:
    parts = [part.strip().replace("−", "-") for part in written.split(",") if part.strip()]
    try:
        found = tuple(int(part) for part in parts)
    except ValueError:
        found = ()
    if len(found) != len(parts) or len(found) > _MOST_POSITIONS:
        raise InvalidInput(
            "patch_positions",
            f"Positions are up to {_MOST_POSITIONS} whole numbers with commas between them, such as 3, -1; got "
            f"{shown_in_error(written)}.",
            value=shown_in_error(written),
            maximum=_MOST_POSITIONS,
        )
    return found or None


def beside(shown: ReadHead, config: AttentionConfig, own: Mapping[str, Any], changes: Sequence[Change]) -> ReadHead:
    """Return what is shown with what each head carries of the second text, if that is there, or why it cannot be."""
    try:
        second = asked(own)
        found_work = work(config, own)
        now = found_work is not None and found_work.seconds <= models.AT_ONCE
        found = models.patched(config, most_tokens(config.model), second, changes, now=now)
    except InvalidInput as problem:
        return replace(shown, refused=problem)
    if found is None:
        return shown
    patches = Patches(found, second.what, second.positions, second.denoising)
    return replace(shown, costs=patches, measures={**shown.measures, PATCH: patches.measure})


def work(config: AttentionConfig, own: Mapping[str, Any]) -> Work | None:
    """Return what it takes; None for a model that is not loaded, or for texts that are refused before a run."""
    try:
        second = asked(own)
        texts = [replace(config, text=one) for one in (config.text + second.answer, second.other)]
    except InvalidInput:
        return None
    found = [None if models.is_fixed(one.model) else read_sizes(one) for one in texts]
    sizes = [one for one in found if one is not None]
    if not sizes or len(sizes) < len(found):
        return None
    return models.patch_work(max(sizes, key=lambda one: one.n), config.model)
