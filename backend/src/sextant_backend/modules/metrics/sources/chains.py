"""Chains: what is offered and delivered, latency, and how they stand to their objectives."""

from typing import Any

from sextant_domain.console.views import ChainState, SloState
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.chains.views import judged
from sextant_backend.modules.metrics.frame import Family, Found, Group, known
from sextant_backend.modules.metrics.sources.fresh import fresh

_CHAIN = ("chain", "host", "provenance")
_BY_OBJECTIVE = ("chain", "objective")
THROUGHPUT, LATENCY = "throughput", "latency"


def _measured(name: str, unit: str, meaning: str, *more: str) -> Family:
    return Family(
        f"sextant_chain_{name}", unit, (*_CHAIN, *more), f"{meaning}; none while its host is silent", Group.CHAIN
    )


def _of_chain(name: str, unit: str, labels: tuple[str, ...], meaning: str) -> Family:
    return Family(f"sextant_chain_{name}", unit, labels, meaning, Group.CHAIN)


SAMPLED = _of_chain(
    "last_sample_timestamp_seconds", "s", _CHAIN, "When the newest sample was taken, by the clock of its host"
)
OFFERED = _measured("offered_packets_per_second", "packets/s", "What enters the chain")
DELIVERED = _measured("delivered_packets_per_second", "packets/s", "What leaves it at its end")
DROPPED = _measured("dropped_packets_per_second", "packets/s", "What is lost within it")
FILTERED = _measured(
    "filtered_packets_per_second", "packets/s", "What its NFs drop because their rules say so: no loss"
)
BYTES = _measured("delivered_bytes_per_second", "bytes/s", "What leaves it at its end, where bytes are counted")
QUANTILES = _measured(
    "latency_seconds", "s", "Quantiles of the time from ingress to egress in the newest sample", "quantile"
)
RUNNING = _of_chain("running", "0 or 1", ("chain",), "1 for a chain that is ordered to run, and is not paused")
OBJECTIVE_RATE = _of_chain(
    "objective_packets_per_second",
    "packets/s",
    ("chain",),
    "The throughput that its objective demands, where it has one",
)
OBJECTIVE_LATENCY = _of_chain(
    "objective_latency_seconds", "s", ("chain",), "The 95th percentile that its objective allows, where it has one"
)
JUDGED = _of_chain(
    "slo_judged", "0 or 1", _BY_OBJECTIVE, "1 where an objective can be judged now; 0: no data, paused or not running"
)
VIOLATED = _of_chain("slo_violated", "0 or 1", _BY_OBJECTIVE, "1 where an objective is missed; only while it is judged")
MARGIN = _of_chain(
    "slo_margin_ratio",
    "ratio",
    _BY_OBJECTIVE,
    "How much better than its objective it is, over the objective: 0.2 is a fifth; negative where it is worse",
)
CHAINS = Family("sextant_chains", "chains", ("state",), "Chains by state", Group.FLEET)
BY_SLO = Family(
    "sextant_chains_by_slo",
    "chains",
    ("slo",),
    "Chains with an objective: `violated` where one is missed, else `no_data` where one cannot be judged",
    Group.FLEET,
)

FAMILIES = (
    *(CHAINS, BY_SLO, RUNNING, SAMPLED, OFFERED, DELIVERED, DROPPED, FILTERED, BYTES, QUANTILES),
    *(OBJECTIVE_RATE, OBJECTIVE_LATENCY, JUDGED, VIOLATED, MARGIN),
)

