"""Attention of the models of transformers, read while they run. It needs `pip install "headlight[models]"`.

>>> from attention_core.models import capture
>>> got = capture(model, input_ids=ids)        # a model of transformers
>>> got.layers[0].weights.shape                # h × n_q × n_k
"""

from attention_core.models.captured import Capture, CapturedLayer
from attention_core.models.capturing import capture
from attention_core.models.eager import prepare

__all__ = ["Capture", "CapturedLayer", "capture", "prepare"]
