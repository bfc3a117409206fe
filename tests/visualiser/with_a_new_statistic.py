"""A program that adds two statistics to the core's table, loads the app, and prints each place where both appear.

One is of the weights and derived from another; one is of the gradient with its own formula.
"""

import csv
import io
import sys
from collections.abc import Iterator

import numpy as np
import torch

import attention_core
from attention_core.blocks import row_statistics as core
from visualiser import locale

KEYS, SLOPE = "participation", "slope"


def register() -> None:
    """Follow the steps of the recipe: entries, attributes, names."""
    entry = core.RowStatistic
    limits = core.ROW_STATISTICS["effective_keys"], core.ROW_STATISTICS["jacobian_trace"]
    new = (
        entry(
            name=KEYS, symbol="1/Σp²", unit="keys", kind="weights", formula="1/Σp²", reference="none", empty=1.0,
            derived=("sum_of_squares", lambda values: torch.where(values > 0, 1 / values, 1.0)),
            least=limits[0].least, most=limits[0].most, uniform=limits[0].uniform,
        ),
        entry(
            name=SLOPE, symbol="p(1−p)", unit="1", kind="gradient", formula="max p (1 − max p)", reference="none",
            summed=lambda rows: rows.top * rows.first,
            least=limits[1].least, most=limits[1].most, uniform=None,
        ),
    )  # fmt: skip
    table = dict(core.ROW_STATISTICS) | {each.name: each for each in new}
    core.ROW_STATISTICS = attention_core.ROW_STATISTICS = table  # type: ignore[misc]
    for each in new:
        attribute = core.Attribute()
        attribute.__set_name__(core.RowAttributes, each.name)
        setattr(core.RowAttributes, each.name, attribute)
    texts = {lang: dict(locale.texts(lang)) | {f"statistic.{each.name}": each.name for each in new} for lang in ("en",)}
    locale.texts = texts.__getitem__  # type: ignore[assignment]


def places() -> Iterator[tuple[str, object]]:
    """Yield each place and its content, after both were registered."""

    from attention_core import AttentionConfig, attention_statistics, compute
    from attention_core.blocks.row_statistics import documented
    from visualiser.drawing import boxes
    from visualiser.export import npz, rows_csv
    from visualiser.figures import entropy, gradient, mechanism_maps, row, strips, window_map
    from visualiser.figures.mapped import Mapped, look
    from visualiser.figures.point import Point
    from visualiser.maps.kept import Kept
    from visualiser.pages.explore.endpoint import attention
    from visualiser.pages.map import files, rows
    from visualiser.pages.map.endpoint import long_sequence
    from visualiser.pages.why.point import results
    from visualiser.state.view import View

    config = AttentionConfig(n=7, h=2, d_k=5, tie=False)
    result = compute(config)
    np.testing.assert_allclose(result.statistic(KEYS), 1 / result.weights.square().sum(-1), rtol=1e-6)
    yield "npz", list(np.load(io.BytesIO(npz(result))))
    yield "csv", next(csv.reader(io.StringIO(b"".join(rows_csv(result)).decode("utf-8-sig"))))
    yield "endpoint", attention(n=5, h=2)
    yield "map-endpoint", long_sequence(n=65, h=2)
    yield "entropy-figure", _kinds(entropy.draw(result))
    yield "gradient-figure", _kinds(gradient.draw(result))
    yield "entropy-table", _labels(entropy.table(result, View(row=2)))
    yield "gradient-table", _labels(gradient.table(result, View(row=2)))
    yield "entropy-sentence", entropy.summary(result, View())
    yield "gradient-sentence", gradient.summary(result, View())
    yield "means", boxes.averaged(AttentionConfig())
    yield "hover", boxes.boxed(AttentionConfig())
    yield "mechanisms-table", _labels(mechanism_maps.table(Point(config, results(config)), View()))
    Q, K = result.Q, result.K
    kept = Kept(config, Q, K, None, attention_statistics(Q, K, overview=256))
    assert kept.bytes > 0
    yield "map-csv", files.lines(kept).decode()
    yield "map-npz", list(np.load(io.BytesIO(files.archive(kept))))
    yield "map-look", [each["name"] for each in look(config, "en", False)["strips"]]
    yield "map-strips", [trace["name"] for trace in strips.draw(kept.statistics, 1).data]
    yield "map-heads", _labels(window_map.table(Mapped(kept), View()))
    opened = rows.row_of(kept, 1, 3)
    yield "map-row", list(opened.statistics)
    yield "map-row-sentence", row.summary(opened, View())
    yield "documentation", [each[0] for each in documented()]


def _kinds(drawing: object) -> list[str]:
    return [trace["meta"]["kind"] for trace in drawing.data if trace["type"] == "box"]  # type: ignore[attr-defined]


def _labels(table: object) -> str:
    return " ".join(column.label for column in table.columns)  # type: ignore[attr-defined]


ONE_ALONE = {
    **dict.fromkeys(("entropy-figure", "entropy-table", "entropy-sentence"), (KEYS,)),
    **dict.fromkeys(("gradient-figure", "gradient-table", "gradient-sentence"), (SLOPE,)),
}
"""Figures that show one kind of statistic."""

if __name__ == "__main__":
    register()
    for place, held in places():
        missing = [name for name in ONE_ALONE.get(place, (KEYS, SLOPE)) if name not in held]  # type: ignore[operator]
        if missing:
            raise SystemExit(f"{place} lacks {missing}: {held}")
        sys.stdout.write(f"{place}\n")
