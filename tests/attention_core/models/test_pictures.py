"""Vision models of a folder: the patches are where pixels change them, and the attention is the model's own."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from PIL import Image
from torch import Tensor

from attention_core import InvalidInput
from attention_core.learned import Given, LearnedModel, ModelRun, Picture, window_of
from attention_core.models import FolderModel, ModelFolder, capture, picture_model, told_kind
from attention_core.models.readers.pictures import PictureReader
from tests.attention_core.models import small_folders
from tests.attention_core.models.small_fused import Processor, fused
from tests.attention_core.models.small_models import built
from tests.attention_core.models.small_pictures import VISION, write

pytestmark = pytest.mark.slow

FOUND = {
    "vit": (["[CLS]"], 5, 5),
    "deit": (["[CLS]", "[DIST]"], 5, 5),
    "dinov2": (["[CLS]", "[REG1]", "[REG2]", "[REG3]"], 5, 5),
    "dinov3": (["[CLS]"], 5, 5),
    "clip": (["[CLS]"], 5, 5),
    "clip_tower": (["[CLS]"], 5, 5),
    "siglip": ([], 5, 5),
    "beit": (["[CLS]"], 5, 5),
    "swin": ([], 20, 20),
}
"""The positions that are no patches, rows and columns of a square picture."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    for name in VISION:
        write(root, name)
    return ModelFolder(root)


@cache
def loaded(folder: ModelFolder, name: str) -> FolderModel:
    return folder.load(name)


def reader(model: FolderModel) -> PictureReader:
    assert isinstance(model.reader, PictureReader)
    return model.reader


def picture(rows: int, columns: int, seed: int = 0) -> Picture:
    draw = torch.Generator().manual_seed(seed)
    return Picture("drawn", torch.randint(256, (rows, columns, 3), generator=draw, dtype=torch.uint8))


def run_of(model: FolderModel, shown: Picture) -> ModelRun:
    return model.run(Given(pictures=(shown,)))


@pytest.mark.night(but=3)
@pytest.mark.parametrize("name", VISION)
def test_a_run_is_the_models_own_attention_over_patches_that_are_named(folder: ModelFolder, name: str) -> None:
    model = loaded(folder, name)
    assert isinstance(model, LearnedModel)
    assert model.takes == {"pictures"}
    shown = picture(67, 67)
    run = run_of(model, shown)
    special, rows, columns = FOUND[name]
    line = run.lines[0]
    assert list(line.tokens[: len(special)]) == special
    assert line.tokens[len(special)] == "1·1"
    assert line.tokens[-1] == f"{rows}·{columns}"
    (grid,) = line.grids
    assert (grid.first, grid.rows, grid.columns) == (len(special), rows, columns)
    assert line.is_picture
    assert len(run.layers) == model.layers

    own = VISION[name][1]()
    pixels = torch.as_tensor(
        np.stack(own.preprocess(images=[shown.pixels.numpy()], input_data_format="channels_last")["pixel_values"])
    )
    torch.testing.assert_close(reader(model).processor.tensor(shown), pixels.float(), atol=0, rtol=0)
    theirs = model.model.vision_model if hasattr(model.model, "vision_model") else model.model
    made = theirs(pixel_values=pixels.float(), output_attentions=True).attentions
    named = run.layers[1::2] if name == "swin" else run.layers  # it returns the last of each stage
    for mine, other in zip(named, made, strict=True):
        near = 1e-5 if name == "swin" else 0  # its windows are cut and joined in another order
        torch.testing.assert_close(mine.weights, other[0] if other.shape[0] == 1 else other, atol=near, rtol=0)


