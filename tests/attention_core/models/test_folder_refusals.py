"""Models that look like one and cannot be loaded: each is refused by a sentence, and none runs or fetches anything."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from safetensors.torch import load_file, save_file
from torch import nn

from attention_core import InvalidInput
from attention_core.models import ModelFolder
from attention_core.models.folder_model import load
from attention_core.models.made import bounded
from tests.attention_core.models.small_folders import MODELS, byte_level, word_pieces, write
from tests.attention_core.models.small_models import READ

pytestmark = pytest.mark.slow


def changed(path: Path, **settings: Any) -> None:
    """Change settings of a JSON file; None takes one out."""
    found = json.loads(path.read_text()) | settings
    path.write_text(json.dumps({key: one for key, one in found.items() if one is not None}))


def without(path: Path, part: str) -> None:
    """Take the tensors out of a model's file whose names hold this part."""
    tensors = load_file(path / "model.safetensors")
    kept = {name: one for name, one in tensors.items() if part not in name}
    assert len(kept) < len(tensors)
    save_file(kept, path / "model.safetensors")


def code(root: Path, name: str = "m") -> str:
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(root).load(name)
    assert name in str(caught.value)
    return caught.value.code


@pytest.mark.night(but=4)
@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"model_type": "no_such_kind"}, "model_kind"),
        ({"model_type": "timm_wrapper"}, "model_kind"),
        ({"n_embd": 40}, "model_config"),
        ({"n_head": 0}, "model_config"),
        ({"n_head": 5}, "model_config"),
        ({"n_embd": "wide"}, "model_config"),
        ({"n_layer": 9_999}, "model_config"),
        ({"vocab_size": 10**12}, "model_config"),
        ({"n_positions": 10**7}, "model_config"),
        ({"n_layer": 200}, "model_config"),
        ({"n_layer": 3}, "model_incomplete"),
        ({"activation_function": "evil"}, "model_config"),
    ],
)
def test_configurations_that_do_not_fit(tmp_path: Path, settings: dict[str, Any], expected: str) -> None:
    """Those that would take hours or terabytes are refused in the time of any other."""
    changed(write(tmp_path, "m", MODELS["gpt2"]()) / "config.json", **settings)
    assert code(tmp_path) == expected


def test_what_is_built_is_bounded_by_what_the_files_hold(tmp_path: Path) -> None:
    """In bytes, before any of them is there, and in this thread alone."""
    write(tmp_path, "m", MODELS["gpt2"]())
    found = ModelFolder(tmp_path).sized("m")

    def build(width: int) -> nn.Module:
        with torch.device("meta"):
            return nn.Linear(width, width)

    with bounded(found):
        build(1000)
        with ThreadPoolExecutor(1) as other:
            other.submit(build, 10**6).result(20)
        with pytest.raises(MemoryError):
            build(10**6)
    build(10**6)


@pytest.mark.parametrize(
    ("family", "expected"), [("ViT", "model_processor"), ("CLIP", "model_processor"), ("Whisper", "model_no_sound")]
)
def test_models_beside_which_nothing_says_how_they_read(tmp_path: Path, family: str, expected: str) -> None:
    write(tmp_path, "m", READ[family]()[0])
    assert code(tmp_path) == expected


def test_a_model_without_a_tokenizer(tmp_path: Path) -> None:
    MODELS["bert"]().save_pretrained(tmp_path / "m")
    assert code(tmp_path) == "model_tokenizer"


@pytest.mark.parametrize("written", ["{", "[]", '{"version": "1.0"}', '{"model": {"type": "BPE"}}', "\0" * 99])
def test_a_tokenizer_that_cannot_be_read(tmp_path: Path, written: str) -> None:
    write(tmp_path, "m", MODELS["bert"]())
    (tmp_path / "m" / "tokenizer.json").write_text(written)
    assert code(tmp_path) == "model_tokenizer"


def test_a_tokenizer_too_large_to_read(tmp_path: Path) -> None:
    write(tmp_path, "m", MODELS["bert"]())
    with (tmp_path / "m" / "tokenizer.json").open("ab") as file:
        file.truncate(2**26 + 1)
    assert code(tmp_path) == "model_file_size"


def test_a_tokenizer_with_code_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "m", MODELS["bert"]())
    changed(path / "tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.Tokenizer", None]})
    assert code(tmp_path) == "model_code"


def test_a_tokenizer_that_is_a_link_out_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "models"
    path = write(root, "m", MODELS["bert"]())
    (path / "tokenizer.json").rename(tmp_path / "tokenizer.json")
    (path / "tokenizer.json").symlink_to(tmp_path / "tokenizer.json")
    assert code(root) == "model_link"


def test_numbers_that_are_cut_off_after_they_were_sized(tmp_path: Path) -> None:
    path = write(tmp_path, "m", MODELS["bert"]()) / "model.safetensors"
    folder = ModelFolder(tmp_path)
    found = folder.sized("m")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, found, lambda done: None)
    assert caught.value.code == "model_changed"


def test_weights_that_attention_needs_and_no_file_holds(tmp_path: Path) -> None:
    without(write(tmp_path, "m", MODELS["bert"]()), "layer.1.attention.self.key.weight")
    assert code(tmp_path) == "model_incomplete"


