"""The configuration's widths written out as a student would: d_k = d_model / h = 512 / 8 = 64 (section 3.2.2)."""

from attention_core import AttentionConfig, AttentionResult
from visualiser.locale import number, text

_NAMED = ("n", "d_model", "h", "d_k")


def sentences(result: AttentionResult, before: AttentionConfig | None, lang: str) -> list[str]:
    """Derive d_k and the shapes that follow; if `before` differs, list the widths that just changed."""
    config = result.config
    heads, n_q, d_k = result.Q.shape
    # V itself would have to be drawn, only to say how wide it is.
    d_v, n_k = d_k if result.inputs is None else result.inputs.V.shape[-1], result.K.shape[-2]
    values = {"d_model": config.d_model, "h": heads, "d_k": d_k, "d_v": d_v, "n_q": n_q, "n_k": n_k}
    if config.source == "upload":
        key = "upload"
    elif config.tie:
        key = "tied" if config.d_model % config.h == 0 else "floored"
    else:
        key = "untied"
    # Five digits: at three, ⌊170.67⌋ would read ⌊171⌋ = 170.
    exact = number(config.d_model / config.h, digits=5)
    lines = [
        text(lang, f"arithmetic.{key}", **values, exact=exact, tied=max(1, config.d_model // config.h)),
        text(lang, "arithmetic.shapes", **values),
    ]
    if before is not None and config.source == before.source:
        changes = [
            text(lang, "arithmetic.from_to", name=name, old=getattr(before, name), new=getattr(config, name))
            for name in _NAMED
            if getattr(before, name) != getattr(config, name)
        ]
        if changes:
            lines.append(text(lang, "arithmetic.changed", changes=", ".join(changes)))
    return lines
