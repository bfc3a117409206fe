"""Heads of trained models as inputs of attention: what the small model that ships and a folder's models have in common.

>>> run = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben")
>>> result = compute(AttentionConfig(source="model"), layer_inputs(run, 2))
>>> bool(torch.allclose(result.weights, run.layers[1].weights, atol=1e-6))
True
>>> found = corpus_measures(shipped_model("headlight"))
>>> [label.measure for label in labels(found)[0][0]]  # layer 1, head 1
['previous_token']
"""

from attention_core.learned.examples import NAMES, SUBJECTS
from attention_core.learned.footnote import FootnoteFour, footnote_4
from attention_core.learned.measures import HEAD_MEASURES, HeadMeasure, chances, head_measures, mean_measures
from attention_core.learned.over_corpus import LABELS, CorpusMeasures, Label, corpus_measures, corpus_texts, labels
from attention_core.learned.run import DocumentModel, LearnedLayer, LearnedModel, ModelRun
from attention_core.learned.shipped_models import SHIPPED, shipped_model
from attention_core.learned.trained_inputs import layer_inputs
from attention_core.learned.why_key import Part, RoundedWhy, Why, why

__all__ = [
    "HEAD_MEASURES",
    "LABELS",
    "NAMES",
    "SHIPPED",
    "SUBJECTS",
    "CorpusMeasures",
    "DocumentModel",
    "FootnoteFour",
    "HeadMeasure",
    "Label",
    "LearnedLayer",
    "LearnedModel",
    "ModelRun",
    "Part",
    "RoundedWhy",
    "Why",
    "chances",
    "corpus_measures",
    "corpus_texts",
    "footnote_4",
    "head_measures",
    "labels",
    "layer_inputs",
    "mean_measures",
    "shipped_model",
    "why",
]
