"""Judges an answer of `place` without the core: nothing here is shared with what solved it.

Every element on a core that is there; no core with more than all its time; delayed bytes and shares as the answer says;
no bound above what was reached. That it is the best, no check can say.
"""

from itertools import pairwise

from sextant_domain.base import Frozen

from sextant_engine.laws.coco.problem import DistancesGiven, Id, LineGiven, Place, Placed

CLOSE = 1e-6
"""Relative, of delayed bytes; of a share absolute."""


class Pair(Frozen):
    """A question and its answer."""

    question: Place
    answer: Placed


class Checked(Frozen):
    """What is wrong, in words; empty where nothing is."""

    findings: tuple[str, ...]


def check(question: Place, answer: Placed) -> tuple[str, ...]:
    """What is wrong with an answer."""
    offered: dict[str, float] = {}
    for chain in question.chains:
        offered |= {name: offered.get(name, 0.0) + chain.rate for name in chain.elements}
    if set(answer.placement) != set(offered):
        return ("placement is not of the question's elements",)
    nodes = _nodes(question)
    nowhere = sorted(name for name, core in answer.placement.items() if core not in nodes)
    if nowhere:
        return tuple(f"{name} stands on {answer.placement[name]}, which is no core" for name in nowhere)
    shares = {name: _share(question, name, rate) for name, rate in offered.items()}
    return (*_overfull(answer, shares), *_told(question, answer, shares, nodes))


def _nodes(question: Place) -> dict[Id, Id | None]:
    if isinstance(question.cores, int):
        return dict.fromkeys(range(question.cores))
    return {core.id: 0 if core.node is None else core.node for core in question.cores}


def _share(question: Place, name: str, rate: float) -> float:
    given = question.cpu
    return given.slope * rate + given.intercept if isinstance(given, LineGiven) else given.get(name, 0.0)


def _overfull(answer: Placed, shares: dict[str, float]) -> list[str]:
    taken: dict[Id, float] = {}
    for name, core in answer.placement.items():
        taken[core] = taken.get(core, 0.0) + shares[name]
    return [
        f"core {core}: {100 * share:.4g} % of its time is taken" for core, share in taken.items() if share > 1 + CLOSE
    ]


def _told(question: Place, answer: Placed, shares: dict[str, float], nodes: dict[Id, Id | None]) -> list[str]:
    found = []
    delayed = 0.0
    for chain in question.chains:
        places = [answer.placement[name] for name in chain.elements]
        for one, other in pairwise(places):
            delayed += chain.rate * _delay(question, one == other, nodes[one] == nodes[other])
    if abs(delayed - answer.delayed_bytes) > CLOSE * max(1.0, delayed):
        found.append(f"{delayed:.9g} bytes are delayed, not {answer.delayed_bytes:.9g}")
    if answer.bound > delayed + CLOSE * max(1.0, delayed):
        found.append(f"the bound is {answer.bound:.9g}, above what is reached")
    if answer.status == "optimal" and answer.bound < delayed - CLOSE * max(1.0, delayed):
        found.append(f"the bound is {answer.bound:.9g}, which does not prove it")
    wrong = [name for name, share in shares.items() if abs(answer.cpu.get(name, -1.0) - share) > CLOSE]
    return [*found, *(f"{name} takes {shares[name]:.9g} of a core, not what cpu says" for name in sorted(wrong))]


def _delay(question: Place, same_core: bool, same_node: bool) -> float:
    given = question.t_d
    if not isinstance(given, DistancesGiven):
        return 0.0 if same_core else given
    if same_core:
        return given.same_core
    return given.same_node if same_node or given.other_node is None else given.other_node