@pytest.mark.parametrize("name", VISION)
def test_files_tell_that_a_model_reads_pictures(folder: ModelFolder, tmp_path: Path, name: str) -> None:
    assert told_kind(folder.sized(name)) == "picture"
    if name in ("clip", "siglip"):  # a text's tokenizer stands beside
        copied = tmp_path / name
        shutil.copytree(folder.path / name, copied)
        (copied / "tokenizer_config.json").write_text("{}")
        assert told_kind(ModelFolder(tmp_path).sized(name)) == "picture"
        config = json.loads((copied / "config.json").read_text()) | {"architectures": ["AForConditionalGeneration"]}
        (copied / "config.json").write_text(json.dumps(config))
        assert told_kind(ModelFolder(tmp_path).sized(name)) == "text"


def test_files_tell_that_a_model_reads_texts(tmp_path: Path) -> None:
    for name in ("gpt2", "bert"):
        written = small_folders.write(tmp_path, name)
        assert told_kind(ModelFolder(tmp_path).sized(name)) == "text"
        (written / "preprocessor_config.json").write_text('{"feature_size": 80, "sampling_rate": 16000}')  # a sound's
        assert told_kind(ModelFolder(tmp_path).sized(name)) == "text"


@pytest.mark.night(but=2)
@pytest.mark.parametrize("name", VISION)
@pytest.mark.parametrize("shape", [(40, 40), (40, 60), (61, 40)])
def test_pixels_of_a_patch_change_that_patch_alone(folder: ModelFolder, name: str, shape: tuple[int, int]) -> None:
    """The picture is so large that resampling stays far within a patch of the first layer's queries."""
    model = loaded(folder, name)
    rows, columns = 8 * shape[0], 8 * shape[1]
    plain = torch.full((rows, columns, 3), 90, dtype=torch.uint8)
    before = run_of(model, Picture("plain", plain))
    (grid,) = before.lines[0].grids
    left, top, right, bottom = grid.box
    wide, high = (right - left) / grid.columns * columns, (bottom - top) / grid.rows * rows
    draw = np.random.default_rng(3)
    for _ in range(4):
        row, column = int(draw.integers(grid.rows)), int(draw.integers(grid.columns))
        x, y = left * columns + (column + 0.5) * wide, top * rows + (row + 0.5) * high
        pixels = plain.clone()
        pixels[int(y - high / 8) : int(y + high / 8) + 1, int(x - wide / 8) : int(x + wide / 8) + 1] = 250
        after = run_of(model, Picture("one patch", pixels))
        changed = apart(before, after).nonzero().flatten().tolist()
        assert changed == [grid.first + row * grid.columns + column]


def apart(one: ModelRun, other: ModelRun) -> Tensor:
    """Return by how much the first layer's queries differ at each position of its line."""
    Q, R = one.layers[0].Q, other.layers[0].Q
    assert Q is not None
    assert R is not None
    found = (Q - R).abs().amax(-1).amax(-2)
    windows = one.windows[0]
    if windows is not None:
        flat = torch.zeros(len(one.lines[0]))
        flat[windows[windows >= 0]] = found[windows >= 0]
        found = flat
    return torch.where(found > 1e-3 * found.max(), found, 0)


def test_layers_that_ask_torch_for_fused_attention_and_a_processor_that_knows_no_axes() -> None:
    """As timm's models come through transformers."""
    shown, model = picture(40, 60), fused()
    run = run_of(picture_model(model, Processor()), shown)
    (line,) = run.lines
    assert line.tokens[:2] == ("[CLS]", "1·1")
    assert (line.grids[0].rows, line.grids[0].columns, line.grids[0].box) == (5, 5, (0.0, 0.0, 1.0, 1.0))
    pixels = Processor().preprocess([Image.fromarray(shown.pixels.numpy())], "pt")["pixel_values"]
    own = capture(model, pixel_values=pixels.float())
    assert [torch.equal(mine.weights, other.weights) for mine, other in zip(run.layers, own.layers, strict=True)] == [
        True
    ] * 2


def test_a_crop_is_measured(folder: ModelFolder) -> None:
    run = run_of(loaded(folder, "clip"), picture(480, 960))
    (grid,) = run.lines[0].grids  # the shorter side becomes 24, of which 20 are kept; of 48 across, 20
    assert grid.box == pytest.approx((14 / 48, 2 / 24, 34 / 48, 22 / 24), abs=3e-3)


