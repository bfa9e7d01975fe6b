"""Judges an answer of `solve` without the core: nothing here is shared with what solved it.

Every VNF on a core that is there; what stands stays, but for so many moves; greatest load and throughput as the answer
says; no bound above what was reached. That it is the best, no check can say.
"""

from collections import Counter

from sextant_domain.base import Frozen

from sextant_engine.laws.sfc2cpu.problem import Assigned, Id, Solve

CLOSE = 1e-6
"""Relative."""


class Pair(Frozen):
    """A question and its answer."""

    question: Solve
    answer: Assigned


class Checked(Frozen):
    """What is wrong, in words; empty where nothing is."""

    findings: tuple[str, ...]


def check(question: Solve, answer: Assigned) -> tuple[str, ...]:
    """What is wrong with an answer."""
    loads = _loads(question)
    if len(answer.cores) != len(loads):
        return (f"{len(answer.cores)} VNFs have a core, of {len(loads)}",)
    known = set(range(question.cores)) if isinstance(question.cores, int) else {core.id for core in question.cores}
    nowhere = [index for index, core in enumerate(answer.cores) if core not in known]
    if nowhere:
        return tuple(f"VNF {index} is on {answer.cores[index]}, which is no core" for index in nowhere)
    asked: dict[Id, float] = {}
    for core, load in zip(answer.cores, loads, strict=True):
        asked[core] = asked.get(core, 0.0) + load
    return (*_moved(question, answer), *_crowded(question, answer), *_figures(question, answer, asked))


def _crowded(question: Solve, answer: Assigned) -> list[str]:
    if isinstance(question.cores, int):
        return []
    stand, after = Counter((question.placed or {}).values()), Counter(answer.cores)
    return [
        f"core {core.id} holds {after[core.id]} VNFs, and takes {core.slots}"
        for core in question.cores
        if core.slots is not None and after[core.id] > max(core.slots, stand[core.id])
    ]


def _loads(question: Solve) -> list[float]:
    if question.vnfs is None or question.clock_hz is None:
        return list(question.loads or ())
    return [vnf.cycles * vnf.rate_pps / question.clock_hz for vnf in question.vnfs]


def _moved(question: Solve, answer: Assigned) -> list[str]:
    moved = sum(answer.cores[int(vnf)] != core for vnf, core in (question.placed or {}).items())
    found = [] if moved == answer.moves else [f"{moved} VNFs move, not {answer.moves}"]
    found += [
        f"VNF {vnf} moves, and is to stay"
        for vnf in question.stays or ()
        if (question.placed or {}).get(str(vnf)) != answer.cores[vnf]
    ]
    allowed = question.max_moves or 0
    return found if moved <= allowed else [*found, f"{moved} VNFs move, {allowed} may"]


def _figures(question: Solve, answer: Assigned, asked: dict[Id, float]) -> list[str]:
    found: list[str] = []
    if question.assigner == "calibrated":
        return found  # its figures are predictions of its model
    greatest = reached = max(asked.values())
    if abs(greatest - answer.max_load) > CLOSE * greatest:
        found.append(f"the greatest load is {greatest:.9g}, not {answer.max_load:.9g}")
    if question.vnfs is not None:
        served = 0.0
        for chain in question.chains or [(index,) for index in range(len(question.vnfs))]:
            fullest = max(asked[answer.cores[vnf]] for vnf in chain)
            served += question.vnfs[chain[0]].rate_pps / 1e6 * min(1.0, question.gamma / fullest)
        if answer.system_mpps is None or abs(served - answer.system_mpps) > CLOSE * served:
            found.append(f"{served:.9g} Mpps are served, not {answer.system_mpps}")
    most = answer.bound
    if question.assigner == "throughput":
        most, reached = answer.system_mpps or 0.0, answer.bound
    if most > reached * (1 + CLOSE):
        found.append(f"the bound is {answer.bound:.9g}, but more is reached")
    if answer.status == "optimal" and most < reached * (1 - CLOSE):
        found.append(f"the bound is {answer.bound:.9g}, which does not prove it")
    return found
