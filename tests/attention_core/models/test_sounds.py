"""Speech models: features of their own extractor, positions in seconds, weights that are the model's own."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers as hf
from torch.utils.flop_counter import FlopCounterMode

from attention_core import InvalidInput
from attention_core.learned import Given, Sound
from attention_core.models import FolderModel, ModelFolder, SoundReader
from attention_core.models.sound_features import resampled
from tests.attention_core.models.small_folders import CONTEXT, HEARD, write_whisper

RATE = 16_000


def sound(seconds: float = 1.5, rate: int = RATE, hertz: float = 300.0) -> Sound:
    at = torch.arange(round(seconds * rate), dtype=torch.float64) / rate
    return Sound("made", (0.5 * torch.sin(2 * torch.pi * hertz * at)).float(), rate)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    root = tmp_path_factory.mktemp("models")
    write_whisper(root)
    write_whisper(root, "long", 600)
    return ModelFolder(root)


@pytest.fixture(scope="module")
def model(folder: ModelFolder) -> FolderModel:
    return folder.load("whisper")


def own(folder: ModelFolder, name: str) -> Any:
    kind = hf.WhisperForConditionalGeneration
    return kind.from_pretrained(folder.path / name, attn_implementation="eager", dtype=torch.float32).eval()


def features(folder: ModelFolder, name: str, heard: Sound) -> torch.Tensor:
    extractor = hf.WhisperFeatureExtractor.from_pretrained(folder.path / name)
    return extractor(heard.samples.numpy(), sampling_rate=RATE, return_tensors="pt")["input_features"]


@pytest.mark.night(but=2)
@pytest.mark.slow
@pytest.mark.parametrize("target", ["", "the cat sees"])
@pytest.mark.parametrize("name", ["whisper", "long"])
def test_weights_are_the_model_s_own_and_a_long_encoder_s_are_left_out(
    folder: ModelFolder, name: str, target: str
) -> None:
    run = folder.load(name).run(Given(target=target, sound=sound()))
    given = {"input_features": features(folder, name, sound()), "decoder_input_ids": torch.tensor([run.lines[1].ids])}
    with torch.no_grad():
        made = own(folder, name)(**given, output_attentions=True)
    encoder = [] if name == "long" else [*made.encoder_attentions]
    expected = [*encoder, *made.decoder_attentions, *made.cross_attentions]
    assert len(expected) == len(run.layers)
    for one, layer in zip(expected, run.layers, strict=True):
        torch.testing.assert_close(layer.weights, one[0], rtol=1e-5, atol=1e-6)
    assert [part for part, _, _ in run.parts] == (
        ["decoder", "cross"] if name == "long" else ["encoder", "decoder", "cross"]
    )


@pytest.mark.slow
def test_positions_are_moments_whose_length_is_measured(folder: ModelFolder, model: FolderModel) -> None:
    source = model.run(Given(sound=sound())).lines[0]
    assert (source.name, len(source), source.seconds) == ("sound", HEARD, 0.02)
    assert source.tokens[:3] == ("0.00\u00a0s", "0.02\u00a0s", "0.04\u00a0s")
    assert source.tokens[-1] == "1.98\u00a0s"
    assert set(source.ids) == {-1}
    assert not source.cut
    assert not source.is_text
    assert model.run(Given(sound=sound(2.5))).lines[0].cut
    assert model.run(Given(sound=sound(2.0))).lines[0].cut is False


@pytest.mark.slow
def test_what_is_written_is_the_likeliest_token_at_each_step(folder: ModelFolder, model: FolderModel) -> None:
    target = model.run(Given(sound=sound())).lines[1]
    assert target.ids[:3] == (3, 5, 6)  # what begins a text, a language and a task
    reference, given = own(folder, "whisper"), features(folder, "whisper", sound())
    ids = [3, 5, 6]
    while len(ids) < len(target.ids):
        with torch.no_grad():
            logits = reference(input_features=given, decoder_input_ids=torch.tensor([ids])).logits[0, -1]
        logits[[7, 8]] = -torch.inf
        if len(ids) == 3:
            logits[9] = -torch.inf
        ids.append(int(logits.argmax()))
    assert ids == list(target.ids)
    assert len(ids) <= CONTEXT


@pytest.mark.night
@pytest.mark.slow
def test_prices_hold(folder: ModelFolder) -> None:
    for name in ("whisper", "long"):
        model = folder.load(name)
        assert model.takes == {"sound", "target"}
        assert isinstance(model.reader, SoundReader)
        assert model.reader.keeps_encoder == (name == "whisper")
        for target in ("", "the cat " * 30):
            given = Given(target=target, sound=sound())
            with FlopCounterMode(display=False) as counted:
                model.run(given)
            assert counted.get_total_flops() <= 2 * model.multiply_adds(model.positions(given))


@pytest.mark.slow
def test_without_a_sound_there_is_nothing_to_read(model: FolderModel) -> None:
    for missing in (None, Sound("empty", torch.zeros(0), RATE)):
        with pytest.raises(InvalidInput, match=r"^A speech model needs a sound\.$"):
            model.run(Given("text", sound=missing))


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"feature_extractor_type": "Speech2TextFeatureExtractor"},
        {"chunk_length": 10**6},
        {"chunk_length": "x"},
        {"n_fft": 2**30},
        {"feature_size": True},
        {"hop_length": 0},
        {"feature_size": 9},
        {"chunk_length": 1},
    ],
)
def test_settings_that_cannot_be_used_are_a_sentence(tmp_path: Path, settings: dict[str, Any]) -> None:
    write_whisper(tmp_path, **settings)
    with pytest.raises(InvalidInput, match=r"^The model whisper reads no sound in a way that is known here\.$"):
        ModelFolder(tmp_path).load("whisper")


@pytest.mark.slow
def test_code_beside_the_settings_is_refused(tmp_path: Path) -> None:
    path = write_whisper(tmp_path) / "preprocessor_config.json"
    path.write_text(json.dumps({"auto_map": {"AutoFeatureExtractor": "x.Y"}}))
    with pytest.raises(InvalidInput) as caught:
        ModelFolder(tmp_path).load("whisper")
    assert caught.value.code == "model_code"


@pytest.mark.parametrize(("rate", "to"), [(48_000, 16_000), (8_000, 16_000), (44_100, 16_000), (16_000, 16_000)])
def test_another_rate_keeps_the_tone(rate: int, to: int) -> None:
    expected = sound(1, to, 440).samples.double()
    found = resampled(sound(1, rate, 440), to).double()
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)  # 440 periods fit into the second


def test_a_tone_that_a_rate_cannot_have_is_left_out() -> None:
    assert float(resampled(sound(1, 48_000, 9_000), 16_000).abs().max()) < 1e-5
