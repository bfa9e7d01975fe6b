"""Rows of what SRv6-INT's global loop says of each host."""

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.laws.srv6.evaluation import HostState, Second, seen
from sextant_backend.laws.srv6.models import Srv6HostRow

ORDER = Order(
    "host",
    "host",
    host=Srv6HostRow.host_id,
    lanes=Srv6HostRow.lanes,
    offered_mpps=Srv6HostRow.offered_mpps,
)


def row_of(second: Second, state: HostState) -> dict[str, Any]:
    """What came of a host."""
    figures = seen(second, state)
    lanes = [lane for chain in figures.chains for lane in chain.lanes]
    return {
        "mode": second.given.mode.value,
        "chains": len(second.members.chains),
        "lanes": len(lanes),
        "saturated": sum(any(lane.saturated for lane in chain.lanes) for chain in figures.chains),
        "offered_mpps": sum(lane.offered_mpps for lane in lanes),
        "reason": state.reason,
        "provenance": None if second.rates is None else second.rates.provenance.value,
        "seen": figures.model_dump(mode="json"),
    }


def page(session: Session, asked: Paging, mode: str | None, saturated: bool | None) -> Found[Srv6HostRow]:
    """A page of hosts: of one mode; with chains that need more than hosts have, or without."""
    query: Select[Srv6HostRow] = select(Srv6HostRow).where(*equal({Srv6HostRow.mode: mode}))
    if saturated is not None:
        query = query.where((Srv6HostRow.saturated > 0) == saturated)
    return ORDER.read(session, query, asked)
