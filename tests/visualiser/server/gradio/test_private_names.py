"""Names that gradio, uvicorn and starlette do not promise are used in two rooms alone, and exist in today's versions.

Public are the names in ``__all__`` of `gradio`, `uvicorn` and `gradio_client`, `gr.api`, `gr.themes`, and what the
guides show of `Blocks`. Everything else is private: other modules, other attributes of an app, and each attribute that
`visualiser.server.gradio.private` lists. Code in the strings of tests counts as well.
"""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import gradio
import gradio_client
import pytest
import uvicorn

from visualiser.server.gradio.private import PRIVATE

ROOT = Path(__file__).resolve().parents[4]
ROOMS = tuple(f"{top}visualiser/server/{room}/" for top in ("", "tests/") for room in ("gradio", "uvicorn"))
FOLDERS = ("attention_core", "visualiser", "tests", "benchmarks", "docs", "deploy")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))] + [ROOT / "app.py"]
OUTSIDE = [path for path in FILES if not path.relative_to(ROOT).as_posix().startswith(ROOMS)]

PUBLIC = {
    "gradio": {*gradio.__all__, "api", "themes"},
    "uvicorn": set(uvicorn.__all__),
    "gradio_client": {*gradio_client.__all__, "exceptions"},
}
BLOCKS = {"close", "launch", "load", "queue", "route"}
"""What gradio's guides show of an app."""
OTHERS = {"Queue", "app", "client", "config", "loop", "queue", "server_port", "thread"}
"""Attributes that other libraries give their objects, too; of an app they are private all the same."""


def private(tree: ast.AST) -> Iterator[str]:
    """Yield each private name that some code uses."""
    apps = {"demo", *_apps(tree)}
    libraries = dict(_libraries(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if _is_inside(name.name))
            case ast.ImportFrom(module=str(module), names=names):
                yield from (name for name in (f"{module}.{name.name}" for name in names) if _is_inside(name))
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in libraries:
                if attribute not in PUBLIC[libraries[name]]:
                    yield f"{libraries[name]}.{attribute}"
            case ast.Attribute(value=owner, attr=attribute):
                if attribute in unmistakable() or (_is_app(owner, apps) and attribute not in BLOCKS):
                    yield ast.unparse(node)
            case ast.Call(func=ast.Name(id="getattr" | "setattr"), args=[_, ast.Constant(value=name), *_]):
                if name in unmistakable():
                    yield ast.unparse(node)
            case ast.Constant(value=str(text)) if re.fullmatch(r"(gradio|uvicorn)(\.\w+)+", text):
                if _is_inside(text) and _exists(text):
                    yield text
            case ast.Constant(value=str(text)) if re.search(r"^(from|import) ", text, re.MULTILINE):
                with suppress(SyntaxError):  # no code
                    yield from private(ast.parse(text))


def _is_inside(name: str) -> bool:
    top, _, inner = name.partition(".")
    return top in PUBLIC and bool(inner) and inner.partition(".")[0] not in PUBLIC[top]


def _is_app(owner: ast.expr, apps: Collection[str]) -> bool:
    if isinstance(owner, ast.Call):
        return ast.unparse(owner.func) in ("build", "shell.build")
    return isinstance(owner, ast.Name) and owner.id in apps


def _exists(name: str) -> bool:
    owner, _, last = name.rpartition(".")
    return _is_module(name) or (_is_module(owner) and hasattr(sys.modules[owner], last))


def _is_module(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _libraries(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.asname or name.name, name.name) for name in node.names if name.name in PUBLIC)


def _apps(tree: ast.AST) -> Iterator[str]:
    """Yield the variables that hold an app."""
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name, annotation=ast.Attribute(attr="Blocks")):
                yield name
            case ast.withitem(
                context_expr=ast.Call(func=ast.Attribute(attr="Blocks")), optional_vars=ast.Name(id=name)
            ):
                yield name


@cache
def unmistakable() -> frozenset[str]:
    """Return the private attributes that no class and no module of ours has as well."""
    ours: set[str] = set(OTHERS)
    named = {name.rpartition(".")[2] for name in PRIVATE} - ours
    for path in OUTSIDE:
        for node in ast.walk(parsed(path, rf"\b(?:{'|'.join(named)})\b")):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    ours.add(name)
                case ast.Name(id=name, ctx=ast.Store()):
                    ours.add(name)
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                    ours.add(name)
                case ast.arg(arg=name):
                    ours.add(name)
    return frozenset(named) - ours


def parsed(path: Path, concerned: str = "") -> ast.Module:
    """Return the code of a file that holds `concerned`, else none. No tree is kept: it would slow every later test."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text if re.search(concerned, text) else "")


@pytest.mark.slow
def test_no_private_name_is_used_outside_their_rooms() -> None:
    concerned = rf"gradio|uvicorn|\bdemo\b|\bbuild\(|[.\"'](?:{'|'.join(unmistakable())})\b"
    found = {path.relative_to(ROOT).as_posix(): list(private(parsed(path, concerned))) for path in OUTSIDE}
    assert {name: used for name, used in found.items() if used} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "from gradio.routes import App",
        "import gradio.routes",
        "from gradio import routes",
        "import gradio as gr\ngr.routes",
        "from uvicorn.config import Config",
        "import uvicorn\nuvicorn.protocols",
        "def f(page: gr.Blocks):\n    page.config",
        "with gr.Blocks() as page:\n    page.fns",
        "build()._queue",
        "x.pending_messages_per_session",
        "getattr(x, 'auth_dependency', None)",
        "patch('gradio.queueing.asyncio')",
        "CODE = '''\nimport json\nfrom gradio.routes import App\n'''",
    ],
)
def test_each_way_to_a_private_name_is_seen(code: str) -> None:
    assert len(list(private(ast.parse(code)))) == 1


def test_each_import_of_the_rooms_stands_in_the_list() -> None:
    rooms = [path for path in FILES if path.relative_to(ROOT).as_posix().startswith(ROOMS[:2])]
    found = {name for path in rooms for name in private_imports(parsed(path))}
    assert found <= PRIVATE.keys()
    text = "\n".join(path.read_text(encoding="utf-8") for path in rooms if path.stem != "private")
    unused = [name for name in PRIVATE if not re.search(rf"\b{name.rpartition('.')[2]}\b", text)]
    assert unused == []


def private_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (name for name in (f"{node.module}.{name.name}" for name in node.names) if _is_inside(name))


@pytest.mark.parametrize("name", PRIVATE)
def test_each_private_name_exists_in_the_installed_version(name: str) -> None:
    """Fails by name with a gradio or a uvicorn that has it no longer."""
    if _exists(name):
        return
    owner, _, last = name.rpartition(".")
    module, _, kind = owner.rpartition(".")
    holder = getattr(importlib.import_module(module), kind)
    if not hasattr(holder, last):  # then its code writes it
        sources = (inspect.getsource(sys.modules[each.__module__]) for each in holder.__mro__[:-1])
        assert any(re.search(rf"\b\w+\.{last}\b", source) for source in sources)


def test_scripts_and_styles_name_nothing_that_gradio_generates() -> None:
    """Classes that Svelte numbers, and gradio's configuration, which only assets/first reads."""
    for path in [*(ROOT / "assets" / "js").rglob("*.js"), *(ROOT / "assets" / "css").glob("*.css")]:
        assert re.search(r"svelte-|gradio_config|__gradio", path.read_text(encoding="utf-8")) is None, path
