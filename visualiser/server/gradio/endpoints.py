"""Endpoints as gradio describes them: text from their docstrings, JSON schemas of their types."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gradio as gr
from gradio.utils import get_function_description

Description = tuple[str, dict[str, str], list[str]]
"""What a function does, its parameters by name, and the lines on what it returns."""


def described(function: Callable[..., Any]) -> Description:
    """Return the parts of an endpoint's docstring."""
    return get_function_description(function)


def endpoints(demo: gr.Blocks) -> Iterator[tuple[str, Description, Mapping[str, Any]]]:
    """Yield path, description and schemas of each endpoint of an app."""
    functions = {f"/{block.api_name}": block.fn for block in demo.fns.values() if block.fn and block.api_name}
    for path, schemas in demo.get_api_info()["named_endpoints"].items():
        yield path, described(functions[path]), schemas
