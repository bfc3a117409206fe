"""Gradio's labels in the visitor's language: the browser swaps each key for its text.

The browser's dictionary reads a dot as "one level deeper", so our flat keys travel with another separator.
"""

import json
import re
from typing import Any, Final

import gradio as gr

from visualiser.locale import LANGUAGES, texts
from visualiser.server.gradio.building import configuration

_SEPARATOR = "-"
_NAMED_LATER: Final = gr.I18n()  # names a text that `translations` gives
# inside another text, quotes are escaped
_NAMED = re.compile(r'\\*"__type__\\*": \\*"translation_metadata\\*", \\*"key\\*": \\*"([^"\\]+)')


def _travelling(key: str) -> str:
    return key.replace(".", _SEPARATOR)


def translations(demo: gr.Blocks) -> gr.I18n:
    """Return the texts that `demo`'s components name, in every language, for `launch(i18n=…)`.

    They travel in each document; our scripts fetch their own texts.
    """
    named = set(_NAMED.findall(json.dumps(configuration(demo), default=str)))
    return gr.I18n(
        **{
            lang: {_travelling(key): text for key, text in texts(lang).items() if _travelling(key) in named}
            for lang in LANGUAGES
        }
    )


def label(key: str) -> Any:
    """Return a component's label, info, choice or value by its key. Raise KeyError if the key has no text."""
    if key not in texts("en"):
        raise KeyError(key)
    return _NAMED_LATER(_travelling(key))
