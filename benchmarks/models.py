"""Capturing a model's attention, as multiples of its own forward pass: time, memory and loading.

    python -m benchmarks.models [--n 32 128 512] [--families GPT-2 …] [--seconds 120] [--loading]
    python -m benchmarks.models --page FOLDER [--letters 15]

It needs requirements-models.txt and no network: the models have sizes of published ones, or a small one's, and random
weights, in float32 on one core. Times are the processor's, which other load changes little. The ways take turns, each
turn's times are divided by the same turn's eager forward pass, and the median of those ratios is printed; a capture of
all layers is divided by the SDPA pass, too. Last comes the model that ships: a reading of 64 tokens, the measures of
its heads, which the page makes while one types, and the corpus. A target is only reported as met or missed.
`--loading` measures the models of a folder instead: the time from its files, which the system has in its cache, to a
model that is measured and ready, what its tensors hold then, and by how much the process grows at most meanwhile
(Linux). `--page` measures the page Model with the models of a folder (`benchmarks.model_page`).
"""

import argparse
import math
import platform
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention_core.language import corpus
from attention_core.learned import DocumentModel, head_measures, shipped_model
from attention_core.learned.over_corpus import measured_documents, text_of
from attention_core.models import Capture, ModelFolder, capture
from attention_core.studies.tensor_memory import TensorMemory
from benchmarks import model_page
from benchmarks.machine import load, memory, processor

