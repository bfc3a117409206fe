"""The positions of a sequence as the scripts of the Model page know them."""

from typing import Any

from attention_core.learned import Line


def line_tree(line: Line) -> dict[str, Any]:
    """Return what the script knows of the positions of a sequence."""
    grids = [
        {
            "picture": grid.picture, "first": grid.first, "rows": grid.rows, "columns": grid.columns,
            "stride": grid.stride, "box": list(grid.box),
        }
        for grid in line.grids
    ]  # fmt: skip
    return {
        "name": line.name, "tokens": list(line.tokens), "cut": line.cut, "seconds": line.seconds, "grids": grids,
        "written": line.written, "forms": list(line.forms), "ids": list(line.ids), "stands": list(line.stands),
        "end": line.end,
    }  # fmt: skip
