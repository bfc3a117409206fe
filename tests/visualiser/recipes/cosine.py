"""q · k / (‖q‖ ‖k‖): the cosine of the angle between a query and a key, as a mechanism by the recipe."""

from jaxtyping import Float
from torch import Tensor

from attention_core.blocks.compatibility import DotProducts
from attention_core.exact.scores import dot_product_scores
from attention_core.mechanisms.mechanism import Mechanism
from attention_core.mechanisms.operations import dot_product_operations


def _unit(vectors: Float[Tensor, "*batch n d_k"]) -> Float[Tensor, "*batch n d_k"]:
    return vectors / vectors.norm(dim=-1, keepdim=True)


MECHANISM = Mechanism(
    scores=lambda Q, K, parameters: dot_product_scores(_unit(Q), _unit(K)),
    blocks=lambda Q, K, parameters, scale: DotProducts(_unit(Q), _unit(K), scale),
    operations=dot_product_operations,
    written="""
scores = (Q / Q.norm(dim=-1, keepdim=True)) @ (K / K.norm(dim=-1, keepdim=True)).mT
scores = scores{rounded}  # h × n_q × n_k
scaled = scores * {factor}
""",
)
