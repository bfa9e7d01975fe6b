"""How much of a time chains met their objectives; what was not measured is told apart from what was missed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sextant_domain.console.history import ChainCompliance
from sqlalchemy import Double, cast, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.history import views
from sextant_backend.modules.history.models import TABLES
from sextant_backend.modules.history.policy import CHAIN, LEVELS, Level
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.telemetry.intervals import INTERVAL

ORDER = Order("name", "name", name=ChainRow.name, created_at=ChainRow.created_at)

_HAS_OBJECTIVES = (
    func.num_nonnulls(
        ChainRow.spec["slo"]["min_throughput_mpps"].as_string(), ChainRow.spec["slo"]["max_p95_ms"].as_string()
    )
    > 0
)


def chains_with_objectives(session: Session, asked: Paging, search: str | None) -> Found[ChainRow]:
    """A page of those that are not deleted, with `search` in the name."""
    row = ChainRow
    query = select(row).where(row.deleted_at.is_(None), _HAS_OBJECTIVES, *contains(row.name, search))
    return ORDER.read(session, query, asked)


def level_for(asked: Range, kept_from: Mapping[Level | None, datetime]) -> Level:
    """The finest that goes back so far and reads no more than some thousand rows of a chain."""
    fitting = [level for level in LEVELS if kept_from[level] <= asked.start]
    return next((level for level in fitting if (asked.end - asked.start) / level.length <= 9000), LEVELS[-1])


def compliance(session: Session, chains: Sequence[ChainRow], asked: Range, level: Level) -> list[ChainCompliance]:
    """Of these chains, each from when it was made on."""
    table = TABLES[CHAIN, level].c
    part = cast(table.intervals, Double) / table.samples
    query = (
        select(
            table.chain,
            func.sum(part * table.judged).label("judged"),
            func.sum(part * table.met).label("met"),
            func.bool_or(table.simulated).label("simulated"),
        )
        .join(ChainRow, ChainRow.name == table.chain)
        .where(
            ChainRow.id.in_([chain.id for chain in chains]),
            table.chain.in_([chain.name for chain in chains]),
            table.ts >= asked.start,
            table.ts < asked.end,
            table.ts + level.length > ChainRow.created_at,
        )
        .group_by(table.chain)
    )
    found = {row.chain: _Judged(row.judged, row.met, row.simulated) for row in session.execute(query)}
    return [_of_one(chain, found.get(chain.name), asked) for chain in chains]


@dataclass(frozen=True)
class _Judged:
    """Ten-second intervals of a chain that were judged, and in which it met its objectives; parts of them count."""

    judged: float
    met: float
    simulated: bool


def _of_one(chain: ChainRow, found: _Judged | None, asked: Range) -> ChainCompliance:
    lived = max(0.0, (asked.end - max(asked.start, chain.created_at)) / INTERVAL)
    if found is None:
        return ChainCompliance(
            chain=chain.name, met=0.0, missed=0.0, not_measured=1.0, provenance=None, of_measured=None
        )
    whole = max(lived, found.judged) or 1.0
    return ChainCompliance(
        chain=chain.name,
        met=found.met / whole,
        missed=(found.judged - found.met) / whole,
        not_measured=1 - found.judged / whole,
        provenance=views.provenance_of(found.simulated),
        of_measured=found.met / found.judged if found.judged else None,
    )
