"""w · tanh(q W_q + k W_k): compatibility by a network with one hidden layer of d_k units (section 3.2.1)."""

from collections.abc import Mapping

from jaxtyping import Float
from torch import Tensor

from attention_core.blocks.compatibility import AdditiveCompatibilities, Compatibility
from attention_core.config import AttentionConfig
from attention_core.exact.products import product
from attention_core.exact.scores import BLOCK_FLOATS, additive_scores, scores_of_hidden
from attention_core.inputs import sources
from attention_core.mechanisms.mechanism import Mechanism, Parameters, Walked, Work
from attention_core.mechanisms.operations import additive_operations

_TOGETHER = 2**20
"""Parameters of the hidden layer that exist at once, at least those of one head."""


def _parameters(config: AttentionConfig, layer: int = 1) -> Parameters:
    return dict(zip(("W_q", "W_k", "w"), sources.additive_parameters(config, layer), strict=True))


def _dense(config: AttentionConfig, Q: Tensor, K: Tensor) -> Float[Tensor, "h n_q n_k"]:
    """Return the scores, drawing W_q and W_k for a few heads at a time: those of all heads take 8 · h · d_k² bytes."""
    a, b = Q.new_empty(*Q.shape[:2], config.d_k), K.new_empty(*K.shape[:2], config.d_k)
    together = max(1, _TOGETHER // config.d_k**2)
    for first in range(0, len(Q), together):
        some = slice(first, min(len(Q), first + together))
        for name, vectors, hidden in (("W_q", Q, a), ("W_k", K, b)):
            hidden[some] = product(vectors[some], _parameter(config, name, some).to(Q.device))
    return scores_of_hidden(a, b, _parameter(config, "w", slice(0, len(Q)))[:, 0].to(Q.device))


def _parameter(config: AttentionConfig, name: str, heads: slice) -> Float[Tensor, "h d_in d_k"]:
    return sources.rounded(config, sources.additive_parameter(config, name, range(heads.start, heads.stop)))


def _blocks(Q: Tensor, K: Tensor, parameters: Parameters, scale: float) -> Compatibility:
    if scale != 1.0:
        raise ValueError(f"the paper scales dot products only; got scale {scale}")
    return AdditiveCompatibilities(Q, K, **parameters)


def _walked(row: int, Q: Tensor, K: Tensor, parameters: Parameters) -> Mapping[str, Tensor]:
    hidden_q, hidden_k = Q @ parameters["W_q"], K @ parameters["W_k"]
    hidden = hidden_q[row] + hidden_k
    tanh = hidden.tanh()
    return {
        "hidden_q": hidden_q,
        "hidden_k": hidden_k,
        "hidden": hidden,
        "tanh": tanh,
        "terms": parameters["w"] * tanh,
    }


def _work(h: int, n_q: int, n_k: int, d_k: int) -> Work:
    return Work(
        units=h * n_q * n_k * d_k,
        multiply_adds=h * (n_q + n_k) * d_k**2,
        parameters=2 * h * d_k**2,
        loaded=max(d_k**2, min(_TOGETHER, h * d_k**2)),
        kept=h * (n_q + n_k) * d_k,
        block=min(n_q * n_k * d_k, max(BLOCK_FLOATS, n_k * d_k)),
    )


MECHANISM = Mechanism(
    scores=lambda Q, K, parameters: additive_scores(Q, K, **parameters),
    blocks=_blocks,
    operations=additive_operations,
    written="""
# w · tanh(q W_q + k W_k), one query at a time: n_q × n_k × d_k numbers at once may be gigabytes
heads = []
for head in range(h):
    W_q, W_k = (draw(f"{{name}}/{{head}}", d_k, d_k) / math.sqrt(d_k) for name in ("W_q", "W_k"))
    w = draw(f"w/{{head}}", 1, d_k)[0] / math.sqrt(d_k)
    W_q, W_k, w = (parameter.to(torch.{dtype}).float() for parameter in (W_q, W_k, w))
    keys = K[head] @ W_k
    heads.append(torch.stack([(query + keys).tanh() @ w for query in Q[head] @ W_q]))
scaled = scores = torch.stack(heads){rounded}  # h × n_q × n_k; the paper scales dot products only
""",
    parameters=_parameters,
    dense=_dense,
    work=_work,
    walk=Walked(
        tensors=_walked,
        boxes={
            "linear_wq": ("hidden_q", ("n", "d_k")),
            "linear_wk": ("hidden_k", ("n", "d_k")),
            "add": ("hidden", ("n", "n", "d_k")),
            "tanh": ("tanh", ("n", "n", "d_k")),
        },
        every=("tanh",),
    ),
)
