"""Gradio's labels in the visitor's language: the browser swaps each key for its text.

The browser's dictionary reads a dot as "one level deeper", so our flat keys travel with another separator.
"""

import gradio as gr
from gradio.i18n import I18nData

from visualiser.locale import LANGUAGES, texts

_SEPARATOR = "-"


def _travelling(key: str) -> str:
    return key.replace(".", _SEPARATOR)


def translations() -> gr.I18n:
    """Every text of every language, for `launch(i18n=…)`."""
    return gr.I18n(**{lang: {_travelling(key): text for key, text in texts(lang).items()} for lang in LANGUAGES})


def label(key: str) -> I18nData:
    """What a component takes as its label, info, choice or value; raises KeyError for a key without a text."""
    if key not in texts("en"):
        raise KeyError(key)
    return I18nData(_travelling(key))
