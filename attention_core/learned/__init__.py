"""Heads of trained models as inputs of attention: what the small model that ships and a folder's models have in common.

>>> run = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben")
>>> result = compute(AttentionConfig(source="model"), layer_inputs(run, 2))
>>> bool(torch.allclose(result.weights, run.layers[1].weights, atol=1e-6))
True
"""

from attention_core.learned.layer_inputs import layer_inputs
from attention_core.learned.run import LearnedLayer, LearnedModel, ModelRun
from attention_core.learned.shipped_models import SHIPPED, shipped_model

__all__ = ["SHIPPED", "LearnedLayer", "LearnedModel", "ModelRun", "layer_inputs", "shipped_model"]
