"""Texts with pictures: each patch where the model puts it, and the attention of its decoder as the model's own."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from attention_core import Cancelled, InvalidInput, stopping
from attention_core.learned import Given, LearnedModel, Picture
from attention_core.models import FolderModel, ModelFolder
from attention_core.models.pictured import preparing
from attention_core.models.pictured.answering import MOST_WRITTEN, behind
from attention_core.models.pictured.decoding import known
from attention_core.models.pictured.preparing import Prepared
from attention_core.models.readers.texts_with_pictures import PicturedReader
from tests.attention_core.models.small_pictured import FAMILIES, coloured, write

pytestmark = pytest.mark.slow

TEXT = "what says the cat"
UNCHANGED = {"llava": (20, 32), "qwen2_vl": (40, 64), "idefics3": (32, 48), "paligemma": (16, 16)}
"""Rows and columns of a picture that each family's processor takes as it is, so that a pixel stays in its patch."""
GRIDS = {"llava": (1, 25), "qwen2_vl": (1, 40), "idefics3": (7, 112), "paligemma": (1, 16)}
"""The grids of such a picture, and the patches of all of them."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("pictured")
    for name in FAMILIES:
        write(root, name)
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


def reader(model: FolderModel) -> PicturedReader:
    assert isinstance(model.reader, PicturedReader)
    return model.reader


def given(*sizes: tuple[int, int], text: str = TEXT, target: str = "") -> Given:
    return Given(text, target, tuple(Picture(str(at), coloured(*size, seed=at)) for at, size in enumerate(sizes)))


def prepared(model: FolderModel, asked: Given) -> Prepared:
    return reader(model).preparing.prepare(asked, 100, 1024)


def embedded(model: FolderModel, asked: Given) -> Tensor:
    """Return what the decoder gets for each position."""
    inputs = known(reader(model).text.body, prepared(model, asked).inputs)
    return reader(model).decoder_given(inputs)["inputs_embeds"][0]


@pytest.fixture(params=FAMILIES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def local(folder: ModelFolder, name: str) -> FolderModel:
    """A model whose tower hands nothing from one patch to another."""
    model = folder.load(name)
    decoder = set(reader(model).decoder.modules())
    with torch.no_grad():
        for path, module in reader(model).text.body.named_modules():
            if module not in decoder and path.endswith(("attn.out_proj", "attn.proj")):
                module.weight.zero_()
    return model


@pytest.mark.night(but=1)
def test_each_patch_is_where_the_model_puts_it(local: FolderModel, name: str) -> None:
    rows, columns = UNCHANGED[name]
    asked = given((rows, columns), (rows, columns))
    line = prepared(local, asked).line
    before = embedded(local, asked)
    grids, patches = GRIDS[name]
    assert (len(line.grids), len(line.patches)) == (2 * grids, 2 * patches)
    for grid in (one for one in line.grids if one.box != (0, 0, 1, 1) or grids == 1):
        left, top, right, bottom = grid.box
        for place, position in [*enumerate(grid.positions)][grid.picture :: 3]:
            row, column = divmod(place, grid.columns)
            high, wide = (bottom - top) * rows / grid.rows, (right - left) * columns / grid.columns
            y, x = round(top * rows + (row + 0.5) * high), round(left * columns + (column + 0.5) * wide)
            changed = [one.pixels.clone() for one in asked.pictures]
            changed[grid.picture][y - 1 : y + 1, x - 1 : x + 1] = (
                255 - changed[grid.picture][y - 1 : y + 1, x - 1 : x + 1]
            )
            after = embedded(local, Given(TEXT, pictures=tuple(Picture("", one) for one in changed)))
            moved = (after - before).norm(dim=-1)
            whole = {at for one in line.grids if one.box == (0, 0, 1, 1) and grids > 1 for at in one.positions}
            assert {at for at in moved.nonzero()[:, 0].tolist() if at not in whole} == {position}
            if grids > 1:  # the whole picture once more, made smaller: neighbours get a little
                thumbnail = next(one for one in line.grids if one.picture == grid.picture and one.box == (0, 0, 1, 1))
                expected = (y * thumbnail.rows // rows) * thumbnail.columns + x * thumbnail.columns // columns
                assert int(moved[list(thumbnail.positions)].argmax()) == expected


@pytest.mark.night(but=1)
def test_weights_are_those_of_the_model(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    asked = given((40, 60), (33, 17), target=" the keys")
    run = model.run(asked)
    body = reader(model).text.body
    answer = reader(model).preparing.cutter.encoded(asked.target, special=False)[0].ids
    inputs = behind(known(body, prepared(model, asked).inputs), answer)
    with torch.no_grad():
        own = body(**inputs, output_attentions=True, use_cache=False).attentions
    assert len(run.layers) == len(own) == model.layers == 3
    for layer, weights in zip(run.layers, own, strict=True):
        assert torch.equal(layer.weights, weights[0])
        torch.testing.assert_close(layer.weights.sum(-1), torch.ones(layer.weights.shape[:2]))
    assert [layer.name for layer in run.layers] == [f"layers.{at}.self_attn#1" for at in range(3)]


@pytest.mark.night(but=2)
def test_a_line_names_text_and_patches(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    line = model.run(given((40, 60), (33, 17), target=" the keys")).lines[0]
    assert {grid.picture for grid in line.grids} == {0, 1}
    for position, (number, row, column) in line.patches.items():
        assert line.tokens[position] == f"{row + 1}·{column + 1}"
        assert line.ids[position] == -1
        assert row < line.grids[number].rows
    written = "".join(token for at, token in enumerate(line.tokens) if at not in line.patches)
    assert TEXT in written
    assert written.endswith(" the keys")
    assert "<image>" not in written


def test_two_pictures_of_other_shapes_have_their_own_grids(folder: ModelFolder) -> None:
    """Qwen3-VL#1291: which position is which patch."""
    line = loaded(folder, "qwen2_vl").run(given((24, 40), (40, 24), target="a")).lines[0]
    assert [(grid.picture, grid.rows, grid.columns) for grid in line.grids] == [(0, 3, 5), (1, 5, 3)]
    assert line.grids[0].first + 15 < line.grids[1].first
    assert line.tokens[line.grids[1].first + 14] == "5·3"