def test_what_no_patch_covers_is_left_out(folder: ModelFolder) -> None:
    (grid,) = run_of(loaded(folder, "siglip"), picture(230, 230)).lines[0].grids
    assert grid.box == pytest.approx((0, 0, 20 / 23, 20 / 23), abs=3e-3)


def test_registers_and_pixels_that_no_patch_has_are_no_patches() -> None:
    """dinov2#90: 416 × 416 in patches of 14 are 29 × 29, beside the class token and 4 registers; 10 pixels are left."""
    config = hf.Dinov2WithRegistersConfig(
        hidden_size=24, num_hidden_layers=2, num_attention_heads=3, mlp_ratio=1, image_size=56, patch_size=14,
        num_register_tokens=4,
    )  # fmt: skip
    processor = hf.BitImageProcessorPil(size={"shortest_edge": 416}, crop_size={"height": 416, "width": 416})
    run = run_of(picture_model(built(hf.Dinov2WithRegistersModel, config), processor), picture(416, 416))
    (line,) = run.lines
    (grid,) = line.grids
    assert line.tokens[:6] == ("[CLS]", "[REG1]", "[REG2]", "[REG3]", "[REG4]", "1·1")
    assert (grid.rows, grid.columns, grid.first, len(line)) == (29, 29, 5, 846)
    assert grid.box == pytest.approx((0, 0, 406 / 416, 406 / 416), abs=1e-3)
    assert run.layers[0].weights.shape == (3, 846, 846)


def test_another_shape_has_another_grid(folder: ModelFolder) -> None:
    model = loaded(folder, "dinov2")
    for rows, columns, expected in ((350, 350, (5, 5)), (350, 700, (5, 10)), (500, 350, (7, 5))):
        shown = picture(rows, columns)
        run = run_of(model, shown)
        assert (run.lines[0].grids[0].rows, run.lines[0].grids[0].columns) == expected
        assert model.positions(Given(pictures=(shown,))) >= len(run.lines[0])


