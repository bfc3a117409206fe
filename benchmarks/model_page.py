"""The page Model with models of a folder: press to heads, letter to heads beside the model's own run, and memory.

`python -m benchmarks.models --page FOLDER` prints it. Each model gets a server of its own, started with nothing set but
the folder. The browser times from the press of the model's name, and from each letter, to the painted maps of all
heads; the own run is the eager model of transformers over as many tokens, alone in this process, with as many threads.
"""

import time
from pathlib import Path
from statistics import median
from typing import Any, Final

import torch
import transformers as hf
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.machine import described, load
from benchmarks.presses import Typist, visited
from benchmarks.verdicts import chromium, verdict
from tests.server_process import server

TEXT: Final = "Once upon a time, there was a little girl named Lily. She loved to play outside in the"
"""About 35 tokens of a small vocabulary."""
WARM_UP: Final = 4
BESIDE: Final = 100.0
"""Milliseconds that a letter may take beside the model's own run."""
OPENED: Final = {"stories260K": 3.0, "minilm": 5.0, "gpt2": 12.0}
"""Seconds from the press to the heads, by the folder's name."""

_PRESSED: Final = """async (name) => {
  const button = [...document.querySelectorAll("#control-model label")].find((one) => one.textContent.trim() === name);
  const began = performance.now();
  (button.querySelector("input") ?? button).click();
  const painted = () =>
    new URLSearchParams(document.getElementById("figure-model-heads").dataset.painted ?? "").get("model") === name;
  while (!painted()) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def report(folder: Path, letters: int) -> None:
    """Measure and print every model of the folder."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        try:
            print(*described(browser.version), sep="\n")
            print(f"letters   {letters} after {WARM_UP} to warm up\n")
            print("| model | tokens | press, s | letter, ms | own, ms | MB |")
            print("|" + " ---: |" * 6)
            verdicts = [line for path in sorted(folder.iterdir()) for line in _measured(browser, folder, path, letters)]
        finally:
            browser.close()
    print("", *verdicts, f"\nload      {load()} at the end", sep="\n")


def _measured(browser: Browser, folder: Path, path: Path, letters: int) -> list[str]:
    name = path.name
    with (
        server("app.py", environment={"HEADLIGHT_MODELS": str(folder)}) as app,
        visited(browser, f"{app.address}/?page=model&lang=en&over=text&text={TEXT}") as page,
    ):
        pressed = page.evaluate(_PRESSED, name) / 1000
        _wait_for_measures(page)
        typist = Typist(page, TEXT, len(TEXT) + 40)
        typist.type(WARM_UP)
        letter = median(typist.type(letters).maps)
        tokens = page.locator(".token-strip .token").count()
        lines = Path(f"/proc/{app.process.pid}/status").read_text(encoding="ascii").splitlines()
        megabytes = int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    own = 1000 * _own_run(path, tokens)
    print(f"| {name} | {tokens} | {pressed:.1f} | {letter:.0f} | {own:.0f} | {megabytes:.0f} |", flush=True)
    beside, most = letter - own, OPENED.get(name)
    said = [verdict(beside <= BESIDE, f"{name}: a letter {beside:.0f} ms beside its own run, at most {BESIDE:.0f}")]
    if most is not None:
        said.append(verdict(pressed <= most, f"{name}: open in {pressed:.1f} s, at most {most:.0f}"))
    return said


def _wait_for_measures(page: Page) -> None:
    """Wait until the heads are measured over the corpus: it computes beside the page."""
    page.wait_for_function("() => document.querySelector('.head-measuring')?.hidden")


def _own_run(path: Path, tokens: int) -> float:
    """Return the least seconds of the eager model over so many tokens."""
    config: Any = hf.AutoConfig.from_pretrained(path)
    kind = getattr(hf, config.architectures[0])
    model = kind.from_pretrained(path, attn_implementation="eager", dtype=torch.float32).eval()
    ids = torch.randint(3, config.vocab_size, (1, tokens), generator=torch.Generator().manual_seed(0))
    found = []
    with torch.no_grad():
        for _ in range(7):
            began = time.perf_counter()
            model(input_ids=ids)
            found.append(time.perf_counter() - began)
    return min(found)
