"""What a model with a decoder writes by itself: at each step its likeliest token."""

from collections.abc import Collection, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.models.on_device import on_device
from attention_core.models.writing_rules import UNKNOWN, WritingRules

__all__ = ["MOST_WRITTEN", "write"]

MOST_WRITTEN: Final = 64
"""Tokens that a model writes at most, those with which every text begins included."""


def write(
    model: Any, source: dict[str, Tensor], rules: WritingRules, most: int = MOST_WRITTEN
) -> tuple[tuple[int, ...], int | None]:
    """Return the ids that a model writes, and the one that ends them; None if it would go on.

    A step takes argmax of the logits that are not banned, which is `model.generate` without sampling and beams. The
    token that ends the text is not among the ids: the decoder never reads it. The source is encoded once, and keys and
    values of earlier steps are kept.

    Parameters
    ----------
    model
        An encoder and a decoder with the layer that makes logits.
    source
        What the encoder reads, by its names.
    rules
        With what the text begins, what ends it, and what is never written.
    most
        Ids at most; at least those of `rules.start`.
    """
    ids: list[int] = []
    forced = list(rules.start)
    past: Any = None
    source, device = on_device(model, source), next(model.parameters()).device
    mask = {name: one for name, one in source.items() if name == "attention_mask"}
    with torch.no_grad():
        encoded = model.get_encoder()(**source)
        logits = torch.empty(0)
        while True:
            checkpoint()
            place = len(ids)
            if place < len(forced):
                after = _likeliest(logits, among=rules.languages) if forced[place] == UNKNOWN else forced[place]
            else:
                first = rules.banned_first if place == len(forced) else frozenset[int]()
                after = _likeliest(logits, without=rules.banned | first)
                if after in rules.ends:
                    return tuple(ids), after
                if place >= most:
                    return tuple(ids), None
            ids.append(after)
            made = model(
                encoder_outputs=encoded,
                decoder_input_ids=torch.tensor([[after]], device=device),
                past_key_values=past,
                use_cache=True,
                return_dict=True,
                **mask,
            )
            past, logits = made.past_key_values, made.logits[0, -1].float()


def known_start(model: Any, source: dict[str, Tensor], rules: WritingRules) -> tuple[int, ...]:
    """Return the ids before a text that is given: a language that is not said is the one that the model finds."""
    if UNKNOWN not in rules.start:
        return rules.start
    upto = rules.start.index(UNKNOWN) + 1
    found, _ = write(model, source, WritingRules(rules.start[:upto], languages=rules.languages), upto)
    return (*found, *rules.start[upto:])


def _likeliest(logits: Tensor, without: Collection[int] = (), among: Sequence[int] | Collection[int] = ()) -> int:
    """Return the id with the largest logit, the first of equal ones."""
    allowed = torch.zeros_like(logits, dtype=torch.bool)
    allowed[[one for one in among if one < len(logits)]] = True
    if not among:
        allowed[:] = True
        allowed[[one for one in without if one < len(logits)]] = False
    return int(logits.masked_fill(~allowed, -torch.inf).argmax())
