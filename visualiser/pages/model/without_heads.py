"""What a frame shows of runs without each head, and of runs at every factor.

Costs that take at most a second come with the frame. Others are a run (`cost_run`), after which the page asks for
the frame again, and it finds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from attention_core import AttentionConfig
from attention_core.changes import Change
from attention_core.learned import Said, factor_everywhere
from visualiser import models
from visualiser.figures.head_costs import COST, Costs
from visualiser.figures.patched_heads import PATCH
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.models import Work
from visualiser.pages.model import second_text
from visualiser.pages.model.reach import most_tokens, read_sizes
from visualiser.server.admission.cost import Cost
from visualiser.server.live.page_request import PageRequest
from visualiser.state.share import State


def measures(own: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the measures of heads that a link asks for beside the others."""
    if second_text.is_asked(own):
        return (PATCH,)
    return (COST,) if own["cost"] == "text" else ()


def beside(
    shown: ReadHead,
    request: PageRequest,
    config: AttentionConfig,
    own: Mapping[str, Any],
    changes: Sequence[Change],
    place: int | None,
) -> ReadHead:
    """Return what is shown with what each head costs, if the link asks for it and it is there, and with the curve.

    `place` is the position of a masked word.
    """
    factor = factor_everywhere(changes)
    if factor is None and not measures(own):
        return shown
    said = None if shown.saying is None else shown.saying.after
    if not isinstance(said, Said):
        return shown
    if second_text.is_asked(own):
        shown = second_text.beside(shown, config, own, changes)
    elif measures(own):
        work = costs_work(config, request.upload)
        now = work is not None and work.seconds <= models.AT_ONCE
        at = place if said.of_place else None
        found = models.costs(config, most_tokens(config.model), request.upload, heads_of(shown), changes, at, now=now)
        if found is not None:
            costs = Costs(found)
            shown = replace(shown, costs=costs, measures={**shown.measures, COST: costs.measure})
    if factor is not None and said.reads_on and _draws(config, request.upload):
        curve = models.curve(config, most_tokens(config.model), request.upload, changes)
        shown = replace(shown, curve=curve, factor=factor.times)
    return shown


def heads_of(shown: ReadHead) -> list[tuple[int, int]]:
    """Return every layer and head, from 0."""
    return [(layer - 1, head - 1) for layer, head in shown.heads]


def costs_work(config: AttentionConfig, upload: bytes) -> Work | None:
    sizes = read_sizes(config, upload)
    return None if sizes is None else models.costs_work(sizes, config.model)


def asked_work(config: AttentionConfig, own: Mapping[str, Any], upload: bytes) -> Work | None:
    """Return what the costs take that a link asks for, or the heads from a second text; None if it asks for neither."""
    if second_text.is_asked(own):
        return second_text.work(config, own)
    return costs_work(config, upload) if measures(own) else None


def _draws(config: AttentionConfig, upload: bytes) -> bool:
    """Return True if the curve takes little enough."""
    sizes = read_sizes(config, upload)
    return sizes is not None and models.curve_work(sizes, config.model).seconds <= models.CURVE_AT_ONCE


def price(config: AttentionConfig, own: Mapping[str, Any], upload: bytes) -> Cost:
    """Price what a frame computes beside its run: costs and a curve, those that take too long left out."""
    sizes, cost = read_sizes(config, upload), Cost(0.0, 0)
    if sizes is None:
        return cost
    work = asked_work(config, own, upload)
    if work is not None and work.seconds <= models.AT_ONCE:
        cost += Cost(work.seconds, work.memory, work.multiply_adds)
    if (
        "factor" in str(own["changes"])
        and (work := models.curve_work(sizes, config.model)).seconds <= models.CURVE_AT_ONCE
    ):
        cost += Cost(work.seconds, 0, work.multiply_adds)
    return cost


def lacking(state: State, upload: bytes, shown: ReadHead) -> dict[str, Any] | None:
    """Return what the page says of costs that a link asks for and that are not there; None if nothing is lacking.

    `seconds` that a run for them takes, 0 if the model says nothing that could cost anything, or nothing can be taken
    from the second text: `refused` says why.
    """
    if not measures(state.own) or shown.costs is not None:
        return None
    problem = shown.refused
    refused = "" if problem is None else text(state.lang, f"error.{problem.code}", **problem.details)
    work = asked_work(state.config, state.own, upload)
    says = shown.saying is not None and isinstance(shown.saying.after, Said)
    seconds = 0.0 if work is None or not says or refused else max(1.0, work.seconds)
    return {"seconds": seconds, "heads": len(shown.heads), "refused": refused}
