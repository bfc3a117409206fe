"""The files of a folder's models, hostile ones among them: sizes and refusals without transformers."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from attention_core import InvalidInput
from attention_core.models import ModelFolder, folder, told_sizes
from attention_core.models.folder import MOST_SUBFOLDERS
from attention_core.models.folder_files import LARGEST, is_model
from attention_core.models.headers import LONGEST_HEADER, Unusable, placed

GOOD = {"w": torch.ones(2, 3), "half": torch.ones(5, dtype=torch.bfloat16), "mask": torch.ones(7, dtype=torch.bool)}


def stored(root: Path, name: str = "m", config: Any = None, numbers: bytes | None = None) -> Path:
    """Write a subfolder with these files."""
    (root / name).mkdir(exist_ok=True)
    written = json.dumps({"model_type": "gpt2"} if config is None else config)
    (root / name / "config.json").write_text(written if not isinstance(config, str) else config)
    (root / name / "model.safetensors").write_bytes(save(GOOD) if numbers is None else numbers)
    return root / name


def header(written: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = written if isinstance(written, bytes) else json.dumps(written).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(shape: list[Any], start: Any, stop: Any, dtype: Any = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, stop]}


def code(root: Path, name: str = "m") -> str:
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(root).sized(name)
    assert caught.value.details["value"] == name
    assert name in str(caught.value)
    return caught.value.code


def test_sizes_are_those_of_float32(tmp_path: Path) -> None:
    stored(tmp_path)
    found = ModelFolder(tmp_path).sized("m")
    assert (found.parameters, found.bytes) == (11, 4 * 11 + 7)


def test_the_first_subfolders_by_name_are_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MOST_SUBFOLDERS + 3):
        (tmp_path / f"{number:04}").mkdir()
    for name in ("0000", f"{MOST_SUBFOLDERS - 1:04}", f"{MOST_SUBFOLDERS:04}"):
        stored(tmp_path, name)
    (tmp_path / "0001 a file").touch()
    looked: list[Path] = []
    monkeypatch.setattr(folder, "is_model", lambda path: looked.append(path) or is_model(path))
    models = ModelFolder(tmp_path)
    assert models.names == ("0000", f"{MOST_SUBFOLDERS - 1:04}")
    assert (len(looked), models.left_out) == (MOST_SUBFOLDERS, 3)


def test_the_size_of_one_model_does_not_look_into_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, "a")
    stored(tmp_path, "b")
    looked: list[Path] = []
    monkeypatch.setattr(folder, "is_model", lambda path: looked.append(path) or is_model(path))
    assert ModelFolder(tmp_path).sized("b").name == "b"
    assert looked == [tmp_path / "b"]


@pytest.mark.parametrize("name", ["..", ".", "", "a/../b", "b/", "./b", "a/inner", "B\0", "c"])
def test_a_name_leads_to_a_model_in_the_folder_alone(tmp_path: Path, name: str) -> None:
    stored(tmp_path, "a")
    stored(tmp_path, "b")
    stored(tmp_path, "a/inner")
    for root in (tmp_path, tmp_path / "a"):
        with pytest.raises(InvalidInput) as caught:
            ModelFolder(root).sized(name)
        assert caught.value.code == "unknown_model"


def test_a_subfolder_that_cannot_be_read_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, "a")
    stored(tmp_path, "b")
    is_file = Path.is_file

    def closed(path: Path) -> bool:
        if path.parent.name == "a":
            raise PermissionError(path)
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", closed)
    assert ModelFolder(tmp_path).names == ("b",)


def test_only_models_are_listed(tmp_path: Path) -> None:
    stored(tmp_path, "b")
    stored(tmp_path, "a model 한국")
    stored(tmp_path, ".hidden")
    stored(tmp_path, "two\nlines")
    stored(tmp_path, "pickled")
    (tmp_path / "pickled" / "model.safetensors").rename(tmp_path / "pickled" / "pytorch_model.bin")
    stored(tmp_path, "bare")
    (tmp_path / "bare" / "config.json").unlink()
    (tmp_path / "file").write_text("")
    assert ModelFolder(tmp_path).names == ("a model 한국", "b")
    assert ModelFolder(tmp_path / "file").names == ()
    assert ModelFolder(tmp_path / "none").names == ()


@pytest.mark.parametrize("name", ["..", ".", "", "../m/m", "m/", "m/../m", "/etc", "org/name", "M", "pickled", "m\0"])
def test_a_name_that_is_not_listed_leads_nowhere(tmp_path: Path, name: str) -> None:
    stored(tmp_path)
    for ask in (ModelFolder(tmp_path).sized, ModelFolder(tmp_path).load):
        with pytest.raises(InvalidInput) as caught:
            ask(name)
        assert caught.value.code == "unknown_model"


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "no header": b"\0\0\0",
    "longer than the file": header({"w": tensor([1], 0, 4)}, bytes(4), length=10**6),
    "absurd length": header({}, length=2**64 - 1),
    "longer than any": header(b" " * (LONGEST_HEADER + 1)),
    "no JSON": header(b"{'w'}"),
    "no UTF-8": header(b'{"\xff": 1}'),
    "a list": header([1, 2]),
    "deep": header(b"[" * 200_000),
    "a billion elements": header({"w": tensor([10**9], 0, 4)}, bytes(4)),
    "a billion that the offsets promise": header({"w": tensor([10**9], 0, 4 * 10**9)}, bytes(4)),
    "a product that wraps": header({"w": tensor([2**32, 2**32], 0, 0)}),
    "negative": header({"w": tensor([-1], 0, 4)}, bytes(4)),
    "backwards": header({"w": tensor([1], 4, 0)}, bytes(4)),
    "a fraction": header({"w": tensor([1.0], 0, 4)}, bytes(4)),
    "true": header({"w": tensor([True], 0, 4)}, bytes(4)),
    "many axes": header({"w": tensor([1] * 99, 0, 4)}, bytes(4)),
    "a gap": header({"w": tensor([1], 4, 8)}, bytes(8)),
    "an overlap": header({"w": tensor([2], 0, 8), "v": tensor([1], 4, 8)}, bytes(8)),
    "bytes left over": header({"w": tensor([1], 0, 4)}, bytes(5)),
    "cut off": header({"w": tensor([2], 0, 8)}, bytes(7)),
    "twice": header(b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
                    b'"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', bytes(8)),
    "no dtype": header({"w": {"shape": [1], "data_offsets": [0, 4]}}, bytes(4)),
    "a dtype of nothing": header({"w": tensor([1], 0, 4, ["F32"])}, bytes(4)),
    "three offsets": header({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4, 8]}}, bytes(4)),
    "a tensor that is none": header({"w": 3}),
    "nothing": header({}),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_header_that_promises_what_is_not_there_is_a_damaged_file(tmp_path: Path, kind: str) -> None:
    stored(tmp_path, numbers=HOSTILE[kind])
    assert code(tmp_path) == "model_weights"


@pytest.mark.night(but=20)
@pytest.mark.parametrize("seed", range(300))
def test_any_damage_to_a_header_is_refused_or_keeps_within_the_file(tmp_path: Path, seed: int) -> None:
    """One byte of a good file is another; what is still read has the bytes of the file."""
    good = bytearray(save(GOOD))
    generator = torch.Generator().manual_seed(seed)
    place, byte = (int(torch.randint(most, (1,), generator=generator)) for most in (len(good) - 40, 256))
    good[place] = byte
    path = tmp_path / "w.safetensors"
    path.write_bytes(good)
    try:
        found = placed(path)
    except Unusable:
        return
    assert sum(one.stop - one.start for one in found) == len(good) - found[0].start
    assert found[-1].stop == len(good)


@pytest.mark.parametrize("dtype", ["F8_E4M3", "F4", "U32", "I4"])
def test_numbers_that_only_quantisation_has(tmp_path: Path, dtype: str) -> None:
    stored(tmp_path, numbers=header({"w": tensor([4], 0, 4, dtype)}, bytes(4)))
    assert code(tmp_path) == "model_quantised"


CONFIGS: dict[str, tuple[Any, str]] = {
    "code": ({"model_type": "gpt2", "auto_map": {"AutoModel": "modeling.Evil"}}, "model_code"),
    "code within": ({"model_type": "llava", "text_config": {"auto_map": None}}, "model_code"),
    "code in a list": ({"model_type": "gpt2", "parts": [{"auto_map": {}}]}, "model_code"),
    "quantised": ({"model_type": "llama", "quantization_config": {"quant_method": "gptq"}}, "model_quantised"),
    "quantised within": ({"model_type": "x", "a": {"compression_config": {"b": 1}}}, "model_quantised"),
    "no kind": ({"architectures": ["GPT2Model"]}, "model_config"),
    "a kind of nothing": ({"model_type": ["gpt2"]}, "model_config"),
    "weights from elsewhere": ({"model_type": "detr", "backbone": "org/name"}, "model_config"),
    "layers for hours": ({"model_type": "gpt2", "n_layer": 10**9}, "model_config"),
    "heads for hours": ({"model_type": "x", "text_config": {"num_attention_heads": 1e30}}, "model_config"),
    "labels for hours": ({"model_type": "gpt2", "num_labels": 10**8}, "model_config"),
    "depths for hours": ({"model_type": "x", "depths": [2, 10**9]}, "model_config"),
    "a list": ([1], "model_weights"),
    "no JSON": ("{", "model_weights"),
    "deep": ("[" * 100_000, "model_weights"),
    "nested": ('{"a":' * 3000 + "1" + "}" * 3000, "model_weights"),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_configurations_that_are_refused(tmp_path: Path, kind: str) -> None:
    config, expected = CONFIGS[kind]
    stored(tmp_path, config=config)
    found = code(tmp_path)
    assert found == expected or (kind == "nested" and found == "model_config")  # where JSON is read deeper


@pytest.mark.parametrize("written", [5, -1, 1.5, True, "GPT2Model", {"GPT2Model": 1}])
def test_architectures_are_a_list(tmp_path: Path, written: Any) -> None:
    stored(tmp_path, config={"model_type": "gpt2", "architectures": written})
    assert code(tmp_path) == "model_config"


@pytest.mark.parametrize("written", [None, [], [5], ["GPT2Model", None]])
def test_an_architecture_that_is_not_known_is_left_aside(tmp_path: Path, written: Any) -> None:
    stored(tmp_path, config={"model_type": "gpt2", "architectures": written})
    assert ModelFolder(tmp_path).sized("m").config["architectures"] == written


def test_a_configuration_too_large_to_read(tmp_path: Path) -> None:
    stored(tmp_path, config="{" + " " * LARGEST["config.json"] + "}")
    assert code(tmp_path) == "model_file_size"


def test_settings_that_name_code_or_files_are_left_out(tmp_path: Path) -> None:
    named = {
        "_attn_implementation": "org/kernel", "attn_implementation": "org/kernel", "transformers_weights": "../x",
        "_name_or_path": "/etc", "fusion_config": {"patch_embeddings": True}, "experts_implementation": "org/kernel",
        "output_attentions": True, "torch_dtype": "float16",
    }  # fmt: skip
    kept = {"model_type": "gpt2", "n_layer": 3, "vocab_size_per_layer_input": 262144, "layer_norm_epsilon": 1e-5}
    stored(tmp_path, config=kept | named | {"text_config": {"n_head": 2} | named})
    assert ModelFolder(tmp_path).sized("m").config == kept | {"text_config": {"n_head": 2}}


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_links_out_of_the_folder(tmp_path: Path, file: str) -> None:
    root = tmp_path / "models"
    root.mkdir()
    stored(root)
    (root / "m" / file).rename(tmp_path / file)
    (root / "m" / file).symlink_to(tmp_path / file)
    assert code(root) == "model_link"


def test_a_subfolder_that_is_a_link_out_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "models"
    root.mkdir()
    stored(tmp_path, "elsewhere")
    (root / "m").symlink_to(tmp_path / "elsewhere")
    assert code(root) == "model_link"


def test_links_within_the_folder_are_followed(tmp_path: Path) -> None:
    stored(tmp_path, "a")
    stored(tmp_path, "b")
    (tmp_path / "b" / "model.safetensors").unlink()
    (tmp_path / "b" / "model.safetensors").symlink_to(tmp_path / "a" / "model.safetensors")
    assert ModelFolder(tmp_path).sized("b").bytes == ModelFolder(tmp_path).sized("a").bytes


def test_what_is_no_file(tmp_path: Path) -> None:
    stored(tmp_path)
    (tmp_path / "m" / "model.safetensors").unlink()
    os.mkfifo(tmp_path / "m" / "model.safetensors")
    assert code(tmp_path) == "model_weights"


def sharded(root: Path, names: Any) -> None:
    stored(root)
    (root / "m" / "model.safetensors").rename(root / "m" / "one.safetensors")
    (root / "m" / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))


@pytest.mark.parametrize(
    "names",
    [
        {"w": "../other/model.safetensors"}, {"w": "/etc/passwd"}, {"w": "a/b.safetensors"}, {"w": "none.safetensors"},
        {"w": 3}, {}, ["one.safetensors"], {"w": "pytorch_model.bin"}, {"w": "..safetensors"}, None,
    ],
)  # fmt: skip
def test_an_index_that_names_other_files(tmp_path: Path, names: Any) -> None:
    sharded(tmp_path, names)
    assert code(tmp_path) == "model_weights"


def test_an_index_of_too_many_files(tmp_path: Path) -> None:
    sharded(tmp_path, {f"t{number}": f"model-{number:05}.safetensors" for number in range(1001)})
    assert code(tmp_path) == "model_files"
    sharded(tmp_path, {f"t{number}": f"model-{number:05}.safetensors" for number in range(1000)})
    assert code(tmp_path) == "model_weights"  # none of them is there


def test_an_index_that_names_its_files(tmp_path: Path) -> None:
    sharded(tmp_path, {"w": "one.safetensors", "half": "one.safetensors"})
    assert ModelFolder(tmp_path).sized("m").parameters == 11
    (tmp_path / "m" / "two.safetensors").write_bytes(save({"w": torch.ones(1)}))
    (tmp_path / "m" / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": {"w": "one.safetensors", "v": "two.safetensors"}})
    )
    assert code(tmp_path) == "model_weights"  # w is in both


def test_an_adapter(tmp_path: Path) -> None:
    stored(tmp_path)
    (tmp_path / "m" / "model.safetensors").rename(tmp_path / "m" / "adapter_model.safetensors")
    (tmp_path / "m" / "adapter_config.json").write_text('{"base_model_name_or_path": "org/name"}')
    assert code(tmp_path) == "model_adapter"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda path: (path / "config.json").write_text('{"model_type": "a", "auto_map": {}}'),
            "The model m brings code of its own, and none but transformers' own is run.",
        ),
        (
            lambda path: (path / "model.safetensors").write_bytes(b""),
            "model.safetensors of the model m cannot be read: it is damaged or cut off.",
        ),
    ],
)
def test_a_refusal_is_a_sentence(tmp_path: Path, spoil: Callable[[Path], Any], message: str) -> None:
    spoil(stored(tmp_path))
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(tmp_path).sized("m")
    assert str(caught.value) == message


_WITHOUT = """
import sys
sys.modules["transformers"] = None  # as if it were not installed
from pathlib import Path
from attention_core.models import ModelFolder, told_sizes
folder = ModelFolder(Path(sys.argv[1]))
print(folder.names, folder.sized("m").bytes)
try:
    folder.load("m")
