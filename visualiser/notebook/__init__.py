"""Headlight in the output of a notebook's cell: `visualiser.show`.

>>> import visualiser
>>> visualiser.show(model, tokenizer=tokenizer, **tokenizer("The cat sat on the mat", return_tensors="pt"))

The app starts once in the kernel's process and ends with it. Tensors are handed over in memory.
"""

import gc
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from visualiser.notebook.output import Cell

__all__ = ["cell", "show"]

Arguments = ParamSpec("Arguments")


def cell(
    x: Any = None,
    /,
    *more: Any,
    tokens: Sequence[str] | None = None,
    tokenizer: Any = None,
    processor: Any = None,
    batch: int | None = None,
    corpus: bool = False,
    layer: int | None = None,
    head: int | None = None,
    row: int | None = None,
    static: bool = False,
    height: int = 600,
    lang: str | None = None,
    theme: str | None = None,
    **options: Any,
) -> "Cell":
    """Show a thing in the output of this cell, live.

    Parameters
    ----------
    x
        A model of transformers with the inputs of a run (`show(model, **inputs)`), or with a tokenizer and a text
        (`show(model, "text", tokenizer=tokenizer)`); a vision model with a picture and its processor
        (`show(model, picture, processor=processor)`): a path, a PIL image or an array; a vision-language model with a
        text besides (`show(model, "text", picture, processor=processor)`); what `capture` returned, or one of its
        layers; an `AttentionConfig`; the result of `compute`; Q, K and V (`show(Q, K, V, mask="causal")`), each
        n × d or h × n × d; a head's file of HeadVis by its path (`show("L3H0.json")`). Without
        anything: Headlight as it begins.
    tokens
        The tokens of a capture, one for each position.
    tokenizer
        That of a model: its texts can then be changed in the cell. Of a capture: it names the tokens of `input_ids`.
    processor
        That of a vision or a vision-language model. Without it `show(model, **inputs)` of a vision model shows the
        tensor of `pixel_values` as the picture.
    batch
        The sequence of a batch, or the window of a Swin, from 0.
    corpus
        True labels the heads of a model that has its tokenizer by what they do over a corpus of 24 short texts, which
        takes some seconds.
    layer, head, row
        The layer and the head, from 1, and the query, from 0, with which it opens.
    static
        True writes the figures themselves into the notebook, with their values: they need neither kernel nor network.
    height
        Of the frame, in pixels.
    lang, theme
        Of the page; without them the browser's language, and the notebook's or the browser's colours.
    **options
        Inputs of the model's run, or settings of the configuration; `target`, of a translation model with a tokenizer,
        is what its decoder has written.

    Returns
    -------
    Cell or None
        In IPython `show` displays it and returns None; elsewhere, and from `cell`, it is the output itself.

    Raises
    ------
    InvalidInput
        For what cannot be shown, in a sentence; `ImportError` without gradio.
    """
    if find_spec("gradio") is None:
        raise ImportError('Showing needs gradio, which is not installed: pip install "headlight[app]".')
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    from visualiser.server.gradio import imports

    with imports.quick(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"tqdm\.auto")  # it misses widgets, and no bar is shown
        from visualiser.models.only_run import Named
        from visualiser.notebook.made import made
        from visualiser.notebook.things import Wish
    gc.unfreeze()  # the kernel's own objects come and go

    wish = Wish(more, Named(tokens, tokenizer, None, batch), corpus, processor, options)
    link = {"layer": layer, "head": head, "row": row, "lang": lang}
    return made(x, wish, link, static=static, height=height, theme=theme)


def _displayed(make: "Callable[Arguments, Cell]") -> "Callable[Arguments, Cell | None]":
    """Return a function of the same arguments that displays what is made, where a notebook runs it."""

    @wraps(make, ("__module__", "__doc__", "__annotations__"))
    def show(*given: Arguments.args, **named: Arguments.kwargs) -> "Cell | None":
        try:
            made = make(*given, **named)
        except ValueError as problem:
            raise problem.with_traceback(None) from None  # the sentence is enough
        interpreter = sys.modules.get("IPython")  # no package of ours: it is there if the notebook runs in it
        if interpreter is not None and interpreter.get_ipython() is not None:
            importlib.import_module("IPython.display").display(made)
            return None
        return made

    return show


show = _displayed(cell)
