"""What was captured elsewhere as a run that the Model page shows, or the sentence that says why it cannot."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import torch
from torch import Tensor

from attention_core import InvalidInput
from attention_core.changes import Change
from attention_core.learned import Given, Line, ModelRun
from attention_core.models import Capture, CapturedLayer
from attention_core.models.token_names import TokenNames
from visualiser.upload.refusals import refusal

_IDS: Final = {
    "text": ("input_ids",),
    "source": ("input_ids",),
    "target": ("decoder_input_ids", "input_ids"),
    "step": ("input_ids",),
}
"""The inputs that may have the ids of a sequence, by its name."""
_TENSORS: Final = ("Q", "K", "V", "scores", "weights", "sink", "sink_score")


@dataclass(frozen=True, eq=False)
class OnlyRun:
    """The one run that is known of a model, whatever the text: a `LearnedModel`.

    left_out  names of the calls of attention that the run has not: they are between other sequences
    """

    name: str
    the_run: ModelRun
    delimiters: frozenset[int]
    left_out: tuple[str, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    positional: frozenset[int] = frozenset()
    parameters: int = 0

    @property
    def layers(self) -> int:
        return len(self.the_run.layers)

    @property
    def h(self) -> int:
        return max(layer.weights.shape[0] for layer in self.the_run.layers)

    @property
    def d_k(self) -> int:
        return max((layer.Q.shape[-1] for layer in self.the_run.layers if layer.Q is not None), default=0)

    @property
    def most_tokens(self) -> int:
        return max(map(len, self.the_run.lines))

    @property
    def takes(self) -> frozenset[str]:
        return frozenset()

    def positions(self, given: Given) -> int:
        """Return how many the longest sequence has."""
        return self.most_tokens

    def multiply_adds(self, n: int) -> int:
        """Return none: nothing is run."""
        return 0

    def run(self, given: str | Given, most: int | None = None, changes: Sequence[Change] = ()) -> ModelRun:
        """Return the run. Raises `InvalidInput` (`change_held`) for changes: there is no model that could run."""
        if changes:
            raise InvalidInput("change_held", "What was handed over is one run: only a model can be changed.")
        return self.the_run


@dataclass(frozen=True)
class Named:
    """What names the tokens of a capture.

    tokens     as they are, one for each position; of two sequences two such lists, told apart by their lengths: of
               equally many the first are those that are read
    tokenizer  of transformers, for the ids among `inputs`
    inputs     of the model's run
    batch      the sequence of a batch that is shown
    prompt     how many tokens the model was given before it wrote the others; 0 if it wrote none
    """

    tokens: Sequence[str] | Sequence[Sequence[str]] | None = None
    tokenizer: Any = None
    inputs: Mapping[str, Any] | None = None
    batch: int | None = None
    prompt: int = 0

    def ids(self, name: str) -> list[int] | None:
        """Return the ids of an input of this name for the sequence; None if none were given."""
        ids = (self.inputs or {}).get(name)
        if ids is None:
            return None
        rows = torch.as_tensor(ids)
        rows = rows.unsqueeze(0) if rows.dim() == 1 else rows
        return rows[self.batch or 0].tolist()

    def padding(self, n: int) -> int:
        """Return how many of n positions are padding before the text, as the mask of the inputs says."""
        mask = (self.inputs or {}).get("attention_mask")
        if mask is None:
            return 0
        rows = torch.as_tensor(mask)
        if rows.dim() != 2 or rows.shape[1] != n:
            return 0
        real = rows[self.batch or 0].nonzero()
        return int(real[0]) if len(real) else 0

    def listed(self) -> list[tuple[str, ...]]:
        """Return the lists of tokens; none without any."""
        if self.tokens is None:
            return []
        several = len(self.tokens) > 0 and not isinstance(self.tokens[0], str)
        return [tuple(map(str, one)) for one in self.tokens] if several else [tuple(map(str, self.tokens))]


@dataclass(frozen=True)
class _Lined:
    """Which calls of attention are shown, and between which sequences.

    names    of the sequences, with their lengths
    between  the sequences of queries and of keys of each layer; None for one that has others
    """

    names: tuple[tuple[str, int], ...]
    between: tuple[tuple[int, int] | None, ...]


def only_run(name: str, got: Capture, named: Named, most: int) -> OnlyRun:
    """Return a capture as a run of at most `most` tokens.

    Raises `InvalidInput`: `notebook_empty` for a capture without layers; `notebook_batch`, `notebook_no_batch` for
    several sequences of which none, or one that is not there, is named; `notebook_lines` if no layer attends between
    whole sequences; `notebook_long` for more tokens; `notebook_tokens` for other numbers of tokens.
    """
    if not got.layers:
        raise refusal("notebook_empty")
    layers = [_filled(_of_batch(layer, named.batch)) for layer in got.layers]
    lined = _lined(layers)
    shown = [(layer, lines) for layer, lines in zip(layers, lined.between, strict=True) if lines is not None]
    if not shown:
        raise refusal("notebook_lines", names=", ".join(layer.name for layer in layers[:3]))
    longest = max(n for _, n in lined.names)
    if longest > most:
        raise refusal("notebook_long", n=longest, most=most)
    lines, delimiters = _lines(lined.names, named)
    left_out = tuple(layer.name for layer, found in zip(layers, lined.between, strict=True) if found is None)
    run = ModelRun(lines, tuple(layer for layer, _ in shown), tuple(between for _, between in shown))
    return OnlyRun(name, run, delimiters, left_out)


def _lined(layers: Sequence[CapturedLayer]) -> _Lined:
    """Find the sequences of a run. Each length is one; with cross-attention its queries and its keys are two.

    If both are equally long, the self-attention right before a cross-attention is that of the sequence it asks for, and
    so is all that follows.
    """
    crossing = [place for place, layer in enumerate(layers) if layer.kind != "self"]
    if not crossing:
        return _lined_alone(layers)
    asking, asked = layers[crossing[0]].weights.shape[-2:]
    target_from = max(0, crossing[0] - 1)

    def between(place: int, layer: CapturedLayer) -> tuple[int, int] | None:
        if layer.kind != "self":
            return (1, 0) if tuple(layer.weights.shape[-2:]) == (asking, asked) else None
        if not _is_square(layer) or _keys(layer) not in (asking, asked):
            return None
        own = int(place >= target_from if asking == asked else _keys(layer) == asking)
        return own, own

    return _Lined((("source", asked), ("target", asking)), tuple(between(*one) for one in enumerate(layers)))


def _lined_alone(layers: Sequence[CapturedLayer]) -> _Lined:
    """Find the sequences of layers that each read their own. Fewer queries than keys are a step with a cache."""
    shapes = [tuple(layer.weights.shape[-2:]) for layer in layers]
    names = [("text", n) for n in dict.fromkeys(n_k for n_q, n_k in shapes if n_q <= n_k)]
    read = {n: place for place, (_, n) in enumerate(names)}
    steps = {}
    for n_q, n_k in dict.fromkeys(shapes):
        if n_q < n_k:
            steps[n_q, n_k] = len(names)
            names.append(("step", n_q))
    between = [(steps.get(shape, read[shape[1]]), read[shape[1]]) if shape[0] <= shape[1] else None for shape in shapes]
    return _Lined(tuple(names), tuple(between))


def _keys(layer: CapturedLayer) -> int:
    return layer.weights.shape[-1]


def _is_square(layer: CapturedLayer) -> bool:
    return layer.weights.shape[-2] == layer.weights.shape[-1]


def _of_batch(layer: CapturedLayer, batch: int | None) -> CapturedLayer:
    """Return one sequence of a layer, or one window."""
    size = layer.weights.shape[:-3].numel()
    if layer.weights.dim() == 3:
        return layer
    if batch is None:
        raise refusal("notebook_batch", name=layer.name, count=size)
    if not 0 <= batch < size:
        raise refusal("notebook_no_batch", name=layer.name, count=size, value=batch)

    def one(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.flatten(0, len(layer.weights.shape) - 4)[batch]

    return replace(layer, **{name: one(getattr(layer, name)) for name in _TENSORS})


def _filled(layer: CapturedLayer) -> CapturedLayer:
    """Return a layer without the keys at the end that a cache of fixed size has no tokens for yet."""
    n_q, n_k = layer.weights.shape[-2:]
    if layer.kind != "self" or n_q >= n_k:
        return layer
    read = layer.allowed.any(0).any(0).nonzero()
    n = max(n_q, int(read.max()) + 1 if len(read) else n_k)
    if n == n_k:
        return layer
    cut = {name: None if (one := getattr(layer, name)) is None else one[..., :n, :] for name in ("K", "V")}
    return replace(layer, weights=layer.weights[..., :n], scores=layer.scores[..., :n], **cut)


def _lines(names: Sequence[tuple[str, int]], named: Named) -> tuple[tuple[Line, ...], frozenset[int]]:
    """Return the sequences with their tokens, and the numbers of tokens that part a text."""
    listed = named.listed()
    lengths = [n for _, n in names]
    if len(listed) == 2 and [len(one) for one in listed] == lengths[1::-1] != lengths[:2]:
        listed.reverse()
    if listed and [len(one) for one in listed] != lengths[: len(listed)]:
        came, expected = (" and ".join(map(str, found)) for found in (map(len, listed), (n for _, n in names)))
        raise refusal("notebook_tokens", came=came, expected=expected)
    lines = [
        _line(name, n, listed[place] if place < len(listed) else None, named) for place, (name, n) in enumerate(names)
    ]
    if named.prompt:
        lines[-1] = replace(lines[-1], written=named.prompt)
    lines = [_of_step(line, lines) if line.name == "step" else line for line in lines]
    parting = (
        number for line in lines for number, token in zip(line.ids, line.tokens, strict=True) if parts_text(token)
    )
    return tuple(lines), frozenset(number for number in parting if number >= 0)


def _line(name: str, n: int, tokens: tuple[str, ...] | None, named: Named) -> Line:
    """Return a sequence. Unknown tokens are called by their positions, and are all different."""
    return replace(_named_line(name, n, tokens, named), begins=named.padding(n))


def _named_line(name: str, n: int, tokens: tuple[str, ...] | None, named: Named) -> Line:
    ids = next((found for one in _IDS[name] if (found := named.ids(one)) is not None and len(found) == n), None)
    if tokens is not None:
        numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        return Line(name, tokens, tuple(ids or (numbers[token] for token in tokens)))
    if ids is None:
        return Line(name, tuple(map(str, range(n))), tuple(-1 - place for place in range(n)))
    if named.tokenizer is None:
        return Line(name, tuple(map(str, ids)), tuple(ids))
    names = TokenNames(named.tokenizer)
    return Line(name, names.of(ids), tuple(ids), forms=names.forms(ids))


def _of_step(step: Line, lines: Sequence[Line]) -> Line:
    """Return the queries of a step with a cache: the last tokens of what they read, where nothing else names them."""
    if max(step.ids) >= 0:
        return step
    read = next(line for line in lines if len(line) > len(step))
    n = len(step)
    return Line("step", read.tokens[-n:], read.ids[-n:], forms=read.forms[-n:])


def parts_text(token: str) -> bool:
    """Return True for a token that is nothing but marks or line ends."""
    signs = token.strip()
    return all(unicodedata.category(sign)[0] == "P" for sign in signs) if signs else "\n" in token
