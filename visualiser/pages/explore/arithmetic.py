"""The configuration's widths written out as a student would: d_k = d_model / h = 512 / 8 = 64 (section 3.2.2)."""

import math

from attention_core import AttentionConfig, AttentionResult
from attention_core.config import SCALED
from visualiser.locale import exact, number
from visualiser.locale.message import Message, message
from visualiser.pages.learned import model_name

_NAMED = ("n", "d_model", "h", "d_k")


def sentences(result: AttentionResult, before: AttentionConfig | None, head: int = 0) -> list[Message]:
    """Derive d_k and the shapes that follow; if `before` differs, list the widths that just changed.

    `head` is the link's, of which alone a layer with learned sinks is shown.
    """
    config = result.config
    heads, n_q, d_k = result.Q.shape
    # V itself would have to be drawn, only to say how wide it is.
    d_v, n_k = d_k if result.inputs is None else result.inputs.V.shape[-1], result.K.shape[-2]
    shapes = message("arithmetic.shapes", h=heads, n_q=n_q, n_k=n_k, d_k=d_k)
    if result.inputs is not None and result.inputs.trained is not None and (groups := result.inputs.trained.grouped):
        shapes = message("arithmetic.shapes_grouped", **shapes.facts, groups=groups, share=heads // groups)
    if config.source == "upload":  # a file has its own widths, which no control changes
        return [message("arithmetic.upload", h=heads, d_k=d_k, d_v=d_v), shapes, *_treated(config, n_k)]
    if config.source == "model":
        layer, *own = origin(result, head)
        return [layer, shapes, *own, *_treated(config, n_k)]
    rule = _rule(config)
    derived = message("arithmetic.tied", rule=rule) if config.tie else message("arithmetic.untied", d_k=d_k, rule=rule)
    return [derived, shapes, *_treated(config, n_k), *_changed(config, before)]


def origin(result: AttentionResult, head: int = 0) -> list[Message]:
    """Say which layer of which trained model is shown, and what it does to its scores; nothing of other sources."""
    config, inputs = result.config, result.inputs
    if config.source != "model" or inputs is None or inputs.trained is None:
        return []
    trained, (heads, _, d_k) = inputs.trained, result.Q.shape
    sizes = {"h": heads, "d_k": d_k, "d_v": inputs.V.shape[-1]}
    found = [message("arithmetic.model", model=model_name(config.model), layer=config.layer, **sizes)]
    root = "_root" if math.isclose(trained.factor, 1 / math.sqrt(d_k), rel_tol=1e-6) else ""
    factors = {"factor": config.scale * trained.factor, "scale": exact(config.scale), "trained": trained.factor}
    found.append(message(f"arithmetic.model_factor{root}", **factors))
    if trained.mask != "none":
        ends = {"window": trained.window} if trained.mask == "window" else {}
        found.append(message(f"arithmetic.model_mask.{trained.mask}", **ends))
    if trained.softcap and trained.softcap == config.softcap:
        found.append(message("arithmetic.model_softcap", cap=trained.softcap))
    if trained.sink is not None and config.normalisation == "sink":
        found.append(message("arithmetic.model_sink", head=max(1, head), sink=trained.sink))
    return found


def _treated(config: AttentionConfig, n_k: int) -> list[Message]:
    """Say what is done to q, k and the factor beside what their own controls show."""
    normed = [message("arithmetic.normed")] if config.qk_norm else []
    grown = config.log_n and SCALED[config.mechanism]
    return [*normed, *([message("arithmetic.grown", n_k=n_k, growth=config.growth)] if grown else [])]


def _rule(config: AttentionConfig) -> Message:
    """Return d_model / h as far as it goes: whole, rounded down, or the least width of 1."""
    widths = {"d_model": config.d_model, "h": config.h, "tied": max(1, config.d_model // config.h)}
    if config.d_model < config.h:
        return message("arithmetic.least", **widths)
    # Five digits: at three, ⌊170.67⌋ would read ⌊171⌋ = 170.
    exact = number(config.d_model / config.h, digits=5)
    return (
        message("arithmetic.floored", **widths, exact=exact)
        if config.d_model % config.h
        else message("arithmetic.whole", **widths)
    )


def _changed(config: AttentionConfig, before: AttentionConfig | None) -> list[Message]:
    if before is None or before.source != config.source:
        return []
    changes = [
        message("arithmetic.from_to", name=name, old=getattr(before, name), new=getattr(config, name))
        for name in _NAMED
        if getattr(before, name) != getattr(config, name)
    ]
    return [message("arithmetic.changed", changes=changes)] if changes else []
