"""A link that asks a question gets no file with the answer from the server: every file and answer of every page."""

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pytest
import safetensors.numpy
from fastapi.testclient import TestClient

from attention_core import AttentionConfig, compute
from tests.visualiser.conftest import parts, wrapped
from visualiser.locale import LANGUAGES, number, text
from visualiser.pages.explore import PANELS, ROW
from visualiser.pages.map.predicted import QUESTIONS
from visualiser.server.live.answering import LIVE
from visualiser.server.live.routes import PREFIX
from visualiser.state import parameters

FILES: Final = [(page, kind) for page, live in LIVE.items() for kind in live.files]
ANSWERS: Final = {f"{page}/{name}" for page, live in LIVE.items() for name in live.subrequests}

STATES: Final = {
    "explore": "n=12&h=3&row=2",
    "model": "page=model&layer=2&row=5",
    "map": "page=map&n=300&h=3&d_k=8&row=5",
}
"""A state of each page with files or answers that a question would have to hold back, without its question."""

HELD: Final = ("row", "figure", "csv", "npz", "arithmetic")
"""The answers about a kept map that wait."""

SHOWN: Final = {
    "explore/arithmetic": "lines of tables that the page shows; none while they wait, below",
    "why/arithmetic": "lines of tables that the page shows; no file",
    "explore/row": "cells of the heat maps that the page shows; its statistics wait, below",
    "explore/reveal": "the verdict on an answer, which it needs",
    "map/tiles": "cells of the map that the page shows",
    "map/reveal": "the verdict on an answer, which it needs",
    "map/forget": "nothing",
    "model/arithmetic": "lines of tables that the page shows; none while they wait, below",
    "model/figure": "the small maps for a file; they wait, below",
    "model/head": "a head over texts; it waits, in test_over_texts",
    "model/models": "the list of models that are offered",
    "model/passage": "a passage of those texts; it waits with them",
    "model/reveal": "the verdict on an answer, which it needs",
    "why/curves": "the sweep that the page draws behind its covers; no file",
}
"""The other smaller answers, and what they send while a question is open."""


@pytest.fixture
def client(warm: TestClient) -> TestClient:
    """Return the client; nothing here is hostile, so that nobody counts its memory."""
    return warm


def asked(page: str) -> list[str]:
    """Return the questions of a page's links, but `any`."""
    return [name for name in parameters.own(page)["question"].choices if name != "any"]


def posted(client: TestClient, route: str, query: str, upload: bytes = b"", **fields: Any) -> Any:
    """Ask as the page does."""
    return client.post(f"{PREFIX}/{route}", content=wrapped({"query": query, **fields}, upload))


def assert_waits(answer: Any, lang: str) -> None:
    assert (answer.status_code, answer.json()) == (403, {"message": text(lang, "predict.files_wait")})


def test_every_answer_and_every_file_is_known_here() -> None:
    assert {f"map/{name}" for name in HELD} | set(SHOWN) == ANSWERS
    assert {page for page, _ in FILES} <= set(STATES)


@pytest.mark.slow
@pytest.mark.night(but=5)
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("page", "kind"), FILES)
def test_no_file_of_a_page_is_sent_while_its_link_asks(client: TestClient, page: str, kind: str, lang: str) -> None:
    route = f"take-away/{page}/{kind}"
    for question in asked(page):
        query = f"{STATES[page]}&lang={lang}&predict=true&question={question}"
        answer = posted(client, route, query, figure="entropy")
        if kind == "figure" and question != "narrow_head":
            assert answer.status_code == 200  # the page shows it: the answer is in the state after the change
        else:
            assert_waits(answer, lang)
    for settled in ("", "&predict=true&hide=predict") if lang == LANGUAGES[0] else ():
        assert posted(client, route, f"{STATES[page]}{settled}", figure="entropy").status_code == 200


