"""A configuration as a script in plain PyTorch, which prints the page's numbers without Headlight, but for a trained
layer, whose model Headlight runs.

The script contains choices of the config, numbers, and tokens as Python literals: a visitor's text never becomes code.
"""

from collections.abc import Mapping

from attention_core import AttentionConfig, mechanisms, tokens
from attention_core.config import LOG_N_KEYS, SCALED, of_every_choice
from attention_core.exact.formats import is_reference, largest_exponent
from attention_core.exact.mask_choices import MASKS
from visualiser.drawing.weighed import is_plain, weighed
from visualiser.export import learned_layer
from visualiser.export.origin import Origin
from visualiser.export.other_weights import other_weights

NPZ_NAME = "headlight.npz"
"""The file that a script loads if it cannot repeat the draw: the page's own download of the numbers."""

WITH_FILE = f"torch, numpy and {NPZ_NAME} from the same page, in the same folder"
"""What a script needs if it loads the file."""

DRAW = '''
def draw(name, rows, columns):
    """rows × columns normal numbers with a stream of their own, drawn in whole blocks of 16 on the CPU."""
    key = int.from_bytes(hashlib.sha256(f"{seed}/{name}".encode()).digest()[:8], "big") >> 1
    count = rows * columns
    numbers = torch.randn(-(-count // 16) * 16, generator=torch.Generator().manual_seed(key))
    return numbers[:count].view(rows, columns)
'''

GAUSSIAN = """
# components of q, k and v independent N(0, 1)
Q, K, V = (torch.stack([draw(f"{name}/{head}", d_k, n).T for head in range(h)]) for name in "QKV")
"""

TEXT = """
# a random embedding for each token, equal for equal tokens; no language model
X = torch.cat([draw(f"token/{token}", 1, d_model) for token in tokens])
"""

POSITIONS = """
# sinusoidal positions, section 3.5
frequencies = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
angles = torch.arange(len(tokens), dtype=torch.float64)[:, None] * frequencies
X = X + torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)[:, :d_model].float()
"""

PROJECTED = """
W_Q, W_K, W_V = (torch.stack([draw(f"W_{name}/{head}", d_model, d_k) for head in range(h)]) for name in "QKV")
Q, K, V = (X @ (W / math.sqrt(d_model)) for W in (W_Q, W_K, W_V))
"""

LOADED = f'''
# the numbers that the page downloads as {NPZ_NAME}
file = numpy.load("{NPZ_NAME}")
Q, K, V = (torch.from_numpy(file[name]) for name in "QKV")
h, n, d_k = Q.shape
'''

ROUNDED = """
# rounded to {dtype}, held in float32
Q, K, V = (tensor.to(torch.{dtype}).float() for tensor in (Q, K, V))
"""

NORMED = """
# each q and k divided by its root mean square (RMSNorm without gains), in float64; zeros stay zero
Q, K = (x / x.abs().amax(-1, keepdim=True).clamp_min(1e-300) for x in (Q.double(), K.double()))
Q, K = (x / x.square().mean(-1, keepdim=True).sqrt().clamp_min(1e-300) for x in (Q, K))
Q, K = (x.float().to(torch.{dtype}).float() for x in (Q, K))
"""

EVERYTHING = """
allowed = torch.ones(scaled.shape[1:], dtype=torch.bool)
"""

MASKED = """
n_q, n_k = scaled.shape[1:]
query, key = torch.arange(n_q)[:, None] + n_k - n_q, torch.arange(n_k)  # the last query stands at the last key
allowed = {allowed}
"""

WEIGHED = """
masked = scaled.masked_fill(~allowed, -torch.inf)
weights = masked.softmax(-1)
weights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)  # a query without a key reads nothing
output = weights @ V
"""

WEIGHED_IN_FORMAT = """
# each step is made in {dtype} and rounded once; sums accumulate in float32
masked = scaled.masked_fill(~allowed, -torch.inf)
shifted = {shifted}
exponentials = shifted.exp()  # ∞ above {limit:.4g}
weights = exponentials / exponentials.sum(-1, keepdim=True)
weights = weights.masked_fill(~allowed.any(-1, keepdim=True), 0.0)  # a query without a key reads nothing
output = (weights.float() @ V).to(torch.{dtype})
"""

STATISTICS_IN_FORMAT = """
# of the weights as they are, in float64; a row that is no distribution (NaN, or a sum that is not 1) is left out
p = weights.double()
sound = ((p.sum(-1) - 1).abs() <= 0.01) | ~allowed.any(-1)
top, at = p.max(-1, keepdim=True)
others = p.scatter(-1, at, 0.0)
rest, square, cube = (others.pow(power).sum(-1) for power in (1, 2, 3))
keys = allowed.sum(-1).clamp_min(1).double()
top = top[..., 0]
entropy = (torch.special.entr(others).sum(-1) + torch.special.entr(top)).minimum(keys.log())  # nats
jacobian_norm = ((top * rest) ** 2 + 2 * top**2 * square + square - 2 * cube + square**2).clamp_min(0).sqrt()
jacobian_norm = jacobian_norm.clamp_max(0.5)
print("head  mean entropy (nats)  score variance  mean Jacobian norm  largest weight")
for head in range(h):
    rows, finite = sound[head], allowed & scaled[head].isfinite()
    variance = scaled[head][finite].double().var(correction=0)
    largest = top[head][rows].max() if rows.any() else math.nan
    numbers = (entropy[head][rows].mean(), variance, jacobian_norm[head][rows].mean(), largest)
    print(f"{head + 1:4}", *(f"{number:.6g}" for number in numbers), sep="  ")
"""

