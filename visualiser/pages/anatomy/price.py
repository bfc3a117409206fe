"""Costs of the Anatomy page's answers."""

from dataclasses import replace

from attention_core import AttentionConfig, mechanisms, normalisations, treatments
from visualiser.pages.anatomy.subject import MOST_TOKENS
from visualiser.pages.of_model import priced_as
from visualiser.server.admission.cost import FLOAT, MEBIBYTE, SMALL, Cost, after_run
from visualiser.server.live.page_request import PageRequest


def frame(request: PageRequest) -> Cost:
    """Return the cost of one layer."""
    return layer_cost(request.reading.state.config)


def layer_cost(config: AttentionConfig) -> Cost:
    """Price the config's layer with its parameters and its walk. Lower layers cost only time."""
    if config.source == "model":
        priced = priced_as(config, MOST_TOKENS)
        if priced is None:
            return SMALL
        drawn, run = priced
        return after_run(run, replace(layer_cost(drawn), multiply_adds=2 * drawn.h * drawn.n**2 * drawn.d_k))
    layer = config.layer
    width = config.h * config.d_k
    below = 0 if layer == 1 else 4 if layer > 2 or config.source == "text" else 1  # a layer feeds the one above it
    projections = 4 if config.source == "text" or layer > 1 else 1
    output = width * config.d_model
    parameters = (projections + below) * output
    work = mechanisms.of(config).work(config.h, config.n, config.n, config.d_k)
    parameters += (1 + (layer > 1)) * work.parameters
    tensors = 10 * config.n * width + 7 * config.h * config.n**2 + 8 * config.n * config.d_k
    if config.qk_norm:  # q and k once more, and float64 on the way to them
        tensors += config.n * (3 * width + 6 * config.d_k)
    if treatments.acting(config):  # the bent scores, in the layer and in the walk, and one step on the way
        tensors += 3 * config.h * config.n**2
    weights = normalisations.of(config)
    memory = weights.room + MEBIBYTE + FLOAT * (1.1 * parameters + 2 * output + 1.4 * tensors + 2.2 * work.block)
    once = 1e-8 * parameters + 2e-9 * work.units + 1e-8 * tensors + weights.seconds * config.h * config.n**2
    return Cost(6e-3 + layer * once, int(memory))
