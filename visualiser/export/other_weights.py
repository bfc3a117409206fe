"""The lines of a script for weights that are no plain softmax: a softcap, a sink, gates, entmax.

Each normalisation makes `weights`, and in float64 `p`, `measure` with the name of what it measures of a row, and
`columns`: for each key j the sum over i of (∂pᵢ/∂sⱼ)².
"""

from collections.abc import Mapping
from typing import Final

from attention_core import AttentionConfig, normalisations
from attention_core.exact.formats import is_reference
from visualiser.export.weights_in_format import weights_in_format

CAPPED: Final = """
capped = {cap} * (scaled / {cap}).tanh()  # a softcap: no score leaves ±{cap}
"""

MASKED: Final = """
masked = {scores}.masked_fill(~allowed, -torch.inf)
wide = masked.double()
"""

SOFTMAX: Final = """
p = wide.softmax(-1).masked_fill(~allowed.any(-1, keepdim=True), 0.0)  # a query without a key reads nothing
weights = masked.softmax(-1).masked_fill(~allowed.any(-1, keepdim=True), 0.0)
name, measure = "mean entropy (nats)", torch.special.entr(p).sum(-1)
columns = p**2 * ((1 - p) ** 2 + (p**2).sum(-1, keepdim=True) - p**2)
"""

SINK: Final = """
# a sink of the score b takes its share beside the keys
b = {sink}
weights = torch.cat([masked, masked.new_full((*masked.shape[:-1], 1), b)], -1).softmax(-1)[..., :-1]
every = torch.cat([wide, wide.new_full((*wide.shape[:-1], 1), b)], -1).softmax(-1)
p = every[..., :-1]
name, measure = "mean entropy, the sink included (nats)", torch.special.entr(every).sum(-1)
columns = p**2 * ((1 - p) ** 2 + (p**2).sum(-1, keepdim=True) - p**2)
"""

SIGMOID: Final = """
# a gate for every key by itself
weights = (masked - math.log(masked.shape[-1])).sigmoid()
p = (wide - math.log(masked.shape[-1])).sigmoid()
name, measure = "mean sum of the gates", p.sum(-1)
columns = (p * (math.log(masked.shape[-1]) - wide).sigmoid()) ** 2
"""

ENTMAX: Final = """
# entmax 1.5: [s/2 − τ]₊², τ by sorting
seen = allowed.any(-1, keepdim=True)
half = wide / 2
half = (half - half.amax(-1, keepdim=True).masked_fill(~seen, 0.0)).clamp_min(-2.0)
ordered = half.sort(-1, descending=True).values
count = torch.arange(1, half.shape[-1] + 1)
mean, square = ordered.cumsum(-1) / count, ordered.square().cumsum(-1) / count
tau = mean - ((1 - count * (square - mean**2)) / count).clamp_min(0.0).sqrt()
tau = tau.gather(-1, (tau <= ordered).sum(-1, keepdim=True) - 1)
p = ((half - tau).clamp_min(0.0) ** 2).masked_fill(~allowed | ~seen, 0.0)
weights = p.float()
name, measure = "mean entropy (nats)", torch.special.entr(p).sum(-1)
u, whole = p.sqrt(), p.sqrt().sum(-1, keepdim=True).clamp_min(1e-300)
columns = u**2 * ((1 - u / whole) ** 2 + (p.sum(-1, keepdim=True) - p) / whole**2)
"""

SLOPED: Final = """
columns = columns * (1 - (scaled.double() / {cap}).tanh() ** 2) ** 2  # by the scaled scores
"""

STATISTICS: Final = """
output = weights @ V
jacobian_norm = columns.sum(-1).clamp_min(0.0).sqrt()
print(f"head  {name}  score variance  mean Jacobian norm  largest weight")
for head in range(h):
    variance = scaled[head][allowed].double().var(correction=0)
    numbers = (measure[head].mean(), variance, jacobian_norm[head].mean(), weights[head].max())
    print(f"{head + 1:4}", *(f"{number:.6g}" for number in numbers), sep="  ")
"""

_WEIGHTS: Final[Mapping[str, str]] = {"softmax": SOFTMAX, "sink": SINK, "sigmoid": SIGMOID, "entmax": ENTMAX}


def other_weights(config: AttentionConfig) -> str:
    """Return the lines from `scaled` and `allowed` to the table that is printed.

    Raises `InvalidInput` (`unknown_choice`) for a normalisation without lines.
    """
    cap = config.softcap
    capped, sloped = (CAPPED.format(cap=cap), SLOPED.format(cap=cap)) if cap else ("", "")
    scores = "capped" if cap else "scaled"
    if not is_reference(config):
        return capped + weights_in_format(config, scores, sloped)
    made = normalisations.chosen(config, _WEIGHTS).replace("{sink}", repr(config.sink))
    return capped + MASKED.format(scores=scores) + made + sloped + STATISTICS
