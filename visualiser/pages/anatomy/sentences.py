"""The sentences of the Anatomy page on shapes, steps and results, from the facts of the walk alone."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from attention_core import AttentionConfig, normalisations
from visualiser.drawing.weighed import weighed
from visualiser.locale import exact, number
from visualiser.locale.message import Message, message, short
from visualiser.locale.required_texts import of_mechanism
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.facts import Facts
from visualiser.pages.anatomy.subject import mixed
from visualiser.pages.learned import model_name

MOST_READ_OUT: Final = 8
"""Up to this many numbers of a row are read out; of more, only the smallest and the largest."""

_MOST_NAMED: Final = 4
"""Up to this many keys with the largest weight are named; of more, only their number."""

_DRAWN: Final = ("queries", "keys", "values")
"""Steps that project X, if there is one."""


def title(config: AttentionConfig, step: str, given: bool) -> Message:
    """Return the name of a step. Without X the queries, keys and values are no projection."""
    own = walk_steps.treated(config, step)
    return message(f"anatomy.title.{own}" if given or step not in _DRAWN else f"anatomy.title.{step}_drawn")


def step_sentences(known: Facts) -> list[Message]:
    """Describe what this step does to one row, or to all rows at once, and why a step is idle if it is."""
    if known.step in _DRAWN and not known.given:
        return [message("anatomy.drawn") if mixed(known.config) else _trained(known)]
    if known.step == "masked" and known.open:
        advice = [] if "mask" in known.hidden else [message("anatomy.try_mask")]
        return [message("anatomy.not_masked"), *advice]
    found = [message(f"anatomy.{known.rows}.{_variant(known)}", **_fields(known))]
    if known.step == "input" and known.layer > 1:
        key = "anatomy.hidden_layer" if known.config.source == "text" else "anatomy.hidden_layer_drawn"
        found.append(message(key, below=known.layer - 1, layer=known.layer))
    if known.step == "scaled" and known.config.factor == 1.0:
        found.append(message("anatomy.not_scaled"))
    return found


def shapes(known: Facts) -> Message:
    """Write the sizes of everything in one sentence."""
    kind = "" if known.given else "_drawn" if mixed(known.config) else "_trained"
    if known.grouped:
        groups = {"groups": known.grouped, "share": known.heads // known.grouped}
        return message("anatomy.shapes_grouped", **_sizes(known), **groups)
    return message(f"anatomy.shapes{kind}", **_sizes(known))


def result(known: Facts) -> Message:
    """Write the step's result for the walked query in numbers."""
    values = known.values
    where = {
        "query": known.query,
        "head": known.head,
        "layer": known.layer,
        "step": title(known.config, known.step, known.given),
    }
    if len(values) <= MOST_READ_OUT:
        return message("anatomy.result", values=", ".join(map(number, values)), **where)
    finite = [value for value in values if math.isfinite(value)]
    ends = {"count": len(finite), "low": min(finite), "high": max(finite)}
    if len(finite) == len(values):
        return message("anatomy.result_range", **ends, **where)
    return message("anatomy.result_masked", masked=len(values) - len(finite), **ends, **where)


def insight(known: Facts) -> list[Message]:
    """Give the gist of the sentence that matters most, then all of them."""
    found = in_full(known)
    lead = found[-1] if walk_steps.revealed(known.step) else found[0]
    return [_largest_short(known, lead) if lead.key in _NUMBERED else short(lead), *found]


def in_full(known: Facts) -> list[Message]:
    """Introduce the page while the walk stands at its beginning, then explain the widths; once the scores are
    revealed, also name the walked query's largest weight."""
    found = [message(f"anatomy.widths.{_widths(known)}", **_sizes(known))]
    first = walk_steps.steps(known.config)[0]
    if known.rows == "one" and known.step == first and "walk" not in known.hidden:
        kind = "" if mixed(known.config) else "_trained"
        found.insert(0, message(f"anatomy.purpose{'' if known.printed else '_large'}{kind}"))
    if walk_steps.revealed(known.step):
        found.append(_largest(known))
    return found


_NUMBERED: Final = (
    *("anatomy.largest", "anatomy.largest_only", "anatomy.largest_single", "anatomy.largest_even"),
    *("anatomy.largest_shared", "anatomy.largest_many", "anatomy.largest_lost"),
)
"""Sentences that name positions; their gist numbers them, since a token may be long."""


def _largest_short(known: Facts, lead: Message) -> Message:
    if lead.key == "anatomy.largest_shared":
        lead = message("anatomy.largest_many", count=len(known.best), weight=known.weight, head=known.head)
    key = {"key": known.best[0]} if "key" in lead.facts else {}
    return short(lead, query=known.row, **key)


