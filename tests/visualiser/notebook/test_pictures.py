"""A vision model in a notebook: its picture is handed over, and every weight is that of the model's own attention."""

import base64
import copy
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from PIL import Image
from torch import Tensor

from attention_core import InvalidInput
from attention_core.learned import Picture
from attention_core.models import Capture, capture
from tests.attention_core.models.small_models import built as built_of
from tests.attention_core.models.small_pictured import FAMILIES
from tests.attention_core.models.small_pictures import VISION
from tests.visualiser.notebook.test_things import request
from visualiser.figures.plots.head_picture import head_picture
from visualiser.figures.under_pictures import over_pictures
from visualiser.locale import text
from visualiser.models.only_run import Named
from visualiser.models.pictures import shipped_picture
from visualiser.notebook import cell, things
from visualiser.notebook.things import Handed, Wish, handed
from visualiser.pages.model import reading
from visualiser.state.view import View
from visualiser.upload.handed import HANDED
from visualiser.upload.pictures import read_picture

PIXELS = np.random.default_rng(0).integers(256, size=(40, 40, 3), dtype=np.uint8)
IMAGE = Image.fromarray(PIXELS)


def wish(*more: Any, processor: Any = None, batch: int | None = None, corpus: bool = False, **options: Any) -> Wish:
    return Wish(more, Named(batch=batch), corpus, processor, options)


def read(found: Handed, **further: Any) -> reading.Read:
    asked = request(found, **further)
    assert asked.reading.notices == ()
    return reading.read(asked)


def built(family: str) -> tuple[Any, Any]:
    return VISION[family][0](), VISION[family][1]()


def own(model: Any, pixels: Tensor) -> Capture:
    """Return what the tower of a model does with a tensor, without a pooling that keeps no weights."""
    tower = copy.deepcopy(getattr(model, "vision_model", model))
    if hasattr(tower, "head"):
        tower.head = torch.nn.Identity()
    return capture(tower, pixel_values=pixels)


def require_same(found: Handed, expected: Capture) -> None:
    run = read(found).shown.run
    assert len(run.layers) == len(expected.layers) > 0
    for mine, other in zip(run.layers, expected.layers, strict=True):
        weights = other.weights[0] if other.weights.dim() == 4 and mine.weights.dim() == 3 else other.weights
        torch.testing.assert_close(mine.weights, weights, atol=1e-6, rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["vit", "clip", "siglip", "swin"])
def test_a_picture_and_a_processor(family: str) -> None:
    model, processor = built(family)
    pixels = processor(images=IMAGE, return_tensors="pt")["pixel_values"]
    found = handed(model, wish(IMAGE, processor=processor))
    require_same(found, own(model, pixels))
    assert np.array_equal(read_picture(HANDED.find(found.held) or b"").pixels, PIXELS)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["vit", "dinov2", "swin"])
def test_the_tensor_of_a_run_stands_for_its_picture(family: str) -> None:
    model, processor = built(family)
    inputs = processor(images=[IMAGE, IMAGE.rotate(90)], return_tensors="pt")
    found = handed(model, wish(batch=1, **inputs))
    pixels = inputs["pixel_values"][1:]
    require_same(found, own(model, pixels))
    shown = read_picture(HANDED.find(found.held) or b"").pixels
    assert shown.shape == (*pixels.shape[2:], 3)
    lightest, darkest = (int(at) for at in (pixels[0].argmax(), pixels[0].argmin()))
    flat = shown.transpose(2, 0, 1).reshape(-1)
    assert (flat[lightest], flat[darkest]) == (255, 0)


def test_the_model_stays_as_it_was() -> None:
    model, processor = built("siglip")
    before = {name: one.clone() for name, one in model.state_dict().items()}
    pixels = processor(images=IMAGE, return_tensors="pt")["pixel_values"]
    pooled = model.get_image_features(pixel_values=pixels).pooler_output
    handed(model, wish(IMAGE, processor=processor))
    assert model.state_dict().keys() == before.keys()
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())
    again = model.get_image_features(pixel_values=pixels).pooler_output
    torch.testing.assert_close(again, pooled, atol=1e-6, rtol=0)


def test_another_picture_is_read_as_well() -> None:
    model, processor = built("vit")
    found = handed(model, wish(IMAGE, processor=processor))
    other = read(found, pictures="cat").shown
    shipped = shipped_picture("cat").pixels.numpy()
    expected = capture(model, **processor(images=shipped, return_tensors="pt")).layers[0].weights
    torch.testing.assert_close(other.run.layers[0].weights, expected.squeeze(0), atol=1e-6, rtol=0)


def _file(image: Image.Image, kind: str, **saved: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **saved)
    return written.getvalue()


