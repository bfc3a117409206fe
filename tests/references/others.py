"""Attention by others, each in float64, on the cases of cases.py.

Each returns what it can give of: weights (h × n_q × n_k), output (h × n_q × d_v), and from the weights entropy (nats)
and the norm and trace of the softmax's Jacobian (h × n_q).
"""

import math
import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import torch
from mpmath import mp, mpf
from numpy.typing import NDArray
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator
from scipy import special, stats
from torch import Tensor
from torch.nn import functional

from tests.references.cases import Case

os.environ["KERAS_BACKEND"] = "torch"  # read when keras is imported

Found = Mapping[str, NDArray[np.float64]]
Reference = Callable[[Case], Found | None]
"""Return None for a case that the reference cannot compute."""

DIGITS: Final = 420
"""Digits of mpmath's numbers: enough for the squares of weights of 1e-200."""


def _double(case: Case) -> tuple[Tensor, Tensor, Tensor]:
    return case.Q.double(), case.K.double(), case.V.double()


def torch_sdpa(case: Case) -> Found | None:
    """`torch.nn.functional.scaled_dot_product_attention`."""
    if case.hidden:
        return None
    Q, K, V = (tensor.unsqueeze(0) for tensor in _double(case))
    output = functional.scaled_dot_product_attention(Q, K, V, attn_mask=case.mask, scale=case.scale)
    return {"output": output[0].numpy()}


def torch_mha(case: Case) -> Found | None:
    """`torch.nn.functional.multi_head_attention_forward` with projections that pick the heads out of one vector.

    It scales by 1/√d_k itself, so Q brings what is left of the case's factor.
    """
    if case.hidden:
        return None
    Q, K, V = _double(case)
    h, _, d_k = Q.shape
    Q = Q * (case.scale * math.sqrt(d_k))
    whole = [tensor.transpose(0, 1).reshape(tensor.shape[1], h * d_k) for tensor in (Q, K, V)]
    eye = torch.eye(h * d_k, dtype=torch.float64)
    nothing = torch.zeros(3 * h * d_k, dtype=torch.float64)
    output, weights = functional.multi_head_attention_forward(
        *(tensor.unsqueeze(1) for tensor in whole),
        embed_dim_to_check=h * d_k,
        num_heads=h,
        in_proj_weight=None,
        in_proj_bias=nothing,
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=eye,
        out_proj_bias=None,
        training=False,
        attn_mask=None if case.mask is None else ~case.mask,
        use_separate_proj_weight=True,
        q_proj_weight=eye,
        k_proj_weight=eye,
        v_proj_weight=eye,
        average_attn_weights=False,
    )
    if weights is None:
        raise RuntimeError("asked for weights")
    return {"weights": weights[0].numpy(), "output": output[:, 0].unflatten(-1, (h, d_k)).transpose(0, 1).numpy()}


