"""Rows of what NUMASFP's law says of each host: all written in one statement."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic_core import to_json
from sextant_domain.laws.numasfp import NumasfpParameters
from sextant_engine.control.frame import LawMemory
from sqlalchemy import Select, delete, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.laws.numasfp import evaluation
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
_REPLACE = text(
    """
    INSERT INTO numasfp_hosts (host_id, evaluated_at, mode, chains, violated, offered_gbps, carried_gbps, short_gbps,
        budget_left, reason, provenance, seen)
    SELECT r.host_id, r.evaluated_at, r.mode, r.chains, r.violated, r.offered_gbps, r.carried_gbps,
        COALESCE(r.short_gbps, 0), r.budget_left, r.reason, r.provenance, r.seen
    FROM json_to_recordset(CAST(:rows AS json)) AS r(host_id text, evaluated_at timestamptz, mode text, chains int,
        violated int, offered_gbps float8, carried_gbps float8, short_gbps float8, budget_left int, reason text,
        provenance text, seen json)
    JOIN hosts h ON h.host_id = r.host_id ORDER BY r.host_id
    ON CONFLICT (host_id) DO UPDATE SET evaluated_at = excluded.evaluated_at, mode = excluded.mode,
        chains = excluded.chains, violated = excluded.violated, offered_gbps = excluded.offered_gbps,
        carried_gbps = excluded.carried_gbps, short_gbps = excluded.short_gbps, budget_left = excluded.budget_left,
        reason = excluded.reason, provenance = excluded.provenance, seen = excluded.seen
    """
)


def row_of(
    second: Second, state: HostState, memory: LawMemory[Kept], parameters: NumasfpParameters, now: datetime
) -> dict[str, Any]:
    """What came of a host."""
    offered, carried = second.offered, second.carried
    spent = sum(second.now_s - move.at_s < parameters.budget_s for move in memory.law.moves)
    return {
        "host_id": second.given.host,
        "evaluated_at": now.isoformat(),
        "mode": second.given.mode.value,
        "chains": len(second.members.members),
        "violated": sum(count > MAX_LIMIT for count in state.violations.values()),
        "offered_gbps": sum(offered.values()) if offered else None,
        "carried_gbps": sum(carried.values()) if carried else None,
        "short_gbps": sum(max(0.0, rate - carried[name]) for name, rate in offered.items()),
        "budget_left": max(0, parameters.budget_moves - spent),
        "reason": state.reason,
        "provenance": None if second.rates is None else second.rates.provenance.value,
        "seen": evaluation.seen(state, second.members),
    }


def replace(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Exactly these hosts are those that the law looks at."""
    names = [row["host_id"] for row in rows]
    session.execute(delete(NumasfpHostRow).where(NumasfpHostRow.host_id.not_in(names)))
    if rows:
        session.execute(_REPLACE, {"rows": to_json(rows, inf_nan_mode="null").decode()})


def get(session: Session, host_id: str) -> NumasfpHostRow | None:
    """What came of a host last."""
    return session.get(NumasfpHostRow, host_id)


def page(session: Session, asked: Paging, mode: str | None, violated: bool | None) -> Found[NumasfpHostRow]:
    """A page of hosts: of one mode; with violated chains, or without."""
    query: Select[NumasfpHostRow] = select(NumasfpHostRow).where(*equal({NumasfpHostRow.mode: mode}))
    if violated is not None:
        query = query.where((NumasfpHostRow.violated > 0) == violated)
    return ORDER.read(session, query, asked)