def strings(tree: Any) -> Iterator[str]:
    """Yield all texts of a figure."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict | list):
        for child in tree.values() if isinstance(tree, dict) else tree:
            yield from strings(child)


@pytest.mark.parametrize("figure", ["heat-maps", *(each.name for each in (*PANELS, *ROW))])
def test_a_question_about_the_heads_leaves_the_heat_maps_alone(client: TestClient, figure: str) -> None:
    answer = posted(
        client, "take-away/explore/figure", "n=24&h=4&row=3&source=structured&predict=true&question=narrow_head",
        figure=figure,
    )  # fmt: skip
    if figure != "heat-maps":
        assert_waits(answer, "en")
        return
    result = compute(AttentionConfig(n=24, h=4, source="structured"))
    words = " ".join(strings(json.loads(answer.content)))
    for name in ("entropy", "effective_keys", "jacobian_norm", "jacobian_trace", "largest_weight"):
        for value in result.statistic(name).double().mean(-1).tolist():
            assert number(value) not in words


def test_files_of_an_upload_wait_by_the_sizes_that_it_states(client: TestClient) -> None:
    for heads, waits in ((3, True), (1, False)):
        tensors = {name: np.ones((heads, 5, 4), np.float32) for name in "QKV"}
        upload = safetensors.numpy.save(tensors)
        answer = posted(
            client, "take-away/explore/figure", "source=upload&scaling=none&mask=causal&mechanism=additive"
            "&predict=true&question=narrow_head", upload, figure="entropy",
        )  # fmt: skip
        assert answer.status_code == (403 if waits else 200)


def test_a_hovered_row_tells_its_cells_and_no_statistic(client: TestClient) -> None:
    for question, visible in (("narrow_head", False), ("unscaled_entropy", True)):
        query = f"{STATES['explore']}&predict=true&question={question}"
        answer = posted(client, "page/explore/row", query, row=2)
        (header,) = parts(answer)
        structure = json.dumps(header["row"]["structure"])
        assert '"stage"' in structure
        assert ('"entropy"' in structure) is visible


def test_the_arithmetic_of_a_table_waits_with_it(client: TestClient) -> None:
    for question, visible in (("narrow_head", False), ("unscaled_entropy", True)):
        query = f"{STATES['explore']}&predict=true&question={question}"
        (header,) = parts(posted(client, "page/explore/arithmetic", query, table="entropy", line=0))
        assert header["part"] == ("arithmetic" if visible else "error")


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_maps_of_a_model_and_the_lines_of_its_tables_wait(client: TestClient, lang: str) -> None:
    def first_part(name: str, query: str, **fields: Any) -> dict[str, Any]:
        return parts(posted(client, f"page/model/{name}", f"page=model&lang={lang}{query}", **fields))[0]

    line = {"table": "head-map", "line": 0}
    for question in asked("model"):
        query = f"&predict=true&question={question}"
        waits = first_part("figure", query)
        assert (waits["part"], waits["message"]) == ("error", text(lang, "predict.files_wait"))
        assert first_part("arithmetic", query, **line)["part"] == "error"
    for settled in ("", "&predict=true&hide=predict"):
        assert first_part("figure", settled)["part"] == "figure"
        assert first_part("arithmetic", settled, **line)["part"] == "arithmetic"


@pytest.fixture(scope="module")
def kept(warm: TestClient) -> Iterator[str]:
    """Return the name of a map that the server holds."""
    ended = parts(warm.post(f"{PREFIX}/run/map", content=wrapped({"query": STATES["map"]})))[-1]
    yield ended["id"]
    posted(warm, "page/map/forget", STATES["map"], id=ended["id"])


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", HELD)
def test_a_kept_map_gives_no_file_and_no_row_while_a_link_asks(
    client: TestClient, kept: str, name: str, lang: str
) -> None:
    def first_part(query: str, **fields: Any) -> dict[str, Any]:
        answer = posted(
            client, f"page/map/{name}", f"{STATES['map']}&lang={lang}{query}", id=kept, row=5, head=1, **fields
        )
        return parts(answer)[0]

    for question in QUESTIONS:
        for figure in ("strips", "row", "map"):
            found = first_part(f"&predict=true&question={question}", figure=figure)
            if (name, figure) == ("figure", "map"):
                assert found["part"] == "figure"
            else:
                assert (found["part"], found["message"]) == ("error", text(lang, "predict.files_wait"))
    row = {"figure": "strips", "table": "row", "line": 0}
    assert first_part("", **row)["part"] != "error"
    assert first_part("&predict=true&hide=predict", **row)["part"] != "error"


@pytest.mark.parametrize("page", ["train", "cost"])
def test_a_shipped_result_is_sent_once_it_is_asked_for(client: TestClient, page: str) -> None:
    def size(**fields: Any) -> int:
        return sum(
            header["bytes"] for header in parts(posted(client, f"page/{page}", f"page={page}&predict=true", **fields))
        )

    assert size() < 0.5 * size(reveal=True)
