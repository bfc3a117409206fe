"""Which node tests the mutations of a script meet."""

from pathlib import Path

import pytest

from benchmarks.mutations import in_node

SCRIPT = "assets/js/x.js"


def _tree(folder: Path, **scripts: str) -> Path:
    """Write node tests by name, and the script that they may import."""
    for name in ("assets/js", "tests/scripts"):
        (folder / name).mkdir(parents=True)
    (folder / SCRIPT).write_text('export { y } from "./y.js";\n', encoding="utf-8")
    (folder / "assets/js/y.js").write_text("export const y = 1;\n", encoding="utf-8")
    for name, text in scripts.items():
        (folder / "tests/scripts" / f"{name}.test.mjs").write_text(f"{text}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('import { y } from "../../assets/js/x.js";', True),
        ('import {\n  y,\n} from "../../assets/js/x.js";', True),
        ("import '../../assets/js/x.js';", True),
        ('const { y } = await import("../../assets/js/x.js");', True),
        ('const { y } =\n  await import("../../assets/js/x.js");', True),
        ("const page = await import(`../../assets/js/x.js?${number}`);", True),
        ('/** @typedef {import("../../assets/js/x.js").Y} Y */', False),
        ('const y = /** @type {import("../../assets/js/x.js").Y} */ ({});', False),
        ('import { y } from "../../assets/js/y.js";', False),
        ('import { y } from "x.js";', False),
    ],
)
def test_a_script_meets_the_node_test_that_imports_it(line: str, found: bool, tmp_path: Path) -> None:
    tree = _tree(tmp_path, one=line, other='import test from "node:test";')
    assert in_node.tests(SCRIPT, tree) == ([tree / "tests/scripts/one.test.mjs"] if found else [])
    assert in_node.is_tested(SCRIPT, tree) is found


def test_a_script_meets_first_what_imports_it_itself_and_then_what_draws_little(tmp_path: Path) -> None:
    own, through = 'import "../../assets/js/y.js";', 'import "../../assets/js/x.js";'
    draws = "\nfc.assert(one);\nfc.assert(other);"
    tree = _tree(tmp_path, a=through + draws, b=through, c=own + draws, d=own)
    assert [path.name[0] for path in in_node.tests("assets/js/y.js", tree)] == ["d", "c", "b", "a"]
    assert in_node.is_tested("assets/js/y.js", tree)
    assert [path.name[0] for path in in_node.tests(SCRIPT, tree)] == ["b", "a"]
