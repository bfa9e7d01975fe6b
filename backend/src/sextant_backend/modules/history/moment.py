"""The fleet as it was in one interval: every host that reported in it, with its cores, NFs and chains."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sextant_domain.console.history import PastChain, PastCore, PastFleet, PastHop, PastHost, PastNf
from sqlalchemy import RowMapping, func, select, text
from sqlalchemy.orm import Session

from sextant_backend.modules.history import views
from sextant_backend.modules.history.models import TABLES
from sextant_backend.modules.history.policy import CHAIN, CORE, HOP, HOST, LEVELS, NF, Kind, Level
from sextant_backend.modules.telemetry.intervals import start_of
from sextant_backend.modules.telemetry.models import LatestChain, LatestHost

_REPORTED = """
    WITH RECURSIVE found AS (
        (SELECT host_id FROM {table} WHERE ts >= :day AND ts <= :at ORDER BY host_id LIMIT 1)
        UNION ALL
        SELECT (SELECT host_id FROM {table} t WHERE t.host_id > found.host_id AND ts >= :day AND ts <= :at
            ORDER BY host_id LIMIT 1)
        FROM found WHERE found.host_id IS NOT NULL
    )
    SELECT host_id FROM found WHERE host_id IS NOT NULL
"""
"""One step of the index for each host, hosts that were deleted since among them."""


def fleet_at(
    session: Session, at: datetime, level: Level, host: str | None = None, chain: str | None = None
) -> PastFleet:
    """In the level's interval that holds the moment, or in the newest that is rolled up. Of one host, or of the hosts
    that reported one chain, where named; hops are of that chain alone."""
    done = _rolled_until(session, host, chain)
    moment = start_of(at, level.length)
    if done is not None:
        moment = min(moment, level.done(done) - level.length)
    hosts = _named(session, moment, level, host, chain)
    cores, nfs = _by_host(session, CORE, level, moment, hosts), _by_host(session, NF, level, moment, hosts)
    sums = _by_host(session, HOST, level, moment, hosts)
    chains = [one for rows in _by_host(session, CHAIN, level, moment, hosts).values() for one in rows]
    return PastFleet(
        at=moment,
        step_s=int(level.length.total_seconds()),
        level=views.level_of(level),
        hosts=tuple(_host(one, cores[one], nfs[one], sums[one]) for one in hosts if cores[one] or sums[one]),
        chains=tuple(
            _chain(row)
            for row in sorted(chains, key=lambda row: (row["chain"], row["host_id"]))
            if chain in {None, row["chain"]}
        ),
        hops=() if chain is None else _hops(session, level, moment, hosts, chain),
    )


def _rolled_until(session: Session, host: str | None, chain: str | None) -> datetime | None:
    """How far all are that were named: hosts take turns, and one that is behind did not stand still. Where nobody is
    named, how far any is."""
    if host is not None or chain is not None:
        named = select(func.min(LatestHost.rolled_until))
        if host is not None:
            named = named.where(LatestHost.host_id == host)
        if chain is not None:
            runs_it = select(LatestChain.host_id).where(LatestChain.chain == chain)
            named = named.where(LatestHost.host_id.in_(runs_it))
        done = session.scalar(named)
        if done is not None:
            return done
    return session.scalar(select(func.max(LatestHost.rolled_until)))


def _named(session: Session, moment: datetime, level: Level, host: str | None, chain: str | None) -> list[str]:
    """Hosts that may have reported what was asked for."""
    if chain is None:
        return _hosts(session, moment, level) if host is None else [host]
    table = TABLES[CHAIN, level]
    found = session.scalars(select(table.c.host_id).where(table.c.chain == chain, table.c.ts == moment))
    return sorted(one for one in found if host in {None, one})


def _hosts(session: Session, moment: datetime, level: Level) -> list[str]:
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    found: set[str] = set()
    for kind in (CORE, HOST):
        statement = text(_REPORTED.format(table=kind.table(level)))
        found.update(session.scalars(statement, {"day": day, "at": moment}))
    return sorted(found)


def _by_host(
    session: Session, kind: Kind, level: Level, moment: datetime, hosts: Sequence[str]
) -> dict[str, list[RowMapping]]:
    table = TABLES[kind, level]
    found: dict[str, list[RowMapping]] = defaultdict(list)
    query = select(table).where(table.c.host_id.in_(hosts), table.c.ts == moment)
    for row in session.execute(query).mappings():
        found[row["host_id"]].append(row)
    return found


def _host(host: str, cores: Sequence[RowMapping], nfs: Sequence[RowMapping], sums: Sequence[RowMapping]) -> PastHost:
    return PastHost(
        host_id=host,
        provenance=views.provenance_of(any(row["simulated"] for row in (*cores, *sums))),
        throughput_mpps=sums[0]["delivered_mpps_mean"] if sums else None,
        cores=tuple(
            PastCore(core=row["core"], busy_percent=row["busy_percent_mean"])
            for row in sorted(cores, key=lambda row: row["core"])
        ),
        nfs=tuple(
            PastNf(
                nf_id=row["nf_id"],
                core=row["core"],
                rx_mpps=row["rx_mpps_mean"],
                tx_mpps=row["tx_mpps_mean"],
                drop_mpps=row["drop_mpps_mean"],
                cpu_percent=row["cpu_percent_mean"],
                utilisation_percent=row["utilisation_percent_mean"],
            )
            for row in sorted(nfs, key=lambda row: (row["nf_id"], row["samples"]))
        ),
    )


def _chain(row: RowMapping) -> PastChain:
    return PastChain(
        chain=row["chain"],
        host=row["host_id"],
        provenance=views.provenance_of(row["simulated"]),
        offered_mpps=row["offered_mpps_mean"],
        delivered_mpps=row["delivered_mpps_mean"],
        drop_mpps=row["drop_mpps_mean"],
        p95_us=row["p95_us_mean"],
        judged=row["judged"],
        met=row["met"],
    )


def _hops(session: Session, level: Level, moment: datetime, hosts: Sequence[str], chain: str) -> tuple[PastHop, ...]:
    """In the order in which packets passed; one that stood elsewhere within the interval is there twice."""
    rows = [row for found in _by_host(session, HOP, level, moment, hosts).values() for row in found]
    rows.sort(key=lambda row: (row["position"], row["device"], row["nf_id"]))
    return tuple(
        PastHop(
            device=row["device"],
            nf_id=row["nf_id"] or None,
            latency_us=row["latency_us_mean"],
            p95_us=row["p95_us_mean"],
            most_us=row["most_us_max"],
            waits_us=row["waits_us_max"],
            queue_packets=None if row["queue_packets_max"] is None else round(row["queue_packets_max"]),
        )
        for row in rows
        if row["chain"] == chain
    )


def level_at(at: datetime, kept_from: dict[Level | None, datetime]) -> Level:
    """The finest that goes back so far."""
    return next((level for level in LEVELS if kept_from[level] <= at), LEVELS[-1])
