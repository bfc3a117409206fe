"""Endpoints as tools for language models: JSON schemas with every choice and range, and the call itself."""

import inspect
from functools import partial
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints, is_typeddict

import gradio as gr

from attention_core import Bound
from attention_core.errors import shown
from visualiser.pages.admitted import Endpoint, call_endpoint
from visualiser.pages.docstrings import Allowed, Several, allowed_of
from visualiser.server.admission.clients import Client
from visualiser.server.gradio.endpoints import described
from visualiser.server.mcp import Tool, ToolRefused

_KINDS: Final = {int: "integer", float: "number", bool: "boolean", str: "string", NoneType: "null"}
_LISTED: Final = "result"
"""The name of an answer that is no object: the protocol takes objects only."""


def tool(endpoint: Endpoint) -> Tool:
    """Return an endpoint as a tool."""
    about, descriptions, returned = described(endpoint.function)
    signature, allowed = inspect.signature(endpoint.function), allowed_of(endpoint.function)
    takes = {
        name: {**_taken(parameter, allowed.get(name)), "description": descriptions[name]}
        for name, parameter in signature.parameters.items()
    }
    answers = schema(signature.return_annotation)
    return Tool(
        endpoint.tool,
        f"{about} Returns {' '.join(returned)}.",
        {"type": "object", "properties": takes, "additionalProperties": False},
        answers if answers["type"] == "object" else {"type": "object", "properties": {_LISTED: answers}},
        partial(_called, endpoint),
    )


def schema(kind: Any) -> dict[str, Any]:
    """Return the JSON schema of a type of the endpoints. Raise KeyError for a type that none of them has."""
    if is_typeddict(kind):
        fields = get_type_hints(kind)
        return {
            "type": "object",
            "properties": {name: schema(of) for name, of in fields.items()},
            "required": list(fields),
        }
    if isinstance(kind, UnionType):
        return {"anyOf": [schema(one) for one in get_args(kind)]}
    if get_origin(kind) is list:
        return {"type": "array", "items": schema(get_args(kind)[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema(get_args(kind)[1])}
    return {"type": _KINDS[kind]}


def _taken(parameter: inspect.Parameter, allowed: Allowed | None) -> dict[str, Any]:
    annotation = parameter.annotation
    kinds = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    (kind,) = (one for one in kinds if one is not NoneType)  # a value that may be None is left out instead
    found = schema(kind)
    match allowed:
        case tuple():
            found["enum"] = list(allowed)
        case Several(bound, most):
            found |= {"items": _within(found["items"], bound), "maxItems": most}
        case Bound():
            found = _within(found, allowed)
    return found if parameter.default is None else found | {"default": parameter.default}


def _within(schema: dict[str, Any], bound: Bound) -> dict[str, Any]:
    return schema | {"minimum": bound.minimum, "maximum": bound.maximum}


async def _called(endpoint: Endpoint, who: Client, given: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to one call. Raise `ToolRefused` for what the endpoint refuses."""
    signature = inspect.signature(endpoint.function)
    if unknown := given.keys() - signature.parameters.keys():
        names = ", ".join(signature.parameters)
        raise ToolRefused(f"The arguments are {names}; got {', '.join(map(shown, sorted(unknown)))}.")
    named = signature.bind(**given)
    named.apply_defaults()
    try:
        found = await call_endpoint(endpoint.function, endpoint.price, who, named.arguments, run=endpoint.run)
    except gr.Error as problem:
        raise ToolRefused(problem.message) from problem
    return found if isinstance(found, dict) else {_LISTED: found}
