"""The lines of a script that run a model with an encoder and a decoder, over a text or a sound, beside a target."""

from typing import Final

from attention_core import AttentionConfig
from attention_core.models import HUB_LIST
from visualiser import models
from visualiser.held import is_name

_RUN: Final = """
from pathlib import Path

from attention_core.learned import Given
from attention_core.models import {folder}
{imports}
{given}
{loaded}# the layer of that number
layer = model.run(given, {n}{changes}).layers[{layer} - 1]
"""

_FROM_FOLDER: Final = """# the folder around the model's own, and its name there
model = ModelFolder(Path("models")).load({model!r})
"""

_FROM_HUB: Final = """# fetched into the folder models, unless it is there
models = HubFolder(Path("models"))
if not models.has({model!r}):
    models.fetch(models.plan({model!r}, {revision!r}))
model = models.load({model!r})
"""

_TARGET: Final = "# without a target the model writes one\n"

_TONES: Final = "from visualiser.models.sounds import tones\n"
_FILE: Final = "from visualiser.upload.sounds import canonical_sound, read_sound\n"
_OWN: Final = """# as the page keeps it: one channel of 16 bits
kept = canonical_sound(read_sound("sound.wav", Path("sound.wav").read_bytes()))
"""

WITH_SOUND: Final = ", and the sound as sound.wav, the very file that the page was given"
"""What a script needs besides for the visitor's own sound."""


def has_both(config: AttentionConfig) -> bool:
    """Return True if the script's model has a decoder beside its encoder, and no notebook handed it over."""
    return bool(config.target) or "target" in _takes(config)


def hears_own(config: AttentionConfig) -> bool:
    """Return True if the script's model hears the visitor's own sound."""
    return "sound" in _takes(config) and config.sound == models.OWN


def layer_of_both(config: AttentionConfig, changes: str = "") -> str:
    """Return the lines from a text or a sound, and a target, to the layer; `changes` are a further argument."""
    imports, given = "", f"given = Given({config.text!r}, target={config.target!r})"
    if "sound" in _takes(config):
        own = hears_own(config)
        sound = 'read_sound("sound.wav", kept)' if own else "tones()"
        imports, made = (_FILE, _OWN) if own else (_TONES, "")
        given = f"{made}given = Given(target={config.target!r}, sound={sound})"
    return _RUN.format(
        folder=folder_of(config),
        imports=imports,
        given=given if config.target else _TARGET + given,
        loaded=loading(config),
        n=config.n,
        changes=changes,
        layer=config.layer,
    )


def folder_of(config: AttentionConfig) -> str:
    """Return the class of attention_core.models that a script loads the model with."""
    return "HubFolder" if "/" in config.model else "ModelFolder"  # no subfolder has such a name


def loading(config: AttentionConfig) -> str:
    """Return the lines that load the model, from a folder or from the Hub."""
    listed = HUB_LIST.get(config.model)
    lines = _FROM_HUB if "/" in config.model else _FROM_FOLDER
    return lines.format(model=config.model, revision="main" if listed is None else listed.revision)


def _takes(config: AttentionConfig) -> frozenset[str]:
    model = None if is_name(config.model) else models.known(config.model)
    return frozenset() if model is None else model.takes
