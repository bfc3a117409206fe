"""q · k, the multiplicative attention of section 3.2.1; the config's factor makes it scaled."""

from attention_core.blocks.compatibility import DotProducts
from attention_core.exact.scores import dot_product_scores
from attention_core.mechanisms.mechanism import Mechanism, Walked
from attention_core.mechanisms.operations import dot_product_operations

MECHANISM = Mechanism(
    scores=lambda Q, K, parameters: dot_product_scores(Q, K),
    blocks=lambda Q, K, parameters, scale: DotProducts(Q, K, scale),
    operations=dot_product_operations,
    written="""
scores = (Q @ K.mT){rounded}  # h × n_q × n_k
scaled = scores * {factor}
""",
    variance=float,  # footnote 4: d_k terms of variance 1
    products=True,
    walk=Walked(tensors=lambda row, Q, K, parameters: {"terms": Q[row] * K}, boxes={}),
)
