"""What the sentences on one head against several claim, held to the snapshots."""

from collections.abc import Iterable

import numpy as np

from tests.checker.checking import near
from tests.checker.train_truth import Facts, Truth, differing, one_of


def plan_heads(true: Truth, facts: Facts) -> Iterable[str]:
    wanted = true.wanted
    yield from one_of(true.heads)
    stated = (list(facts["h"]), facts["curves"], facts["seeds"], facts["steps"], facts["m"], facts["d_model"])
    if stated != (list(wanted.h), len(wanted.h), wanted.seeds, wanted.steps, wanted.m, wanted.d_model):
        yield "another plan"


def heads_outcome(true: Truth, facts: Facts) -> Iterable[str]:
    yield from one_of(true.heads)
    if facts["m"] != true.wanted.m:
        yield "another number of positions"
    if [one.facts["h"] for one in facts["values"]] != sorted(true.wanted.h):
        yield "other numbers of heads"
    for one in facts["values"]:
        if not near(one.facts["accuracy"], float(true.accuracy(one.facts["h"]).mean())):
            yield f"h = {one.facts['h']} is another number"


def _mass(true: Truth, facts: Facts) -> Iterable[str]:
    m = true.wanted.m
    if facts["h"] != m or m not in true.wanted.h:
        yield "these heads were not trained"
        return
    mass = true.last(m).mass[0].double().numpy()
    if not near(facts["mass"], float(mass.max(1).mean())):
        yield f"they put {mass.max(1).mean()} on it"
    ordered = np.sort(mass, 1)
    if m > 1 and (ordered[:, -1] - ordered[:, -2]).min() < 0.01:
        yield "a head has no favourite"
    if facts.get("names", 1) != len(set(mass.argmax(1).tolist())):
        yield "another number of names"


def share(true: Truth, facts: Facts) -> Iterable[str]:
    if facts["h"] < 2:
        yield "a single head shares nothing"
    yield from _mass(true, facts)


def share_one(true: Truth, facts: Facts) -> Iterable[str]:
    if true.wanted.m != 1:
        yield "several names"
    yield from _mass(true, {**facts, "h": 1})


def divergence(true: Truth, facts: Facts) -> Iterable[str]:
    m = true.wanted.m
    if facts["h"] != m or m not in true.wanted.h or m < 2:
        yield "no two heads were trained"
        return
    shot = true.last(m)
    before, after = (float(values.double().mean()) for values in (shot.start_divergence, shot.divergence))
    if not (near(facts["before"], before) and near(facts["after"], after)):
        yield f"it goes from {before} to {after}"


def divergence_misleads(true: Truth, facts: Facts) -> Iterable[str]:
    yield from divergence(true, facts)
    if facts["before"] < 0.01:
        yield "random heads do not differ"


def mlp(true: Truth, facts: Facts) -> Iterable[str]:
    if not (true.heads and true.wanted.mlp and true.wanted.m > 1 and 1 in true.wanted.h):
        yield "no single head with an MLP behind it reads several positions"
        return
    if not near(facts["accuracy"], float(true.accuracy(1).mean())) or facts["m"] != true.wanted.m:
        yield "another number"


def more_values(true: Truth, facts: Facts) -> Iterable[str]:
    if true.wanted.classes >= 64:
        yield "there are no more values to choose"
    if float(true.accuracy(1).mean()) < 0.9:
        yield "fewer values would be more telling"


def mlp_unseen(true: Truth, facts: Facts) -> Iterable[str]:
    if not (true.heads and true.wanted.mlp and true.wanted.m > 1) or 1 in true.wanted.h:
        yield "h = 1 is there, or nothing is averaged"


def heads_ends(true: Truth, facts: Facts) -> Iterable[str]:
    ends = [float(true.accuracy(end(true.wanted.h)).mean()) for end in (min, max)]
    pairs = list(zip((facts["few"], facts["many"]), ends, strict=True))
    yield from differing(true, pairs, true.heads, len(true.wanted.h) > 1)


def heads_single(true: Truth, facts: Facts) -> Iterable[str]:
    yield from one_of(min(true.wanted.h) == 1)
    yield from heads_ends(true, facts)


def heads_alone(true: Truth, facts: Facts) -> Iterable[str]:
    (h,) = true.wanted.h
    yield from differing(true, [(facts["accuracy"], true.accuracy(h).mean())], true.heads, facts["h"] == h)
