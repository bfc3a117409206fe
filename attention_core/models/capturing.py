"""`capture`: one forward pass of a model of transformers, its attention read in passing."""

import copy
from collections.abc import Collection, Sequence
from typing import Any, Final

from torch import Tensor, nn

from attention_core.changes import Change, Changing, replaced
from attention_core.errors import InvalidInput
from attention_core.models.as_written import itself
from attention_core.models.captured import Capture
from attention_core.models.eager import recorded_by, recording, require_model
from attention_core.models.entered import Path
from attention_core.models.recorder import Recorder
from attention_core.validation import whole_number

__all__ = ["capture"]


def capture(
    model: nn.Module,
    /,
    *given: Any,
    layers: Collection[int] | None = None,
    changes: Sequence[Change] = (),
    **inputs: Any,
) -> Capture:
    """Run `model(*given, **inputs)` once without gradients and keep the attention of its layers.

    The model computes what its own attention computes: bit for bit if that is eager or a function of the caller's, and
    to rounding if it is a kernel (SDPA, a flash attention, flex), in whose place its eager function runs, or torch's
    fused attention that a layer asks for by itself, as timm's do. The model stays as it is, and threads that share it
    may run and capture at once. `layers` are numbers of calls in their order, from 0: what is not chosen is not kept.
    Several sequences in a batch are a leading axis. With `changes` the model runs as they say: each acts inside
    attention, so that later layers see its effect.

    Raises
    ------
    InvalidInput
        `capture_text` for a text in place of its tokens; `transformers_missing` without the package; `not_a_model` if
        nothing in `model` is one of transformers; `attention_fused` for a layer that never is eager and whose heads are
        not known; `attention_float16` for eager attention whose q · k leaves that format's range;
        `attention_function` for a function of the caller's that makes no weights; `model_training` for a model whose
        dropout is on;
        `attention_unread` for attention that is not one softmax over n_q × n_k scores, `attention_blocks` and
        `attention_band` for families that never make all of them (BigBird, Longformer);
        `attention_count` if layers that are built alike attend unlike each other; `attention_none` if none attends;
        `out_of_range` for `layers`, and for a change whose layer, head or key the model does not have;
        `change_unreached` for one that cannot act there, `change_crosses` for a `Causal` between two sequences;
        `change_shape` for one of another size.
    """
    chosen = None if layers is None else frozenset(whole_number("layers", one, 0) for one in layers)
    if any(isinstance(one, str) for one in (*given, *inputs.values())):
        raise InvalidInput(
            "capture_text", 'A model reads tokens: capture(model, **tokenizer("a text", return_tensors="pt")).'
        )
    model = itself(model)
    require_model(model)
    require_evaluation(model)
    path = Path(model)
    others = _weights_of(model, replaced(changes), given, inputs)
    changing = Changing(changes, others) if changes else None
    recorder = Recorder(path, chosen, changing, mask_given=_gives_numbers(inputs))
    sparse = _sparse(model, path)  # asked first: for a short text BigBird takes other modules while it runs
    try:
        with recorded_by(recorder, model), path.followed(lambda: recording.get() is recorder), recorder:
            output = model(*given, **inputs)
        require_every_layer(path)
    except InvalidInput as problem:
        if sparse is not None and problem.code in ("attention_unread", "attention_none", "attention_count"):
            raise sparse from problem
        raise
    if changing is not None:
        changing.require_acted()
    for one in chosen or ():
        whole_number("layers", one, 0, len(recorder.names) - 1)
    return Capture(output, tuple(recorder.layers), tuple(recorder.names))


def _gives_numbers(inputs: dict[str, Any]) -> bool:
    """Return True for inputs with a mask that is added to scores."""
    masks = (one for name, one in inputs.items() if "mask" in name and isinstance(one, Tensor))
    return any(one.dim() == 4 and one.is_floating_point() for one in masks)


def _weights_of(
    model: nn.Module, heads: Collection[tuple[int, int]], given: tuple[Any, ...], inputs: dict[str, Any]
) -> dict[tuple[int, int], Tensor]:
    """Return the weights of these layers and heads in the model as it is."""
    if not heads:
        return {}
    numbers = sorted({layer for layer, _ in heads})
    again = copy.deepcopy(inputs)  # a run writes into its cache
    kept = dict(zip(numbers, capture(model, *given, layers=numbers, **again).layers, strict=True))
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
            "model_training",
            "The model is in training mode: after the softmax, dropout takes some weights away and divides the others "
            "by 1 − p, so rows do not add up to 1. Call model.eval() first.",
        )


_SPARSE: Final = {
    "BigBirdBlockSparseAttention": "attention_blocks",
    "BigBirdPegasusBlockSparseAttention": "attention_blocks",
    "LongformerSelfAttention": "attention_band",
    "LEDEncoderSelfAttention": "attention_band",
}
"""Attention of transformers that makes no score for most keys: of families with a full one beside it, and without."""


def _sparse(model: nn.Module, path: Path) -> InvalidInput | None:
    """Return the error of a model whose attention never makes all n_q × n_k scores; None for any other."""
    kind = type(model).__name__
    code = next(filter(None, (_SPARSE.get(type(module).__name__) for module in path.modules)), None)
    if code == "attention_blocks":
        return InvalidInput(
            "attention_blocks",
            f"{kind} attends in blocks, some of them random, and never makes all scores. Load it with "
            'attention_type="original_full": the same weights then attend to every key.',
            kind=kind,
        )
    if code == "attention_band":
        return InvalidInput(
            "attention_band",
            f"{kind} attends within a band around each query and never makes all scores, and transformers has no full "
            'attention for its weights. RoBERTa, or BigBird with attention_type="original_full", would do.',
            kind=kind,
        )
    return None


def require_every_layer(path: Path) -> None:
    """Raise `InvalidInput` unless attention was seen, and in each layer as often as in the others built like it."""
    if not path.attended:
        raise InvalidInput("attention_none", "No attention was seen in this run of the model.")
    for layers in path.modules:
        if not isinstance(layers, nn.ModuleList):
            continue
        found = {layer: path.attended[layer] / path.ran[layer] for layer in layers if path.ran[layer]}
        if len({*found.values()}) < 2:  # as nearly every model has it: nobody needs to know how each layer is built
            continue
        counts: dict[object, tuple[nn.Module, float]] = {}
        for layer, count in found.items():
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
