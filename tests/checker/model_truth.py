"""The truth of the page Model: a text as float64 numpy reads it in a shipped model, and what of it is shown."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qs

import numpy as np
from numpy.typing import NDArray

from tests.checker import head_behaviour, learned, model_changed
from tests.checker.checking import near
from tests.checker.head_behaviour import Scores
from tests.checker.learned import HEADS, Heads, Numbers
from tests.checker.model_changed import Running
from tests.references.changed_model import acts

_TOKEN: Final = re.compile(r"👩‍👧|猫|[^\W_]+(?:'[^\W_]+)*|\S")


@dataclass(frozen=True)
class State:
    """A text as float64 numpy reads it, as the model is and as it is changed, and what of it the page shows.

    `before` is that with what is pinned as A, and `against` what A changes. `costs` is what each head costs the text,
    layers × h, if a link asks for it. `sort`, `only` and `least` are the link's.
    """

    model: str
    lang: str
    before: Running
    now: Running
    changes: tuple[Any, ...]
    against: tuple[Any, ...]
    costs: Numbers | None
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
    sort: str = "layer"
    only: str = "all"
    least: float = 0.05
    shows: str = "weights"

    @property
    def is_changed(self) -> bool:
        """True if the two states are not the same by their lists."""
        return self.changes != self.against

    @property
    def touched(self) -> set[tuple[int, int]]:
        """The heads, from 1, on which a change acts itself that one state has and not the other."""
        own = [one for one in self.changes if one not in self.against]
        own += [one for one in self.against if one not in self.changes]
        return model_changed.touched(own, len(self.layers))

    @property
    def layers(self) -> tuple[Heads, ...]:
        return self.now.layers

    @property
    def chosen(self) -> Heads:
        return self.layers[self.layer - 1]

    @property
    def name(self) -> str:
        return f"{self.layer}.{self.head}"

    @property
    def n(self) -> int:
        return len(self.tokens)

    @property
    def scores(self) -> Numbers:
        return self.chosen.scores[self.head - 1]

    @property
    def weights(self) -> Numbers:
        return self.chosen.weights[self.head - 1]

    @property
    def allowed(self) -> NDArray[np.bool_]:
        return self.chosen.allowed[self.head - 1]

    @property
    def sunk(self) -> Numbers | None:
        found = self.chosen.sunk
        return found[self.head - 1] if found is not None and self.head - 1 in self.chosen.sinks else None

    @property
    def norms(self) -> Numbers:
        """The norm of what the head adds for each key of weight 1."""
        V = self.chosen.V[self.head - 1]
        d_v = V.shape[-1]
        W_O = learned.file(self.model)[f"W_O/{self.layer}"][(self.head - 1) * d_v : self.head * d_v]
        return np.linalg.norm(V @ W_O, axis=-1)

    @property
    def left(self) -> Numbers:
        """What each row gives all keys but the first."""
        return np.where(self.allowed, self.weights, 0.0)[:, 1:].sum(-1)

    @property
    def mapped(self) -> Numbers | None:
        """What the map shows in place of weights: a head that adds the same whatever it reads has no norms."""
        layers = self.layers[: self.layer]
        match self.shows:
            case "without_first":
                with np.errstate(invalid="ignore", divide="ignore"):
                    found = np.where(self.allowed, self.weights, 0.0) / self.left[:, None]
                found[:, 0] = np.where(self.left > 0, 0.0, np.nan)
                return found
            case "mean":
                return layers[-1].weights.mean(0)
            case "rollout":
                found = np.eye(self.n)
                for one in layers:
                    mixed = one.weights.mean(0) + np.eye(self.n)
                    found = mixed / mixed.sum(-1, keepdims=True) @ found
                return found
        own = [one for one in self.changes if acts(one, self.layer - 1, self.head - 1)]
        heads = [one for one in own if type(one).__name__ in ("Mute", "Uniform", "Mean", "Replace")]
        if self.shows == "weights" or (heads and type(heads[-1]).__name__ in ("Mute", "Mean")):
            return None
        return self.weights * self.norms

    @property
    def loose(self) -> bool:
        return self.head - 1 in self.chosen.loose

    @property
    def muted(self) -> bool:
        return self.loose and not self.weights.any()

    @property
    def times(self) -> float:
        """What multiplies the head's scores, × what the model does."""
        return self.chosen.times[self.head - 1]

    @property
    def key(self) -> int:
        return self.wished if self.wished >= 0 else int(np.argmax(self.weights[self.row]))

    def with_each_key(self) -> Iterator["State"]:
        """Yield the state with each key that may be the chosen one: of those that are read most, any."""
        row, allowed = self.weights[self.row], self.allowed[self.row]
        most = (row >= row.max() * (1 - 1e-4)) & (allowed | ~allowed.any())
        for key in np.flatnonzero(most) if self.wished < 0 else [self.wished]:
            yield replace(self, wished=int(key))

    @property
    def open_scores(self) -> Numbers:
        return self.scores[self.allowed]

    @property
    def ceilings(self) -> Numbers:
        """ln of what each row may read, its sink included; NaN for a row without a key."""
        most = np.log(np.maximum(self.allowed.sum(-1) + (self.sunk is not None), 1))
        return np.where(self.readable, most, np.nan)

    @property
    def readable(self) -> NDArray[np.bool_]:
        """True for a row that the mask leaves something to read."""
        return self.allowed.any(-1)

    def measured(self, measure: str) -> float:
        return float(self.measures[measure][self.layer - 1, self.head - 1])

    def rows_of(self, measure: str, over: str | None = None) -> tuple[int, int]:
        """Return over how many rows a measure of the head is taken, and how many there are."""
        corpus = (over or self.over) == "corpus"
        counts = head_behaviour.corpus_rows(self.model) if corpus else head_behaviour.counted(self.layers, self.now.ids)
        at = self.layer - 1, self.head - 1
        return int(counts[measure][at]), int(counts["entropy"][at])

    def chance(self, measure: str, over: str | None = None) -> float:
        """Return what a head that reads all its keys alike has of a measure over the same rows."""
        corpus = (over or self.over) == "corpus"
        even = (
            head_behaviour.corpus_chances(self.model) if corpus else head_behaviour.chances(self.layers, self.now.ids)
        )
        return float(even[measure][self.layer - 1, self.head - 1])

    def token(self, at: int) -> str:
        """Return a token as a sentence names it: with its place, no longer than ten characters."""
        return f"{at} “{called(self.tokens[at])}”"

    def places(self, said: str) -> list[int]:
        """Return the position that a named token has, if it is named as it is."""
        at = int(said.split(" ")[0])
        return [at] if at < self.n and said == self.token(at) else []


