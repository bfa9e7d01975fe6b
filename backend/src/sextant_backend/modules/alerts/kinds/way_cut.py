"""A chain over several hosts cannot go on from one of them: none of the links that lead on has a carrier."""

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.hosts.chain_way import WayState
from sextant_domain.hosts.telemetry import ChainSample
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.chains.views import FRESH_S

_SUSPECTS = text(
    """
    SELECT c.name, l.sample, l.host_id, h.heard_at > :now - make_interval(secs => :fresh_s) AS fresh
    FROM chains c
    LEFT JOIN LATERAL (
        SELECT sample, host_id FROM latest_chains WHERE chain = c.name ORDER BY taken_at DESC LIMIT 1
    ) l ON true
    LEFT JOIN latest_hosts h ON h.host_id = l.host_id
    WHERE c.deleted_at IS NULL AND c.state = 'running' AND c.spec->'part' IS NOT NULL
        AND (l.sample LIKE '%"ways":%' OR c.name = ANY(:tracked))
    """
)
"""Parts of chains over hosts, which are few."""


def observe(session: Session, look: Look) -> Findings:
    """Of a host that is silent, or whose daemon does not answer, nothing is known of its links."""
    asked = {"now": look.now, "fresh_s": FRESH_S, "tracked": list(look.tracked)}
    bad: dict[str, Condition] = {}
    unknown: set[str] = set()
    seen: set[str] = set()
    for name, raw, host, fresh in session.execute(_SUSPECTS, asked):
        seen.add(name)
        if raw is None or not fresh:
            unknown.add(name)
            continue
        ways = ChainSample.model_validate_json(raw).ways
        cut = next((way for way in ways if way.state is WayState.CUT), None)
        if cut is not None:
            bad[name] = Condition(
                f"{name} is cut on its way from {host}",
                f"Packets for {cut.to or 'its end'} are lost on {host}: {cut.why}.",
                f"See to {' or '.join(cut.links)} of {host}, or name another [[link]] in its srv6.toml",
            )
        elif any(way.state is WayState.UNKNOWN for way in ways):
            unknown.add(name)
    return Findings(bad, frozenset(unknown & set(look.tracked)), frozenset(set(look.tracked) - seen))


SPEC = KindSpec(
    kind=AlertKind.WAY_CUT,
    title="Way cut",
    summary="A chain over several hosts has no link left by which it goes on from one of them",
    object_kind=AlertObjectKind.CHAIN,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=0.0,
    resolve_after_s=10.0,
    observe=observe,
)