def test_another_question_changes_what_a_word_reads_of_a_picture(folder: ModelFolder) -> None:
    """FastV#33: the same map for every question would be a fault. What stands before the question stays."""
    model = loaded(folder, "llava")
    shown = given((20, 20), target="a").pictures
    runs = [model.run(Given(one, target="a", pictures=shown)) for one in ("a the keys", "a the sees")]
    (grid,) = runs[0].lines[0].grids
    assert runs[1].lines[0].grids == (grid,)
    before = grid.first + grid.rows * grid.columns
    for one, other in zip(*([layer.weights for layer in run.layers] for run in runs), strict=True):
        torch.testing.assert_close(one[:, :before, :before], other[:, :before, :before])
        assert (one[:, -1, grid.first : before] - other[:, -1, grid.first : before]).abs().max() > 1e-4


def test_what_is_cut_off_is_said_by_the_box(folder: ModelFolder) -> None:
    (wide,) = prepared(loaded(folder, "llava"), given((40, 60))).line.grids
    (high,) = prepared(loaded(folder, "llava"), given((60, 40))).line.grids
    assert wide.box == pytest.approx((1 / 6, 0, 5 / 6, 1), abs=0.01)
    assert high.box == pytest.approx((0, 1 / 6, 1, 5 / 6), abs=0.01)


def test_tiles_lie_side_by_side(folder: ModelFolder) -> None:
    grids = prepared(loaded(folder, "idefics3"), given((32, 48))).line.grids
    boxes = [
        (*(column / 3 for column in (at, at + 1)), *(row / 2 for row in (down, down + 1)))
        for down in (0, 1)
        for at in range(3)
    ]
    for grid, (left, right, top, bottom) in zip(grids, boxes, strict=False):
        assert grid.box == pytest.approx((left, top, right, bottom), abs=0.01)
    assert grids[-1].box == (0, 0, 1, 1)


