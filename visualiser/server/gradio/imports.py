"""Quick imports: a third of the time in which gradio and torch are imported is saved.

At every import gradio renders each component's methods and documentation and compares them with the stub files (`.pyi`)
in its folder, which are for editors and come with its wheel: 1.4 s of 2.8. And nearly all objects that imports make
stay; the collector would scan them all again and again, for 0.3 s.
"""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_WRITER = "gradio.component_meta"


@contextmanager
def quick() -> Iterator[None]:
    """Collect no garbage in this block, and let gradio write no stubs if it is first imported here.

    Afterwards all objects count as permanent, until `warming.set_aside` looks through them once.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, _: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == _WRITER else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    """The module's own loader; then what writes does nothing."""

    def __init__(self, own: Loader) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._own.exec_module(module)
        vars(module)["create_or_modify_pyi"] = _nothing
        module.EventListener.set_doc = _nothing


def _nothing(*_: object, **__: object) -> None:
    pass