@pytest.mark.night(but=3)
@pytest.mark.parametrize(
    "given",
    [
        lambda folder: PIXELS,
        lambda folder: torch.from_numpy(PIXELS),
        lambda folder: torch.from_numpy(PIXELS).permute(2, 0, 1),
        lambda folder: _file(IMAGE, "PNG"),
        lambda folder: folder / "p.png",
        lambda folder: str(folder / "p.png"),
        lambda folder: IMAGE.convert("RGBA"),
    ],
)
def test_every_form_of_a_picture_is_that_picture(tmp_path: Path, given: Callable[[Path], Any]) -> None:
    (tmp_path / "p.png").write_bytes(_file(IMAGE, "PNG"))
    model, processor = built("vit")
    found = handed(model, wish(given(tmp_path), processor=processor))
    assert np.array_equal(read_picture(HANDED.find(found.held) or b"").pixels, PIXELS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "options", "code"),
    [
        (("a text",), {}, "notebook_no_picture"),
        (("a\0b",), {}, "notebook_no_picture"),
        ((3,), {}, "notebook_picture"),
        ((PIXELS.astype(np.float32),), {}, "notebook_picture"),
        ((), {}, "notebook_picture"),
        ((IMAGE, IMAGE), {}, "notebook_picture"),
        ((b"GIF89a",), {}, "picture_format"),
        (([IMAGE, IMAGE],), {}, "notebook_frames"),
        ((np.zeros((8, 40, 40, 3), np.uint8),), {}, "notebook_frames"),
    ],
)
def test_what_is_no_picture_is_said(more: tuple[Any, ...], options: dict[str, Any], code: Any) -> None:
    model, processor = built("vit")
    with pytest.raises(InvalidInput) as caught:
        handed(model, wish(*more, processor=processor, **options))
    assert caught.value.code == code


def test_a_picture_without_its_processor_asks_for_that() -> None:
    with pytest.raises(InvalidInput) as caught:
        handed(built("vit")[0], wish("photo.jpg"))
    assert caught.value.code == "notebook_processor"


