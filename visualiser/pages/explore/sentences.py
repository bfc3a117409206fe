"""The sentences that tell a student what to look for in the present result: one short, then one to four in full.

Each follows from `Facts` of the result, by these thresholds:
  saturated       the largest weight of the choosing rows is at least 0.9 on average, and half of them have a Jacobian
                  of norm 0.1 or less
  partly          at least a quarter of the choosing rows give one key more than 0.9
  nearly uniform  the mean entropy is at least 95 % of the mean ceiling; "few" unless the norm is small (0.25 or less),
                  8 keys are in effect in use and the trace is that of spread weights (0.7 or more)
  in between      everything else
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from attention_core import AttentionResult
from attention_core.exact import mask_choices
from visualiser.drawing.distributions import broken_row, sharers
from visualiser.drawing.format_marks import infinite_scores
from visualiser.drawing.labels import placed, said
from visualiser.drawing.saturation import allowed_scores
from visualiser.drawing.weighed import weighed
from visualiser.locale import exact
from visualiser.locale.message import Message, message, short
from visualiser.pages.explore.facts import ONE_HOT, Facts
from visualiser.pages.explore.format_sentences import format_sentences
from visualiser.state.view import View

MANY_ROWS: Final = 0.25
UNIFORM: Final = 0.95
STIFF_NORM: Final = 0.1
SMALL_NORM: Final = 0.25
SPREAD_TRACE: Final = 0.7
MANY_KEYS: Final = 8
BENT: Final = 0.58381
"""tanh(x) is nine tenths of x at this x."""


_LEADS: Final = (
    *("insight.row", "insight.row_tied", "insight.row_one_key", "insight.row_masked"),
    *("insight.row_sink", "insight.row_gates"),
    *("insight.row_nan", "insight.row_sum", "insight.row_nan_sigmoid", "insight.row_sum_sink", "insight.row_sink_nan"),
    "insight.zero",
    *("insight.format.broken", "insight.format.broken_sink", "insight.format.broken_sigmoid"),
    "insight.format.scores",
    *("insight.format.lost", "insight.format.lost_sigmoid", "insight.format.lost_entmax"),
    *("insight.format.both", "insight.format.both_sigmoid", "insight.format.both_entmax", "insight.format.subnormal"),
    *("insight.one_key", "insight.saturated", "insight.partly", "insight.partly_choosing"),
    *("insight.uniform", "insight.uniform_few", "insight.between"),
    *("insight.sink", "insight.gates", "insight.sparse", "insight.capped"),
)
"""The sentences whose gist may stand first; of those on the page, the first one here."""


def insight(result: AttentionResult, view: View | None = None) -> list[Message]:
    """Give the gist of one sentence, then all: of the locked row or the scores, the softmax, the mask or the text."""
    view = view or View()
    full = in_full(result, view)
    return [_short(result, view, full), *full]


def _short(result: AttentionResult, view: View, full: Sequence[Message]) -> Message:
    """Return the gist of what is most worth a look: the row that was locked, a broken format, else the softmax."""
    lead = min((one for one in full if one.key in _LEADS), key=lambda one: _LEADS.index(one.key))
    if not lead.key.startswith("insight.row"):
        return short(lead)
    head = view.single(result.weights.shape[0])
    # a token may be long
    key = {"key": int(result.weights[head - 1, view.inspected(result.weights.shape[1])].argmax())}
    return short(lead, query=view.row, **(key if "key" in lead.facts else {}))


def in_full(result: AttentionResult, view: View | None = None) -> list[Message]:
    """Describe the locked row, else the scores; then the softmax; then the mask or the text."""
    view = view or View()
    facts = Facts(result)
    if not facts.choosing.any() and weighed(result.config).complete:
        by_format = format_sentences(result)
        return [*(by_format if result.broken is not None else [message("insight.one_key"), *by_format]), *_empty(facts)]
    row = view.locked(result.weights.shape[1])
    zero = [message("insight.zero")] if result.config.factor == 0 and not infinite_scores(result) else []
    first = zero if row is None else [_row(facts, view.single(result.weights.shape[0]), row), *zero]
    first += format_sentences(result)
    weights = [_WEIGHTS[result.config.normalisation](facts)] if result.broken is None else []
    return [*(first or [_scores(facts)]), *_capped(facts), *weights, *_mask(facts), *_repeated(facts)]


def state(facts: Facts) -> str:
    """Return the name of the softmax's state; some row must have a choice between keys."""
    norms = facts.of_choosing("jacobian_norm")
    if facts.of_choosing("largest_weight").mean() >= ONE_HOT and norms.quantile(0.5) <= STIFF_NORM:
        return "saturated"
    if facts.mean("entropy") >= UNIFORM * facts.ceiling:
        spread = (
            facts.of_choosing("jacobian_trace").mean() >= SPREAD_TRACE and facts.mean("effective_keys") >= MANY_KEYS
        )
        return "uniform" if spread and norms.mean() <= SMALL_NORM else "uniform_few"
    if facts.one_hot >= MANY_ROWS:
        return "partly_choosing" if facts.single else "partly"
    return "between"