Sizes = dict[str, Any]
SMALL: Sizes = {
    "hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 384, "vocab_size": 1000,
}  # fmt: skip
QWEN: Sizes = {
    "hidden_size": 1024, "num_hidden_layers": 6, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 3072, "vocab_size": 32000,
}  # fmt: skip
GPT_J: Sizes = {"n_embd": 768, "n_layer": 6, "n_head": 12, "rotary_dim": 32, "vocab_size": 32000}
MODELS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "small": lambda: (hf.LlamaForCausalLM, hf.LlamaConfig(**SMALL)),
    "GPT-2": lambda: (hf.GPT2LMHeadModel, hf.GPT2Config()),
    "BERT": lambda: (hf.BertModel, hf.BertConfig()),
    "Qwen 3": lambda: (hf.Qwen3ForCausalLM, hf.Qwen3Config(**QWEN)),
    "GPT-J": lambda: (hf.GPTJForCausalLM, hf.GPTJConfig(**GPT_J)),
}
EAGER, SDPA, ATTENTIONS, ONE, ALL = "eager", "SDPA", "output_attentions", "capture, one layer", "capture, all layers"
WAYS = (EAGER, SDPA, ATTENTIONS, ONE, ALL)
TARGET_N, TARGET = 128, 1.5
LIVE_TARGET = 3.0
"""Milliseconds for the measures of the shipped model's heads over 64 tokens."""
MOST_TURNS = 25


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[32, 128, 512])
    options.add_argument("--families", nargs="+", choices=list(MODELS), default=list(MODELS))
    options.add_argument("--seconds", type=float, default=120, help="for all families and n together, about")
    options.add_argument("--loading", action="store_true", help="measure loading from a folder instead")
    options.add_argument("--page", type=Path, help="measure the page Model with the models of this folder instead")
    options.add_argument("--letters", type=int, default=15, help="measured letters of each model, with --page")
    chosen = options.parse_args()
    if chosen.page is not None:
        model_page.report(chosen.page.absolute(), chosen.letters)
        return
    torch.set_num_threads(1)
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    packages = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    print(f"machine   {processor()}, one thread, {memory()}, {platform.system()} {platform.release()}")
    print(f"versions  Python {platform.python_version()}, {packages}")
    print(f"date      {datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    print(f"load      {load()}")
    if chosen.loading:
        print("\n| model | float | MB of files | MB said before | MB then | MB meanwhile | s |")
        print("|" + " ---: |" * 7)
        for family in chosen.families:
            for dtype in (torch.float32, torch.bfloat16):
                print(f"| {family} | {loading(*MODELS[family](), dtype)} |", flush=True)
        print(f"\nload      {load()} at the end")
        return
    met = []
    for family in chosen.families:
        model, fused, megabytes, seconds = loaded(*MODELS[family]())
        print(f"\n{family}: {megabytes:.0f} MB of safetensors, read in {seconds:.2f} s\n")
        titles = ["n", "eager, ms", *(f"{way}, × eager" for way in WAYS[1:]), "all layers, × SDPA"]
        titles += ["eager, MB", "one, MB", "all, MB"]
        print(f"| {' | '.join(titles)} |")
        print("|" + " ---: |" * len(titles), flush=True)
        for n in chosen.n:
            ways = ways_at(model, fused, n)
            turns = timed(ways, chosen.seconds / len(chosen.n) / len(chosen.families))
            ratios = {way: median(turn[way] / turn[EAGER] for turn in turns) for way in ways}
            cells = [f"{ratios[way]:.2f}" if way in ratios else "–" for way in WAYS[1:]]
            beside = median(turn[ALL] / turn[SDPA] for turn in turns) if SDPA in ways else math.nan
            cells.append("–" if math.isnan(beside) else f"{beside:.2f}")
            peaks = [f"{peak(ways[way]) / 1e6:.1f}" for way in (EAGER, ONE, ALL)]
            shortest = 1000 * min(turn[EAGER] for turn in turns)
            print(f"| {n} | {shortest:.1f} | {' | '.join([*cells, *peaks])} |", flush=True)
            if n == TARGET_N:
                met.append((family, ratios[ALL], beside))
    print("\n–: the family has no SDPA. MB: the most that tensors made in a run hold at once, its results included")
    for family, ratio, beside in met:
        fused = "" if math.isnan(beside) else f"; {beside:.2f} × SDPA"
        reached = verdict(ratio, TARGET)
        print(f"  {reached}  {family}: all layers at n = {TARGET_N} in {ratio:.2f} × eager, at most {TARGET}{fused}")
    shipped_heads()
    print(f"\nload      {load()} at the end")


def verdict(measured: float, most: float) -> str:
    return "met   " if measured <= most else "missed"


def shipped_heads() -> None:
    """Print what reading a text and measuring its heads cost of the model that ships, and of its corpus."""
    model = shipped_model("headlight")
    assert isinstance(model, DocumentModel)
    text = text_of(corpus()[-1])
    found = model.run(text)
    ways: dict[str, Callable[[], object]] = {
        "read": lambda: model.run(text),
        "measured": lambda: head_measures(found, model.delimiters),
        "corpus": lambda: measured_documents(model),
    }
    turns = timed(ways, 10)
    read, measured, whole = (1000 * median(turn[way] for turn in turns) for way in ways)
    seconds = whole / 1000
    print(f"\nheadlight: {len(found.ids)} tokens read in {read:.1f} ms; {len(corpus())} documents in {seconds:.2f} s")
    print(f"  {verdict(measured, LIVE_TARGET)}  heads measured in {measured:.2f} ms, at most {LIVE_TARGET:.0f}")


def loaded(kind: Any, config: Any) -> tuple[Any, Any, float, float]:
    """Return a model, the same with SDPA if the family has it, its megabytes, and the seconds that reading it takes."""
    with tempfile.TemporaryDirectory() as folder:
        kind._from_config(config).save_pretrained(folder)
        before = time.process_time()
        model = kind.from_pretrained(folder, attn_implementation="eager", local_files_only=True)
        total = sum(float(one.detach().double().sum()) for one in model.parameters())
        seconds = time.process_time() - before
        default = kind.from_pretrained(folder, local_files_only=True)
        for one in (*model.parameters(), *default.parameters()):  # into memory of their own
            one.data = one.data.clone()
    if not math.isfinite(total):
        raise SystemExit("the model that was read is not the one that was written")
    fused = default if default.config._attn_implementation == "sdpa" else None
    return model, fused, sum(one.nbytes for one in model.parameters()) / 1e6, seconds


def loading(kind: Any, config: Any, dtype: torch.dtype) -> str:
    """Return the cells of a row: a model that is written in this format and loaded from a folder by a process."""
    words = Tokenizer(WordLevel({word: number for number, word in enumerate(("[UNK]", "a", "the", "1", "2"))}, "[UNK]"))
    words.pre_tokenizer = Whitespace()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        kind._from_config(config).to(dtype).save_pretrained(path)
        hf.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").save_pretrained(path)
        files = sum(one.stat().st_size for one in path.glob("*.safetensors"))
        with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
            seconds, there, most = fresh.submit(loaded_once, folder, kind.__name__).result()
        sizes = (files, ModelFolder(Path(folder)).sized("model").bytes, there, most)
    name = str(dtype).removeprefix("torch.")
    return f"{name} | {' | '.join(f'{size / 1e6:.0f}' for size in sizes)} | {seconds:.1f}"


def loaded_once(folder: str, kind: str) -> tuple[float, int, int]:
    """Return the seconds of a load, the bytes of the model, and the most by which the process grew."""
    torch.set_num_threads(1)
    for needed in ("AutoTokenizer", kind):  # imported at this moment, which takes seconds, once in a process
        getattr(hf, needed)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most begins anew
    there, before = resident(), time.perf_counter()
    model = ModelFolder(Path(folder)).load("model")
    return time.perf_counter() - before, model.bytes, resident(most=True) - there


def resident(most: bool = False) -> int:
    """Return the bytes of memory that the process has, or the most that it had. Linux alone says so."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM" if most else "VmRSS")).split()[1])


def ways_at(model: Any, fused: Any, n: int) -> dict[str, Callable[[], object]]:
    """Return the ways to run a text of n tokens."""
    ids = torch.randint(3, 1000, (1, n), generator=torch.Generator().manual_seed(n))

    def captured(layers: list[int] | None) -> Capture:
        return capture(model, layers=layers, input_ids=ids)

    ways: dict[str, Callable[[], object]] = {
        EAGER: lambda: model(input_ids=ids),
        ATTENTIONS: lambda: model(input_ids=ids, output_attentions=True),
        ONE: lambda: captured([1]),
        ALL: lambda: captured(None),
    }
    return ways if fused is None else ways | {SDPA: lambda: fused(input_ids=ids)}


@torch.no_grad()
def peak(way: Callable[[], object]) -> int:
    """Return the peak bytes of tensors that a run makes."""
    with TensorMemory() as held:
        result = way()
    del result
    return held.peak


@torch.no_grad()
def timed(ways: Mapping[str, Callable[[], object]], budget: float, most: int = MOST_TURNS) -> list[dict[str, float]]:
    """Return the processor's seconds of every way in each turn: at most `most`, and about `budget` seconds in all.

    The first turn warms up if there is time for more.
    """
    turns, start = [], time.perf_counter()
    while len(turns) < most:
        turn = {}
        for name, way in ways.items():
            before = time.process_time()
            way()
            turn[name] = time.process_time() - before
        turns.append(turn)
        spent = time.perf_counter() - start
        if spent + spent / len(turns) > budget:
            break
    return turns[1:] or turns


if __name__ == "__main__":
    main()
