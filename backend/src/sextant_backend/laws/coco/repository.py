"""Rows of what CoCo's law says of each host."""

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.laws.coco.evaluation import HostState, Second, seen
from sextant_backend.laws.coco.models import CocoHostRow

ORDER = Order(
    "host",
    "host",
    host=CocoHostRow.host_id,
    fullest_percent=CocoHostRow.fullest_percent,
    short_mpps=CocoHostRow.short_mpps,
)


def row_of(second: Second, state: HostState) -> dict[str, Any]:
    """What came of a host."""
    observed = second.observation
    offered, carried = observed.offered_mpps, observed.carried_mpps
    figures = seen(second)
    return {
        "mode": second.given.mode.value,
        "chains": len(second.members.chains),
        "overloaded": len(state.law.stood),
        "fullest_percent": 100 * max(figures.loads.values()) if figures.loads else None,
        "short_mpps": sum(max(0.0, rate - carried[name]) for name, rate in offered.items()),
        "reason": state.reason,
        "provenance": None if second.rates is None else second.rates.provenance.value,
        "seen": figures.model_dump(mode="json"),
    }


def page(session: Session, asked: Paging, mode: str | None, overloaded: bool | None) -> Found[CocoHostRow]:
    """A page of hosts: of one mode; with overloaded cores, or without."""
    query: Select[CocoHostRow] = select(CocoHostRow).where(*equal({CocoHostRow.mode: mode}))
    if overloaded is not None:
        query = query.where((CocoHostRow.overloaded > 0) == overloaded)
    return ORDER.read(session, query, asked)
