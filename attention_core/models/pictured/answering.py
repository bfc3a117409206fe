"""What a vision-language model answers: written greedily, a few tokens, or given as what it has written."""

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor

from attention_core.cancellation import checkpoint
from attention_core.models.eager import transformers

MOST_WRITTEN: Final = 24
"""Tokens that a model writes, or that are read of what it is said to have written."""


def written(model: Any, inputs: Mapping[str, Tensor], ends: frozenset[int], never: frozenset[int]) -> tuple[int, ...]:
    """Return the tokens that a model writes behind its inputs, the likeliest each time, without the one that ends them.

    `never` are tokens that it may not write: a placeholder would ask for a picture. A model without an output layer
    writes none. `checkpoint` stops it between two tokens.
    """
    if not getattr(model, "can_generate", bool)():
        return ()

    def stop(ids: Tensor, scores: Any, **more: Any) -> Tensor:
        checkpoint()
        return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)

    settings = transformers().GenerationConfig(
        max_new_tokens=MOST_WRITTEN, do_sample=False, num_beams=1, eos_token_id=sorted(ends) or None,
        pad_token_id=min(ends, default=0), use_cache=True, return_dict_in_generate=False, suppress_tokens=sorted(never),
    )  # fmt: skip
    length = inputs["input_ids"].shape[1]
    with torch.no_grad():
        found = model.generate(**inputs, generation_config=settings, stopping_criteria=[stop])[0, length:].tolist()
    return tuple(one for one in found if one not in ends)


def behind(inputs: Mapping[str, Tensor], answer: tuple[int, ...]) -> dict[str, Tensor]:
    """Return the inputs of a run over a prompt and what was written behind it.

    What says of each position what it is goes on as text: 0. Where all of a prompt is of one type (a prefix that reads
    itself both ways), the answer is of the other one, as the model would have written it: it reads backwards alone.
    """
    made = dict(inputs)
    if not answer:
        return made
    length = inputs["input_ids"].shape[1]
    for name, one in inputs.items():
        if one.shape[:2] != (1, length):
            continue
        value = int(name == "attention_mask" or (name == "token_type_ids" and not bool(one.any())))
        more = torch.tensor([answer]) if name == "input_ids" else torch.full((1, len(answer)), value)
        made[name] = torch.cat([one, more.to(one)], 1)
    return made
