"""What a module quotes is written elsewhere, too, in a module, a script, a style or a text, but for what
`__snapshots__` lists: names of libraries, files and browsers that are needed once. Another one is misspelt or needless.

`bash tests/run.sh tests/visualiser/test_module_names.py --snapshot-update` writes the list anew: read its difference
before you commit it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from tests.visualiser.facts import lines
from tests.visualiser.test_script_names import NAME, ROOT, WRITING, written
from tests.visualiser.test_snapshots import PageTexts

MODULES = sorted(path for name in ("attention_core", "visualiser") for path in (ROOT / name).rglob("*.py"))


def quoted(node: ast.AST) -> Iterator[str]:
    """Yield the texts in a part of a module, without docstrings and templates."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from quoted(child)


def names(path: Path) -> dict[str, None]:
    """Return the names that a module quotes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return dict.fromkeys(name for text in quoted(tree) for name in NAME.findall(text))


def test_no_other_name_in_a_module_stands_alone(snapshot: SnapshotAssertion) -> None:
    count = written(WRITING.keys() - {"tests"})
    alone = {path: [name for name in names(path) if count[name] == 1] for path in MODULES}
    found = [f"{path.relative_to(ROOT).as_posix()}: {line}" for path, own in alone.items() for line in lines(own)]
    assert "\n".join(found) + "\n" == snapshot.use_extension(PageTexts)
