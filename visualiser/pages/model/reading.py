"""A link of the Model page as it is read: the model's run over the text, the chosen head, and what all heads do."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from attention_core import AttentionConfig, InvalidInput
from attention_core.changes import Change, overruled
from attention_core.learned import (
    HEAD_MEASURES,
    PATCH_MEASURES,
    FootnoteFour,
    LearnedModel,
    ModelRun,
    Window,
    Written,
    footnote_4,
    labels,
    of_run,
    window_of,
)
from attention_core.learned.head_totals import measures_of
from visualiser import models
from visualiser.figures.before_after import Saying
from visualiser.figures.read_head import ReadHead
from visualiser.figures.sorted_heads import LAYER, WEIGHT, SortRules
from visualiser.locale import text
from visualiser.pages.model import changes, other_maps, questions, reasons, without_heads
from visualiser.pages.model.change_kinds import Item
from visualiser.pages.model.changed import Changed, changed, decided, of_one, reweighted, sizes, touched
from visualiser.pages.model.posing import Posing
from visualiser.pages.model.reach import most_tokens
from visualiser.predictions import without_unavailable_question
from visualiser.reasons.explained import How
from visualiser.server.live.page_request import PageRequest
from visualiser.state import share
from visualiser.state.link_values import cut
from visualiser.upload.pictures import is_picture
from visualiser.upload.sounds import is_sound

_NOT_HERE: Final = {"picture": "notice.no_picture", "sound": "notice.no_sound"}


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
    before: ModelRun
    """The run of the model as it is: that of `shown` if nothing is changed."""
    changes: tuple[Item, ...] = ()
    """What a link changes."""
    acting: tuple[Change, ...] = ()
    """The same as `attention_core` takes it."""
    pictures: tuple[str, ...] = ()
    """The names of those that the model reads."""
    sound: tuple[str, float] | None = None
    """The name of the sound that it hears, and how many seconds that lasts."""
    against: tuple[Item, ...] = ()
    """What is pinned as A, with which the changes are compared."""

    @property
    def measured(self) -> tuple[str, ...]:
        """The names of the measures that such a model has."""
        return _measured(self.shown.run)

    @property
    def overruled(self) -> frozenset[int]:
        """The places of the changes that decide nothing beside the others."""
        return overruled(self.acting, sizes(self.shown.run)) if self.acting else frozenset()

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
    is_measured = models.is_measured(config.model)  # asked first: another visitor's run may end meanwhile
    corpus = models.measured(config.model)
    config = _there(request, model, notices)
    made = changed(config, str(own["changes"]), state.lang, request.upload, str(own["against"]))
    run, as_is = made.run, made.as_is
    notices += made.notices
    layer = min(config.layer, len(run.layers))
    h = run.layers[layer - 1].weights.shape[-3]
    if run.windows[layer - 1] is None:
        queries, keys = run.layers[layer - 1].weights.shape[-2:]
    else:
        queries = keys = len(run.queries(layer))
    head = min(max(1, view.head), h)
    for name, value, used, most in (("layer", config.layer, layer, len(run.layers)), ("head", view.head, head, h)):
        if value > most:
            notices.append(
                text(state.lang, "notice.nearest", name=name, value=str(value), used=str(used), low="1", high=str(most))
            )
    row = _first_query(run, layer) if view.row is None else min(view.row, queries - 1)
    window = window_of(run, layer, row)
    alone = run.lines[0].is_picture
    summed, even = of_run(run, model.delimiters)
    names = _measured(run)
    own, axes = _offered(own, (*names, *without_heads.measures(own)))
    here = {name: summed.means[name] for name in names}
    over = {name: scores for name, scores in corpus.scores.items() if name in here or name not in HEAD_MEASURES}
    is_read = own["over"] == "corpus" and is_measured and not models.is_file(config.model)
    measures, counts = (over, None) if is_read else (here, summed.row_counts)
    shown = ReadHead(
        run=run,
        layer=layer,
        head=head,
        row=window.row,
        key=_key(window, head, int(own["key"]), keys),
        measures=measures,
        labels={
            (layer, head): found
            for layer, heads in enumerate(labels(corpus), 1)
            for head, found in enumerate(heads, 1)
            if found
        },
        axes=axes,
        pairs=model.pairs,
        counts=counts,
        chances=even,
        known=corpus,
        window=None if window.number is None else window,
        rebuilt=as_is.layers[layer - 1].Q is not None and run.layers[layer - 1].Q is None,
        before=made.before,
        pinned=bool(made.against),
        touched=touched(of_one(made), run),
        reweighted=reweighted(made.changes, layer, head),
        decided=decided(made.changes, run),
        rules=SortRules.of_link(own),
    )
    place = shown.place(shown.row) if run.between[layer - 1][0] == 0 else None
    # later, and once: the heads are painted before the model says anything
    plain = cache(lambda: _said(config, request, made, place))
    shown = replace(
        shown,
        says=cache(lambda: _said_of_a(config, request, made, place, plain())),
        written=_written(shown, state, notices),
    )
    shown = replace(shown, mapped=other_maps.asked(shown, state, notices))
    shown = without_heads.beside(shown, request, config, own, made.changes, place)
    state = replace(state, config=replace(config, layer=layer), view=replace(view, head=head))
    lists = {"changes": changes.write(made.items), "against": changes.write(made.against)}
    if not is_measured:  # some of a link's changes may need what has still to be measured
        lists = {}
    state = replace(state, own={**(own if alone else state.own), **lists})
    posed = questions.pose(Posing(state, shown, corpus.scores, made.changes, request.upload))
    if posed:  # an order, or heads that are left out, would help to answer it
        shown = replace(shown, rules=SortRules())
    if posed and shown.pinned:  # what A says could answer it
        shown = replace(shown, before=as_is, says=plain, pinned=False, touched=touched(made.changes, run))
    state, told = without_unavailable_question(state, posed is not None, tuple(notices))
    ratios = tuple(ratio for ratio in here["variance"].flatten().tolist() if not math.isnan(ratio))
    pictures = tuple(state.config.pictures.split(",")) if "pictures" in model.takes else ()
    sound = None
    if "sound" in model.takes:
        sound = state.config.sound, models.sound_seconds(state.config.sound, request.upload)
    footnote = None if made.items else footnote_4(here)  # it speaks of a model as it was trained
    return Read(
        state, told, model, shown, footnote, ratios, posed, as_is, made.items, made.changes, pictures, sound,
        made.against,
    )  # fmt: skip


def _said(config: AttentionConfig, request: PageRequest, made: Changed, place: int | None) -> Saying | None:
    """Return what the model says as it is, and as it is changed."""
    found = models.says(config, most_tokens(config.model), request.upload, made.changes, place)
    return found and Saying(*found)


def _said_of_a(
    config: AttentionConfig, request: PageRequest, made: Changed, place: int | None, plain: Saying | None
) -> Saying | None:
    """Return what the model says with what is pinned as A, and what it says now; `plain` begins with it as it is."""
    if plain is None or not made.against:
        return plain
    if made.before is made.run:
        return Saying(plain.after, plain.after)
    found = models.says(config, most_tokens(config.model), request.upload, made.against_changes, place)
    return found and Saying(found[1], plain.after)


def _written(shown: ReadHead, state: share.State, notices: list[str]) -> Written | None:
    """Return what the chosen head writes if a link asks for it, or None and say why it cannot be told."""
    if state.own["key_figure"] != "writes":
        return None
    try:
        return models.writes(state.config.model, shown.run, shown.layer, shown.head)
    except InvalidInput as problem:
        if problem.code not in ("writes_no_words", "writing_unread"):
            raise
        notices.append(text(state.lang, f"error.{problem.code}", **problem.details))
        return None


def _measured(run: ModelRun) -> tuple[str, ...]:
    """Return the names of the measures that such a model has."""
    if run.lines[0].is_picture:
        return tuple(PATCH_MEASURES)
    return measures_of(run)


def _first_query(run: ModelRun, layer: int) -> int:
    """Return the query of a link that names none: the last token, or of a picture the class token or the middle."""
    line = run.queries(layer)
    if not line.is_picture:
        return run.layers[layer - 1].weights.shape[-2] - 1
    grid = line.grids[0]
    return 0 if grid.first else grid.rows // 2 * grid.columns + grid.columns // 2


def _key(window: Window, head: int, wished: int, keys: int) -> int:
    """Return the place of the locked key, or of the one that the query reads most: one outside a window is not read."""
    wished = min(wished, keys - 1)
    if wished >= 0 and window.at is None:
        return min(wished, window.layer.weights.shape[-1] - 1)
    there = [] if window.at is None else (window.at == wished).nonzero().flatten().tolist()
    return there[0] if wished >= 0 and there else int(window.layer.weights[head - 1, window.row].argmax())


def _offered(own: Mapping[str, Any], names: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, str]]:
    """Return the page's settings with measures that the model has in place of those that it lacks, and the axes."""
    first = {"x": "distance", "y": "entropy"} if "distance" in names else {"x": "patch_distance", "y": "entropy"}
    found = dict(own) | {name: one for name, one in first.items() if own[name] not in names}
    if own["sort"] not in (LAYER, WEIGHT, *names):
        found["sort"] = LAYER
    return found, (str(found["x"]), str(found["y"]))


def _there(request: PageRequest, model: LearnedModel, notices: list[str]) -> AttentionConfig:
    """Return the configuration with pictures and a sound that are there, and say which are not."""
    state, own = request.reading.state, request.upload
    config = state.config
    if "pictures" in model.takes:
        names, missing = models.settled(config.pictures, is_picture(own))
        used = text(state.lang, f"picture.{names.partition(',')[0]}")
        notices += [_missing(state.lang, "picture", name, used) for name in missing]
        config = replace(config, pictures=names)
    if "sound" in model.takes and (sound := models.settled_sound(config.sound, is_sound(own))) != config.sound:
        notices.append(_missing(state.lang, "sound", config.sound, text(state.lang, f"sound.{sound}")))
        config = replace(config, sound=sound)
    return config


def _missing(lang: str, kind: str, name: str, used: str) -> str:
    if name == models.OWN:
        return text(lang, _NOT_HERE[kind], used=used)
    field = "pictures" if kind == "picture" else kind
    return text(lang, "notice.choice", name=field, value=cut(name), used=used)
