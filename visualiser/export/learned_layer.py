"""The lines of a script that take Q, K and V from a layer of a trained model, by the code that the page runs."""

from collections.abc import Sequence
from typing import Final

from attention_core import AttentionConfig, __version__
from attention_core.changes import Change
from attention_core.learned import SHIPPED
from attention_core.models import HUB_LIST
from visualiser import models
from visualiser.export.both_sides import WITH_SOUND, folder_of, has_both, hears_own, layer_of_both, loading
from visualiser.held import is_name

NEEDS: Final = f"torch and Headlight {__version__}, whose attention_core runs the model (pip install . in its source)"
"""What a script needs to run a model that ships."""

NEEDS_FOLDER: Final = (
    f"torch, Headlight {__version__} with transformers (pip install '.[models]' in its source), and the model's files"
)
"""What a script needs to run a model of a folder or of the Hub."""

_WITH_PICTURE: Final = f"{NEEDS_FOLDER}, and the picture as picture.png, the very file that the page was given"

NEEDS_HELD: Final = "torch, and `got`: what attention_core.models.capture made of the notebook's model"
"""What a script needs of a model or a run that a notebook handed over."""

_WITH: Final = ", changes=changes"

FACTOR: Final = "({scale!r} * layer.scale)"
"""What is set, times the trained factor."""

_SHIPPED: Final = """
from attention_core.language import shipped

text = {text!r}
# the model with so many layers, and the layer of that number
layer = shipped({layers}).model(text{changes}).layers[{layer} - 1]
"""

_FOLDER: Final = """
from pathlib import Path

from attention_core.models import ModelFolder

text = {text!r}
# the folder around the model's own, its name there, and the layer of that number
layer = ModelFolder(Path("models")).load({model!r}).run(text, {n}{changes}).layers[{layer} - 1]
"""

_HUB: Final = """
from pathlib import Path

from attention_core.models import HubFolder

text = {text!r}
# fetched into the folder models, unless it is there; and the layer of that number
models = HubFolder(Path("models"))
if not models.has({model!r}):
    models.fetch(models.plan({model!r}, {revision!r}))
layer = models.load({model!r}).run(text, {n}{changes}).layers[{layer} - 1]
"""

_PICTURE: Final = """
from pathlib import Path

from attention_core.learned import Given, Picture
from attention_core.models import {folder}
{files}from visualiser.upload.pictures import read_picture

# decoded as the page does it, then cut as the model's own settings say
pictures = tuple(
    Picture(name, torch.from_numpy(read_picture(file.read_bytes()).pixels.copy()))
    for name, file in ({pictures})
)
{loaded}run = model.run(Given({given}pictures=pictures){most}{changes})
layer = run.layers[{layer} - 1]
"""

_CHANGES: Final = """
from attention_core.changes import {names}

# what the model runs with; layers and heads from 0
changes = [
{listed}]
"""

_HELD: Final = """
# the layer of that number among those which the notebook captured
layer = got.layers[{layer} - 1]
"""

_CAPTURED: Final = """
# `got` is what capture(model, changes=changes, **inputs) made of the notebook's model
"""

_TAKEN: Final = """Q, K, V = layer.Q, layer.K, layer.V
"""

_TAKEN_GROUPED: Final = """# grouped queries share their keys and values
Q, K, V = (x.float().repeat_interleave(len(layer.Q) // len(x), 0) for x in (layer.Q, layer.K, layer.V))
"""

_ALONE: Final = """# each head has a learned sink of its own
Q, K, V = (x[{head} - 1 : {head}] for x in (Q, K, V))
"""

_SIZES: Final = "h, n, d_k = Q.shape\n"


def needs(config: AttentionConfig) -> str:
    """Return what the script of a trained layer needs."""
    if is_name(config.model):
        return NEEDS_HELD
    if hears_own(config):
        return NEEDS_FOLDER + WITH_SOUND
    if reads_picture(config) and models.OWN in config.pictures.split(","):
        return _WITH_PICTURE
    return NEEDS if config.model in SHIPPED else NEEDS_FOLDER


def reads_picture(config: AttentionConfig) -> bool:
    """Return True if the script's model reads `config.pictures`, and not a text or what a notebook handed over."""
    model = models.known(config.model)
    return not is_name(config.model) and model is not None and "pictures" in model.takes


def learned_layer(config: AttentionConfig, head: int) -> str:
    """Return the lines from the text or picture to Q, K and V of `config.layer`: of all heads if `head` is 0."""
    return layer_of(config) + taken(config) + (_ALONE.format(head=head) if head else "") + _SIZES


def changes_of(changes: Sequence[Change]) -> str:
    """Return the lines that name the changes of a model; empty without one."""
    if not changes:
        return ""
    names = ", ".join(sorted({type(one).__name__ for one in changes}))
    return _CHANGES.format(names=names, listed="".join(f"    {one!r},\n" for one in changes))


def layer_of(config: AttentionConfig, changed: bool = False) -> str:
    """Return the lines from the text or picture to the layer; a `changed` model runs with the list `changes`."""
    named = {"text": config.text, "layer": config.layer, "model": config.model, "n": config.n}
    named["changes"] = _WITH if changed else ""
    if config.model in SHIPPED:
        return _SHIPPED.format(layers=SHIPPED[config.model], **named)
    if is_name(config.model):
        return (_CAPTURED if changed else "") + _HELD.format(**named)
    if reads_picture(config):
        return _of_picture(config, str(named["changes"]))
    if has_both(config):
        return layer_of_both(config, str(named["changes"]))
    if "/" in config.model:  # no subfolder has such a name
        listed = HUB_LIST.get(config.model)
        return _HUB.format(**named, revision="main" if listed is None else listed.revision)
    return _FOLDER.format(**named)


def taken(config: AttentionConfig) -> str:
    """Return the lines from the layer to Q, K and V."""
    return _TAKEN if config.model in SHIPPED else _TAKEN_GROUPED


def _of_picture(config: AttentionConfig, changes: str) -> str:
    """Return the lines from the files of pictures to the run of a model, and its layer."""
    names = config.pictures.split(",")
    files = models.PICTURE_FILES
    listed_files = (f"({name!r}, {_file(files.get(name))})," for name in names)
    words = "text" in models.find(config.model).takes
    return _PICTURE.format(
        folder=folder_of(config),
        files="from visualiser.asset_folder import ASSETS\n" if any(name in files for name in names) else "",
        pictures=" ".join(listed_files),
        given=f"text={config.text!r}, target={config.target!r}, " if words else "",
        most=f", {config.n}" if words else "",
        changes=changes,
        loaded=loading(config),
        layer=config.layer,
    )


def _file(shipped: str | None) -> str:
    return 'Path("picture.png")' if shipped is None else f"ASSETS / {shipped!r}"
