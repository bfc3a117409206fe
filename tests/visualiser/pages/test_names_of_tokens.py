"""A model's tokens have the same names on every page that shows them, in its tables and in its files."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from attention_core.learned import Line
from tests.attention_core.models.small_folders import write
from tests.offline import offline
from tests.visualiser.pages.anatomy.test_live import asked as walk
from tests.visualiser.pieces import opened
from visualiser import models
from visualiser.drawing.labels import label, visible
from visualiser.figures.plots.row import row as row_figure
from visualiser.figures.read_head import token_columns
from visualiser.locale import text
from visualiser.models import folder, listing
from visualiser.pages.explore.frame import figures_with_subjects, frame, result_of, shown_state
from visualiser.pages.explore.take_away import KINDS
from visualiser.pages.map import files, passes
from visualiser.pages.map.rows import row_of
from visualiser.pages.map.store import STORE
from visualiser.server.live.page_request import PageRequest
from visualiser.server.live.runs import Run
from visualiser.state.view import View

pytestmark = pytest.mark.slow

NAMES = ("gpt2", "bert", "llama")
CODE = "def f(x):\n\n    return x  # tab\there "
TEXTS = (CODE, "בנ Seán 👨‍👩‍👧 한국어 각 𝝻", "أكلت القطة السمكة")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[folder.LoadedModels]:
    root = tmp_path_factory.mktemp("models")
    with offline():
        for name in NAMES:
            write(root, name)
        found = folder.LoadedModels(root, 2**30, 2**30)
        for name in NAMES:
            found.load(name, lambda done: None)
        yield found


@pytest.fixture(autouse=True)
def _folder(loaded: folder.LoadedModels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "FOLDER", loaded)


def asking(page: str, model: str, written: str, **extra: Any) -> PageRequest:
    query = f"source=model&model={model}&layer=1&row=1&head=1&text={quote(written)}"
    return PageRequest(query, None, frozenset(), b"", "en", "light", 0, "", extra, page)


def line_of(request: PageRequest) -> Line:
    return models.run(shown_state(request)[0].config, 512).lines[0]


def named(columns: Any) -> dict[str, list[str]]:
    return {one.label: list(one.values) for one in columns if one.typed}


def archived(content: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(content)) as found:
        return {name: found[name].tolist() for name in found if name in ("tokens", "forms", "ids")}


def lines(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def cells(names: list[str]) -> list[str]:
    """Return what the cells of a CSV file hold, without the apostrophe before what would be a formula."""
    return [name.removeprefix("'") for name in names]


@pytest.mark.parametrize("model", NAMES)
@pytest.mark.parametrize("written", TEXTS)
def test_explore_names_tokens_as_the_page_model_does(model: str, written: str) -> None:
    request = asking("explore", model, written)
    state, _ = shown_state(request)
    line, result = line_of(request), result_of(state, b"")
    n = result.weights.shape[2]
    expected = named(token_columns("en", line, range(n)))
    figure, subject = figures_with_subjects(result, None, state.view)["row-weights"]
    assert named(figure.table(subject, state.view).columns) == expected
    found = lines(b"".join(KINDS["rows"].content(request)))
    assert cells([one["token"] for one in found[:n]]) == expected["token"]
    assert cells([one["token_form"] for one in found[:n]]) == expected[text("en", "table.form")]
    assert [one["token_number"] for one in found[:n]] == [str(one) for one in line.ids[:n]]
    told = archived(b"".join(KINDS["npz"].content(request)))
    assert told == {"tokens": [*line.tokens[:n]], "forms": [*line.forms[:n]], "ids": [*line.ids[:n]]}
    assert "\ufffd" not in "".join((*told["tokens"], *told["forms"], *(label(one) for one in told["tokens"])))


@pytest.mark.parametrize("model", NAMES)
@pytest.mark.parametrize("written", TEXTS)
def test_the_map_names_tokens_as_the_page_model_does(model: str, written: str) -> None:
    request = asking("map", model, written)
    *_, last = passes.run(request, Run())
    kept, line = STORE.get(opened(last)[0]["id"]), line_of(request)
    n = kept.K.shape[1]
    row = row_of(kept, 1, n - 1)
    found = named(row_figure.table(row, View()).columns)
    assert found == named(token_columns("en", line, row.top.tolist()))
    told = lines(files.lines(kept))
    assert cells([one["token"] for one in told[:n]]) == [visible(token) for token in line.tokens[:n]]
    assert [one["largest_weight_token_number"] for one in told[:n]] == [
        str(line.ids[int(one["largest_weight_key"])]) for one in told[:n]
    ]
    assert archived(files.archive(kept))["forms"] == [*line.forms[:n]]


@pytest.mark.parametrize("model", NAMES)
def test_anatomy_names_tokens_as_the_page_model_does(model: str) -> None:
    line = line_of(asking("anatomy", model, CODE))
    found = walk(f"source=model&model={model}&layer=1&text={quote(CODE)}")
    assert found["walk"]["forms"] == [*line.forms]
    assert [*found["walk"]["ids"]] == [*line.ids]


def test_white_space_is_seen_in_a_sentence() -> None:
    request = asking("explore", "gpt2", CODE)
    blank = next(at for at, token in enumerate(line_of(request).tokens) if token.startswith(" "))
    request = replace(request, query=request.query.replace("row=1", f"row={blank}"))
    said = str([opened(piece)[0].get("insight") for piece in frame(request)])
    assert f"Query {blank} “␣" in said
