"""`capture`: one forward pass of a model of transformers, its attention read in passing."""

import copy
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from attention_core.changes import Change, Changing, replaced
from attention_core.errors import InvalidInput
from attention_core.models.captured import Capture
from attention_core.models.eager import prepare, recording
from attention_core.models.entered import Path
from attention_core.models.recorder import Recorder
from attention_core.validation import whole_number

__all__ = ["capture"]


def capture(
    model: nn.Module, /, *, layers: Collection[int] | None = None, changes: Sequence[Change] = (), **inputs: Any
) -> Capture:
    """Run `model(**inputs)` once without gradients and keep the attention of its layers.

    The model computes what its own eager attention computes, bit for bit. It is switched to that attention and stays
    so (`prepare`); nothing else of it changes, and threads that share it may capture at once. `layers` are numbers of
    calls in their order, from 0: what is not chosen is not kept. Several sequences in a batch are a leading axis.
    With `changes` the model runs as they say: each acts inside attention, so that later layers see its effect.

    Raises
    ------
    InvalidInput
        `transformers_missing`, `not_a_model` or `attention_fused` as `prepare` does, the last also for a layer that
        never is eager; `model_training` for a model whose dropout is on; `attention_unread` for attention that is not
        one softmax over n_q × n_k scores; `attention_count` if layers that are built alike attend unlike each other;
        `attention_none` if none attends; `out_of_range` for `layers`, and for a change whose layer, head or key the
        model does not have; `change_unreached` for one that cannot act there, `change_crosses` for a `Causal` between
        two sequences; `change_shape` for one of another size.
    """
    chosen = None if layers is None else frozenset(whole_number("layers", one, 0) for one in layers)
    prepare(model)
    require_evaluation(model)
    path = Path(model)
    others = _weights_of(model, replaced(changes), inputs)
    changing = Changing(changes, others) if changes else None
    recorder = Recorder(path, chosen, changing)
    token = recording.set(recorder)
    try:
        with torch.no_grad(), path.followed(lambda: recording.get() is recorder), recorder:
            output = model(**inputs)
    finally:
        recording.reset(token)
    require_every_layer(path)
    if changing is not None:
        changing.require_acted()
    for one in chosen or ():
        whole_number("layers", one, 0, len(recorder.names) - 1)
    return Capture(output, tuple(recorder.layers), tuple(recorder.names))


def _weights_of(
    model: nn.Module, heads: Collection[tuple[int, int]], inputs: dict[str, Any]
) -> dict[tuple[int, int], Tensor]:
    """Return the weights of these layers and heads in the model as it is."""
    if not heads:
        return {}
    numbers = sorted({layer for layer, _ in heads})
    given = copy.deepcopy(inputs)  # a run writes into its cache
    kept = dict(zip(numbers, capture(model, layers=numbers, **given).layers, strict=True))
    return {
        (layer, head): kept[layer].weights[
            ..., whole_number("by_head", head, 0, kept[layer].weights.shape[-3] - 1), :, :
        ]
        for layer, head in heads
    }


def require_evaluation(model: nn.Module) -> None:
    """Raise `InvalidInput` (`model_training`) for a model whose dropout is on."""
    if model.training:
        raise InvalidInput(
            "model_training", "The model is in training, so dropout changes it: call model.eval() first."
        )


def require_every_layer(path: Path) -> None:
    """Raise `InvalidInput` unless attention was seen, and in each layer as often as in the others built like it."""
    if not path.attended:
        raise InvalidInput("attention_none", "No attention was seen in this run of the model.")
    for layers in path.modules:
        if not isinstance(layers, nn.ModuleList):
            continue
        counts: dict[object, tuple[nn.Module, float]] = {}
        for layer in layers:
            if path.ran[layer]:
                count = path.attended[layer] / path.ran[layer]
                like, usual = counts.setdefault(_build(layer), (layer, count))
                if count != usual:
                    raise _miscounted(path.name(like), usual, path.name(layer), count)


def _build(layer: nn.Module) -> object:
    return tuple((name, type(module)) for name, module in layer.named_modules())


def _miscounted(like: str, expected: float, value: str, came: float) -> InvalidInput:
    return InvalidInput(
        "attention_count",
        f"{like} and {value} are built alike, but attention was seen {expected:g} times in the one and {came:g} times "
        "in the other, so some was missed.",
        like=like,
        expected=expected,
        value=value,
        came=came,
    )
