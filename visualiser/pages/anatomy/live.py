"""The Anatomy page: Figure 2 as boxes with shapes, and one query walked through it, step by step."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attention_core import AttentionConfig
from attention_core.config import LOG_N_KEYS, SCALED
from attention_core.exact import mask_choices
from visualiser import predictions
from visualiser.locale import text
from visualiser.locale.message import write_all
from visualiser.pages.anatomy import FIGURES, QUESTIONS, price, sentences
from visualiser.pages.anatomy import steps as walk_steps
from visualiser.pages.anatomy.facts import Facts, facts
from visualiser.pages.anatomy.figures import Walk
from visualiser.pages.anatomy.reasons import reasons
from visualiser.pages.anatomy.subject import Subject, subject
from visualiser.pages.anatomy.tensors import FITS, fits, tensors, tree
from visualiser.pages.of_model import hearing, vocabulary
from visualiser.reasons.explained import explained
from visualiser.reasons.tensors import treated
from visualiser.server.live import parts, predicting
from visualiser.server.live.page import Live
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.parameters import first_values

LARGEST = predictions.Choice(*QUESTIONS)
"""Its choices are the keys."""


def frame(request: PageRequest) -> Iterator[bytes]:
    """Yield one state of the page: its link, the question if there is one, the tensors, then sentences and tables."""
    reading = request.reading
    of = subject_of(reading.state)
    layer, config = of.layer, of.config
    state = within(reading.state, config)
    step = str(state.own["step"])
    row, head = state.view.inspected(config.n), state.view.single(of.heads)
    known = facts(of, row, head, step, str(state.own["rows"]), state.view.hide)
    cut = (text(state.lang, "notice.text_cut", n=config.n),) if of.cut else ()
    cut = (*cut, *hearing(reading.state.config, state.lang))
    state, notices = predictions.without_unavailable_question(state, has_question(known), (*reading.notices, *cut))
    yield parts.state(state, notices)
    yield from _prediction(state, known, request)
    made = tensors(layer, row, head)
    there = walk_steps.steps(config)
    structures = parts.Structures(request.known)
    walked = {
        "steps": list(there),
        "titles": {each: sentences.title(config, each, known.given).written(state.lang) for each in there},
        "step": step,
        "rows": state.own["rows"],
        "row": row,
        "head": head,
        "layer": config.layer,
        "sizes": walk_steps.sizes(config, known.d_v, known.grouped),
        "heads": of.heads,
        "tokens": list(of.tokens),
        **vocabulary(of.line),
        "mechanism": config.mechanism,
        "scaled": SCALED[config.mechanism],
        "scaling": config.scaling,
        "trained": config.trained is not None,
        **({} if of.own is None else {"own": of.own}),
        "masked": not mask_choices.of(config).everything,
        "factor": np.float64(config.factor),
        **({"log_n": LOG_N_KEYS} if config.log_n else {}),
        "normalisation": config.normalisation,
        "weighing": list(walk_steps.weighing(config)),
        **({"softcap": np.float64(config.softcap)} if "capped" in there else {}),
        **({"sink": np.float64(config.sink)} if "sunk" in made else {}),
        "fits": fits(layer),
        "most": FITS,
        **({"formulas": own} if (own := _formulas(config)) else {}),
        "boxes": walk_steps.boxes(config, known.d_v, known.grouped),
        "positions": config.source == "text" and config.positions,
        "sentences": explained(sentences.step_sentences(known), state.lang, reasons(known)),
        "said": {each: _spoken_step(known, each, state.lang) for each in there},
        "tensors": tree(made),
    }
    yield parts.values("walk", walked, structures)
    insight = explained(sentences.insight(known), state.lang, reasons(known))
    yield parts.shown(FIGURES, Walk(config, known, made), state.view, structures, insight=insight)


def _formulas(config: AttentionConfig) -> dict[str, tuple[str, str]]:
    """Return the formulas of tensors that this configuration defines otherwise than the page's settings do."""
    return {name: (each.formula, each.section) for name, each in treated(config).items()}


def subject_of(state: share.State) -> Subject:
    """Return what a state walks through. Raises as `subject`."""
    return subject(state.config, max(1, state.view.head))


def within(state: share.State, config: AttentionConfig) -> share.State:
    """Return the state with a step that the layer of `config` has; a link may name any: the next one, else the last."""
    there = walk_steps.steps(config)
    if state.own["step"] in there:
        return state
    later = walk_steps.STEPS[walk_steps.STEPS.index(str(state.own["step"])) :]
    return replace(state, own={**state.own, "step": next((step for step in later if step in there), there[-1])})


def _prediction(state: share.State, known: Facts, request: PageRequest) -> Iterator[bytes]:
    """Yield the question, and the verdict once the visitor has answered and requests it or reaches the scores.

    From the scores on the step itself gives the answer: the page keeps its question there and poses no new one.
    """
    lang = state.lang
    revealed = walk_steps.revealed(known.step)
    if not predictions.is_question_requested(state) or not has_question(known):
        return
    labels = _labels(known)
    fixed = first_values(state.page)
    about = share.canonical(replace(state, view=replace(state.view, row=known.row), own=fixed))
    yield predicting.question_part(
        LARGEST, lang, labels=labels, about=about, kept=revealed, query=known.query, head=known.head
    )
    if not revealed and request.extra.get("reveal") is not True:
        return
    best = [str(key) for key in known.best]
    because = sentences.because(known)
    if part := predicting.verdict(LARGEST, request.extra, best, lang, labels=labels, how=reasons(known), **because):
        yield part


def _spoken_step(known: Facts, step: str, lang: str) -> str:
    """Return the printed sentences of a step for this query and head; paper has no controls."""
    there = replace(known, step=step, hidden=(*known.hidden, "mask"))
    return " ".join(write_all(sentences.step_sentences(there), lang))


def has_question(known: Facts) -> bool:
    """Return True if there is a question: several keys to choose from, but not too many."""
    return 1 < len(known.seen) <= FITS


def _labels(known: Facts) -> dict[str, str]:
    return {str(key): known.named(key) for key in known.seen}


LIVE = Live((frame, price.frame))
