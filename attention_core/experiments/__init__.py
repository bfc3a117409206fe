"""The trainings behind two claims of section 3.2: quality against d_k, and one head against several.

>>> *_, last = train(QualityExperiment(d_k=(4,), mechanism=("scaled",), seeds=1, steps=1))
>>> last.curve, last.step
(QualityCurve(mechanism='scaled', d_k=4), 1)
"""

from attention_core.experiments.curves import train, train_curve
from attention_core.experiments.heads import HEADS_BOUNDS, HeadsCurve, HeadsExperiment
from attention_core.experiments.quality import QUALITY_BOUNDS, QUALITY_CHOICES, QualityCurve, QualityExperiment
from attention_core.experiments.snapshots import HeadsSnapshot, QualitySnapshot, Snapshot

__all__ = [
    "HEADS_BOUNDS",
    "QUALITY_BOUNDS",
    "QUALITY_CHOICES",
    "HeadsCurve",
    "HeadsExperiment",
    "HeadsSnapshot",
    "QualityCurve",
    "QualityExperiment",
    "QualitySnapshot",
    "Snapshot",
    "train",
    "train_curve",
]
