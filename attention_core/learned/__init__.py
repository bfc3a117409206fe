"""Heads of trained models as inputs of attention: what the small model that ships and a folder's models have in common.

>>> run = shipped_model("headlight").run("Anna Miller sees Ben Taylor . Ben")
>>> result = compute(AttentionConfig(source="model"), layer_inputs(run, 2))
>>> bool(torch.allclose(result.weights, run.layers[1].weights, atol=1e-6))
True
>>> found = corpus_measures(shipped_model("headlight"))
>>> [label.measure for label in labels(found)[0][0]]  # layer 1, head 1
['previous_token']
"""

from attention_core.learned.by_factor import FactorCurve, factor_curve, factor_everywhere
from attention_core.learned.copying import HeadWriter, WritingModel, Written, WrittenToken, no_words, written
from attention_core.learned.each_muted import HeadCosts, batch_bytes, head_costs
from attention_core.learned.examples import GIVERS, NAMES, SUBJECTS, SURNAMES
from attention_core.learned.footnote import FootnoteFour, footnote_4
from attention_core.learned.given import INPUTS, Given, Picture, Sound
from attention_core.learned.head_totals import chances, head_measures, mean_measures
from attention_core.learned.layer_maps import mean_of_heads, rollout, without_first
from attention_core.learned.measures import HEAD_MEASURES, HeadMeasure
from attention_core.learned.norms_added import ProjectingModel, unprojected, value_norms
from attention_core.learned.over_corpus import (
    LABELS,
    CorpusMeasures,
    Label,
    Score,
    corpus_measures,
    corpus_texts,
    labels,
    picture_measures,
    score_of,
    sound_measures,
)
from attention_core.learned.patch_measures import PATCH_MEASURES, of_run, patch_totals
from attention_core.learned.patching import Patched, PatchingModel, patch_bytes, patched_heads
from attention_core.learned.positions import Line, PatchGrid
from attention_core.learned.run import DocumentModel, LearnedLayer, LearnedModel, LongModel, ModelRun, TokenModel
from attention_core.learned.says import (
    Likeness,
    Outcome,
    Said,
    SayingModel,
    Says,
    attention_moved,
    divergence,
)
from attention_core.learned.shipped_models import SHIPPED, shipped_model
from attention_core.learned.trained_inputs import layer_inputs
from attention_core.learned.weight_shares import SHARES, Shares, shares
from attention_core.learned.why_key import Part, RoundedWhy, Why, why
from attention_core.learned.windows import Window, window_of

__all__ = [
    "GIVERS",
    "HEAD_MEASURES",
    "INPUTS",
    "LABELS",
    "NAMES",
    "PATCH_MEASURES",
    "SHARES",
    "SHIPPED",
    "SUBJECTS",
    "SURNAMES",
    "CorpusMeasures",
    "DocumentModel",
    "FactorCurve",
    "FootnoteFour",
    "Given",
    "HeadCosts",
    "HeadMeasure",
    "HeadWriter",
    "Label",
    "LearnedLayer",
    "LearnedModel",
    "Likeness",
    "Line",
    "LongModel",
    "ModelRun",
    "Outcome",
    "Part",
    "PatchGrid",
    "Patched",
    "PatchingModel",
    "Picture",
    "ProjectingModel",
    "RoundedWhy",
    "Said",
    "SayingModel",
    "Says",
    "Score",
    "Shares",
    "Sound",
    "TokenModel",
    "Why",
    "Window",
    "WritingModel",
    "Written",
    "WrittenToken",
    "attention_moved",
    "batch_bytes",
    "chances",
    "corpus_measures",
    "corpus_texts",
    "divergence",
    "factor_curve",
    "factor_everywhere",
    "footnote_4",
    "head_costs",
    "head_measures",
    "labels",
    "layer_inputs",
    "mean_measures",
    "mean_of_heads",
    "no_words",
    "of_run",
    "patch_bytes",
    "patch_totals",
    "patched_heads",
    "picture_measures",
    "rollout",
    "score_of",
    "shares",
    "shipped_model",
    "sound_measures",
    "unprojected",
    "value_norms",
    "why",
    "window_of",
    "without_first",
    "written",
]
