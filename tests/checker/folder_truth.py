"""The truth of what the page Model compares in a model of a folder: numpy in float64 over what two runs computed.

The tensors of the two runs are data, and what a link changes is read from its text. Small random models are drawn; with
`HEADLIGHT_MODELS` the models of that folder as well.
"""

import math
import os
import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from attention_core.learned import Likeness, ModelRun, Said
from attention_core.models import FolderModel, ModelFolder
from tests.attention_core.models.small_folders import write
from tests.checker.learned import Numbers
from tests.offline import offline
from visualiser.figures.read_head import ReadHead

SMALL: Final = ("gpt2", "llama", "bert", "roberta", "neox")
"""Decoders that say the next token, one that fills in a masked one, and one that says how like sentences are."""
FOLDER: Final = os.environ.get("HEADLIGHT_MODELS", "")
_OF_FOLDER: Final = "folder."
"""What a name of the folder begins with here, and none of a small model."""
_SHARPER: Final = 6.0
"""Times which queries are multiplied, so that heads differ and changes are seen."""
_PLACE: Final = re.compile(r"[a-z_]+(?::[-.0-9]+)?(?:@(\d+)(?:\.(\d+))?)?")


def names(folder: str) -> tuple[str, ...]:
    """Return the names of the small models and of those of a folder, if one is given, which may have the same ones."""
    return *SMALL, *sorted(_OF_FOLDER + path.parent.name for path in Path(folder).glob("*/config.json") if folder)


NAMES: Final = names(FOLDER)


@cache
def model(name: str) -> FolderModel:
    """Return a model: of the drawn ones a small random one."""
    with offline():
        if name not in SMALL:
            return ModelFolder(Path(FOLDER)).load(name.removeprefix(_OF_FOLDER))
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), name)
            found = ModelFolder(Path(folder)).load(name)
    queries = [
        one for named, one in found.model.named_parameters() if re.search("query|q_proj|c_attn|query_key", named)
    ]
    with torch.no_grad():
        for one in queries:
            one.mul_(_SHARPER)
    return found


@dataclass(frozen=True, eq=False)
class State:
    """What of two runs is compared: ln p, or the cosines of all pairs of sentences, and the layers of both.

    touched     the heads, from 1, on which a change acts that one of the two lists has and not the other
    delimiters  the numbers of the tokens that part a text
    """

    shown: ReadHead
    changes: tuple[str, ...]
    against: tuple[str, ...]
    delimiters: frozenset[int] = frozenset()

    @property
    def is_changed(self) -> bool:
        return self.changes != self.against

    @property
    def runs(self) -> tuple[ModelRun, ModelRun]:
        return self.shown.before or self.shown.run, self.shown.run

    @property
    def heads(self) -> list[tuple[int, int]]:
        run = self.shown.run
        return [(at + 1, head + 1) for at, one in enumerate(run.layers) for head in range(one.weights.shape[-3])]

    @property
    def touched(self) -> set[tuple[int, int]]:
        own = {*self.changes} ^ {*self.against}
        found = [_PLACE.fullmatch(one) for one in own]
        places = [one.groups() for one in found if one is not None]
        return {
            at
            for at in self.heads
            if any(layer in (None, str(at[0])) and head in (None, str(at[1])) for layer, head in places)
        }

    @property
    def of_sentences(self) -> bool:
        return self.shown.saying is not None and isinstance(self.shown.saying.after, Likeness)

    @property
    def outcomes(self) -> tuple[Numbers, Numbers, dict[str, list[int]]]:
        """Probabilities of all tokens at the chosen query, or cosines of all pairs; and the places of each name."""
        said = self.shown.saying
        assert said is not None
        if isinstance(said.before, Likeness) and isinstance(said.after, Likeness):
            count = len(said.after.sentences)
            pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
            then, now = (_cosines(each.vectors.double().numpy(), pairs) for each in (said.before, said.after))
            return then, now, {f"{one + 1}–{other + 1}": [at] for at, (one, other) in enumerate(pairs)}
        assert isinstance(said.before, Said)
        assert isinstance(said.after, Said)
        row = self.row(said.after)
        then, now = (np.exp(each.logs[row].double().numpy()) for each in (said.before, said.after))
        return then, now, {}

    def row(self, said: Said) -> int:
        """Return the row of the chosen query."""
        return max((at for at, place in enumerate(said.places) if place <= self.shown.row), default=0)

    @property
    def text_logs(self) -> tuple[float, float]:
        said = self.shown.saying
        assert said is not None
        found = []
        for one in (said.before, said.after):
            assert isinstance(one, Said)
            found.append(sum(float(one.logs[at, true]) for at, true in enumerate(one.truth) if true >= 0))
        return found[0], found[1]

    @property
    def moved(self) -> dict[tuple[int, int], float]:
        """How far heads moved without a change of their own, or all if each has one; NaN if it is not measured."""
        found = {}
        for layer, head in self.heads:
            then, now = (run.layers[layer - 1] for run in self.runs)
            p, q = (one.weights[head - 1].double().numpy() for one in (then, now))
            sinks = [0.0 if one.sink is None else one.sink[head - 1].double().numpy() for one in (then, now)]
            apart = (np.abs(q - p).sum(-1) + np.abs(sinks[1] - sinks[0])).mean() / 2
            loose = head - 1 in then.unnormalised or head - 1 in now.unnormalised
            found[layer, head] = math.nan if loose else float(apart)
        every = self.touched == {*self.heads}
        return {at: share for at, share in found.items() if every or at not in self.touched}

    @property
    def entropies(self) -> tuple[Numbers, Numbers]:
        """The mean entropy of each layer's rows, of heads whose weights add up to 1 in both; NaN without one."""
        found = [
            [
                _entropy(run, number, run.layers[number].unnormalised | other.layers[number].unnormalised)
                for number in range(len(run.layers))
            ]
            for run, other in (self.runs, self.runs[::-1])
        ]
        return np.array(found[0]), np.array(found[1])


def _cosines(vectors: Numbers, pairs: list[tuple[int, int]]) -> Numbers:
    lengths = np.sqrt((vectors**2).sum(-1))
    return np.array([vectors[one] @ vectors[other] / (lengths[one] * lengths[other]) for one, other in pairs])


def _entropy(run: ModelRun, number: int, loose: frozenset[int]) -> float:
    layer = run.layers[number]
    rows: list[Any] = []
    for head in range(layer.weights.shape[0]):
        if head in loose:
            continue
        p = layer.weights[head].double().numpy()
        if layer.sink is not None:
            p = np.concatenate([p, layer.sink[head].double().numpy()[:, None]], -1)
        entropies: NDArray[np.float64] = -(p * np.log(np.where(p > 0, p, 1.0))).sum(-1)
        rows.append(entropies[layer.allowed[head].any(-1).numpy()])
    counted = np.concatenate(rows) if rows else np.zeros(0)
    return float(counted.mean()) if len(counted) else math.nan
