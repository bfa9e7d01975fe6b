"""A running chain misses an objective now: judged by its newest sample, as every page does."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.console.views import ChainState, SloState
from sextant_domain.hosts.telemetry import ChainSample
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.chains.views import FRESH_S, slos

_SUSPECTS = text(
    """
    SELECT c.name, c.spec, l.sample, h.host_id, l.provenance,
        h.heard_at > :now - make_interval(secs => :fresh_s) AS fresh
    FROM chains c
    LEFT JOIN LATERAL (
        SELECT CAST(sample AS json) AS sample, host_id, provenance FROM latest_chains
        WHERE chain = c.name ORDER BY taken_at DESC LIMIT 1
    ) l ON true
    LEFT JOIN latest_hosts h
        ON h.host_id = COALESCE(l.host_id, (SELECT host_id FROM placed_nfs WHERE chain = c.name LIMIT 1))
    CROSS JOIN LATERAL (
        SELECT CAST(c.spec->'slo'->>'min_throughput_mpps' AS float) AS least,
            CAST(c.spec->'slo'->>'max_p95_ms' AS float) * 1000 AS most_us,
            delivered_mpps + filtered_mpps AS carried, p95_us
        FROM json_to_record(coalesce(l.sample, '{}')) AS one(delivered_mpps float, filtered_mpps float, p95_us float)
    ) f
    WHERE c.deleted_at IS NULL AND c.state = 'running' AND (least IS NOT NULL OR most_us IS NOT NULL)
        AND (l.sample IS NULL OR carried < least OR p95_us > most_us
            OR (most_us IS NOT NULL AND p95_us IS NULL) OR c.name = ANY(:tracked))
    """
)
"""One statement whatever the number of chains: those that may miss something, which `slos` then judges, and those that
an alert is open for."""


def observe(session: Session, look: Look) -> Findings:
    """A chain whose host is silent is unknown: that its host is silent is an alert of its own. One that its host does
    not report although it reports is bad: nobody would see it stand still."""
    asked = {"now": look.now, "fresh_s": FRESH_S, "tracked": list(look.tracked)}
    bad: dict[str, Condition] = {}
    unknown: set[str] = set()
    for name, raw, sample, host, provenance, fresh in session.execute(_SUSPECTS, asked):
        spec = ChainSpec.model_validate(raw)
        if not fresh:
            unknown.add(name)
        elif not spec.paused and (found := judge(spec, sample, host, provenance)) is not None:
            bad[name] = found
    left = set(look.tracked) - bad.keys() - unknown
    states = _states(session, left) if left else {}
    unknown |= {name for name, (state, _) in states.items() if state != ChainState.RUNNING}
    gone = left - {name for name, (_, judged) in states.items() if judged}
    return Findings(bad, frozenset(unknown & set(look.tracked)), frozenset(gone))


def _states(session: Session, names: set[str]) -> dict[str, tuple[str, bool]]:
    """Of those that live: the state, and whether there is an objective to judge."""
    query = select(ChainRow.name, ChainRow.state, ChainRow.spec)
    found = session.execute(query.where(ChainRow.name.in_(names), ChainRow.deleted_at.is_(None)))
    return {name: (state, _is_judged(ChainSpec.model_validate(spec))) for name, state, spec in found}


def _is_judged(spec: ChainSpec) -> bool:
    return not spec.paused and (spec.slo.min_throughput_mpps, spec.slo.max_p95_ms) != (None, None)


def judge(spec: ChainSpec, raw: dict[str, Any] | None, host: str, provenance: str | None) -> Condition | None:
    """What a running chain misses by a fresh report of its host; None where it misses nothing."""
    next_step = "Its page says what limits it; sextant plans ask looks for a better placement"
    if raw is None:
        return Condition(
            f"{spec.name} is not measured",
            f"{host} reports, but not this chain: whether it keeps its objective cannot be said.",
            f"On {host}: sextant-agent doctor; here: sextant chains show {spec.name}",
        )
    sample = ChainSample.model_validate(raw)
    missed = _missed(spec, sample)
    if not missed:
        return None
    where = f"{host} (simulated)" if provenance == Provenance.SIMULATED else host
    lost = f" It drops {sample.drop_mpps:.2f} Mpps." if sample.drop_mpps > 0 else ""
    return Condition(
        f"{spec.name} misses its objective",
        f"On {where} it {', and '.join(missed)}; {sample.offered_mpps:.2f} Mpps are offered.{lost}",
        next_step,
    )


def _missed(spec: ChainSpec, sample: ChainSample) -> list[str]:
    throughput, latency = slos(spec, ChainState.RUNNING, sample)
    carried, found = sample.delivered_mpps + sample.filtered_mpps, []
    if throughput is SloState.VIOLATED:
        found.append(f"carries {carried:.2f} Mpps, the objective is at least {spec.slo.min_throughput_mpps:.2f}")
    if latency is SloState.VIOLATED and sample.p95_us is not None and spec.slo.max_p95_ms is not None:
        found.append(f"has a p95 of {sample.p95_us / 1000:.3f} ms, the objective is at most {spec.slo.max_p95_ms:.3f}")
    if latency is SloState.NO_DATA and not sample.paused and sample.offered_mpps > 0 and carried == 0:
        found.append("delivers no packet, so that it has no latency")
    return found


SPEC = KindSpec(
    kind=AlertKind.SLO_VIOLATED,
    title="SLO violated",
    summary="A running chain misses its least throughput or its highest latency, or is not measured",
    object_kind=AlertObjectKind.CHAIN,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=30.0,
    resolve_after_s=60.0,
    observe=observe,
)