STATISTICS = """
# in float64, and without the key of the largest score: a row that is almost one-hot keeps its digits
largest, at = masked.double().max(-1, keepdim=True)
fall = (largest - masked).masked_fill(~allowed, 1e4)  # exp(-1e4) is 0
e = (-fall).exp().scatter(-1, at, 0.0)
rest, square, cube = (e.pow(power).sum(-1) for power in (1, 2, 3))
top = 1 / (1 + rest)  # the largest weight
entropy = rest.log1p() + (e * fall).sum(-1) * top  # nats, one for each head and query
jacobian_norm = ((rest**2 + 2 * square) * top**4 + (square - 2 * cube * top) * top**2 + square**2 * top**4).sqrt()
print("head  mean entropy (nats)  score variance  mean Jacobian norm  largest weight")
for head in range(h):
    variance = scaled[head][allowed].double().var(correction=0)
    numbers = (entropy[head].mean(), variance, jacobian_norm[head].mean(), weights[head].max())
    print(f"{head + 1:4}", *(f"{number:.6g}" for number in numbers), sep="  ")
"""

FACTORS: Mapping[str, str] = of_every_choice(
    "scaling", {"sqrt_d_k": "1 / math.sqrt(d_k)", "none": "1.0", "d_k": "1 / d_k", "custom": "{scale!r}"}
)

GROWN = "({factor} * (math.log(K.shape[1]) / math.log({keys})))"
"""A factor with `log_n`."""


def snippet(config: AttentionConfig, origin: Origin | None = None, head: int = 0) -> str:
    """Return the script for `config`; its first lines are its `origin`, if given, and what it needs to run.

    It prints one line a head: mean entropy in nats, variance of the scaled scores, mean Frobenius norm of the
    softmax's Jacobian, largest weight; rows that a number format made no distribution are left out. `head` is the one
    that is shown alone of a trained layer with learned sinks; 0 takes all. Raises
    InvalidInput for a text that cannot be split, and for weights without lines of their own (`other_weights`).
    """
    weighed(config)
    if config.source == "model":
        made = [f"# needs {learned_layer.needs(config)}\n\n", "import math\n\nimport torch\n"]
        made.append(learned_layer.learned_layer(config, head))
    else:
        made = _made(config)
    parts = [] if origin is None else [f"# {name}: {value}\n" for name, value in origin.values.items()]
    return "".join([*parts, *made, *_computed(config)])


def _made(config: AttentionConfig) -> list[str]:
    """Return the lines that draw Q, K and V, or load them."""
    drawn = config.source in ("gaussian", "text")
    parts = [f"# needs {'only torch' if drawn else WITH_FILE}\n\n"]
    parts += ["import hashlib\nimport math\n\n" + ("" if drawn else "import numpy\n") + "import torch\n"]
    numbers = [f"seed = {config.seed}"]
    if drawn:
        numbers += [f"h, d_k = {config.h}, {config.d_k}"]
    if config.source == "gaussian":
        numbers += [f"n = {config.n}"]
    if config.source == "text":
        numbers += [f"d_model = {config.d_model}", f"tokens = {list(tokens(config.text, config.split))!r}"]
    return [*parts, "\n".join(numbers) + "\n", "\n" + DRAW + "\n", source(config)]


def _computed(config: AttentionConfig) -> list[str]:
    """Return the lines from Q, K and V to the table that is printed."""
    parts = []
    if config.dtype != "float32":
        parts.append(ROUNDED.format(dtype=config.dtype))
    if config.qk_norm:
        parts.append(NORMED.format(dtype=config.dtype))
    factors = learned_layer.FACTOR if config.source == "model" else FACTORS[config.scaling]
    factor = factors.format(scale=config.scale) if SCALED[config.mechanism] else "1.0"
    if config.log_n and SCALED[config.mechanism]:
        factor = GROWN.format(factor=factor, keys=LOG_N_KEYS)
    reference = is_reference(config)
    rounded = "" if reference else f".to(torch.{config.dtype})"
    parts.append(mechanisms.of(config).written.format(factor=factor, dtype=config.dtype, rounded=rounded))
    if not is_plain(config):
        return [*parts, _mask(config), other_weights(config)]
    return [
        *parts,
        _mask(config),
        *([WEIGHED, STATISTICS] if reference else [_in_format(config), STATISTICS_IN_FORMAT]),
    ]


def source(config: AttentionConfig) -> str:
    """Return the lines that make Q, K and V."""
    if config.source == "gaussian":
        return GAUSSIAN
    if config.source == "text":
        return TEXT + (POSITIONS if config.positions else "") + PROJECTED
    return LOADED


def _in_format(config: AttentionConfig) -> str:
    shifted = "masked - masked.amax(-1, keepdim=True)" if config.subtract_max else "masked"
    limit = largest_exponent(config.dtype)
    return WEIGHED_IN_FORMAT.format(dtype=config.dtype, shifted=shifted, limit=limit)


def _mask(config: AttentionConfig) -> str:
    written = MASKS[config.mask].written
    return EVERYTHING if written is None else MASKED.format(allowed=written.format(window=config.window))
