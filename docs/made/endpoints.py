"""The endpoints as programs see them: types as gradio describes them, text from the docstrings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docs.made.tables import code, table
from visualiser.pages.shell import ENDPOINTS, build
from visualiser.server.gradio.endpoints import endpoints


def sections() -> str:
    """Return one section per endpoint: its purpose, arguments and answer."""
    return "\n\n".join(_sections())


def _sections() -> Iterator[str]:
    tools = {f"/{found.name}": found.tool for found in ENDPOINTS.values()}
    for name, (about, arguments, answer), endpoint in endpoints(build()):
        yield f"## `{name}`\n\n{about} As a tool: `{tools[name]}`."
        yield table(("takes", "type", "default", "what it is"), _taken(endpoint["parameters"], arguments))
        yield f"Answers with {' '.join(answer)}."
        yield from _answered(endpoint["returns"][0]["type"])


def _taken(taken: Sequence[Mapping[str, Any]], arguments: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    for parameter in taken:
        name = parameter["parameter_name"]
        if not arguments.get(name):
            raise KeyError(f"the docstring of an endpoint says nothing of {name}")
        default = parameter["parameter_default"]
        shown = "none" if default is None else code(str(default))
        yield code(name), _type(parameter["type"]), shown, arguments[name]


def _answered(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of the answered object, or of each object in the answered list."""
    item = schema.get("items", schema)
    if properties := item.get("properties"):
        yield table(("answers with", "type"), ((code(name), _type(of)) for name, of in properties.items()))


def _type(schema: Mapping[str, Any]) -> str:
    """Return a JSON schema in words: "number or null", "list of lists of integers" as "list of (list of integer)"."""
    if several := schema.get("oneOf") or schema.get("anyOf"):
        return " or ".join(sorted(map(_type, several), key=lambda words: words == "null"))
    match schema.get("type"):
        case "array":
            inner = _type(schema["items"])
            return f"list of ({inner})" if " " in inner else f"list of {inner}"
        case "object" if of := schema.get("properties"):
            return ", ".join(f"{code(name)}: {_type(inner)}" for name, inner in of.items())
        case "object" if of := schema.get("additionalProperties"):
            return f"for each name: {_type(of)}"
        case str() as simple:
            return simple
        case _:
            raise ValueError(f"no words for the type {schema}")
