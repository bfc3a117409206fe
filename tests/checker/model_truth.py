"""The truth of the page Model: a text as float64 numpy reads it in a shipped model, and what of it the page shows."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

import numpy as np

from tests.checker import head_behaviour, learned
from tests.checker.checking import near
from tests.checker.head_behaviour import Scores
from tests.checker.learned import Heads, Numbers

_TOKEN: Final = re.compile(r"👩‍👧|猫|[^\W_]+(?:'[^\W_]+)*|\S")


@dataclass(frozen=True)
class State:
    """A text as float64 numpy reads it, and what of it the page shows."""

    model: str
    layers: tuple[Heads, ...]
    tokens: tuple[str, ...]
    layer: int
    head: int
    row: int
    wished: int
    measures: Scores
    here: Scores
    over: str
    axes: tuple[str, str]
    answer: str

    @property
    def name(self) -> str:
        return f"{self.layer}.{self.head}"

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def scores(self) -> Numbers:
        return self.layers[self.layer - 1].scores[self.head - 1]

    @property
    def weights(self) -> Numbers:
        return self.layers[self.layer - 1].weights[self.head - 1]

    @property
    def open_scores(self) -> Numbers:
        return self.scores[np.tri(self.n, dtype=bool)]

    @property
    def ceilings(self) -> Numbers:
        return np.log(np.arange(1, self.n + 1))

    def measured(self, measure: str) -> float:
        return float(self.measures[measure][self.layer - 1, self.head - 1])

    def token(self, at: int) -> str:
        """Return a token as a sentence names it: with its place, no longer than ten characters."""
        word = self.tokens[at]
        return f"{at} “{word if len(word) <= 10 else word[:9] + '…'}”"

    def places(self, said: str) -> list[int]:
        """Return the position that a named token has, if it is named as it is."""
        at = int(said.split(" ")[0])
        return [at] if at < self.n and said == self.token(at) else []


def state(query: str) -> State:
    """Compute the truth of a state."""
    settings = {name: values[0] for name, values in parse_qs(query.partition("#")[0]).items()}
    model, over = settings["model"], settings["over"]
    tokens = ("<bos>", *_TOKEN.findall(settings["text"])[:63])
    ids = learned.numbered(tokens)
    layers, n = learned.read(model, ids), len(tokens)
    here = head_behaviour.over_text(model, ids)
    return State(
        model=model,
        layers=layers,
        tokens=tokens,
        layer=min(int(settings["layer"]), len(layers)),
        head=min(max(1, int(settings["head"])), learned.HEADS),
        row=min(int(settings.get("row", n)), n - 1),
        wished=min(int(settings["key"]), n - 1),
        measures=head_behaviour.over_corpus(model) if over == "corpus" else here,
        here=here,
        over=over,
        axes=(settings["x"], settings["y"]),
        answer=query.partition("#")[2],
    )


def same(claimed: float, true: float) -> bool:
    """Return True for equal numbers, within what float32 leaves of a sum of terms of both signs."""
    return near(claimed, true) or abs(claimed - true) < 1e-4 or (math.isnan(claimed) and math.isnan(true))


def differing(facts: Mapping[str, Any], **true: Any) -> Iterator[str]:
    """Yield the facts that differ from the truth."""
    for name, value in true.items():
        claimed = facts[name]
        if not (same(claimed, value) if isinstance(value, float) else claimed == value):
            yield f"{name} is {value!r}, not {claimed!r}"