def test_weights_that_attention_does_not_need(tmp_path: Path) -> None:
    """A pooler that was never trained: no head hangs on it."""
    model = hf.BertModel(MODELS["bert"]().config).eval()
    path = write(tmp_path, "m", model)
    before = ModelFolder(tmp_path).load("m").run("the cat")
    without(path, "pooler")
    found = ModelFolder(tmp_path).load("m")
    assert bool(found.model.pooler.dense.weight.isnan().all())
    after = found.run("the cat")
    assert all(torch.equal(one.weights, two.weights) for one, two in zip(before.layers, after.layers, strict=True))


def test_numbers_that_are_none(tmp_path: Path) -> None:
    model = MODELS["bert"]()
    with torch.no_grad():
        model.bert.encoder.layer[0].attention.self.query.weight[3, 5] = torch.nan
    write(tmp_path, "m", model)
    assert code(tmp_path) == "model_not_finite"


def test_a_word_whose_numbers_are_none(tmp_path: Path) -> None:
    """The word is not among those of the first run, and is refused when it is read."""
    model, tokenizer = MODELS["gpt2"](), byte_level()
    word = tokenizer.encode("ê")[0]
    with torch.no_grad():
        model.transformer.wte.weight[word] = torch.inf
    write(tmp_path, "m", model, tokenizer)
    found = ModelFolder(tmp_path).load("m")
    assert found.run("the cat").layers
    with pytest.raises(InvalidInput, match=r"^The model m makes numbers that are not finite\.$"):
        found.run("ê")


def test_settings_that_name_a_kernel_or_other_files_change_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "m", MODELS["llama"]())
    before = ModelFolder(tmp_path).load("m").run("the cat")
    changed(
        path / "config.json",
        _attn_implementation="org/kernel",
        attn_implementation="org/kernel",
        transformers_weights="../other.safetensors",
        _name_or_path="org/name",
        architectures=["os.system", "AutoModel", 3, "BertModel", "LlamaForCausalLM"],
    )
    changed(
        path / "tokenizer_config.json", init_inputs=["/etc/passwd"], vocab_file="/etc/passwd", name_or_path="org/name"
    )
    (path / "adapter_config.json").write_text('{"base_model_name_or_path": "org/name", "peft_type": "LORA"}')
    (path / "modeling.py").write_text("raise SystemExit('run')")
    (path / "generation_config.json").write_text("{")
    found = ModelFolder(tmp_path).load("m")
    assert type(found.model).__name__ == "LlamaForCausalLM"
    assert found.model.config._attn_implementation == "eager"
    after = found.run("the cat")
    assert all(torch.equal(one.weights, two.weights) for one, two in zip(before.layers, after.layers, strict=True))


def test_the_body_is_taken_if_no_architecture_is_known(tmp_path: Path) -> None:
    path = write(tmp_path, "m", MODELS["bert"](), word_pieces())
    whole = ModelFolder(tmp_path).load("m").run("the cat")
    changed(path / "config.json", architectures=["FancyBert"])
    found = ModelFolder(tmp_path).load("m")
    assert type(found.model).__name__ == "BertModel"
    assert torch.equal(found.run("the cat").layers[1].weights, whole.layers[1].weights)


_NO_NETWORK = """
import os, socket, sys
os.environ.pop("HF_HUB_OFFLINE", None)
def refused(*given, **named):
    print("asked", given[-1])
    raise OSError
socket.getaddrinfo = socket.socket.connect = refused
from pathlib import Path
from attention_core.models import ModelFolder
from attention_core.models.folder_model import load
from attention_core.models.made import bounded
folder = ModelFolder(Path(sys.argv[1]))
for name in folder.names:
    print(name, len(folder.load(name).run("the cat").layers))
"""


@pytest.mark.night
def test_nothing_is_asked_of_the_network(tmp_path: Path) -> None:
    """By a process that is not told to be offline."""
    write(tmp_path, "bert", None, word_pieces())
    write(tmp_path, "llama")
    run = subprocess.run([sys.executable, "-c", _NO_NETWORK, str(tmp_path)], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["bert 2", "llama 2"]
    assert run.stderr == ""


@pytest.mark.night(but=1)
@pytest.mark.parametrize(
    ("name", "renamed"),
    [
        ("gpt2", lambda key: key.removeprefix("transformer.")),
        ("bert", lambda key: re.sub("LayerNorm.weight$", "LayerNorm.gamma", re.sub("Norm.bias$", "Norm.beta", key))),
    ],
)
def test_names_of_older_files_are_those_that_transformers_knows(
    tmp_path: Path, name: str, renamed: Callable[[str], str]
) -> None:
    """The published GPT-2 has neither its model's prefix nor float masks, the published BERT gammas and betas."""
    path = write(tmp_path, name)
    before = ModelFolder(tmp_path).load(name).run("the cat")
    tensors = {renamed(key): one for key, one in load_file(path / "model.safetensors").items()}
    tensors["h.0.attn.bias"] = torch.ones(1, 1, 9, 9, dtype=torch.uint8)
    save_file(tensors, path / "model.safetensors")
    found = ModelFolder(tmp_path).load(name)
    assert not any(bool(one.isnan().any()) for one in found.model.parameters())
    after = found.run("the cat")
    assert all(torch.equal(one.weights, two.weights) for one, two in zip(before.layers, after.layers, strict=True))