@pytest.mark.parametrize(
    ("shape", "batch", "code"),
    [
        ((2, 3, 20, 20), None, "notebook_batch"),
        ((2, 3, 20, 20), 2, "notebook_no_batch"),
        ((3, 20, 20), None, "notebook_pixels"),
    ],
)
def test_tensors_of_other_shapes_are_said(shape: tuple[int, ...], batch: int | None, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        handed(built("vit")[0], wish(batch=batch, pixel_values=torch.zeros(shape)))
    assert caught.value.code == code


@pytest.mark.slow
def test_a_mailed_notebook_has_the_picture() -> None:
    model, processor = built("vit")
    made = cell(model, IMAGE, processor=processor, static=True)
    assert made.document is not None
    assert text("en", "figure.head_picture.title") in made.document


PROMPTS = {
    "llava": "user: <image>a cat\nok:",
    "qwen2_vl": "<|vision_start|><|image_pad|><|vision_end|>a cat",
    "idefics3": "<image>a cat",
    "paligemma": "<image>a cat",
}
"""What the processor of each family is given for the text "a cat" with one picture."""


def built_both(family: str) -> tuple[Any, Any]:
    """Return a vision-language model and its processor, an object of transformers' own class."""
    model, processor, _ = FAMILIES[family]()
    processor.__class__ = type(processor).__mro__[1]
    return model, processor


def inputs_of(family: str, processor: Any) -> dict[str, Any]:
    """Return a model's inputs as its processor makes them, without what only training needs."""
    made = processor(text=[PROMPTS[family]], images=[IMAGE])
    return {name: torch.as_tensor(np.array(one)) for name, one in made.items() if name != "labels"}


def attentions(model: Any, inputs: Any) -> tuple[Tensor, ...]:
    """Return the weights that transformers itself gives for a run."""
    own = copy.deepcopy(model)
    own.set_attn_implementation("eager")
    with torch.no_grad():
        return own(**inputs, output_attentions=True).attentions


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_text_and_a_picture_are_what_the_processor_makes_of_them(family: str) -> None:
    model, processor = built_both(family)
    words, kind, before = processor.tokenizer, type(processor), copy.deepcopy(model.state_dict())
    inputs = inputs_of(family, processor)
    expected = attentions(model, inputs)
    found = handed(model, wish("a cat", IMAGE, processor=processor))
    shown = read(found)
    run, (line,) = shown.shown.run, shown.shown.run.lines
    ids = inputs["input_ids"][0].tolist()
    n = len(ids)
    token = model.config.image_token_id
    assert [one if one >= 0 else token for one in line.ids[:n]] == ids
    patches = [at for at, one in enumerate(ids) if one == token]
    assert sorted(at for grid in line.grids for at in grid.positions) == patches
    assert len(run.layers) == len(expected) == 3
    for mine, other in zip(run.layers, expected, strict=True):
        torch.testing.assert_close(mine.weights[:, :n, :n], other[0], atol=1e-4, rtol=0)  # its tower is fused
    assert shown.pictures == ("own",)
    assert np.array_equal(read_picture(HANDED.find(found.held) or b"").pixels, PIXELS)
    assert type(processor) is kind
    assert processor.tokenizer is words
    assert all(torch.equal(one, before[name]) for name, one in model.state_dict().items())


@pytest.mark.slow
def test_the_text_and_the_picture_can_be_changed() -> None:
    model, processor = built_both("llava")
    found = handed(model, wish("a cat", IMAGE, processor=processor))
    shown = read(found, text="the hat", pictures="own,cat").shown.run.lines[0]
    assert "the hat" in "".join(shown.tokens)
    assert [grid.picture for grid in shown.grids] == [0, 1]


@pytest.mark.parametrize("family", ["llava", "qwen2_vl", "paligemma"])
def test_inputs_of_both_show_the_decoder(family: str) -> None:
    model, processor = built_both(family)
    inputs = inputs_of(family, processor)
    expected = attentions(model, inputs)
    run = read(handed(model, wish(processor=processor, **inputs))).shown.run
    assert run.tokens.count(processor.image_token) == int((inputs["input_ids"] == model.config.image_token_id).sum())
    assert len(run.layers) == len(expected) == 3  # no layer of the tower
    for mine, other in zip(run.layers, expected, strict=True):
        torch.testing.assert_close(mine.weights, other[0], atol=1e-5, rtol=0)


def test_more_inputs_than_are_shown_without_a_picture_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(things, "MOST_TOKENS", 128)
    model, processor = built_both("idefics3")
    inputs = inputs_of("idefics3", processor)
    with pytest.raises(InvalidInput) as caught:
        handed(model, wish(processor=processor, **inputs))
    assert caught.value.code == "notebook_long_picture"
    assert caught.value.details["n"] == inputs["input_ids"].shape[1] > 128


@pytest.mark.slow
@pytest.mark.night(but=1)
@pytest.mark.parametrize("more", [(), ("a cat",), (IMAGE,), (IMAGE, "a cat"), ("a cat", IMAGE, IMAGE)])
def test_a_text_without_a_picture_is_said(more: tuple[Any, ...]) -> None:
    model, processor = built_both("llava")
    with pytest.raises(InvalidInput) as caught:
        handed(model, wish(*more, processor=processor))
    assert caught.value.code == "notebook_text_picture"


def test_a_video_is_led_to_one_of_its_frames() -> None:
    """Qwen3-VL#1097."""
    model, processor = built_both("qwen2_vl")
    with pytest.raises(InvalidInput, match=r"show one frame, .*up to 4 pictures are chosen"):
        handed(model, wish("what is it", [IMAGE] * 8, processor=processor))


def test_a_processor_of_pictures_alone_is_said() -> None:
    model, processor = built_both("llava")
    with pytest.raises(InvalidInput) as caught:
        handed(model, wish("a cat", IMAGE, processor=processor.image_processor))
    assert caught.value.code == "model_processor"


@pytest.mark.slow
def test_a_picture_that_is_not_square_has_its_rows_and_columns() -> None:
    """dinov2#506: 448 × 224 came out transposed. A bright stripe at the left is the left column of patches."""
    config = hf.Dinov2Config(
        hidden_size=24, num_hidden_layers=2, num_attention_heads=3, mlp_ratio=1, image_size=56, patch_size=14
    )
    model = built_of(hf.Dinov2Model, config)
    dark = torch.zeros(1, 3, 448, 224)
    striped = dark.clone()
    striped[..., :14] = 3.0
    plain, bright = (read(handed(model, wish(pixel_values=one))).shown.run for one in (dark, striped))
    (grid,) = bright.lines[0].grids
    assert (grid.rows, grid.columns, grid.first) == (32, 16, 1)
    before, after = plain.layers[0].Q, bright.layers[0].Q
    assert before is not None
    assert after is not None
    moved = (after - before).abs().amax((0, 2)) > 1e-4
    assert moved.nonzero().flatten().tolist() == [1 + 16 * row for row in range(32)]


@pytest.mark.slow
@pytest.mark.parametrize("family", ["vit", "swin"])
def test_in_a_file_the_patches_lie_over_the_part_of_the_picture_that_they_cover(family: str) -> None:
    model, processor = built(family)
    shown = read(handed(model, wish(IMAGE, processor=processor)), row=3).shown
    drawn = over_pictures(head_picture.drawing(shown, View()), shown, [Picture("own", torch.from_numpy(PIXELS))])
    (under,), (frame,) = drawn.layout["images"], drawn.layout["shapes"]
    (grid,) = shown.run.keys(1).grids
    left, top, right, bottom = grid.box
    across = [under["x"] + share * under["sizex"] for share in (left, right)]
    down = [under["y"] + share * under["sizey"] for share in (top, bottom)]
    assert across == pytest.approx([0.5, grid.columns + 0.5])
    assert down == pytest.approx([0.5, grid.rows + 0.5])
    _, row, column = shown.run.keys(1).patches[shown.place(shown.row)]
    assert (frame["x0"], frame["y0"]) == (column + 0.5, row + 0.5)
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(under["source"].partition(",")[2]))))
    assert np.abs(pixels.mean((0, 1)) - PIXELS.mean((0, 1))).max() < 3
