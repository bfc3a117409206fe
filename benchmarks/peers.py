"""Headlight beside BertViz and CircuitsVis, on the very same attention: time to paint, bytes, one interaction, memory.

    python -m benchmarks.peers [--n 128 1024] [--times 5] [--patience 120] [--gigabytes 6]

Needs playwright, a Chromium (HEADLIGHT_CHROMIUM, or the system's) and, once, pip and npm: the peers live in an
environment of their own in the cache (`--environment`), with torch from this one. A small GPT-2 with random weights at
a fixed seed reads a text; the peers get its attention as transformers returns it, Headlight reads the text with the
same model, and the largest difference between both is printed. On the page Model that is up to 128 tokens; beyond, the
page Map gets queries and keys of the first layer in a file. In each turn the model reads another text, and each way is
visited once in a browser of its own, one way after the other, so that other load affects all alike. What does not come
within `--patience` seconds, or holds more than `--gigabytes`, is tried once. Prints Markdown: medians, and multiples of
Headlight's. What cannot be had is said in the number's place.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

import torch
import transformers as hf
from playwright.sync_api import Page, Route
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from attention_core import AttentionConfig, AttentionInputs, compute
from attention_core.models import ModelFolder, capture
from benchmarks.machine import described, load
from benchmarks.peers_environment import PACKAGES, Environment, Served, asked, compressed, zipped
from benchmarks.peers_seen import Bounds, browser, visit
from benchmarks.peers_table import Column, table
from benchmarks.peers_ways import HEADS, LAYERS, MODEL, PEERS, of_file
from benchmarks.server import server
from visualiser.pages.model import MOST_TOKENS

NAME = "small-gpt2"
LONGEST = 1024
KEYS = "layer-1.safetensors"
"""The file of Q and K for the page Map."""

WORDS = [a + b for a in "bcdfghjklmnprstvwz" for b in "aeiouy"]


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, nargs="+", default=[MOST_TOKENS, LONGEST], help="tokens")
    options.add_argument("--times", type=int, default=5, help="visits of each way")
    options.add_argument("--ways", nargs="+", choices=list(PEERS), default=list(PEERS), help="of the peers")
    options.add_argument("--patience", type=float, default=120, help="seconds for one page")
    options.add_argument("--gigabytes", type=float, default=6, help="that one page may hold")
    options.add_argument("--environment", type=Path, help="the folder of the peers' environment")
    chosen = options.parse_args()
    bounds = Bounds(chosen.patience, 1e9 * chosen.gigabytes)
    hf.logging.set_verbosity_error()
    hf.logging.disable_progress_bar()
    torch.set_num_threads(1)
    environment = Environment(chosen.environment)
    lacking = environment.make()
    with browser() as started:
        print(*described(started.version), sep="\n")
    print(f"peers     {', '.join(PACKAGES[:2])}")
    with tempfile.TemporaryDirectory() as folder:
        models = Path(folder) / "models"
        make_model(models / NAME)
        sizes = f"{LAYERS} layers of {HEADS} heads, random weights (seed 0), transformers {version('transformers')}"
        print(f"model     GPT-2 with {sizes}")
        with server("app.py", environment={"HEADLIGHT_MODELS": str(models)}) as app:
            print(f"loading   Headlight reads it and measures its heads in {loaded(app.address):.1f} s, once")
            for n in chosen.n:
                rows = {} if lacking else {way: Column(PEERS[way].name) for way in chosen.ways}
                measured(n, rows, chosen.times, bounds, Path(folder), environment, app.address)
        if lacking:
            print(f"\nThe peers cannot be had here: {lacking}")
    print(f"\nload      {load()} at the end")


def make_model(path: Path) -> None:
    """Write the model and its tokenizer, whose tokens are words of two letters."""
    words = Tokenizer(WordLevel({word: at for at, word in enumerate(["[UNK]", *WORDS])}, "[UNK]"))
    words.pre_tokenizer = Whitespace()
    hf.PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]").save_pretrained(path)
    torch.manual_seed(0)
    config = hf.GPT2Config(
        n_layer=LAYERS, n_head=HEADS, n_embd=32 * HEADS, n_positions=LONGEST, vocab_size=1 + len(WORDS),
        bos_token_id=None, eos_token_id=None, initializer_range=0.1,  # so that heads differ
    )  # fmt: skip
    hf.GPT2LMHeadModel(config).save_pretrained(path)


def text_of(n: int, turn: int) -> str:
    """Return n words, others at each turn."""
    draw = random.Random(turn)
    return " ".join(draw.choice(WORDS) for _ in range(n))


def written(models: Path, text: str, folder: Path) -> float:
    """Write the attention of a text for the peers, and the first layer's Q and K for the page Map.

    Returns the largest difference between the weights that transformers returns and Headlight's: of all layers as the
    page Model reads them, or of the first as `compute` makes them of Q and K.
    """
    tokenizer = hf.AutoTokenizer.from_pretrained(models / NAME)
    model = hf.AutoModelForCausalLM.from_pretrained(models / NAME, attn_implementation="eager").eval()
    with torch.no_grad():
        found = model(**tokenizer(text, return_tensors="pt"), output_attentions=True).attentions
    attention = torch.cat(found)
    save_file({"attention": attention}, folder / "attention.safetensors")
    (folder / "tokens.json").write_text(json.dumps(text.split()))
    if attention.shape[-1] <= MOST_TOKENS:
        ours = torch.stack([layer.weights for layer in ModelFolder(models).load(NAME).run(text).layers])
    else:
        layer = capture(model, layers=[0], **tokenizer(text, return_tensors="pt")).layers[0]
        if layer.Q is None or layer.K is None or layer.V is None:
            raise ValueError("this model hands over no Q, K and V")
        save_file({"Q": layer.Q.contiguous(), "K": layer.K.contiguous()}, folder / KEYS)
        config = AttentionConfig(source="upload", mask="causal")
        ours, attention = compute(config, AttentionInputs(layer.Q, layer.K, layer.V)).weights[None], attention[:1]
    return float((ours - attention).abs().max())


def loaded(address: str) -> float:
    """Load the model on the page as its first visitor does; return the seconds from the press to all heads."""
    with browser() as started:
        page = started.new_page()
        page.goto(link(address, text_of(8, 0)))
        page.locator("#run button:visible").first.click()
        begun = time.monotonic()
        page.wait_for_selector("#figure-model-heads[data-painted]", timeout=120_000)
        return time.monotonic() - begun


def link(address: str, text: str) -> str:
    """Return the page Model with a text, or the page Map before it is given a file."""
    if len(text.split()) <= MOST_TOKENS:
        return f"{address}/?{urlencode({'page': 'model', 'model': NAME, 'lang': 'en', 'text': text})}"
    return f"{address}/?{urlencode({'page': 'map', 'mask': 'causal', 'n': 64, 'lang': 'en'})}"


def measured(
    n: int, rows: dict[str, Column], times: int, bounds: Bounds, folder: Path, environment: Environment, app: str
) -> None:
    """Visit every way so many times at one n, in turns, and print what was seen."""
    shown = MODEL if n <= MOST_TOKENS else of_file(folder / KEYS)
    own = Column(shown.name)
    apart, notes = 0.0, {}
    for turn in range(times):
        text = text_of(n, turn)
        apart = max(apart, written(folder / "models", text, folder))
        own.visits.append(visit(shown, link(app, text), f"{app}/robots.txt", lambda page: None, bounds))
        if own.visits[-1].failed:
            raise SystemExit(f"{own.name}: {own.visits[-1].failed}")
        for way, row in rows.items():
            print(f"{n:,} tokens, turn {turn + 1} of {times}: {row.name}", file=sys.stderr, flush=True)
            if not row.failed:
                notes |= added(way, row, folder, environment, bounds)
    print(f"\n## {n:,} tokens\n")
    print(f"The largest difference between the weights of transformers and of Headlight: {apart:.1g}\n")
    print(*table([own, *rows.values()]), sep="\n")
    for note in notes:
        print(f"\n{note}")


def added(way: str, row: Column, folder: Path, environment: Environment, bounds: Bounds) -> dict[str, None]:
    """Make a peer's page, visit it and add to its row; return what is to be said of its scripts."""
    out = folder / f"{way}.html"
    command = [environment.python, Path(__file__).with_name("peers_made.py"), way, folder, out]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        row.failed = f"not made: {[*made.stderr.strip().splitlines(), made.returncode][-1]}"
        return {}
    told = json.loads(made.stdout)
    row.seconds.append(told["seconds"])
    row.grown.append(told["most"])
    body = out.read_bytes()
    scripts = {script.address: environment.script(script) for script in asked(body.decode())}
    lacking = [f"{address}: {found}" for address, found in scripts.items() if isinstance(found, str)]
    if lacking:
        row.failed = "; ".join(lacking)
        return {}
    served = {address: found for address, found in scripts.items() if isinstance(found, Served)}
    small, refused = zipped(body), set[str]()
    with served_page(small) as address:
        routes = partial(routed, served=served, refused=refused)
        seen = visit(PEERS[way], f"{address}/page", f"{address}/", routes, bounds)
    row.failed = seen.failed
    sent = len(small) + sum(compressed(one.body) for one in served.values())
    row.visits.append(replace(seen, sent=sent, read=len(body) + sum(len(one.body) for one in served.values())))
    notes = [f"`{found.script.address}`: {found.instead} in its place." for found in served.values() if found.instead]
    notes += [f"{row.name} asks for `{address}`, which cannot be had here." for address in refused]
    return dict.fromkeys(notes)


@contextmanager
def served_page(small: bytes) -> Iterator[str]:
    """Serve one page, which is compressed, at /page and an empty one elsewhere; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = small if self.path == "/page" else zipped(b"<!doctype html>")
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(found)))
            self.end_headers()
            self.wfile.write(found)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing of each request."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}"
    finally:
        listening.shutdown()
        listening.server_close()


def routed(page: Page, served: dict[str, Served], refused: set[str]) -> None:
    """Answer what a page asks of a CDN; nothing leaves this machine, and what has no answer is noted in `refused`."""

    def answer(route: Route) -> None:
        found = served.get(route.request.url)
        if found:
            route.fulfill(body=found.body, content_type="text/javascript")
        elif "//127.0.0.1" in route.request.url:
            route.continue_()
        else:
            refused.add(route.request.url)
            route.abort()

    page.route("**/*", answer)


if __name__ == "__main__":
    main()
