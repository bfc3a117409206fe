"""A link of the Model page as it is read: the model's run over the text, the chosen head, and what all heads do."""

import math
from dataclasses import dataclass, replace

from attention_core.learned import FootnoteFour, LearnedModel, ModelRun, footnote_4, labels
from attention_core.learned.measures import totals
from visualiser import models
from visualiser.figures.read_head import ReadHead
from visualiser.locale import text
from visualiser.pages.model import MOST_TOKENS, questions, reasons
from visualiser.predictions import without_unavailable_question
from visualiser.reasons.explained import How
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share


@dataclass(frozen=True, eq=False)
class Read:
    """A state of the page with what it shows."""

    state: share.State
    notices: tuple[str, ...]
    model: LearnedModel
    shown: ReadHead
    footnote: FootnoteFour | None
    ratios: tuple[float, ...]
    posed: questions.PosedQuestion | None

    @property
    def how(self) -> How:
        """Where the numbers of the sentences come from."""
        return reasons.reasons(reasons.Told(self.shown, self.ratios))


def read(request: PageRequest) -> Read:
    """Run the model of a link over its text; a layer, a head or a position that it lacks becomes the nearest one.

    Raises `InvalidInput` as `visualiser.models.measured` does.
    """
    reading = request.reading
    state, notices = reading.state, list(reading.notices)
    config, view, own = state.config, state.view, state.own
    model = models.find(config.model)
    corpus = models.measured(config.model)
    run = models.run(config, MOST_TOKENS)
    layer = min(config.layer, len(run.layers))
    h, n_q, n_k = run.layers[layer - 1].weights.shape
    head = min(max(1, view.head), h)
    for name, value, used, most in (("layer", config.layer, layer, len(run.layers)), ("head", view.head, head, h)):
        if value > most:
            notices.append(
                text(state.lang, "notice.nearest", name=name, value=str(value), used=str(used), low="1", high=str(most))
            )
    row = n_q - 1 if view.row is None else min(view.row, n_q - 1)
    summed = totals(run, model.delimiters)
    here = summed.means
    measures, counts = (corpus.scores, None) if own["over"] == "corpus" else (here, summed.row_counts)
    shown = ReadHead(
        run=run,
        layer=layer,
        head=head,
        row=row,
        key=_key(run, layer, head, row, int(own["key"]), n_k),
        measures=measures,
        labels={
            (layer, head): found
            for layer, heads in enumerate(labels(corpus), 1)
            for head, found in enumerate(heads, 1)
            if found
        },
        axes=(str(own["x"]), str(own["y"])),
        pairs=model.pairs,
        counts=counts,
    )
    state = replace(state, config=replace(config, layer=layer), view=replace(view, head=head))
    posed = questions.pose(state, shown, corpus.scores)
    state, told = without_unavailable_question(state, posed is not None, tuple(notices))
    ratios = tuple(ratio for ratio in here["variance"].flatten().tolist() if not math.isnan(ratio))
    return Read(state, told, model, shown, footnote_4(here), ratios, posed)


def _key(run: ModelRun, layer: int, head: int, row: int, wished: int, n_k: int) -> int:
    """Return the locked key, or the one that the query reads most."""
    if wished >= 0:
        return min(wished, n_k - 1)
    return int(run.layers[layer - 1].weights[head - 1, row].argmax())