@pytest.mark.night(but=1)
def test_an_answer_is_what_the_model_says_next(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    asked = given((40, 60))
    line = model.run(asked).lines[0]
    ids = prepared(model, asked).inputs["input_ids"][0].tolist()
    answer = line.ids[len(ids) :]
    assert 0 < len(answer) <= MOST_WRITTEN
    inputs = behind(prepared(model, asked).inputs, answer)
    with torch.no_grad():
        logits = (
            reader(model).text.loaded.model(**{key: one for key, one in inputs.items() if key != "labels"}).logits[0]
        )
    logits[:, sorted(reader(model).never)] = -torch.inf
    assert tuple(logits[len(ids) - 1 : -1].argmax(-1).tolist()) == answer


def test_an_answer_is_written_once(folder: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    model = folder.load("llava")
    first = model.run(given((40, 60)))
    monkeypatch.setattr(reader(model).text.loaded.model, "generate", None)
    again = model.run(given((40, 60)))
    assert again.lines == first.lines
    assert torch.equal(again.layers[-1].weights, first.layers[-1].weights)


def test_a_model_that_writes_can_be_stopped(folder: ModelFolder) -> None:
    asked = iter(range(12))
    with stopping(lambda: next(asked, None) is None), pytest.raises(Cancelled):
        folder.load("llava").run(given((40, 60)))


def test_without_a_picture_it_reads_the_text(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    assert isinstance(model, LearnedModel)
    run = model.run(TEXT)
    assert "".join(run.tokens).endswith(TEXT)
    assert run.lines[0].is_text
    assert run.layers[0].name == "layers.0.self_attn#1"
    assert model.takes == {"text", "pictures", "target"}


def test_a_template_stands_around_the_text(folder: ModelFolder) -> None:
    tokens = loaded(folder, "llava").run(given((20, 20), target="a")).tokens
    assert "".join(tokens[:6]) == "user: "
    assert "".join(tokens[31:]) == f"{TEXT}\nok:a"


def test_a_text_says_where_its_pictures_stand(folder: ModelFolder) -> None:
    model = loaded(folder, "llava")
    line = prepared(model, given((20, 20), (20, 20), text="this <image> or that <image> cat")).line
    first, second = (grid.first for grid in line.grids)
    assert "".join(line.tokens[first + 25 : second]) == " or that "
    with pytest.raises(InvalidInput) as caught:
        prepared(model, given((20, 20), (20, 20), text="this <image> alone"))
    assert caught.value.code == "pictures_in_text"


@pytest.mark.parametrize("name", ["qwen2_vl", "idefics3"])
def test_pictures_are_made_smaller_until_they_fit(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    whole, small = (reader(model).preparing.prepare(given((64, 64)), 100, most).line for most in (1024, 40))
    assert len(small) <= 40 < len(whole)
    assert small.grids[-1].box == (0, 0, 1, 1)


def test_what_is_too_much_is_refused(folder: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(folder, "llava")
    with pytest.raises(InvalidInput) as caught:
        model.run(given(*[(20, 20)] * 5))
    assert (caught.value.code, caught.value.details["value"], caught.value.details["limit"]) == ("pictures_count", 5, 4)
    monkeypatch.setattr(preparing, "MOST_POSITIONS", 100)
    with pytest.raises(InvalidInput) as caught:
        model.run(given(*[(20, 20)] * 4))
    assert caught.value.code == "pictures_too_long"
    assert model.run(given((20, 20))).lines[0].grids


@pytest.mark.night(but=1)
def test_places_are_known_before_a_run(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    for asked in (given((40, 60)), given((33, 17), (64, 20)), given((9, 200), target="a")):
        n = len(model.run(asked).lines[0])
        assert n <= model.positions(asked) <= n + 80


@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("name", "file", "changed"),
    [
        ("idefics3", "processor_config.json", {"image_seq_len": 9}),
        ("llava", "processor_config.json", {"patch_size": 5}),
        ("llava", "processor_config.json", {"vision_feature_select_strategy": "full"}),
        ("qwen2_vl", "preprocessor_config.json", {"merge_size": 1}),
    ],
)
def test_a_processor_that_does_not_fit_is_refused(
    tmp_path: Path, name: str, file: str, changed: dict[str, object]
) -> None:
    path = write(tmp_path, name) / file
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(tmp_path).load(name)
    assert caught.value.code == "model_places"


def test_code_in_a_processor_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "llava") / "processor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"auto_map": {"AutoProcessor": "mine.Processor"}}))
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(tmp_path).load("llava")
    assert caught.value.code == "model_code"


def test_a_picture_that_a_processor_does_not_take_is_refused(folder: ModelFolder) -> None:
    model = loaded(folder, "qwen2_vl")
    narrow = given((400, 1))
    assert model.positions(narrow) < 200
    with pytest.raises(InvalidInput) as caught:
        model.run(narrow)
    assert (caught.value.code, caught.value.details["rows"], caught.value.details["columns"]) == (
        "picture_shape",
        400,
        1,
    )


def test_what_is_not_shown_attends_in_one_step(folder: ModelFolder, name: str) -> None:
    read = reader(loaded(folder, name))
    loaded(folder, name).run(given((40, 60)))
    loaded(folder, name).run(TEXT)
    decoder: Any = read.decoder
    assert decoder.config._attn_implementation == "eager"
    towers = [one for path, one in read.text.body.named_children() if "vision" in path or path == "visual"]
    assert [one.config._attn_implementation for one in towers] == ["sdpa"]