def _scores(facts: Facts) -> Message:
    result = facts.result
    mean, variance = facts.moments
    if facts.one_score:
        return message("insight.scores.equal", score=mean)
    moments = {"mean": mean, "measured": variance, "deviation": variance**0.5}
    if result.predicted_variance is None:
        return message(f"insight.scores.{result.config.mechanism}", **moments, d_k=result.config.d_k)
    predicted = exact(result.predicted_variance)
    key = "insight.variance_normed" if result.config.qk_norm else "insight.variance"
    return message(key, **moments, predicted=predicted, d_k=result.config.d_k)


def _softmax(facts: Facts) -> Message:
    if facts.result.config.softcap:  # by the scores before it, the Jacobian may be small for another reason
        spread = {"effective": facts.mean("effective_keys"), "keys": _of(facts), "entropy": facts.mean("entropy")}
        jacobian = {"norm": facts.mean("jacobian_norm"), "trace": facts.mean("jacobian_trace")}
        return message("insight.capped", **spread, ceiling=facts.ceiling, **jacobian)
    name = state(facts)
    match name:
        case "saturated":
            jacobian = {"norm": facts.median("jacobian_norm"), "trace": facts.median("jacobian_trace")}
            return message("insight.saturated", largest=facts.mean("largest_weight"), **jacobian)
        case "partly" | "partly_choosing":
            return message(f"insight.{name}", largest=facts.mean("largest_weight"), share=100 * facts.one_hot)
    given = {"norm": facts.mean("jacobian_norm"), "trace": facts.mean("jacobian_trace")}
    given |= {"entropy": facts.mean("entropy"), "ceiling": facts.ceiling}
    if name == "uniform_few":
        return message("insight.uniform_few", **given)
    given["effective"] = facts.mean("effective_keys")
    return (
        message(f"insight.{name}", **given)
        if name == "uniform"
        else message("insight.between", **given, keys=_of(facts))
    )


def _sink(facts: Facts) -> Message:
    given = {"sink": facts.mean("sink_weight"), "largest": facts.mean("largest_weight")}
    given |= {"entropy": facts.mean("entropy"), "ceiling": facts.ceiling}
    return message("insight.sink", **given)


def _gates(facts: Facts) -> Message:
    given = {"mass": facts.mean("mass"), "largest": facts.mean("largest_weight")}
    return message("insight.gates", **given, trace=facts.mean("jacobian_trace"))


def _sparse(facts: Facts) -> Message:
    given = {"support": facts.mean("support"), "keys": _of(facts), "largest": facts.mean("largest_weight")}
    return message("insight.sparse", **given, entropy=facts.mean("entropy"), ceiling=facts.ceiling)


_WEIGHTS: Final[Mapping[str, Callable[[Facts], Message]]] = {
    "softmax": _softmax,
    "sink": _sink,
    "sigmoid": _gates,
    "entmax": _sparse,
}
"""The sentence on the weights of each normalisation; `Facts` refuses others."""


