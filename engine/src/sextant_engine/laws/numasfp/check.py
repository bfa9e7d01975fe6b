"""Judges an answer of `step` without the core: nothing here is shared with what solved it.

Every chain whole on one node; cores, ways and bandwidth within each node; every grant enough for its level by the
table; the objective and the moves as the answer says. That it is the best, no check can say.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from sextant_domain.base import Frozen

from sextant_engine.errors import bad_input
from sextant_engine.laws.numasfp.problem import StepAnswer, StepAsked, TableEntry

CLOSE = 1e-6
"""Gbps; the core counts in 10^-9 for each chain."""

# Table I once more, as the paper prints it: whoever checks does not read it from whoever solves.
_PAPER: dict[str, TableEntry] = {
    "router": TableEntry(
        local={"4": (2, 10), "5": (2, 20), "7": (3, 20), "8": (3, 30), "9": (4, 30), "10": (5, 40)},
        remote={"4": (3, 20), "5": (3, 30), "7": (5, 30)},
    ),
    "basic-monitor": TableEntry(
        local={"4": (2, 10), "5": (2, 20), "7": (2, 30), "8": (4, 30), "9": (4, 30), "10": (4, 50)},
        remote={"4": (3, 20), "5": (3, 30), "7": (4, 40)},
    ),
}


class Checked(Frozen):
    """What is wrong, in words; empty where nothing is."""

    findings: tuple[str, ...]


class _Pair(Frozen):
    question: StepAsked
    answer: StepAnswer


def checked(raw: bytes) -> str:
    """{"question", "answer"} to findings. Raises BadEngineInput."""
    try:
        pair = _Pair.model_validate_json(raw)
    except ValidationError as error:
        raise bad_input(error) from None
    return json.dumps(Checked(findings=check(pair.question, pair.answer)).model_dump(mode="json"))


def check(question: StepAsked, answer: StepAnswer) -> tuple[str, ...]:
    """What is wrong with an answer."""
    chains = set(question.chains)
    for what, named in (("placement", answer.placement), ("allocation", answer.allocation)):
        if set(named) != chains:
            return (f"{what} is not of the question's chains",)
    nowhere = sorted(chain for chain, node in answer.placement.items() if node not in question.nodes)
    if nowhere:
        return tuple(f"{chain} stands on {answer.placement[chain]}, which is no node" for chain in nowhere)
    return (*_beyond(question, answer), *_too_little(question, answer), *_counted(question, answer))


def _beyond(question: StepAsked, answer: StepAnswer) -> list[str]:
    found = []
    for name, node in question.nodes.items():
        here = [chain for chain, at in answer.placement.items() if at == name]
        for what, there, taken in (
            ("cores", node.cores, sum(len(question.chains[chain]) for chain in here)),
            ("ways", node.ways, sum(answer.allocation[chain].ways for chain in here)),
            ("% of bandwidth", node.mb_percent, sum(answer.allocation[chain].mb_percent for chain in here)),
        ):
            if taken > there:
                found.append(f"{name}: {taken} {what} are given, {there} are there")
    return found


def _too_little(question: StepAsked, answer: StepAnswer) -> list[str]:
    table = _PAPER if isinstance(question.table, str) else question.table
    found = []
    for chain, grant in answer.allocation.items():
        if grant.gbps == 0:
            continue
        needs = [_least(table, nf, answer.placement[chain], grant.gbps) for nf in question.chains[chain]]
        known = [need for need in needs if need is not None]
        if len(known) < len(needs):
            found.append(f"{chain}: the table has no {grant.gbps:g} Gbps on {answer.placement[chain]}")
            continue
        joined = max if question.rule == "max" else sum
        ways, percent = joined(need[0] for need in known), joined(need[1] for need in known)
        if grant.ways < ways or grant.mb_percent < percent:
            given = f"{grant.ways} ways and {grant.mb_percent} %"
            found.append(f"{chain}: {given} do not make {grant.gbps:g} Gbps, which takes {ways} and {percent} %")
    return found


def _least(table: Mapping[str, TableEntry], nf: str, node: str, gbps: float) -> tuple[int, int] | None:
    entry = table.get(nf)
    levels: Mapping[str, Any] = {} if entry is None else entry.local if node == "local" else entry.remote
    enough = [float(level) for level in levels if float(level) >= gbps - CLOSE]
    return next((need for level, need in levels.items() if enough and float(level) == min(enough)), None)


def _counted(question: StepAsked, answer: StepAnswer) -> list[str]:
    moved = {
        chain for chain, node in answer.placement.items() if question.current and question.current.get(chain) != node
    }
    carried = {chain: min(grant.gbps, question.rates_gbps[chain]) for chain, grant in answer.allocation.items()}
    price = question.loss / question.horizon
    objective = sum(gbps * (1 - price) if chain in moved else gbps for chain, gbps in carried.items())
    found = []
    if abs(objective - answer.objective_gbps) > CLOSE:
        found.append(f"the objective is {objective:.9g} Gbps, not {answer.objective_gbps:.9g}")
    if len(moved) != answer.moves:
        found.append(f"{len(moved)} chains change their node, not {answer.moves}")
    if question.most_moves is not None and len(moved) > question.most_moves:
        found.append(f"{len(moved)} chains change their node, {question.most_moves} may")
    return found
