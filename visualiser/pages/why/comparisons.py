"""What else the curves compare: one value for each choice of `curves`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from attention_core import AttentionConfig, LengthsConfig, SweepConfig, lengths, sweep
from attention_core.studies import lengths as lengths_study
from attention_core.studies.sweep import CURVES, WAYS
from attention_core.validation import choice
from visualiser.figures.swept import Points, Swept, of_keys, of_mechanisms, of_qk_norm
from visualiser.locale.message import Message
from visualiser.pages.why import COMPARED, outcome, point, price
from visualiser.pages.why.outcome import Falls
from visualiser.pages.why.point import Here
from visualiser.server.admission.cost import Cost
from visualiser.state import share


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Curves over one axis, what is told of them, and the question about them.

    plan     the study of a point of the page, a number of seeds and, where widths are its axis, these widths
    run      computes its points
    axis     the control that the axis belongs to: the upright line moves it
    reads    the settings on which the curves depend; others leave them as they are
    open     panels in front that a question does not cover
    asked    the question
    words    what is told of the figure
    further  settings of the curves that the figures of a point do not draw
    here     what is told of the page's own place on the curves
    facts    numbers in the question
    cost     the price of a plan
    """

    plan: Callable[[AttentionConfig, int, tuple[int, ...]], Any]
    run: Callable[[Any], Iterator[Any]]
    axis: str
    reads: tuple[str, ...]
    open: int
    asked: Falls
    words: Callable[[Swept], list[Message]]
    further: Mapping[str, Mapping[str, Any]]
    here: Here
    facts: Callable[[AttentionConfig], Mapping[str, Any]]
    cost: Callable[[Any], Cost]

    def planned(self, state: share.State) -> Any:
        """Return the study of a state of the page."""
        return self.plan(state.config, state.own["seeds"], SweepConfig().d_ks)

    def swept(self, config: AttentionConfig, plan: Any, points: Points) -> Swept:
        """Return the subject of the figure at a point of the page."""
        return Swept(plan, points, getattr(config, self.axis), self.words)

    def about(self, config: AttentionConfig, seeds: int) -> str:
        """Name the subject of the question: an answer holds until that changes."""
        settings = {name: getattr(config, name) for name in self.reads if name != "seeds"}
        return " ".join(map(str, ({**settings, "seeds": seeds}[name] for name in self.reads)))


def _over_widths(
    curves: tuple[str, ...], asked: Falls, words: Callable[[Swept], list[Message]], here: Here, uncovered: int
) -> Comparison:
    return Comparison(
        plan=lambda config, seeds, d_ks: SweepConfig(
            n=config.n, seed=config.seed, seeds=seeds, d_ks=d_ks, curves=curves
        ),
        run=sweep,
        axis="d_k",
        reads=("n", "seed", "seeds"),
        open=uncovered,
        asked=asked,
        words=words,
        further={curve: WAYS[curve] for curve in curves if curve not in CURVES},
        here=here,
        facts=lambda config: {"n": config.n},
        cost=price.of_widths,
    )


def _of_every_choice(table: Mapping[str, Comparison]) -> Mapping[str, Comparison]:
    if tuple(table) != COMPARED:
        raise TypeError(f"curves has the choices {COMPARED}; the table has {tuple(table)}.")
    return MappingProxyType(dict(table))


COMPARISONS: Final = _of_every_choice(
    {
        # the variance, to reason from
        "mechanisms": _over_widths(CURVES, outcome.MECHANISMS, of_mechanisms, point.of_scaling, uncovered=1),
        # its variance is that of scores whose entropies are known: it would answer
        "qk_norm": _over_widths(
            ("unscaled", "scaled", "qk_norm", "qk_norm_unscaled"),
            outcome.QK_NORM,
            of_qk_norm,
            point.of_qk_norm,
            uncovered=0,
        ),
        "keys": Comparison(
            plan=lambda config, seeds, d_ks: LengthsConfig(d_k=config.d_k, seed=config.seed, seeds=seeds),
            run=lengths,
            axis="n",
            reads=("d_k", "seed", "seeds"),
            open=0,
            asked=outcome.KEYS,
            words=of_keys,
            further={curve: {"scaling": "sqrt_d_k", **settings} for curve, settings in lengths_study.SERIES.items()},
            here=point.of_keys,
            facts=lambda config: {"d_k": config.d_k},
            cost=price.of_lengths,
        ),
    }
)


def of(state: share.State) -> Comparison:
    """Return the comparison that a state names."""
    return named(str(state.own["curves"]))


def named(name: str) -> Comparison:
    """Return a comparison. Raise `InvalidInput` (`unknown_choice`) for a name that is none."""
    return COMPARISONS[choice("curves", name, COMPARED)]
