"""The Model page's files: a script that prints the chosen query's weights, and the tensors of every layer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from attention_core import InvalidInput
from attention_core.learned import layer_inputs
from visualiser import predictions
from visualiser.export import origin_of
from visualiser.export.model_run import row_script, run_pieces
from visualiser.pages.model import price
from visualiser.pages.model.reading import Read, read
from visualiser.server.live.page import File
from visualiser.server.live.page_request import PageRequest


def _snippet(request: PageRequest) -> Iterator[bytes]:
    found = read(request)
    shown = found.shown
    config = replace(found.state.config, n=max(2, len(shown.run.tokens)))
    origin = origin_of(found.state, request.address)
    yield row_script(config, shown.head, shown.row, _is_product(found), origin).encode()


def _is_product(found: Read) -> bool:
    """Return True if the layer's scores are products of Q and K alone, without a bias and a learned sink."""
    try:
        inputs = layer_inputs(found.shown.run, found.shown.layer)
    except InvalidInput:
        return False
    return inputs.trained is not None and inputs.trained.sink is None


def _npz(request: PageRequest) -> Iterator[bytes]:
    found = read(request)
    return run_pieces(found.shown.run, origin_of(found.state, request.address))


def _is_withheld(request: PageRequest) -> bool:
    """Return True if the link asks: both files answer."""
    return predictions.is_question_requested(request.reading.state)


FILES: Mapping[str, File] = {
    "snippet": File("headlight-model.py", "text/x-python; charset=utf-8", _snippet, price.frame, _is_withheld),
    "npz": File("headlight-model.npz", "application/octet-stream", _npz, price.frame, _is_withheld),
}
"""The files that the browser can load, by the name of their kind."""
