"""A row's weight shared out among text, pictures, the first position and a learned sink, against plain loops."""

import random

import pytest
import torch

from attention_core.learned import SHARES, Line, ModelRun, PatchGrid, head_measures, shares
from tests.attention_core.learned.oracles import random_layer


def pictured_line(chosen: random.Random) -> Line:
    """Return tokens with up to two pictures among them, perhaps at the very beginning, perhaps with marks in rows."""
    tokens, ids, grids = list[str](), list[int](), list[PatchGrid]()
    for picture in range(chosen.randint(1, 2)):
        before = chosen.randint(0, 2)
        tokens += ["word"] * before
        ids += [chosen.randint(0, 4) for _ in range(before)]
        rows, columns, more = chosen.randint(1, 3), chosen.randint(1, 3), chosen.randint(0, 1)
        grids.append(PatchGrid(picture, len(tokens), rows, columns, stride=columns + more))
        for row in range(rows):
            tokens += [*(f"{row + 1}·{column + 1}" for column in range(columns)), *["break"] * more]
            ids += [*[-1] * columns, *[9] * more]
    tokens += ["word"]
    return Line("text", (*tokens,), (*ids, 3), (*grids,))


@pytest.mark.parametrize("seed", range(20))
def test_shares_are_those_of_plain_loops_and_add_up(seed: int) -> None:
    chosen = random.Random(seed)
    line = pictured_line(chosen)
    layer = random_layer(chosen, len(line), len(line))
    found = shares(layer, line)
    assert tuple(found.parts) == SHARES
    weights = layer.weights
    for head in range(weights.shape[0]):
        for query in range(len(line)):
            parts, pictures = dict.fromkeys(SHARES, 0.0), dict.fromkeys({grid.picture for grid in line.grids}, 0.0)
            for key, weight in enumerate(weights[head, query].tolist()):
                patch = line.patches.get(key)
                parts["first" if key == 0 else "text" if patch is None else "picture"] += weight
                if key and patch is not None:
                    pictures[line.grids[patch[0]].picture] += weight
            parts["sink"] = 0.0 if layer.sink is None else float(layer.sink[head, query])
            for name in SHARES:
                assert float(found.parts[name][head, query]) == pytest.approx(parts[name], abs=1e-5, nan_ok=True)
            for number, share in pictures.items():
                assert float(found.pictures[number][head, query]) == pytest.approx(share, abs=1e-5, nan_ok=True)
    whole = torch.stack([*found.parts.values()]).sum(0)
    there = ~whole.isnan()  # −∞ everywhere has no weights
    torch.testing.assert_close(whole[there], torch.ones_like(whole[there]))
    pictures = torch.stack([*found.pictures.values()]).sum(0)
    torch.testing.assert_close(pictures, found.parts["picture"], equal_nan=True)


@pytest.mark.parametrize("seed", range(8))
def test_a_head_is_measured_by_what_its_text_gives_to_pictures(seed: int) -> None:
    chosen = random.Random(seed)
    line = pictured_line(chosen)
    layer = random_layer(chosen, len(line), len(line))
    run = ModelRun((line,), (layer,), ((0, 0),))
    found = head_measures(run, frozenset())["picture"][0]
    parts = shares(layer, line).parts["picture"]
    patches = [position for position in line.patches if position]
    for head in range(layer.weights.shape[0]):
        rows = [
            at for at in range(len(line)) if at not in line.patches and bool(layer.allowed[head, at, patches].any())
        ]
        expected = float(parts[head, rows].mean()) if rows and layer.kind == "self" else float("nan")
        assert float(found[head]) == pytest.approx(expected, abs=1e-5, nan_ok=True)


def test_without_a_picture_everything_is_text() -> None:
    line = Line("text", ("a", "b", "c"), (1, 2, 3))
    layer = random_layer(random.Random(3), 3, 3)
    found = shares(layer, line)
    assert not found.pictures
    assert not found.parts["picture"].any()