def called(word: str) -> str:
    """Return a word as it is shown: no longer than ten characters, with blanks that are seen."""
    word = word.replace(" ", "␣")
    return word if len(word) <= 10 else word[:9] + "…"


def state(query: str) -> State:
    """Compute the truth of a state."""
    settings = {name: values[0] for name, values in parse_qs(query.partition("#")[0]).items()}
    model, over = settings["model"], settings["over"]
    tokens = ("<bos>", *_TOKEN.findall(settings["text"])[:63])
    ids = learned.numbered(tokens)
    n = len(tokens)
    made = model_changed.made(settings.get("changes", ""), model, n)
    pinned = model_changed.made(settings.get("against", ""), model, n).changes
    before = model_changed.running(model, ids, pinned)
    now = model_changed.running(model, ids, made.changes)
    layers = now.layers
    here = head_behaviour.over_text(layers, ids)
    costs = _costs(model, now, made.changes) if settings.get("cost") == "text" else None
    there = head_behaviour.over_corpus(model) if over == "corpus" else here
    return State(
        model=model,
        lang=settings.get("lang", "en"),
        before=before,
        now=now,
        changes=made.changes,
        against=pinned,
        costs=costs,
        tokens=tokens,
        layer=min(int(settings["layer"]), len(layers)),
        head=min(max(1, int(settings["head"])), learned.HEADS),
        row=min(int(settings.get("row", n)), n - 1),
        wished=min(int(settings["key"]), n - 1),
        measures=there if costs is None else {**there, "cost": costs},
        here=here,
        over=over,
        axes=_axes(settings, here if costs is None else {**here, "cost": costs}),
        answer=query.partition("#")[2],
        sort=settings.get("sort", "layer"),
        only=settings.get("only", "all"),
        least=float(settings.get("least", 0.05)),
        shows=settings.get("shows", "weights"),
    )


def _costs(model: str, now: Running, changes: tuple[Any, ...]) -> Numbers:
    """Return ln p of the text less that without each head, layers × h."""
    return np.array(
        [
            [
                now.text_log
                - model_changed.running(model, now.ids, model_changed.without(changes, layer, head)).text_log
                for head in range(1, HEADS + 1)
            ]
            for layer in range(1, len(now.layers) + 1)
        ]
    )


def _axes(settings: Mapping[str, str], here: Mapping[str, Any]) -> tuple[str, str]:
    """Return the wished axes; one of another kind of model, such as of pictures, rests on the page's first."""
    x, y = settings["x"], settings["y"]
    return x if x in here else "distance", y if y in here else "entropy"


def same(claimed: float, true: float) -> bool:
    """Return True for equal numbers, within what float32 leaves of a sum of terms of both signs."""
    return near(claimed, true) or abs(claimed - true) < 1e-4 or (math.isnan(claimed) and math.isnan(true))


def differing(facts: Mapping[str, Any], **true: Any) -> Iterator[str]:
    """Yield the facts that differ from the truth."""
    for name, value in true.items():
        claimed = facts[name]
        if not (same(claimed, value) if isinstance(value, float) else claimed == value):
            yield f"{name} is {value!r}, not {claimed!r}"
