"""Rows of what CoCo's law says of each host: all written in one statement."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic_core import to_json
from sqlalchemy import Select, delete, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.laws.coco.evaluation import HostState, Second, seen
from sextant_backend.laws.coco.models import CocoHostRow
from sextant_backend.laws.host_reading import Rates

ORDER = Order(
    "host",
    "host",
    host=CocoHostRow.host_id,
    fullest_percent=CocoHostRow.fullest_percent,
    short_mpps=CocoHostRow.short_mpps,
)
_REPLACE = text(
    """
    INSERT INTO coco_hosts (host_id, evaluated_at, mode, chains, overloaded, fullest_percent, short_mpps, reason,
        provenance, seen)
    SELECT r.host_id, r.evaluated_at, r.mode, r.chains, r.overloaded, r.fullest_percent, COALESCE(r.short_mpps, 0),
        r.reason, r.provenance, r.seen
    FROM json_to_recordset(CAST(:rows AS json)) AS r(host_id text, evaluated_at timestamptz, mode text, chains int,
        overloaded int, fullest_percent float8, short_mpps float8, reason text, provenance text, seen json)
    JOIN hosts h ON h.host_id = r.host_id ORDER BY r.host_id
    ON CONFLICT (host_id) DO UPDATE SET evaluated_at = excluded.evaluated_at, mode = excluded.mode,
        chains = excluded.chains, overloaded = excluded.overloaded, fullest_percent = excluded.fullest_percent,
        short_mpps = excluded.short_mpps, reason = excluded.reason, provenance = excluded.provenance,
        seen = excluded.seen
    """
)


def row_of(second: Second, state: HostState, rates: Rates | None, now: datetime) -> dict[str, Any]:
    """What came of a host."""
    observed = second.observation
    offered, carried = observed.offered_mpps, observed.carried_mpps
    figures = seen(second)
    return {
        "host_id": second.given.host,
        "evaluated_at": now.isoformat(),
        "mode": second.given.mode.value,
        "chains": len(second.members.chains),
        "overloaded": len(state.law.stood),
        "fullest_percent": 100 * max(figures.loads.values()) if figures.loads else None,
        "short_mpps": sum(max(0.0, rate - carried[name]) for name, rate in offered.items()),
        "reason": state.reason,
        "provenance": None if rates is None else rates.provenance.value,
        "seen": figures.model_dump(mode="json"),
    }


def replace(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Exactly these hosts are those that the law looks at."""
    names = [row["host_id"] for row in rows]
    session.execute(delete(CocoHostRow).where(CocoHostRow.host_id.not_in(names)))
    if rows:
        session.execute(_REPLACE, {"rows": to_json(rows, inf_nan_mode="null").decode()})


def get(session: Session, host_id: str) -> CocoHostRow | None:
    """What came of a host last."""
    return session.get(CocoHostRow, host_id)


def page(session: Session, asked: Paging, mode: str | None, overloaded: bool | None) -> Found[CocoHostRow]:
    """A page of hosts: of one mode; with overloaded cores, or without."""
    query: Select[CocoHostRow] = select(CocoHostRow).where(*equal({CocoHostRow.mode: mode}))
    if overloaded is not None:
        query = query.where((CocoHostRow.overloaded > 0) == overloaded)
    return ORDER.read(session, query, asked)
