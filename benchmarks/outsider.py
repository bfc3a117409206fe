"""The page of a head, recomputed by somebody else: plain numpy over the weights that transformers gives.

    python -m benchmarks.outsider FOLDER MODEL [--heads 1.1 2.3] [--texts 73]

Reads the English prose of this project with a model of a folder, once with `read_texts` and once here, and prints the
largest differences: of the measures and their rows, the ten strongest passages, the passages of the sample, the
tokens that a head joins with how often they stand in the texts, and the histogram of |q − k|. `Outsider` has none of
our code: transformers gives ids and weights, in float64.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import transformers as hf
from numpy.typing import NDArray

from attention_core.learned.head_texts import TextReading, passages, read_texts
from attention_core.learned.head_texts.cutting import read_at_once
from attention_core.models import ModelFolder
from attention_core.prose import prose
from benchmarks.machine import described

Weights = NDArray[np.float64]
BINS: Final = (*range(32), *(2**power for power in range(5, 20)))
MARKED: Final[dict[str, Callable[[Sequence[int], int, int], bool]]] = {
    "sink": lambda ids, q, k: k == 0 and q > 0,
    "previous_token": lambda ids, q, k: k == q - 1,
    "own_token": lambda ids, q, k: k == q and q > 0,
    "next_token": lambda ids, q, k: k == q + 1,
    "same_token": lambda ids, q, k: k < q and ids[k] == ids[q],
    "local": lambda ids, q, k: 1 <= abs(q - k) <= 3,
}
"""The keys whose weight a measure adds up, by the numbers of the tokens and the places of query and key."""


class Outsider:
    """One head over texts: ids and weights of each, and what follows from them."""

    def __init__(self, read: Sequence[tuple[str, list[int], Weights]], causal: bool) -> None:
        self.read = [(text, ids, p, self._allowed(len(ids), causal)) for text, ids, p in read]
        self._rows: dict[str, list[tuple[str, list[float]]]] = {}

    @staticmethod
    def _allowed(n: int, causal: bool) -> NDArray[np.bool_]:
        return np.tril(np.ones((n, n), dtype=bool)) if causal else np.ones((n, n), dtype=bool)

    def rows(self, measure: str) -> list[tuple[str, list[float]]]:
        """Return each text with the values of the rows that a measure counts."""
        if measure not in self._rows:
            self._rows[measure] = self._of(measure)
        return self._rows[measure]

    def _of(self, measure: str) -> list[tuple[str, list[float]]]:
        found = []
        for text, ids, p, allowed in self.read:
            values = []
            for q in range(len(ids)):
                if measure == "entropy":
                    values.append(float(-(p[q] * np.log(np.where(p[q] > 0, p[q], 1.0))).sum()))
                elif measure == "distance":
                    values.append(float((p[q] * abs(np.arange(len(ids)) - q)).sum() / p[q].sum()))
                else:
                    keys = [k for k in range(len(ids)) if allowed[q, k] and MARKED[measure](ids, q, k)]
                    if keys:
                        values.append(float(p[q, keys].sum()))
            found.append((text, values))
        return found

    def strongest(self, measure: str) -> list[tuple[str, float, int]]:
        """Return the ten texts with the largest mean over at least five rows."""
        told = [(text, float(np.mean(rows)), len(rows)) for text, rows in self.rows(measure) if len(rows) >= 5]
        return sorted(told, key=lambda one: -one[1])[:10]

    def joined(self) -> dict[str, Any]:
        """Return what the rows behind the first position read most, and how far their weight goes."""
        pairs: dict[tuple[int, int], list[float]] = defaultdict(list)
        stand: Counter[int] = Counter()
        counted = on_first = 0
        far, even = np.zeros(len(BINS)), np.zeros(len(BINS))
        for _, ids, p, allowed in self.read:
            stand.update(ids[1:])
            for q in range(1, len(ids)):
                there = np.flatnonzero(allowed[q])
                k = int(there[p[q, there].argmax()])
                counted, on_first = counted + 1, on_first + (k == 0)
                if k:
                    pairs[ids[q], ids[k]].append(float(p[q, k]))
                at = np.searchsorted(BINS, abs(q - there), side="right") - 1
                np.add.at(far, at, p[q, there])
                np.add.at(even, at, 1 / len(there))
        return {"pairs": pairs, "of": stand, "rows": counted, "on_first": on_first, "far": far / counted,
                "even": even / counted}  # fmt: skip


def read_by(folder: Path, texts: Sequence[str], heads: Sequence[tuple[int, int]]) -> list[Outsider]:
    """Read texts with transformers alone, in float64."""
    hf.logging.set_verbosity_error()
    tokenizer = hf.AutoTokenizer.from_pretrained(folder)
    config = hf.AutoConfig.from_pretrained(folder)
    causal = "ForCausalLM" in str(config.architectures)
    kind = hf.AutoModelForCausalLM if causal else hf.AutoModel
    model = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()
    found: list[list[tuple[str, list[int], Weights]]] = [[] for _ in heads]
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            attentions = model(**inputs, output_attentions=True).attentions
        ids = inputs["input_ids"][0].tolist()
        for kept, (layer, head) in zip(found, heads, strict=True):
            kept.append((text, ids, attentions[layer - 1][0, head - 1].double().numpy()))
    return [Outsider(read, causal) for read in found]


def compare(ours: TextReading, own: Outsider, layer: int, head: int) -> dict[str, float]:
    """Return the largest difference of each kind of number; infinity where a text, a token or a count differs."""
    apart: dict[str, float] = {}
    for measure in (*MARKED, "entropy", "distance"):
        each = own.rows(measure)
        rows = [value for _, values in each for value in values]
        score = ours.measures.score(measure, layer, head)
        if not rows:
            apart[measure] = 0.0 if math.isnan(score.value) else math.inf
            continue
        apart[measure] = abs(score.value - float(np.mean(rows))) if score.rows == len(rows) else math.inf
        apart[f"{measure}: strongest"] = _strongest(ours, own, measure, layer, head)
        apart[f"{measure}: sample"] = _sample(ours, dict(each), measure, layer, head)
    apart |= _joined(ours, own, layer, head)
    return apart


def _strongest(ours: TextReading, own: Outsider, measure: str, layer: int, head: int) -> float:
    """Compare the ten strongest; passages whose scores float32 does not tell apart may change places."""
    theirs, found = own.strongest(measure), ours.strongest(measure, layer, head)
    if len(theirs) != len(found):
        return math.inf
    scores = {text: (score, rows) for text, score, rows in theirs}
    least = theirs[-1][1] if theirs else 0.0
    worst = 0.0
    for passage, (_, score, _) in zip(found, theirs, strict=True):
        known, rows = scores.get(passage.text, (least, passage.rows))
        worst = max(worst, abs(passage.score - score), abs(passage.score - known))
        worst = worst if rows == passage.rows else math.inf
    return worst


def _sample(ours: TextReading, each: dict[str, list[float]], measure: str, layer: int, head: int) -> float:
    """Compare the passages of the bands, which must fall from one to the next and be as many in each, or one more."""
    bands = ours.bands(measure, layer, head)
    told = [passage for band in bands for passage in band]
    sizes = [len(band) for band in bands]
    falls = all(one.score >= other.score for one, other in pairwise(told))
    known = all(one.text in each and len(each[one.text]) == one.rows for one in told)
    if not falls or not known or max(sizes) - min(sizes) > 1:
        return math.inf
    return max((abs(one.score - float(np.mean(each[one.text]))) for one in told), default=0.0)


def _joined(ours: TextReading, own: Outsider, layer: int, head: int) -> dict[str, float]:
    true, found = own.joined(), ours.joined(layer, head, most=20)
    counts = (found.rows, found.on_first, found.tokens, found.missed)
    same = counts == (true["rows"], true["on_first"], true["of"].total(), 0)
    apart = {"joined: rows": 0.0 if same else math.inf}
    for name, end, listed in (("queries", 0, found.queries), ("keys", 1, found.keys)):
        by_token: dict[int, list[float]] = defaultdict(list)
        for pair, weights in true["pairs"].items():
            by_token[pair[end]] += weights
        told = {one.id: (one.rows, one.of) for one in listed}
        right = all((len(by_token[id_]), true["of"][id_]) == one for id_, one in told.items())
        most = sorted(map(len, by_token.values()), reverse=True)[:20]
        right = right and [one.rows for one in listed] == most
        apart[f"joined: {name}"] = max((abs(one.p - float(np.mean(by_token[one.id]))) for one in listed), default=0.0)
        apart[f"joined: {name}"] = apart[f"joined: {name}"] if right else math.inf
    pairs = {(one.query, one.key): one for one in found.pairs}
    right = all(len(true["pairs"][at]) == one.rows for at, one in pairs.items())
    right = right and [one.rows for one in found.pairs] == sorted(map(len, true["pairs"].values()), reverse=True)[:20]
    worst = max((abs(one.p - float(np.mean(true["pairs"][at]))) for at, one in pairs.items()), default=0.0)
    apart["joined: pairs"] = worst if right else math.inf
    apart["|q − k|"] = float(abs(np.array(found.distances) - true["far"]).max())
    apart["|q − k|, even"] = float(abs(np.array(found.even) - true["even"]).max())
    return apart


def main() -> None:
    """Compare and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("model")
    options.add_argument("--heads", nargs="+", default=["1.1", "2.3"])
    options.add_argument("--texts", type=int, default=len(prose("english")), help="of the prose, from the first")
    chosen = options.parse_args()
    heads = [(int(layer), int(head)) for layer, head in (one.split(".") for one in chosen.heads)]
    print(*described(), sep="\n")
    model = ModelFolder(chosen.folder).load(chosen.model)
    texts = [*read_at_once(model, passages(islice(prose("english"), chosen.texts)))]
    ours = read_texts(model, texts)
    theirs = read_by(chosen.folder / chosen.model, texts, heads)
    found = [compare(ours, one, *at) for one, at in zip(theirs, heads, strict=True)]
    print(f"{len(texts)} passages\n\n| largest difference | {' | '.join(chosen.heads)} |")
    print("| --- |" + " ---: |" * len(heads))
    for name in found[0]:
        print(f"| {name} | {' | '.join(f'{one[name]:.1e}' for one in found)} |")


if __name__ == "__main__":
    main()
