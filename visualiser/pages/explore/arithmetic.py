"""The configuration's widths written out as a student would: d_k = d_model / h = 512 / 8 = 64 (section 3.2.2)."""

from attention_core import AttentionConfig, AttentionResult
from visualiser.locale import number
from visualiser.locale.said import Said, say

_NAMED = ("n", "d_model", "h", "d_k")


def sentences(result: AttentionResult, before: AttentionConfig | None) -> list[Said]:
    """Derive d_k and the shapes that follow; if `before` differs, list the widths that just changed."""
    config = result.config
    heads, n_q, d_k = result.Q.shape
    # V itself would have to be drawn, only to say how wide it is.
    d_v, n_k = d_k if result.inputs is None else result.inputs.V.shape[-1], result.K.shape[-2]
    shapes = say("arithmetic.shapes", h=heads, n_q=n_q, n_k=n_k, d_k=d_k)
    if config.source == "upload":  # a file has its own widths, which no control changes
        return [say("arithmetic.upload", h=heads, d_k=d_k, d_v=d_v), shapes]
    rule = _rule(config)
    derived = say("arithmetic.tied", rule=rule) if config.tie else say("arithmetic.untied", d_k=d_k, rule=rule)
    return [derived, shapes, *_changed(config, before)]


def _rule(config: AttentionConfig) -> Said:
    """Return d_model / h as far as it goes: whole, rounded down, or the least width of 1."""
    widths = {"d_model": config.d_model, "h": config.h, "tied": max(1, config.d_model // config.h)}
    if config.d_model < config.h:
        return say("arithmetic.least", **widths)
    # Five digits: at three, ⌊170.67⌋ would read ⌊171⌋ = 170.
    exact = number(config.d_model / config.h, digits=5)
    return (
        say("arithmetic.floored", **widths, exact=exact)
        if config.d_model % config.h
        else say("arithmetic.whole", **widths)
    )


def _changed(config: AttentionConfig, before: AttentionConfig | None) -> list[Said]:
    if before is None or before.source != config.source:
        return []
    changes = [
        say("arithmetic.from_to", name=name, old=getattr(before, name), new=getattr(config, name))
        for name in _NAMED
        if getattr(before, name) != getattr(config, name)
    ]
    return [say("arithmetic.changed", changes=changes)] if changes else []
