"""The script prints the page's numbers in a Python without Headlight."""

import itertools
import math
import subprocess
import sys

import pytest
import torch

from attention_core import CHOICES, AttentionConfig, AttentionInputs, AttentionResult, compute
from visualiser.export import NPZ_NAME, Origin, npz, snippet

pytestmark = pytest.mark.slow

HEADING = "head  mean entropy (nats)  score variance  mean Jacobian norm  largest weight"
SENTENCE = 'the cat saw the other cat, and \\\' """ 고양이 👩‍👩‍👧 <b>'
RUNNER = "import runpy, sys\nfor path in sys.argv[1:]:\n    runpy.run_path(path)\n"
EACH_FOLDER = """import os, runpy, sys
for folder in sys.argv[1:]:
    os.chdir(folder)
    runpy.run_path("script.py")
    os.chdir("..")
"""


ORIGIN = Origin(
    link="https://example.org/?n=7",
    seed="3",
    headlight="1.2.3",
    torch="4.5",
    plotly="6.7",
    date="2026-01-02T03:04:05Z",
)


def printed(arguments: list[str], folder) -> list[list[list[float]]]:
    """Return the printed tables of scripts, run by a Python without our packages on its path."""
    command = [sys.executable, "-I", "-X", "utf8", *arguments]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    tables = ran.stdout.split(HEADING + "\n")[1:]
    return [[[float(cell) for cell in line.split()] for line in table.splitlines()] for table in tables]


def expected(result: AttentionResult) -> list[list[float]]:
    entropy, norm = result.entropy.nanmean(-1), result.jacobian_norm.nanmean(-1)
    largest = result.largest_weight.nan_to_num(-1.0).amax(-1)
    largest = largest.masked_fill(largest < 0, math.nan)  # no row is a distribution
    columns = torch.stack([entropy, result.score_variance, norm, largest], dim=-1)
    return [[head + 1, *numbers] for head, numbers in enumerate(columns.tolist())]


def assert_same_numbers(table: list[list[float]], result: AttentionResult) -> None:
    """Expect equality up to the printed digits, or up to float32's rounding of numbers near 1 whose difference was
    taken."""
    wanted = expected(result)
    assert len(table) == len(wanted)
    for line, numbers in zip(table, wanted, strict=True):
        for came, number in zip(line, numbers, strict=True):
            close = math.isclose(came, number, rel_tol=1e-5, abs_tol=16 * torch.finfo(torch.float32).eps)
            assert close or (math.isnan(came) and math.isnan(number)), (line, numbers)


@pytest.fixture
def uploaded() -> AttentionInputs:
    """Return cross-attention with d_v ≠ d_k; under a causal mask its first queries have no key."""
    generator = torch.Generator().manual_seed(23)
    Q, K, V = (torch.randn(shape, generator=generator) for shape in ((3, 13, 5), (3, 11, 5), (3, 11, 7)))
    return AttentionInputs(Q, K, V)


@pytest.mark.night(but=1)
@pytest.mark.parametrize("source", [name for name in CHOICES["source"] if name != "model"])
def test_every_mechanism_scaling_and_mask(source, tmp_path, uploaded):
    choices = itertools.product(*(CHOICES[name] for name in ("mechanism", "scaling", "mask")))
    treatments = list(itertools.product((False, True), repeat=2))
    given = {"gaussian": {"n": 19}, "text": {"text": SENTENCE, "positions": True}}.get(source, {"n": 19})
    inputs = uploaded if source == "upload" else None
    results = []
    for number, (mechanism, scaling, mask) in enumerate(choices):
        qk_norm, log_n = treatments[number % len(treatments)]
        config = AttentionConfig(
            source=source, h=3, d_model=31, d_k=7, tie=False, seed=29, window=2, scale=0.37,
            mechanism=mechanism, scaling=scaling, mask=mask, qk_norm=qk_norm, log_n=log_n, **given,
        )  # fmt: skip
        results.append(compute(config, inputs, device="cpu"))
        (tmp_path / f"{len(results)}.py").write_text(snippet(config), encoding="utf-8")
    if source in ("structured", "upload"):  # the others draw by themselves
        (tmp_path / NPZ_NAME).write_bytes(npz(results[0], ORIGIN))
    (tmp_path / "run_all.py").write_text(RUNNER, encoding="utf-8")
    tables = printed(["run_all.py", *(f"{number + 1}.py" for number in range(len(results)))], tmp_path)
    assert len(tables) == len(results) >= 24
    for table, result in zip(tables, results, strict=True):
        assert_same_numbers(table, result)


