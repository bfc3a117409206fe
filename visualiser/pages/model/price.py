"""Costs of the Model page's answers, from the sizes of the model and the number of tokens."""

from attention_core import InvalidInput
from attention_core.learned import LearnedModel
from visualiser import models
from visualiser.pages.model import MOST_TOKENS
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, SMALL, Cost
from visualiser.server.live.page_request import PageRequest

_PARAMETER = 1e-10
"""Seconds for a token and a parameter: a multiplication and an addition."""


def frame(request: PageRequest) -> Cost:
    """Return the cost of a run of the model over the text, its small maps and its measures."""
    config = request.reading.state.config
    try:
        return run_cost(models.find(config.model), config.text)
    except InvalidInput:
        return SMALL  # refused in words


def tokens_of(text: str) -> int:
    """Return the most tokens that the page reads of a text, from its bytes alone: none has less than one."""
    return min(MOST_TOKENS, 2 + len(text.encode("utf-8", "replace")))


def run_cost(model: LearnedModel, text: str) -> Cost:
    """Price a run of a model over a text, as far as it reads one, with all that the page makes of it."""
    n = min(tokens_of(text), model.most_tokens)
    cells = model.layers * model.h * n**2
    operands = 3 * model.layers * model.h * n * model.d_k
    memory = MEBIBYTE + FLOAT * (6 * cells + 2 * operands)
    return Cost(8e-3 + 4e-8 * cells + 1e-8 * operands + _PARAMETER * model.parameters * n, int(memory))
