"""An extension of griffe, which reads docstrings for mkdocstrings."""

from typing import Any

import griffe  # type: ignore[import-not-found]  # among the packages of docs/, not of the tests

from docs.made.parameters_apart import apart


class Apart(griffe.Extension):
    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Explain parameters one by one."""
        if obj.docstring:
            obj.docstring.value = apart(obj.docstring.value)