@pytest.mark.parametrize("layer", [1, 2, 3, 4])
def test_windows_are_those_of_a_rolled_grid(folder: ModelFolder, layer: int) -> None:
    run = run_of(loaded(folder, "swin"), picture(40, 40))
    side = 20 if layer < 3 else 10
    places = torch.arange(side * side).reshape(side, side)
    padded = torch.full((-(-side // 4) * 4,) * 2, -1)
    padded[:side, :side] = places
    shift = 2 if layer % 2 == 0 else 0
    rolled = padded.roll((-shift, -shift), (0, 1))
    tiles = rolled.unfold(0, 4, 4).unfold(1, 4, 4).reshape(-1, 16)
    windows = run.windows[layer - 1]
    assert windows is not None
    assert torch.equal(windows, tiles)
    assert len(run.queries(layer)) == side * side
    for position in (0, side + 3, side * side - 1):
        window = window_of(run, layer, position)
        assert window.number is not None
        assert window.at is not None
        assert window.line is not None
        assert int(window.at[window.row]) == position
        assert window.line.tokens[window.row] == f"{position // side + 1}·{position % side + 1}"
        torch.testing.assert_close(window.layer.weights, run.layers[layer - 1].weights[window.number])
        covered = {place for grid in window.line.grids for place in grid.positions}
        assert covered == {place for place, at in enumerate(window.at.tolist()) if at >= 0}
        for grid in window.line.grids:
            first = int(window.at[grid.first])
            assert grid.box[:2] == pytest.approx((first % side / side, first // side / side))


def test_a_whole_layer_is_its_own_window(folder: ModelFolder) -> None:
    run = run_of(loaded(folder, "vit"), picture(20, 20))
    window = window_of(run, 2, 7)
    assert (window.number, window.row, window.layer, window.line) == (None, 7, run.layers[1], run.lines[0])


def test_the_pooling_of_siglip_reads_nothing_and_changes_nothing(folder: ModelFolder) -> None:
    model = loaded(folder, "siglip")
    pixels = torch.randn(1, 3, 23, 23)
    fresh: Any = hf.SiglipModel.from_pretrained(folder.path / "siglip", attn_implementation="eager").vision_model
    fresh.head = torch.nn.Identity()
    torch.testing.assert_close(
        capture(reader(model).body, pixel_values=pixels).output.last_hidden_state,
        fresh(pixel_values=pixels).last_hidden_state,
    )


def test_no_picture_and_a_narrow_one_are_refused(folder: ModelFolder) -> None:
    model = loaded(folder, "vit")
    with pytest.raises(InvalidInput) as problem:
        model.run("a text")
    assert problem.value.code == "picture_missing"
    with pytest.raises(InvalidInput) as problem:
        run_of(model, picture(10, 61))
    assert problem.value.code == "picture_narrow"


@pytest.mark.parametrize(
    "settings",
    [
        {"size": {"height": 100_000, "width": 100_000}},
        {"size": 100_000},
        {"size": {"shortest_edge": 20, "longest_edge": 10**9}},
        {"size": {"height": -20, "width": 20}},
        {"crop_size": {"height": 20, "width": 10**7}, "do_center_crop": True},
        {"size": {"height": "20", "width": {"a": 1}}},
        {"size": [20] * 100_000},
        {"image_mean": "x", "image_std": None},
        {"image_std": [0, 0, 0], "rescale_factor": 1e300},
        {"resample": 99},
        {"do_resize": False},
        {"image_processor_type": "PreTrainedModel"},
        {"image_processor_type": "os.system"},
    ],
)
def test_settings_of_strangers_are_refused_or_do_no_harm(
    folder: ModelFolder, tmp_path: Path, settings: dict[str, object]
) -> None:
    written = write(tmp_path, "vit")
    file = written / "preprocessor_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))
    codes: list[str] = []
    try:
        model = ModelFolder(tmp_path).load("vit")
        assert run_of(model, picture(30, 30)).lines[0].grids[0].rows == 5
    except InvalidInput as problem:
        codes.append(problem.code)
    assert set(codes) <= {"model_processor", "model_no_pictures"}


def test_settings_with_code_and_none_at_all_are_refused(tmp_path: Path) -> None:
    written = write(tmp_path, "vit")
    file = written / "preprocessor_config.json"
    file.write_text(json.dumps({"auto_map": {"AutoImageProcessor": "mine.Mine"}}))
    with pytest.raises(InvalidInput) as problem:
        ModelFolder(tmp_path).load("vit")
    assert problem.value.code == "model_code"
    file.unlink()
    with pytest.raises(InvalidInput) as problem:
        ModelFolder(tmp_path).load("vit")
    assert problem.value.code == "model_processor"


def test_settings_that_name_a_method_change_nothing(tmp_path: Path) -> None:
    written = write(tmp_path, "vit")
    file = written / "preprocessor_config.json"
    hostile = {"preprocess": "x", "resize": 3, "__class__": "x", "_preprocess": None}
    file.write_text(json.dumps(json.loads(file.read_text()) | hostile))
    assert len(run_of(ModelFolder(tmp_path).load("vit"), picture(30, 30)).lines[0]) == 26


def test_more_scores_than_may_be_made_are_refused_before(tmp_path: Path) -> None:
    sizes: dict[str, Any] = {"hidden_size": 6, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 5}
    fine = built(hf.ViTModel, hf.ViTConfig(**sizes, image_size=96, patch_size=1))
    write(tmp_path, "fine", fine, hf.ViTImageProcessorPil(size={"height": 96, "width": 96}))
    with pytest.raises(InvalidInput) as problem:  # 3 × 9,217² scores
        ModelFolder(tmp_path).load("fine")
    assert problem.value.code == "model_no_pictures"
