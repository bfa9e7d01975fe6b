"""Rows of what NUMASFP's law says of each host."""

from typing import Any

from sextant_engine.control.frame import LawMemory
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.laws.numasfp import describe, evaluation
from sextant_backend.laws.numasfp.evaluation import MAX_LIMIT, HostState, Second
from sextant_backend.laws.numasfp.memory import Kept
from sextant_backend.laws.numasfp.models import NumasfpHostRow

ORDER = Order(
    "host",
    "host",
    host=NumasfpHostRow.host_id,
    violations=NumasfpHostRow.violated,
    short_gbps=NumasfpHostRow.short_gbps,
)


def row_of(second: Second, state: HostState, memory: LawMemory[Kept]) -> dict[str, Any]:
    """What came of a host."""
    offered, carried, parameters = second.offered, second.carried, second.parameters
    spent = sum(second.now_s - move.at_s < parameters.budget_s for move in memory.law.moves)
    return {
        "mode": second.given.mode.value,
        "chains": len(second.members.members),
        "violated": sum(count > MAX_LIMIT for count in state.violations.values()),
        "offered_gbps": describe.shown(sum(offered.values())) if offered else None,
        "carried_gbps": describe.shown(sum(carried.values())) if carried else None,
        "short_gbps": describe.shown(sum(max(0.0, rate - carried[name]) for name, rate in offered.items())) or 0.0,
        "budget_left": max(0, parameters.budget_moves - spent),
        "reason": state.reason,
        "provenance": None if second.rates is None else second.rates.provenance.value,
        "seen": evaluation.seen(state, second.members),
    }


def page(session: Session, asked: Paging, mode: str | None, violated: bool | None) -> Found[NumasfpHostRow]:
    """A page of hosts: of one mode; with violated chains, or without."""
    query: Select[NumasfpHostRow] = select(NumasfpHostRow).where(*equal({NumasfpHostRow.mode: mode}))
    if violated is not None:
        query = query.where((NumasfpHostRow.violated > 0) == violated)
    return ORDER.read(session, query, asked)