def _capped(facts: Facts) -> list[Message]:
    """Say how many scores a softcap bends by a tenth or more."""
    config = facts.result.config
    if not config.softcap:
        return []
    scores = allowed_scores(facts.result)
    bent = float((scores.abs() > BENT * config.softcap).double().mean()) if scores.numel() else 0.0
    return [message("insight.softcap", cap=exact(config.softcap), share=100 * bent)]


def _of(facts: Facts) -> int | float:
    """Return the number of keys that a row has on average; a whole number is written in full."""
    return exact(facts.mean_keys)


def _mask(facts: Facts) -> list[Message]:
    """Describe the mask of a result, for the numbers of queries and keys that it meets."""
    result = facts.result
    if mask_choices.of(result.config).everything:
        return []
    n_q, n_k = result.weights.shape[1:]
    most = int(facts.keys.max())
    if result.mask is None or result.mask.all():
        return [message("insight.mask.nothing")]
    if not weighed(result.config).complete:  # a lone key need not have the weight 1, nor is ln k the ceiling
        return [message("insight.mask.keys", keys=most), *_empty(facts)]
    ceiling = float(result.ceiling.max())
    key = f"insight.mask.{result.config.mask}"
    if mask_choices.MASKS[result.config.mask].aligned:
        if n_q < n_k:
            return [message(f"{key}_more", keys=most, first=int(facts.keys[0]), ceiling=ceiling)]
        if n_q > n_k:
            return [message(f"{key}_fewer", query=facts.empty, ceiling=ceiling), *_empty(facts)]
        if result.broken is not None or bool((result.weights[:, 0, 0] != 1).any()):
            key = f"{key}_seen"  # a number format may have made anything of the weight of query 0
    return [message(key, keys=most, ceiling=ceiling), *_empty(facts)]


def _empty(facts: Facts) -> list[Message]:
    return [message("insight.mask.empty", empty=facts.empty)] if facts.empty else []


def _repeated(facts: Facts) -> list[Message]:
    """Point out a repeated token of a text without a mask, which would make equal rows differ."""
    result = facts.result
    config = result.config
    hides = result.mask is not None and not bool(result.mask.all())
    if config.source != "text" or result.tokens is None or hides:
        return []
    if config.positions and config.qk_norm and config.d_k == 1:
        return []  # every query and key is ±1, whatever its position
    token, count = Counter(result.tokens).most_common(1)[0]
    key = "insight.repeated_positions" if config.positions else "insight.repeated"
    return [message(key, token=said(token), count=count)] if count > 1 else []


def _row(facts: Facts, head: int, row: int) -> Message:
    result = facts.result
    keys, query = int(facts.keys[row]), _position(result, row)
    if not keys:
        return message("insight.row_masked", query=query)
    broken = broken_row(result, head, row)
    if broken is not None:
        return message(broken.key.replace("table", "insight"), **broken.facts, query=query)
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    if not weighed(result.config).complete:
        return _incomplete_row(result, head, row, query)
    if keys == 1:
        return message("insight.row_one_key", query=query, key=_position(result, key))
    values: dict[str, Any] = {
        "query": query,
        "head": head,
        "weight": float(weights[key]),
        "entropy": float(result.entropy[head - 1, row]),
        "ceiling": float(result.ceiling[row]),
        "effective": float(result.effective_keys[head - 1, row]),
        "keys": keys,
    }
    count = sharers(result, head, row)
    if count > 1:
        return message("insight.row_tied", **values, count=count)
    return message("insight.row", **values, key=_position(result, key))


def _incomplete_row(result: AttentionResult, head: int, row: int, query: str) -> Message:
    """Describe a row whose weights need not add up to 1: what a sink took, or all gates together."""
    weights = result.weights[head - 1, row]
    key = int(weights.argmax())
    values = {"query": query, "head": head, "key": _position(result, key), "weight": float(weights[key])}
    if not weighed(result.config).spread:
        return message("insight.row_gates", **values, mass=float(result.statistic("mass")[head - 1, row]))
    values |= {"entropy": float(result.entropy[head - 1, row]), "ceiling": float(result.ceiling[row])}
    return message("insight.row_sink", **values, sink=float(result.statistic("sink_weight")[head - 1, row]))


def _position(result: AttentionResult, position: int) -> str:
    return placed(position, result.tokens)
