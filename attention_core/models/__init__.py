"""Attention of the models of transformers, read while they run. It needs `pip install "headlight[models]"`.

A `ModelFolder` lists and sizes models without that package.

>>> from attention_core.models import capture
>>> got = capture(model, input_ids=ids)        # a model of transformers
>>> got.layers[0].weights.shape                # h × n_q × n_k
"""

from attention_core.changes import Causal, Change, Factor, Hide, Mean, Mute, Normalise, Replace, Treat, Uniform
from attention_core.models.as_written import itself
from attention_core.models.captured import Capture, CapturedLayer, GivenLayer, PassageLayer
from attention_core.models.capturing import capture, require_evaluation
from attention_core.models.cutting import tokens_of
from attention_core.models.eager import runs_a_kernel
from attention_core.models.folder import MOST_SUBFOLDERS, FolderModel, ModelFolder, Sized
from attention_core.models.folder_model import (
    capture_decoder,
    picture_model,
    pixel_model,
    reads_text_with_pictures,
    text_model,
)
from attention_core.models.hub import HubFolder, Plan
from attention_core.models.hub_list import HUB_LIST, SMALL_BYTES, Listed
from attention_core.models.kinds import told_kind, told_sizes
from attention_core.models.long_run import LongLayer, LongRun, long_statistics
from attention_core.models.made import import_ahead
from attention_core.models.pictured.preparing import MOST_PICTURES
from attention_core.models.readers import LongText, SoundReader
from attention_core.models.sound_features import resampled
from attention_core.models.writing import MOST_WRITTEN

__all__ = [
    "HUB_LIST",
    "MOST_PICTURES",
    "MOST_SUBFOLDERS",
    "MOST_WRITTEN",
    "SMALL_BYTES",
    "Capture",
    "CapturedLayer",
    "Causal",
    "Change",
    "Factor",
    "FolderModel",
    "GivenLayer",
    "Hide",
    "HubFolder",
    "Listed",
    "LongLayer",
    "LongRun",
    "LongText",
    "Mean",
    "ModelFolder",
    "Mute",
    "Normalise",
    "PassageLayer",
    "Plan",
    "Replace",
    "Sized",
    "SoundReader",
    "Treat",
    "Uniform",
    "capture",
    "capture_decoder",
    "import_ahead",
    "itself",
    "long_statistics",
    "picture_model",
    "pixel_model",
    "reads_text_with_pictures",
    "require_evaluation",
    "resampled",
    "runs_a_kernel",
    "text_model",
    "tokens_of",
    "told_kind",
    "told_sizes",
]
