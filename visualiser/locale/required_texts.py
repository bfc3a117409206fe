"""The texts that every registered mechanism, walked normalisation and mask must have in every language."""

from collections.abc import Iterator

from attention_core import AttentionConfig
from attention_core.config import SCALED
from attention_core.exact.mask_choices import MASKS
from attention_core.mechanisms import MECHANISMS
from attention_core.normalisations import NORMALISATIONS


def of_mechanism(config: AttentionConfig) -> str:
    """Return what the texts about a config's scores are keyed by: its mechanism, and whether q and k are normalised."""
    return f"{config.mechanism}_normed" if config.qk_norm else config.mechanism


def required() -> Iterator[str]:
    """Yield the keys that a language's file cannot do without."""
    for name, mechanism in MECHANISMS.items():
        scores = f"scores_{name}"
        yield from (f"choice.mechanism.{name}", f"insight.scores.{name}")
        yield from (f"reason.formula.product.{name}", f"reason.formula.score.{name}")
        for compared in (name, f"{name}_normed"):
            own = f"scores_{compared}"
            yield from (f"figure.stage.{own}", f"reason.made.scores.{compared}")
            if SCALED[name]:
                yield from (f"reason.made.scaled.{compared}", f"reason.made.format_score.{compared}")
        if mechanism.walk:
            yield f"anatomy.half.{name}"
            boxes = (*mechanism.walk.boxes, f"compare_{name}", f"compare_{name}_normed")
            yield from (f"anatomy.box.{box}" for box in boxes)
            for treated in ("", "_normed"):
                steps = [f"{step}{treated}" for step in mechanism.walk.steps]
                yield from (f"anatomy.title.{step}" for step in steps)
                yield from (
                    f"anatomy.{rows}.{step}" for step in (*steps, f"{scores}{treated}") for rows in ("one", "all")
                )
    for name, one in NORMALISATIONS.items():
        if one.walk:
            yield f"anatomy.box.{one.walk.box}" if name == one.walk.box else f"anatomy.box.{one.walk.box}_{name}"
            own = "" if one.softmax else f"_{name}"
            yield f"predict.anatomy_largest.because{own}"
            for step in (*one.walk.steps, "weights"):
                yield from (f"anatomy.{kind}.{step}{own}" for kind in ("title", "one", "all"))
    for name, mask in MASKS.items():
        yield f"choice.mask.{name}"
        if mask.written:
            yield f"insight.mask.{name}"
        if mask.aligned:
            yield from (f"insight.mask.{name}_{way}" for way in ("more", "fewer", "seen"))