def because(known: Facts) -> Mapping[str, Any]:
    """Return the facts of the verdict's reason: which keys have the largest score, and the weight made of it.

    `because` is the last part of its key: what makes the weight is the normalisation, unless float32 makes it 0.
    """
    keys, config = [known.named(key) for key in known.best], known.config
    if known.weight == 0:
        return {"keys": keys, "score": known.maximum, "because": "because_lost"}
    facts = {"keys": keys, "weight": known.weight, "score": known.maximum}
    if normalisations.of(config).softmax:
        return facts
    more = {"n": config.n} if "lowered" in walk_steps.weighing(config) else {}
    return {**facts, **more, "because": f"because_{config.normalisation}"}


def _largest(known: Facts) -> Message:
    where = {"query": known.query, "head": known.head, "layer": known.layer}
    keys = [known.named(key) for key in known.best]
    if len(known.seen) == 1 and not weighed(known.config).complete:
        return message("anatomy.largest_single", key=keys[0], weight=known.weight, **where)
    if len(known.seen) == 1:
        return message("anatomy.largest_only", key=keys[0], **where)
    if known.weight == 0:
        return message("anatomy.largest_lost", **where)
    if len(keys) == len(known.seen):
        return message("anatomy.largest_even", count=len(keys), weight=known.weight, **where)
    if len(keys) == 1:
        return message("anatomy.largest", key=keys[0], weight=known.weight, **where)
    if len(keys) <= _MOST_NAMED:
        return message("anatomy.largest_shared", keys=keys, weight=known.weight, **where)
    return message("anatomy.largest_many", count=len(keys), weight=known.weight, **where)


def _widths(known: Facts) -> str:
    config = known.config
    if not mixed(config):
        return "trained_one" if config.h == 1 else "trained"
    if not config.tie:
        return "untied"
    if config.h == 1:
        return "one"
    if config.d_model < config.h:
        return "least"
    return "floored" if config.d_model % config.h else "tied"


def _variant(known: Facts) -> str:
    """Return the step's name with what its sentence depends on: the mechanism, what is compared, a factor that grows,
    a vector of zeros, a head that is joined to none."""
    config, step = known.config, known.step
    if step == "scores":
        return f"scores_{of_mechanism(config)}"
    if step == "scaled" and (config.log_n or config.trained is not None):
        return f"scaled{_multiplied(config)}"
    if known.rows == "one" and known.squares.get(step) == 0:
        return f"{step}_zero"
    return "concatenation_one" if (step, config.h) == ("concatenation", 1) else walk_steps.treated(config, step)


def _multiplied(config: AttentionConfig) -> str:
    """Return what is named of the factor: a trained one, the scale that multiplies it, its growth with n."""
    trained = config.trained is not None
    times = "_times" if trained and config.scale != 1 else ""
    return f"{'_trained' if trained else ''}{times}{'_grown' if config.log_n else ''}"


def _trained(known: Facts) -> Message:
    config = known.config
    return message("anatomy.trained", model=model_name(config.model), layer=config.layer)


def _sizes(known: Facts) -> dict[str, Any]:
    config = known.config
    sizes = {"n": config.n, "h": config.h, "d_k": config.d_k, "d_v": known.d_v, "width": config.h * known.d_v}
    if not mixed(config):
        return {**sizes, "model": model_name(config.model), "layer": config.layer, "head": known.head}
    return {**sizes, "d_model": config.d_model, "exact": number(config.d_model / config.h, digits=5)}


def _fields(known: Facts) -> dict[str, Any]:
    """Return every number that a step's sentence may use; `kept` has those of the normalisation's own steps."""
    config, square = known.config, known.squares.get(known.step, 0.0)
    own = {"maximum": known.maximum, **known.kept}
    return {
        **_sizes(known),
        "base": replace(config, log_n=False).factor,
        "growth": config.growth,
        "square": square,
        "root": math.sqrt(square),
        "length": math.sqrt(config.d_k),
        "query": known.query,
        "head": known.head,
        "factor": float(known.config.factor),
        "scale": config.scale,
        "trained": config.trained,
        "hidden_keys": known.config.n - len(known.seen),
        "cap": exact(config.softcap),
        "sink": config.sink,
        "rest": 1.0 - own.get("missing", 0.0),
        "log": math.log(config.n),
        "even": config.n / (config.n + 1),
        "seen": len(known.seen),
        "support": known.support,
        **own,
    }
