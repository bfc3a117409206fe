"""One attention experiment as a frozen value: each setting under one name.

Only `BOUNDS` and `CHOICES` define ranges and choices, only `MEANINGS` describes settings. Sliders, URL, API, Python and
documents read them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, TypeVar, cast, no_type_check

from attention_core.errors import InvalidInput
from attention_core.text import readable, tokens
from attention_core.validation import choice, flag, name, real_number, whole_number

__all__ = [
    "BOUNDS",
    "CHOICES",
    "LOG_N_KEYS",
    "MEANINGS",
    "REPEATING_TEXT",
    "SCALED",
    "SHORT_TEXT",
    "AttentionConfig",
    "Bound",
    "having",
    "of_every_choice",
    "settings",
]


@dataclass(frozen=True)
class Bound:
    """The range of one number on a page. Each config decides which limits also hold in Python."""

    minimum: int | float
    maximum: int | float
    default: int | float
    step: int | float = 1


BOUNDS: Mapping[str, Bound] = MappingProxyType(
    {
        "n": Bound(2, 512, 32),
        "d_model": Bound(8, 1024, 512),
        "h": Bound(1, 16, 8),
        "d_k": Bound(1, 1024, 64),
        "window": Bound(1, 512, 8),
        # A factor of 16 is far beyond saturation at every d_k; 0 makes weights uniform.
        "scale": Bound(0.0, 16.0, 1.0, step=0.01),
        # e^16 outweighs the keys of every page; Gemma 2 caps at 50.
        "sink": Bound(-16.0, 16.0, 0.0, step=0.1),
        "softcap": Bound(0.0, 100.0, 0.0, step=0.5),
        "seed": Bound(0, 2**31 - 1, 0),
        "layer": Bound(1, 256, 1),
    }
)

SCALED: Mapping[str, bool] = MappingProxyType({"dot_product": True, "additive": False})
"""Every mechanism; True if the config's factor applies. The paper scales dot products only (section 3.2.1)."""

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mechanism": tuple(SCALED),
        "scaling": ("sqrt_d_k", "none", "d_k", "custom"),
        "mask": ("none", "causal", "window"),
        "source": ("gaussian", "structured", "text", "upload", "model"),
        "split": ("words", "characters"),
        "dtype": ("float32", "float16", "bfloat16"),
        "normalisation": ("softmax", "sink", "sigmoid", "entmax"),
    }
)

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "n": "tokens; a text or an upload sets it itself",
        "d_model": "width of the activations",
        "h": "heads",
        "d_k": "width of one head's queries and keys; d_model / h while tied. Given alone it unties",
        "tie": "d_k follows d_model / h, as in the paper; if not given, it does unless d_k says otherwise",
        "mechanism": "comparison of a query with a key",
        "scaling": "factor of the scores; 1/√d_k, 1, 1/d_k, or `scale`. Mechanisms without a factor ignore it",
        "scale": "the factor when `scaling=custom`; with `source=model` × the trained one",
        "mask": "keys that a query may attend to",
        "window": "keys on either side that `mask=window` lets through",
        "source": "source of Q, K and V; in `structured` random q and k a phrase that comes back (diagonals), a "
        "sliding topic (blocks) and a sink (key 0) are planted; `model` is a layer of a trained model, which reads "
        "`text`",
        "seed": "number of the draw; the same seed gives the same numbers",
        "text": "the text when `source=text` (random embeddings, no language model) or `source=model`",
        "split": "kind of tokens",
        "positions": "sinusoidal positions (section 3.5) added to a text's embeddings",
        "dtype": "number format of Q, K, V and of every step; sums accumulate in float32 and are rounded once. A map "
        "rounds Q and K alone",
        "qk_norm": "divide each q and k by its root mean square first (RMSNorm without learned gains), so that its "
        "length is √d_k",
        "log_n": "multiply the factor by ln n / ln 32, n the keys of the sequence; models learn its strength. "
        "Mechanisms without a factor ignore it",
        "subtract_max": "subtract each row's largest score before exp; without it exp overflows above 11.09 in float16 "
        "and above 88.7 in float32 and bfloat16",
        "normalisation": "what makes weights of a row of scores; softmax: eˢ / Σ eˢ. sink: eˢ / (eᵇ + Σ eˢ), b from "
        "`sink`. sigmoid: σ(s − ln n), n the keys. entmax: [s/2 − τ]₊², α = 1.5",
        "sink": "b, the score of a sink that takes weight from all keys when `normalisation=sink`; 0 adds 1 to the "
        "denominator",
        "softcap": "c: a scaled score s becomes c · tanh(s/c) before the mask; 0 leaves it as it is",
        "model": "name of the model when `source=model`",
        "pictures": "names of the pictures that a vision model reads, with commas: lighthouse, cat, poster, or own for "
        "the visitor's, which no link holds",
        "layer": "the layer, from 1, of a model; on the Anatomy page also of drawn layers, each of which reads the "
        "output of the one below",
        "target": "what a model with a decoder wrote of `text` or `sound`; empty lets the model write it",
        "sound": "name of the sound that a speech model reads: tones, or own for the visitor's, which no link holds",
    }
)
"""A sentence for each field of `AttentionConfig` that one chooses. Ranges and choices belong before its semicolon."""

