"""The changes themselves: frozen values that check themselves."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from attention_core.config import CHOICES, AttentionConfig
from attention_core.validation import choice, flag, real_number, whole_number

LARGEST_FACTOR: Final = 16.0
PATCHED: Final = ("output", "weights")
"""What a head may have of another run."""
_FAR: Final = 1e6
"""The largest size of a sink's score, of a softcap, and of a component of an output."""


@dataclass(frozen=True)
class Change:
    """One change of a running model.

    needs_queries  True if it acts on what only a layer has that hands over its queries, keys and values
    """

    needs_queries: ClassVar[bool] = False

    def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
        """Return the heads on which it acts in a layer of `h`."""
        raise NotImplementedError

    def _set(self, **checked: Any) -> None:
        for name, value in checked.items():
            object.__setattr__(self, name, value)


class _Somewhere(Change):
    """A change of some layers and heads, numbered from 0; None is all of them."""

    layers: Collection[int] | None
    heads: Collection[int] | None

    def _settle(self) -> None:
        self._set(layers=_numbers("layers", self.layers), heads=_numbers("heads", self.heads))

    def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
        if self.layers is not None and layer not in self.layers:
            return ()
        return tuple(head for head in range(h) if self.heads is None or head in self.heads)


@dataclass(frozen=True)
class _OneHead(Change):
    """A change of one head."""

    layer: int
    head: int

    def __post_init__(self) -> None:
        self._set(layer=whole_number("layer", self.layer, 0), head=whole_number("head", self.head, 0))

    def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
        return (self.head,) if layer == self.layer and self.head < h else ()


def _numbers(field: str, chosen: Collection[int] | None) -> frozenset[int] | None:
    return None if chosen is None else frozenset(whole_number(field, one, 0) for one in chosen)


@dataclass(frozen=True)
class Factor(_Somewhere):
    """s × `times`, 0 to 16, beside the factor that the model applies itself, most often 1/√d_k.

    There is no absolute factor: models that multiply Q by theirs before hand over 1.

    Raises `InvalidInput`: `out_of_range`, `not_a_number`.
    """

    times: float
    layers: Collection[int] | None = None
    heads: Collection[int] | None = None
    needs_queries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._settle()
        self._set(times=real_number("times", self.times, 0.0, LARGEST_FACTOR))


@dataclass(frozen=True)
class Treat(_Somewhere):
    """What models after the paper do with scores, under Explore's names.

    qk_norm  q and k are divided by their root mean square before the factor
    softcap  c · tanh(s/c) after the factor and the model's own cap, before bias and mask; 0 for none
    log_n    the factor × ln n_k / ln 32

    Raises `InvalidInput`: `out_of_range`, `not_a_number`, `unknown_choice`.
    """

    qk_norm: bool = False
    softcap: float = 0.0
    log_n: bool = False
    layers: Collection[int] | None = None
    heads: Collection[int] | None = None
    needs_queries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._settle()
        self._set(
            qk_norm=flag("qk_norm", self.qk_norm),
            softcap=real_number("softcap", self.softcap, 0.0, _FAR),
            log_n=flag("log_n", self.log_n),
        )


@dataclass(frozen=True)
class Causal(_Somewhere):
    """The mask of self-attention: a query reads no later key, or with `causal=False` every key.

    window  it reads only keys with |q − k| < window; None for all

    It acts where queries and keys are the same positions.

    Raises `InvalidInput`: `out_of_range`, `not_a_number`, `unknown_choice`.
    """

    causal: bool = True
    window: int | None = None
    layers: Collection[int] | None = None
    heads: Collection[int] | None = None
    needs_queries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._settle()
        self._set(
            causal=flag("causal", self.causal),
            window=None if self.window is None else whole_number("window", self.window, 1),
        )


@dataclass(frozen=True)
class Hide(_Somewhere):
    """A key, from 0, that no query may read: its weight goes to the others. A row without another key reads nothing.

    It acts in each chosen layer that has such a key.

    Raises `InvalidInput`: `out_of_range`, `not_a_number`.
    """

    key: int
    layers: Collection[int] | None = None
    heads: Collection[int] | None = None

    def __post_init__(self) -> None:
        self._settle()
        self._set(key=whole_number("key", self.key, 0))


@dataclass(frozen=True)
class Normalise(_Somewhere):
    """Weights by another normalisation of `attention_core`, over the keys alone.

    A sink that the model has learned is left out; `sink` is the score b of the normalisation `sink`.

    Raises `InvalidInput`: `out_of_range`, `not_a_number`, `unknown_choice`.
    """

    normalisation: str = "softmax"
    sink: float = 0.0
    layers: Collection[int] | None = None
    heads: Collection[int] | None = None

    def __post_init__(self) -> None:
        self._settle()
        self._set(
            normalisation=choice("normalisation", self.normalisation, CHOICES["normalisation"]),
            sink=real_number("sink", self.sink, -_FAR, _FAR),
        )

    @property
    def config(self) -> AttentionConfig:
        """The settings by which `attention_core.normalisations` computes."""
        return AttentionConfig(normalisation=self.normalisation, sink=self.sink)


@dataclass(frozen=True)
class Mute(_OneHead):
    """The head's weights are 0: it adds nothing."""


@dataclass(frozen=True)
class Uniform(_OneHead):
    """The head reads every allowed key alike."""


@dataclass(frozen=True)
class Replace(_OneHead):
    """The head has the weights that another one has over the same input in the model as it is."""

    by_layer: int
    by_head: int

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(by_layer=whole_number("by_layer", self.by_layer, 0), by_head=whole_number("by_head", self.by_head, 0))


@dataclass(frozen=True)
class Mean(_OneHead):
    """The head's output, before W_O, is the same vector at every position: its mean over other texts, usually.

    Raises `InvalidInput`: `out_of_range`, `not_a_number`.
    """

    output: tuple[float, ...]
    needs_queries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(output=tuple(real_number("output", one, -_FAR, _FAR) for one in self.output))


@dataclass(frozen=True)
class MuteEach(Change):
    """In a batch, one head each: the sequence b has the b-th of `muted`, layer and head, muted."""

    muted: tuple[tuple[int, int], ...]

    def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
        return tuple(sorted({head for number, head in self.muted if number == layer and head < h}))


@dataclass(frozen=True)
class PatchEach(Change):
    """In a batch, one head each has what it gives in the last sequence, which is another text of as many tokens.

    patched    layer and head of each sequence but the last, from 0
    what       "output", the head's output before W_O, or "weights"
    positions  from 0, at which it has that; None for all

    Raises `InvalidInput`: `unknown_choice`, `out_of_range`, `not_a_number`.
    """

    patched: tuple[tuple[int, int], ...]
    what: str = "output"
    positions: tuple[int, ...] | None = None
    needs_queries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        chosen = self.positions
        self._set(
            what=choice("what", self.what, PATCHED),
            positions=None if chosen is None else tuple(whole_number("positions", one, 0) for one in chosen),
        )

    def heads_of(self, layer: int, h: int) -> tuple[int, ...]:
        return tuple(sorted({head for number, head in self.patched if number == layer and head < h}))
