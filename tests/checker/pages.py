"""The pages whose sentences are checked: the `PAGE` of each module here that is named page_NAME.py."""

import importlib
from pathlib import Path
from typing import Any, Final

from tests.checker.checking import Page

_MODULES: Final = {path.stem.removeprefix("page_"): path.stem for path in Path(__file__).parent.glob("page_*.py")}

PAGES: Final[dict[str, Page[Any]]] = {
    name: importlib.import_module(f"tests.checker.{module}").PAGE for name, module in sorted(_MODULES.items())
}