except Exception as error:
    print(error.code)
"""


@pytest.mark.night
@pytest.mark.slow
def test_without_transformers_names_and_sizes_are_known(tmp_path: Path) -> None:
    stored(tmp_path)
    run = subprocess.run([sys.executable, "-c", _WITHOUT, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["('m',) 51", "transformers_missing"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"n_layer": 12, "n_head": 3}, (12, 3)),
        ({"num_hidden_layers": 6, "num_attention_heads": 12, "n_layer": 5}, (6, 12)),
        ({"is_encoder_decoder": True, "num_layers": 6, "num_heads": 8}, (18, 8)),
        ({"is_encoder_decoder": True, "num_layers": 6, "num_decoder_layers": 2, "num_heads": 8}, (10, 8)),
        ({"is_encoder_decoder": True, "encoder_layers": 4, "decoder_layers": 4, "encoder_attention_heads": 6}, (12, 6)),
        (
            {"text_config": {"num_hidden_layers": 30, "num_attention_heads": 9}, "vision_config": {"n_layer": 1}},
            (30, 9),
        ),
        ({"vision_config": {"num_hidden_layers": 12, "num_attention_heads": 2}, "text_config": {}}, (12, 2)),
        ({"num_hidden_layers": True, "num_attention_heads": "many"}, (0, 0)),
    ],
)
def test_layers_and_heads_are_those_of_the_configuration(
    tmp_path: Path, config: dict[str, Any], told: tuple[int, int]
) -> None:
    stored(tmp_path, config={"model_type": "gpt2", **config})
    assert told_sizes(ModelFolder(tmp_path).sized("m")) == told