@pytest.mark.night
@pytest.mark.parametrize(
    "config",
    [
        AttentionConfig(),
        AttentionConfig(source="text"),
        AttentionConfig(n=64, d_k=512, tie=False, scaling="none", qk_norm=True, log_n=True),
        AttentionConfig(n=31, h=2, d_k=11, tie=False, dtype="bfloat16", qk_norm=True, log_n=True),
        AttentionConfig(n=31, h=2, d_k=11, tie=False, dtype="bfloat16"),
        AttentionConfig(n=31, h=2, d_k=11, tie=False, dtype="float16", mechanism="additive"),
        AttentionConfig(source="text", split="characters", d_model=30, h=4, scaling="none"),
        AttentionConfig(n=31, h=2, d_k=111, tie=False, scaling="none", dtype="float16", subtract_max=False),
        AttentionConfig(n=9, h=2, d_k=511, tie=False, scaling="none", subtract_max=False, mask="causal"),
    ],
    ids=[
        "defaults",
        "text",
        "normed",
        "bfloat16 normed",
        "bfloat16",
        "float16 additive",
        "characters",
        "float16 overflows",
        "float32 overflows",
    ],
)
def test_one_script_run_as_a_person_would(config, tmp_path):
    (tmp_path / "script.py").write_text(snippet(config), encoding="utf-8")
    (table,) = printed(["script.py"], tmp_path)
    assert_same_numbers(table, compute(config, device="cpu"))


@pytest.mark.night
@pytest.mark.parametrize("dtype", [name for name in CHOICES["dtype"] if name != "float32"])
def test_every_source_and_mechanism_in_every_format(dtype, tmp_path, uploaded):
    results = []
    for source, mechanism in itertools.product((n for n in CHOICES["source"] if n != "model"), CHOICES["mechanism"]):
        config = AttentionConfig(
            source=source, n=19, h=3, d_model=31, d_k=7, tie=False, seed=31, mechanism=mechanism, dtype=dtype
        )
        result = compute(config, uploaded if source == "upload" else None, device="cpu")
        folder = tmp_path / str(len(results))
        folder.mkdir()
        (folder / "script.py").write_text(snippet(config), encoding="utf-8")
        if source in ("structured", "upload"):
            (folder / NPZ_NAME).write_bytes(npz(result, ORIGIN))
        results.append((folder, result))
    (tmp_path / "run_all.py").write_text(EACH_FOLDER, encoding="utf-8")
    tables = printed(["run_all.py", *(folder.name for folder, _ in results)], tmp_path)
    assert len(tables) == len(results) == 8
    for table, (_, result) in zip(tables, results, strict=True):
        assert_same_numbers(table, result)


def test_a_text_is_a_literal_and_no_code(tmp_path):
    text = "']; raise SystemExit(7) # \\x5d \n \u202e \ud800 ${x} {0}"
    config = AttentionConfig(source="text", text=text, h=1, d_k=2, tie=False)
    (tmp_path / "script.py").write_text(snippet(config), encoding="utf-8")
    (table,) = printed(["script.py"], tmp_path)
    assert_same_numbers(table, compute(config, device="cpu"))


def test_the_script_needs_torch_alone_unless_it_loads_a_file():
    imports = [line for line in snippet(AttentionConfig()).splitlines() if "import" in line]
    assert imports == ["import hashlib", "import math", "import torch"]
    assert "import numpy" in snippet(AttentionConfig(source="upload"))


@pytest.mark.parametrize("source", CHOICES["source"])
def test_the_script_says_what_it_needs(source):
    code = snippet(AttentionConfig(source=source))
    comment = next(line for line in code.splitlines() if line.startswith("# needs "))
    imported = {line.removeprefix("import ") for line in code.splitlines() if line.startswith("import ")}
    assert ("numpy" in imported) is ("numpy" in comment) is (NPZ_NAME in comment) is (f'"{NPZ_NAME}"' in code)
    assert ("only torch" in comment) is (imported == {"hashlib", "math", "torch"})


def test_the_script_begins_with_its_origin():
    code = snippet(AttentionConfig(n=7), ORIGIN)
    assert code.splitlines()[:6] == [
        "# link: https://example.org/?n=7",
        "# seed: 3",
        "# headlight: 1.2.3",
        "# torch: 4.5",
        "# plotly: 6.7",
        "# date: 2026-01-02T03:04:05Z",
    ]
    assert code.endswith(snippet(AttentionConfig(n=7)))
