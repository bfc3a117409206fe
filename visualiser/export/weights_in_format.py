"""The lines of a script for weights that are no plain softmax in a number format: each step rounded, as on the page.

Each normalisation makes `weights` in the format. Of the weights as they are, in float64, it then makes `measure` with
the name of what it measures of a row, `sound` with the rows that have any, `columns` as `other_weights` does, and
`most`, the bound of the Jacobian's norm to which rows are cut that rounding has lifted above it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from attention_core import AttentionConfig, normalisations
from attention_core.exact.formats import largest_exponent

MASKED: Final = """
# each step is made in {dtype} and rounded once; sums accumulate in float32
masked = {scores}.masked_fill(~allowed, -torch.inf)
seen = allowed.any(-1, keepdim=True)
"""

SOFTMAX: Final = """
shifted = masked{less_the_largest}
exponentials = shifted.exp()  # ∞ above {limit:.4g}
weights = exponentials / exponentials.sum(-1, keepdim=True)
"""

SINK: Final = """
# a sink of the score b takes its share beside the keys
b = {sink}
masked = torch.cat([masked, masked.new_full((*masked.shape[:-1], 1), b)], -1)
shifted = masked{less_the_largest}
exponentials = shifted.exp()  # ∞ above {limit:.4g}
every = exponentials / exponentials.sum(-1, keepdim=True)
weights, share = every[..., :-1], every[..., -1:].double()
"""

SIGMOID: Final = """
# a gate for every key by itself
weights = (masked.float() - math.log(masked.shape[-1])).to(masked.dtype).sigmoid()
"""

ENTMAX: Final = """
# entmax 1.5: [s/2 − τ]₊², τ by sorting
masked = masked / 2
half = masked{less_the_largest}
ordered = half.sort(-1, descending=True).values
count = torch.arange(1, half.shape[-1] + 1).float()
mean = (ordered.float().cumsum(-1).to(half.dtype) / count).to(half.dtype)
square = (ordered.square().float().cumsum(-1).to(half.dtype) / count).to(half.dtype)
spread = (count * (square - mean.square())).to(half.dtype)
tau = mean - ((1 - spread).clamp_min(0.0) / count).to(half.dtype).sqrt()
tau = tau.gather(-1, ((tau <= ordered).sum(-1, keepdim=True) - 1).clamp_min(0))
weights = (half - tau).clamp_min(0.0).square()
"""

READ: Final = """
weights = weights.masked_fill(~seen, 0.0)  # a query without a key reads nothing
output = (weights.float() @ V).to(torch.{dtype})
# of the weights as they are, in float64
p, keys = weights.double(), allowed.sum(-1).clamp_min(1).double()
top, at = p.max(-1, keepdim=True)
"""

OF_SHARES: Final = """
others = p.scatter(-1, at, 0.0).sum(-1, keepdim=True)
left = (1 - p).scatter(-1, at, others{share})  # of the largest: what is not it
columns = p**2 * (left**2 + (p**2).sum(-1, keepdim=True) - p**2)
most = torch.tensor(0.5)
"""

OF_SOFTMAX: Final = """
sound = (p.sum(-1) - 1).abs() <= 0.01
name, measure = "mean entropy (nats)", torch.special.entr(p).sum(-1).minimum(keys.log())
"""

OF_SINK: Final = """
sound = (p.sum(-1) + share[..., 0] - 1).abs() <= 0.01
measure = (torch.special.entr(p).sum(-1) + torch.special.entr(share[..., 0])).minimum((keys + 1).log())
name = "mean entropy, the sink included (nats)"
"""

OF_SIGMOID: Final = """
sound = ~p.isnan().any(-1)
name, measure = "mean sum of the gates", p.sum(-1)
columns = (p * (1 - p)) ** 2
most = torch.tensor(torch.inf)
"""

OF_ENTMAX: Final = """
u, whole = p.sqrt(), p.sqrt().sum(-1, keepdim=True).clamp_min(1e-300)
columns = u**2 * ((1 - u / whole) ** 2 + (p.sum(-1, keepdim=True) - p) / whole**2)
most = (1 - 1 / keys).sqrt()
"""

STATISTICS: Final = """
jacobian_norm = columns.sum(-1).clamp_min(0.0).sqrt().minimum(most)
sound, measure = sound | ~seen[..., 0], measure.masked_fill(~seen[..., 0], 0.0)  # the other rows are left out
print(f"head  {name}  score variance  mean Jacobian norm  largest weight")
for head in range(h):
    rows, finite = sound[head], allowed & scaled[head].isfinite()
    variance = scaled[head][finite].double().var(correction=0)
    largest = top[head][rows].max() if rows.any() else math.nan
    numbers = (measure[head][rows].mean(), variance, jacobian_norm[head][rows].mean(), largest)
    print(f"{head + 1:4}", *(f"{number:.6g}" for number in numbers), sep="  ")
"""


@dataclass(frozen=True)
class Written:
    """The lines that make weights in a format, and those that measure them."""

    made: str
    measured: str


_WRITTEN: Final[Mapping[str, Written]] = {
    "softmax": Written(SOFTMAX, OF_SOFTMAX + OF_SHARES.replace("{share}", "")),
    "sink": Written(SINK, OF_SINK + OF_SHARES.replace("{share}", " + share")),
    "sigmoid": Written(SIGMOID, OF_SIGMOID),
    "entmax": Written(ENTMAX, OF_SOFTMAX + OF_ENTMAX),
}


def weights_in_format(config: AttentionConfig, scores: str, sloped: str) -> str:
    """Return the lines from the tensor named `scores` and `allowed` to the table that is printed.

    `sloped` are the lines that make `columns` those by the scaled scores. Raises `InvalidInput` (`unknown_choice`) for
    a normalisation without lines.
    """
    own = normalisations.chosen(config, _WRITTEN)
    limit = largest_exponent(config.dtype)
    less = " - masked.amax(-1, keepdim=True)" if config.subtract_max else ""
    masked, read = MASKED.format(dtype=config.dtype, scores=scores), READ.format(dtype=config.dtype)
    made = own.made.format(limit=limit, less_the_largest=less, sink=repr(config.sink))
    return masked + made + read + own.measured + sloped + STATISTICS
