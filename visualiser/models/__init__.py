"""The models that this server offers, by the names that links have, and what they make of a text."""

from visualiser.models.ahead import begin_to_import
from visualiser.models.file_weights import is_file, read_file, taken_up
from visualiser.models.held import HELD, HeldModel, unmeasured
from visualiser.models.listing import (
    DEFAULT,
    Described,
    described,
    fetch,
    find,
    follow,
    here,
    is_here,
    is_loaded,
    is_measured,
    is_offered,
    known,
    load,
    measure,
    measured,
    megabytes,
    offered,
    under_way,
    unmeasurable,
)
from visualiser.models.long_texts import LayerRead, long_model, read_heads, read_layer
from visualiser.models.pictures import OWN, PICTURE_FILES, SHIPPED_PICTURES, settled
from visualiser.models.run_work import Sizes, Work, work
from visualiser.models.runs import inputs, is_fixed, run, shown, sizes
from visualiser.models.sayings import says
from visualiser.models.second_text import patch_runs, patch_work, patched
from visualiser.models.sounds import SHIPPED_SOUNDS
from visualiser.models.sounds import seconds as sound_seconds
from visualiser.models.sounds import settled as settled_sound
from visualiser.models.texts_read import MANUAL, SYNTHETIC, read_over, text_reading, text_readings
from visualiser.models.texts_read import offered as offered_texts
from visualiser.models.texts_read import seconds as reading_seconds
from visualiser.models.without_heads import AT_ONCE, CURVE_AT_ONCE, cost_runs, costs, costs_work, curve, curve_work
from visualiser.models.writings import norms, norms_work, writes, writing_work

__all__ = [
    "AT_ONCE",
    "CURVE_AT_ONCE",
    "DEFAULT",
    "HELD",
    "MANUAL",
    "OWN",
    "PICTURE_FILES",
    "SHIPPED_PICTURES",
    "SHIPPED_SOUNDS",
    "SYNTHETIC",
    "Described",
    "HeldModel",
    "LayerRead",
    "Sizes",
    "Work",
    "begin_to_import",
    "cost_runs",
    "costs",
    "costs_work",
    "curve",
    "curve_work",
    "described",
    "fetch",
    "find",
    "follow",
    "here",
    "inputs",
    "is_file",
    "is_fixed",
    "is_here",
    "is_loaded",
    "is_measured",
    "is_offered",
    "known",
    "load",
    "long_model",
    "measure",
    "measured",
    "megabytes",
    "norms",
    "norms_work",
    "offered",
    "offered_texts",
    "patch_runs",
    "patch_work",
    "patched",
    "read_file",
    "read_heads",
    "read_layer",
    "read_over",
    "reading_seconds",
    "run",
    "says",
    "settled",
    "settled_sound",
    "shown",
    "sizes",
    "sound_seconds",
    "taken_up",
    "text_reading",
    "text_readings",
    "under_way",
    "unmeasurable",
    "unmeasured",
    "work",
    "writes",
    "writing_work",
]