_CHAINS = text(
    f"""
    SELECT c.name, c.state, coalesce(CAST(c.spec->>'paused' AS boolean), false) AS paused,
        CAST(c.spec->'slo'->>'min_throughput_mpps' AS float) AS least_mpps,
        CAST(c.spec->'slo'->>'max_p95_ms' AS float) AS most_ms,
        s.host_id, s.provenance, extract(epoch FROM s.taken_at) AS taken_at, {fresh("s.taken_at")} AS fresh,
        f.offered_mpps, f.delivered_mpps, f.drop_mpps, coalesce(f.filtered_mpps, 0) AS filtered_mpps,
        f.delivered_gbps, f.p50_us, f.p95_us, f.p99_us, f.p999_us, coalesce(f.paused, false) AS was_paused
    FROM chains c LEFT JOIN latest_chains s ON s.chain = c.name
        LEFT JOIN latest_hosts l ON l.host_id = s.host_id
        LEFT JOIN LATERAL json_to_record(CAST(s.sample AS json)) AS f(
            offered_mpps float, delivered_mpps float, drop_mpps float, filtered_mpps float, delivered_gbps float,
            p50_us float, p95_us float, p99_us float, p999_us float, paused boolean
        ) ON true
    WHERE c.deleted_at IS NULL
    ORDER BY c.name, s.taken_at DESC NULLS LAST
    """  # noqa: S608
)


def collect(session: Session, found: Found) -> None:
    """One statement: a row for each chain and host that measures it, the newest sample of a chain first."""
    states = dict.fromkeys(ChainState, 0)
    slos = dict.fromkeys(SloState, 0)
    former = None
    for row in session.execute(_CHAINS).all():
        if row.name != former:
            former = row.name
            states[ChainState(row.state)] += 1
            found.add(RUNNING, row.state == ChainState.RUNNING and not row.paused, row.name)
            worst = _objectives(found, row)
            if worst is not None:
                slos[worst] += 1
        if row.host_id is not None:
            _figures(found, row)
    for state, number in states.items():
        found.add(CHAINS, number, state.value)
    for slo, number in slos.items():
        found.add(BY_SLO, number, slo.value)


def _figures(found: Found, row: Any) -> None:
    where = (row.name, row.host_id, row.provenance)
    labels = known(_CHAIN)[where]
    found.of(SAMPLED).append((labels, float(row.taken_at)))
    if not row.fresh:
        return
    found.of(OFFERED).append((labels, row.offered_mpps * 1e6))
    found.of(DELIVERED).append((labels, row.delivered_mpps * 1e6))
    found.of(DROPPED).append((labels, row.drop_mpps * 1e6))
    found.of(FILTERED).append((labels, row.filtered_mpps * 1e6))
    if row.delivered_gbps is not None:
        found.of(BYTES).append((labels, row.delivered_gbps * 1e9 / 8))
    for quantile, us in (("0.5", row.p50_us), ("0.95", row.p95_us), ("0.99", row.p99_us), ("0.999", row.p999_us)):
        if us is not None:
            found.add(QUANTILES, us / 1e6, *where, quantile)


def _objectives(found: Found, row: Any) -> SloState | None:
    """Of the newest sample; None for a chain without an objective."""
    measures = row.fresh and row.state == ChainState.RUNNING and not (row.paused or row.was_paused)
    carried = row.delivered_mpps + row.filtered_mpps if measures else None
    p95_us = row.p95_us if measures else None
    states = judged(row.least_mpps, row.most_ms, carried, p95_us)
    objectives = (
        (THROUGHPUT, OBJECTIVE_RATE, row.least_mpps, 1e6, carried),
        (LATENCY, OBJECTIVE_LATENCY, row.most_ms, 1e-3, None if p95_us is None else p95_us / 1000),
    )
    for (objective, family, wanted, factor, measured), state in zip(objectives, states, strict=True):
        if wanted is None:
            continue
        found.add(family, wanted * factor, row.name)
        found.add(JUDGED, state is not SloState.NO_DATA, row.name, objective)
        if state is not SloState.NO_DATA and measured is not None:
            better = measured - wanted if objective == THROUGHPUT else wanted - measured
            found.add(VIOLATED, state is SloState.VIOLATED, row.name, objective)
            found.add(MARGIN, better / wanted, row.name, objective)
    given = [state for state in states if state is not None]
    return next((state for state in (SloState.VIOLATED, SloState.NO_DATA, SloState.MET) if state in given), None)