_LARGEST_FACTOR = 1e6  # of a trained layer
_LONGEST_NAMES = 400  # characters of the names of pictures and sounds

LOG_N_KEYS = 32
"""The number of keys at which `log_n` changes nothing."""

# Some words repeat: equal tokens have equal embeddings, and so equal columns in the heat map.
DEFAULT_TEXT = "the cat sat on the mat because the mat was warm and the cat was tired"
# Few enough tokens to follow number by number.
SHORT_TEXT = "the cat sat down"
# The second Ben calls for what followed the first.
REPEATING_TEXT = "Anna Miller sees Ben Taylor . Ben"

Entry = TypeVar("Entry")


def of_every_choice(field: str, table: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """Return `table`, read only. Raises `TypeError` unless it has exactly one entry for each of `CHOICES[field]`."""
    if set(table) != set(CHOICES[field]):
        raise TypeError(f"{field} has the choices {sorted(CHOICES[field])}; the table has {sorted(table)}.")
    return MappingProxyType(dict(table))


def having(field: str, name: str, table: Mapping[str, Entry | None], purpose: str) -> Entry:
    """Return the part that the choice `name` has in `table`, where other choices of `field` may have None.

    Raises `InvalidInput` (`unknown_choice`) that names the choices with that part, and `KeyError` for no choice at all.
    """
    found = table[name]
    if found is None:
        there = ", ".join(one for one, part in table.items() if part is not None)
        raise InvalidInput(
            "unknown_choice",
            f"{field} must be one of {there} {purpose}; got {name!r}.",
            field=field,
            value=name,
            choices=there,
        )
    return found


_FACTORS: Mapping[str, Callable[["AttentionConfig"], float]] = of_every_choice(
    "scaling",
    {
        "sqrt_d_k": lambda config: 1 / math.sqrt(config.d_k),
        "none": lambda config: 1.0,
        "d_k": lambda config: 1 / config.d_k,
        "custom": lambda config: config.scale if config.trained is None else config.scale * config.trained,
    },
)


@no_type_check  # validates itself, with messages that a runtime type checker would pre-empt
@dataclass(frozen=True, kw_only=True)
class AttentionConfig:
    """One experiment, with the symbols of section 3.2. Defaults are the base model's (d_model 512, h 8, d_k 64).

    `tie` and `d_k` determine each other:
      neither given         tie = True,  d_k = d_model / h (rounded down, at least 1)
      only d_k given        tie is True exactly when d_k is d_model / h
      tie=True              d_k = d_model / h, whatever d_k was given
      tie=False             d_k as given, 64 if not
    After construction neither is None. `dataclasses.replace(config, d_k=…)` keeps the old `tie` as given, so pass
    `tie=None` (or False) as well.

    With source="text" `n` becomes the number of tokens. `n_k` is the number of keys if there are not n, and `trained`
    the factor of a trained layer, which `scale` multiplies: tensors from outside bring them, and no link names them.
    source="model" makes `scaling` custom, because a trained factor is not any of the others, and `mechanism`
    dot_product, because the layer's scores are that.

    Raises
    ------
    InvalidInput
        `not_a_number`, `out_of_range`, `unknown_choice`, `not_a_text`, `text_empty` or `text_too_long`.
    """

    n: int = 32
    d_model: int = 512
    h: int = 8
    d_k: int = cast(int, None)
    tie: bool = cast(bool, None)
    mechanism: str = "dot_product"
    scaling: str = "sqrt_d_k"
    scale: float = 1.0
    mask: str = "none"
    window: int = 8
    source: str = "gaussian"
    seed: int = 0
    text: str = DEFAULT_TEXT
    split: str = "words"
    positions: bool = False
    dtype: str = "float32"
    subtract_max: bool = True
    normalisation: str = "softmax"
    sink: float = 0.0
    qk_norm: bool = False
    log_n: bool = False
    softcap: float = 0.0
    pictures: str = "lighthouse"
    target: str = ""
    sound: str = "tones"
    model: str = "headlight"
    layer: int = 1
    n_k: int | None = None
    trained: float | None = None

    def __post_init__(self) -> None:
        for field in CHOICES:
            self._set(field, choice(field, getattr(self, field), CHOICES[field]))
        for field in ("n", "d_model", "h", "window"):
            self._set(field, whole_number(field, getattr(self, field), 1))
        self._set("seed", whole_number("seed", self.seed, int(BOUNDS["seed"].minimum), int(BOUNDS["seed"].maximum)))
        for field in ("scale", "sink", "softcap"):
            bound = BOUNDS[field]
            self._set(field, real_number(field, getattr(self, field), bound.minimum, bound.maximum))
        for field in ("positions", "subtract_max", "qk_norm", "log_n"):
            self._set(field, flag(field, getattr(self, field)))
        for field in ("text", "target"):
            self._set(field, readable(getattr(self, field), field))
        self._set("model", name("model", self.model))
        for field in ("pictures", "sound"):
            self._set(field, readable(_beginning(getattr(self, field)), field))
        self._set("layer", whole_number("layer", self.layer, 1))
        if self.source == "model":
            self._set("scaling", "custom")
            self._set("mechanism", "dot_product")
        self._resolve_d_k()
        if self.source == "text":
            self._set("n", len(tokens(self.text, self.split)))
        if self.n_k is not None:
            self._set("n_k", whole_number("n_k", self.n_k, 1))
        if self.trained is not None:
            self._set("trained", real_number("trained", self.trained, -_LARGEST_FACTOR, _LARGEST_FACTOR))

    def __repr__(self) -> str:
        return f"AttentionConfig({', '.join(f'{name}={value!r}' for name, value in self.chosen.items())})"

    @property
    def chosen(self) -> dict[str, Any]:
        """The value of each of `settings`."""
        return {name: getattr(self, name) for name in settings()}

    @property
    def factor(self) -> float:
        """The factor of the scores before the mask; 1 for an unscaled mechanism.

        It is 1/√d_k, 1, 1/d_k or `scale`; with `log_n` times ln n / ln 32, n the keys.
        """
        return _FACTORS[self.scaling](self) * self.growth if SCALED[self.mechanism] else 1.0

    @property
    def growth(self) -> float:
        """What `log_n` multiplies the factor by: ln n / ln 32, n the keys, after SSMax (Nakanishi 2025); 1 without it.

        SSMax is s · ln n · q·k with a learned s. Here s = factor / ln 32, so that 32 keys have the numbers of no
        `log_n`.
        """
        return math.log(self.n_k or self.n) / math.log(LOG_N_KEYS) if self.log_n else 1.0

    def _resolve_d_k(self) -> None:
        tied = max(1, self.d_model // self.h)
        if self.tie is None:
            given = self.d_k is not None
            d_k = whole_number("d_k", self.d_k, 1) if given else tied
            self._set("tie", d_k == tied)
        else:
            self._set("tie", flag("tie", self.tie))
            d_k = whole_number("d_k", BOUNDS["d_k"].default if self.d_k is None else self.d_k, 1)
            d_k = tied if self.tie else d_k
        self._set("d_k", d_k)

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)  # the only way to set a field of a frozen dataclass


def _beginning(names: object) -> object:
    """Return the beginning of a list of names that is longer than any list of pictures or sounds."""
    return names[:_LONGEST_NAMES] if isinstance(names, str) else names


def settings() -> tuple[str, ...]:
    """Return the fields of `AttentionConfig` in their order, without those that have one choice alone or no meaning.

    Links, endpoints, files and documents know these. A second choice makes a setting of its field everywhere.
    """
    named = (item.name for item in fields(AttentionConfig))
    return tuple(name for name in named if name in MEANINGS and len(CHOICES.get(name, ("", ""))) > 1)
