"""Changes of a model that is running: what it would do without a head, with another factor, if a key were not there.

A change acts inside attention, so later layers see its effect. Layers are the calls of attention in a run, and heads
those of a layer, both from 0. In a layer first queries and keys change (`Factor`, `Treat`), then the mask (`Causal`,
`Hide`), then the weights (`Normalise`), then the output (`Mean`). Of `Mute`, `Uniform`, `Replace` and `Mean` the last
in the list wins a head.

>>> from attention_core.learned import shipped_model
>>> run = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben", changes=[Mute(layer=0, head=0)])
>>> float(run.layers[0].weights[0].sum())
0.0
"""

from attention_core.changes.attending import attend
from attention_core.changes.change import (
    LARGEST_FACTOR,
    PATCHED,
    Causal,
    Change,
    Factor,
    Hide,
    Mean,
    Mute,
    MuteEach,
    Normalise,
    PatchEach,
    Replace,
    Treat,
    Uniform,
)
from attention_core.changes.changing import Changing, renumbered, replaced
from attention_core.changes.layer_changes import LayerChanges
from attention_core.changes.overruling import LayerSize, overruled

__all__ = [
    "LARGEST_FACTOR",
    "PATCHED",
    "Causal",
    "Change",
    "Changing",
    "Factor",
    "Hide",
    "LayerChanges",
    "LayerSize",
    "Mean",
    "Mute",
    "MuteEach",
    "Normalise",
    "PatchEach",
    "Replace",
    "Treat",
    "Uniform",
    "attend",
    "overruled",
    "renumbered",
    "replaced",
]
