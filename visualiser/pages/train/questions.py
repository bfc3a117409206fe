"""The Train page's questions: what a training will show, and which answers its seeds do not rule out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from attention_core.experiments import HeadsExperiment, QualityExperiment, Snapshot
from visualiser import predictions
from visualiser.drawing.seeds import newest, spread
from visualiser.locale.message import Message, message
from visualiser.pages.train import QUESTIONS, sentences
from visualiser.pages.train.sentences import UNCLEAR

Experiment = QualityExperiment | HeadsExperiment

_HEADS, _FALLS, _BEST, _LEARNS = QUESTIONS

FALLS: Final = 0.1
"""The loss of accuracy from which a curve falls."""

LEARNS: Final = 0.5
"""The share of right answers from which a model has learned."""


def question(wanted: Experiment) -> predictions.Question:
    """Return the question about an experiment.

    train_heads     the accuracy at each number of heads, as a curve
    train_falls     the mechanism whose accuracy falls furthest from the smallest d_k to the largest
    train_best      the most accurate mechanism at the only d_k
    train_learns    if the only mechanism learns at the only d_k
    """
    if isinstance(wanted, HeadsExperiment):
        return predictions.Curve(_HEADS, tuple(map(float, sorted(wanted.h))), 0.0, 1.0)
    if len(wanted.d_k) > 1:
        return predictions.Choice(_FALLS, (*wanted.mechanism, "none"))
    if len(wanted.mechanism) > 1:
        return predictions.Choice(_BEST, (*wanted.mechanism, "none"))
    return predictions.Choice(_LEARNS, ("yes", "no"))


def fields(wanted: Experiment) -> dict[str, Any]:
    """Return the facts of the question's sentence."""
    if isinstance(wanted, HeadsExperiment):
        return {"m": wanted.m}
    low, high = min(wanted.d_k), max(wanted.d_k)
    if low != high:
        return {"count": len(wanted.mechanism), "low": low, "high": high}
    names = [sentences.label(name) for name in wanted.mechanism]
    return {"d_k": low, "steps": wanted.steps, **({"name": names[0]} if len(names) == 1 else {})}


def question_sentence(wanted: Experiment) -> Message:
    """Return the question's sentence."""
    return message(f"predict.{question(wanted).name}.question", **fields(wanted))


def right(wanted: Experiment, found: Sequence[Snapshot]) -> list[str] | list[float]:
    """Return the answers that the seeds do not rule out, the likeliest first; for a curve its values."""
    if isinstance(wanted, HeadsExperiment):
        return [mean for mean, _, _ in _by_heads(wanted, found)]
    if len(wanted.d_k) > 1:
        return _falling(wanted, found)
    accuracies = sentences.accuracy(found)
    d_k = min(wanted.d_k)
    if len(wanted.mechanism) > 1:
        return predictions.plausible_maxima({name: accuracies[name, d_k] for name in wanted.mechanism}, UNCLEAR)
    (reached,) = accuracies.values()
    holding = {"yes": reached.most > LEARNS, "no": reached.least <= LEARNS}
    likelier = "yes" if reached.mean > LEARNS else "no"
    return sorted((name for name, holds in holding.items() if holds), key=lambda name: name != likelier)


def judged(wanted: Experiment, found: Sequence[Snapshot], extra: Mapping[str, Any]) -> predictions.Verdict | None:
    """Compare the visitor's answer with the outcome; return None if there is no answer."""
    asking, rights = question(wanted), right(wanted, found)
    if isinstance(wanted, HeadsExperiment):
        bands = [(low, high) for _, low, high in _by_heads(wanted, found)]
        verdict = predictions.judged(asking, extra, rights, bands=bands)
        reason = sentences.heads_outcome(wanted, found, f"predict.{asking.name}.because")
    else:
        verdict = predictions.judged(asking, extra, rights, likeliest=likeliest(wanted, found))
        because = f"predict.{asking.name}.because"
        reason = sentences.outcome(wanted, sentences.accuracy(found), because, because)
    if verdict is None:
        return None
    messages = [*verdict.sentences[:-1], reason]
    if isinstance(asking, predictions.Choice):
        messages += predictions.several_right(asking, [str(name) for name in rights])
    return replace(verdict, sentences=messages)


def _by_heads(wanted: HeadsExperiment, found: Sequence[Snapshot]) -> list[tuple[float, float, float]]:
    last = newest(sentences.of_heads(found))
    return [tuple(spread(last[h].accuracy).tolist()) for h in sorted(wanted.h)]


def likeliest(wanted: QualityExperiment, found: Sequence[Snapshot]) -> str:
    """Return the answer that the means give, which another one may be as well."""
    first = str(right(wanted, found)[0])
    flat = len(wanted.d_k) > 1 and max(loss.mean for loss in _losses(wanted, found).values()) <= FALLS
    return predictions.NONE if flat else first


def _losses(wanted: QualityExperiment, found: Sequence[Snapshot]) -> dict[str, predictions.Band]:
    """Return the accuracy that each mechanism loses from the smallest d_k to the largest."""
    last = newest(sentences.of_quality(found))
    low, high = min(wanted.d_k), max(wanted.d_k)
    return {
        name: predictions.Band(*spread(last[name, low].accuracy - last[name, high].accuracy).tolist())
        for name in wanted.mechanism
    }


def _falling(wanted: QualityExperiment, found: Sequence[Snapshot]) -> list[str]:
    """Return the mechanisms whose loss may be the largest one and a fall; "none" if none may."""
    losses = _losses(wanted, found)
    likely = [name for name in predictions.plausible_maxima(losses, UNCLEAR) if name != predictions.NONE]
    return [name for name in likely if losses[name].most > FALLS] or [predictions.NONE]
