"""The settings that a caller may leave out, and the value that each then has."""

import inspect
from types import ModuleType
from typing import Any


def defaults(package: ModuleType) -> dict[str, dict[str, Any]]:
    """Return the defaults of each public function and class, by its name and the parameter's."""
    found = {}
    for name in package.__all__:
        of = getattr(package, name)
        if callable(of):
            parameters = inspect.signature(of).parameters.values()
            found[name] = {one.name: one.default for one in parameters if one.default is not one.empty}
    return {name: left_out for name, left_out in found.items() if left_out}
