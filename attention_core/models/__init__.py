"""Attention of the models of transformers, read while they run. It needs `pip install "headlight[models]"`.

A `ModelFolder` lists and sizes models without that package.

>>> from attention_core.models import capture
>>> got = capture(model, input_ids=ids)        # a model of transformers
>>> got.layers[0].weights.shape                # h × n_q × n_k
"""

from attention_core.models.captured import Capture, CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.cutting import CONTINUED
from attention_core.models.eager import prepare
from attention_core.models.folder import FolderModel, ModelFolder, Sized

__all__ = ["CONTINUED", "Capture", "CapturedLayer", "FolderModel", "ModelFolder", "Sized", "capture", "prepare"]
