"""The Model page's files: a script that prints the chosen query's weights, and the tensors of every layer."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from attention_core import InvalidInput
from attention_core.learned import layer_inputs
from visualiser import models, predictions
from visualiser.export import html, origin_of
from visualiser.export.model_run import RUN_FILE, file_script, given_script, row_script, run_pieces
from visualiser.figures.under_pictures import over_pictures
from visualiser.held import is_name
from visualiser.locale.message import message, write_all
from visualiser.models.pictures import pictures
from visualiser.pages.model import PICTURE, READS, changes, price, sentences
from visualiser.pages.model.present import figures_of
from visualiser.pages.model.reach import most_tokens
from visualiser.pages.model.reading import Read, read
from visualiser.server.live.page import File
from visualiser.server.live.page_request import PageRequest


def _snippet(request: PageRequest) -> Iterator[bytes]:
    found = read(request)
    shown = found.shown
    config = found.state.config
    mixed = found.pictures and "text" in found.model.takes
    config = replace(config, n=most_tokens(config.model) if mixed else max(2, *map(len, shown.run.lines)))
    origin = origin_of(found.state, request.address)
    held = is_name(config.model)
    row, window = (shown.row, shown.window and shown.window.number) if held else (shown.place(shown.row), None)
    if shown.scored:
        yield row_script(config, shown.head, row, _is_product(found), origin, window, found.acting).encode()
    else:
        script = file_script if models.is_file(config.model) else given_script
        yield script(shown.attention.name, shown.head, row, origin).encode()


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


def _html(request: PageRequest) -> Iterator[bytes]:
    found = read(request)
    view = replace(found.state.view, columns=request.columns, theme=request.theme)
    shown = found.shown
    read_pictures = pictures(found.state.config.pictures, request.upload) if found.pictures else ()
    figures = []
    for figure in figures_of(shown):
        drawn = figure.drawing(shown, view)
        over = figure in (PICTURE, READS) and read_pictures
        figures.append((figure, shown, over_pictures(drawn, shown, read_pictures) if over else drawn))
    said = sentences.insight(found.shown, found.model, found.footnote, found.changes)[
        1:
    ]  # the first is the gist of the second
    if found.against:
        said.append(message("model.against_are", changes=[changes.said(one, view.lang) for one in found.against]))
    if found.changes:
        said.append(message("model.changes_are", changes=[changes.said(one, view.lang) for one in found.changes]))
    yield html(figures, view, origin_of(found.state, request.address), write_all(said, view.lang)).encode()


def _is_withheld(request: PageRequest) -> bool:
    """Return True if the link asks: both files answer."""
    return predictions.is_question_requested(request.reading.state)


FILES: Mapping[str, File] = {
    "snippet": File("headlight-model.py", "text/x-python; charset=utf-8", _snippet, price.frame, _is_withheld),
    "html": File("headlight-model.html", "text/html; charset=utf-8", _html, price.frame, _is_withheld),
    "npz": File(RUN_FILE, "application/octet-stream", _npz, price.frame, _is_withheld),
}
"""The files that the browser can load, by the name of their kind."""