def onnx_attention(case: Case) -> Found | None:
    """Operator Attention of ONNX's opset 23, run by its reference implementation.

    Q brings the factor: the operator rounds its own to float32.
    """
    if case.hidden:
        return None
    Q, K, V = (tensor.unsqueeze(0).numpy() for tensor in _double(case))
    Q = Q * case.scale
    fed = {"Q": Q, "K": K, "V": V}
    if case.mask is not None:
        fed["mask"] = case.mask.numpy()
    kinds = {name: TensorProto.BOOL if name == "mask" else TensorProto.DOUBLE for name in fed}
    weights = 3  # the mode that gives the matrix after the softmax
    node = helper.make_node("Attention", [*fed], ["Y", "", "", "W"], scale=1.0, qk_matmul_output_mode=weights)
    graph = helper.make_graph(
        [node],
        "attention",
        [helper.make_tensor_value_info(name, kinds[name], value.shape) for name, value in fed.items()],
        [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None) for name in ("Y", "W")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    output, found = ReferenceEvaluator(model).run(None, fed)
    return {"weights": np.asarray(found)[0], "output": np.asarray(output)[0]}


def keras_additive(case: Case) -> Found | None:
    """`keras.layers.AdditiveAttention`, which takes queries and keys that are already in the hidden layer.

    It has a mask of keys, not of cells, so a masked case goes row by row. Its output is left out: its product with V is
    rounded to float32.
    """
    if not case.hidden:
        return None
    from keras.layers import AdditiveAttention  # seconds to import

    W_q, W_k, w = (tensor.double() for tensor in case.hidden)
    Q, K, V = _double(case)
    heads = []
    for head in range(len(Q)):
        queries, keys = (Q[head] @ W_q[head]).unsqueeze(1), K[head] @ W_k[head]
        layer = AdditiveAttention(use_scale=True, dtype="float64")
        layer.build([(1, 1, w.shape[-1]), (1, *V[head].shape), (1, *keys.shape)])
        layer.set_weights([w[head].numpy()])
        rows = []
        for i, query in enumerate(queries):
            mask = None if case.mask is None else [None, case.mask[i].unsqueeze(0)]
            given = [query[None], V[head][None], keys[None]]
            rows.append(layer(given, mask=mask, return_attention_scores=True)[1][0, 0].detach().numpy())
        heads.append(np.stack(rows))
    return {"weights": np.stack(heads)}


def scipy_softmax(case: Case) -> Found:
    """`scipy.special.softmax` and `scipy.stats.entropy` on scores by numpy."""
    scores = _scores(case)
    weights = np.asarray(special.softmax(scores, axis=-1))
    return {
        "weights": weights,
        "output": weights @ case.V.double().numpy(),
        "entropy": np.asarray(stats.entropy(weights, axis=-1)),
    }


def exact(case: Case) -> Found:
    """Everything with 420 digits, by mpmath, from the sums of products on."""
    with mp.workdps(DIGITS):
        rows = [[_exact_row(row) for row in head] for head in _exact_scores(case)]
        V = [[[mpf(float(v)) for v in row] for row in head] for head in case.V]
        output = [
            [[mp.fdot(row["weights"], column) for column in zip(*V[head], strict=True)] for row in rows[head]]
            for head in range(len(rows))
        ]
        names = ("weights", "entropy", "jacobian_norm", "jacobian_trace")
        found = {name: [[row[name] for row in head] for head in rows] for name in names}
    return {name: np.array(values, dtype=np.float64) for name, values in {**found, "output": output}.items()}


def _scores(case: Case) -> NDArray[np.float64]:
    Q, K, _ = (tensor.numpy() for tensor in _double(case))
    if case.hidden:
        W_q, W_k, w = (tensor.double().numpy() for tensor in case.hidden)
        hidden = np.tanh((Q @ W_q)[:, :, None] + (K @ W_k)[:, None])
        scores = np.einsum("hqkd,hd->hqk", hidden, w)
    else:
        scores = Q @ K.transpose(0, 2, 1)
    return scores * case.scale if case.mask is None else np.where(case.mask.numpy(), scores * case.scale, -np.inf)


def _exact_scores(case: Case) -> list[list[list[Any]]]:
    Q, K = ([[[mpf(float(x)) for x in row] for row in head] for head in tensor] for tensor in (case.Q, case.K))
    heads = []
    for head in range(len(Q)):
        if case.hidden:
            W_q, W_k, w = ([[mpf(float(x)) for x in row] for row in tensor[head].reshape(-1, tensor.shape[-1])]
                           for tensor in case.hidden)  # fmt: skip
            to_hidden = [[mp.fdot(row, column) for column in zip(*W_q, strict=True)] for row in Q[head]]
            from_keys = [[mp.fdot(row, column) for column in zip(*W_k, strict=True)] for row in K[head]]
            cells = [
                [mp.fdot(w[0], [mp.tanh(a + b) for a, b in zip(q, k, strict=True)]) for k in from_keys]
                for q in to_hidden
            ]
        else:
            cells = [[mp.fdot(q, k) for k in K[head]] for q in Q[head]]
        allowed = np.ones((len(cells), len(cells[0])), bool) if case.mask is None else case.mask.numpy()
        heads.append(
            [
                [cell * mpf(case.scale) if allowed[i, j] else -mp.inf for j, cell in enumerate(row)]
                for i, row in enumerate(cells)
            ]
        )
    return heads


def _exact_row(scores: list[Any]) -> dict[str, object]:
    powers = [mp.exp(score - max(scores)) for score in scores]
    p = [power / mp.fsum(powers) for power in powers]
    square, cube = mp.fsum(x**2 for x in p), mp.fsum(x**3 for x in p)
    return {
        "weights": p,
        "entropy": -mp.fsum(x * mp.log(x) for x in p if x > 0),
        "jacobian_norm": mp.sqrt(abs(square - 2 * cube + square**2)),
        "jacobian_trace": 1 - square,
    }


REFERENCES: Final[Mapping[str, Reference]] = MappingProxyType(
    {
        "torch SDPA": torch_sdpa,
        "torch MultiheadAttention": torch_mha,
        "ONNX Attention-23": onnx_attention,
        "keras AdditiveAttention": keras_additive,
        "scipy softmax, entropy": scipy_softmax,
        "mpmath, 420 digits": exact,
    }
)
