"""Renders the chat templates of strangers, in a process that ends soon: `python -I chat_child.py < JSON > JSON`.

jinja2's sandbox keeps a template from the interpreter, and nothing keeps it from counting to 10¹⁰ or from a text of a
terabyte. So it runs here, with little memory and few seconds, and not in the server.
"""

import json
import sys
from datetime import datetime
from importlib import import_module
from typing import Any, NoReturn

MOST_BYTES = 2**29
MOST_SECONDS = 2
LONGEST = 2**15
"""Characters of a prompt without its text: real ones have some hundred."""


def main() -> None:
    """Read a template, its variables and several conversations; write the prompts, each None if it has none."""
    _bound()
    asked = json.load(sys.stdin)
    sandbox: Any = import_module("jinja2.sandbox")  # torch brings it
    # as transformers' own environment
    environment = sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise, strftime_now=lambda form: datetime.now().strftime(form))
    prompts = []
    for messages in asked["conversations"]:
        try:
            made = environment.from_string(asked["template"]).render(
                **asked["variables"], messages=messages, add_generation_prompt=True
            )
            prompts.append(made if len(made) <= LONGEST else None)
        except Exception:  # whatever a template of a stranger raises
            prompts.append(None)
    json.dump(prompts, sys.stdout)


def _bound() -> None:
    try:
        import resource
    except ImportError:  # Windows has none; the parent's patience bounds it there
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(said: str) -> NoReturn:
    raise ValueError(said)


if __name__ == "__main__":
    main()
