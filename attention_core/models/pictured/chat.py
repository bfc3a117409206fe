"""The words that a chat template puts around a question and its pictures, found once when a model is loaded.

The template is rendered with a mark in place of a text, for each number of pictures; what stands before and behind the
mark is kept. So no visitor's text meets a template, and a template is run once.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from attention_core.models.pictured import chat_child

_MARK: Final = "\u2402text\u2403"

Around = tuple[str, str]
"""What stands before a text, its pictures' places included, and behind it."""


def around(template: str, variables: Mapping[str, str], image_token: str, most_pictures: int) -> dict[int, Around]:
    """Return what stands around a text, by the number of its pictures, for each that the template has a place for.

    Parameters
    ----------
    template
        A chat template: a jinja program of a stranger.
    variables
        Names of special tokens that it may use.
    image_token
        The token that stands for a picture, as often as there are pictures.
    most_pictures
        The most pictures.
    """
    numbers = [*range(most_pictures + 1)]
    conversations = [
        [{"role": "user", "content": content}]
        for count in numbers
        for content in (
            [*({"type": "image"} for _ in range(count)), {"type": "text", "text": _MARK}],
            image_token * count + _MARK,  # of a template that knows texts alone
        )
    ]
    made = _rendered({"template": template, "variables": dict(variables), "conversations": conversations})
    found: dict[int, Around] = {}
    for number, prompt in zip((count for count in numbers for _ in range(2)), made, strict=True):
        if number in found or not isinstance(prompt, str):
            continue
        if prompt.count(_MARK) == 1 and prompt.count(image_token) == number:
            before, _, behind = prompt.partition(_MARK)
            found[number] = before, behind
    return found


def _rendered(asked: dict[str, Any]) -> list[Any]:
    """Return the prompts; Nones if the template takes too long or too much."""
    nothing = [None] * len(asked["conversations"])
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(Path(chat_child.__file__))],
            input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8",
            timeout=5 * chat_child.MOST_SECONDS, check=True,
        )  # fmt: skip
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return nothing
    return found if isinstance(found, list) and len(found) == len(nothing) else nothing
