"""A chain uses up its error budget too fast: it is not violated long enough to fire, or again and again.

The error budget of an objective: an objective holds at all times, and `objective_percent` of the measured seconds must
meet it; the budget is the rest (99.9: one second in a thousand). The burn rate is the share of seconds that missed it,
by the budget: at 1 the budget lasts exactly as long as it is meant to. It fires where a long and a short window are
both over the factor (Google, The Site Reliability Workbook, ch. 5: multiwindow, multi-burn-rate): the long one says
that it matters, the short one that it goes on. Seconds in which nothing was offered, or nothing measured, count in
neither; where less than half of the long window was measured, nothing is known.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.modules.chains.views import SHORT

KEPT = timedelta(hours=7)
"""Minutes; the longest window has six hours."""
LATE = timedelta(seconds=30)
"""Batches that arrive later than a minute's end by more than this are not counted in it."""

_ROLL_UP = text(
    """
    INSERT INTO slo_minutes (chain, minute, measured, missed)
    SELECT s.chain, date_trunc('minute', s.ts), count(*), count(*) FILTER (
        WHERE s.delivered_mpps + s.filtered_mpps < :short * CAST(c.spec->'slo'->>'min_throughput_mpps' AS float)
            OR s.p95_us > 1000 * CAST(c.spec->'slo'->>'max_p95_ms' AS float)
            OR (s.p95_us IS NULL AND c.spec->'slo'->>'max_p95_ms' IS NOT NULL)
    )
    FROM chain_samples s JOIN chains c ON c.name = s.chain AND c.deleted_at IS NULL
    WHERE s.ts >= (SELECT coalesce(max(minute) + interval '1 minute', date_trunc('minute', CAST(:now AS timestamptz))
                           - interval '1 hour') FROM slo_minutes)
        AND s.ts < date_trunc('minute', CAST(:now AS timestamptz) - CAST(:late AS interval))
        AND s.ts > CAST(:now AS timestamptz) - interval '6 hours'
        AND s.offered_mpps > 0
        AND (c.spec->'slo'->>'min_throughput_mpps' IS NOT NULL OR c.spec->'slo'->>'max_p95_ms' IS NOT NULL)
    GROUP BY 1, 2
    ON CONFLICT DO NOTHING
    """
)
_FORGET = text("DELETE FROM slo_minutes WHERE minute < CAST(:now AS timestamptz) - CAST(:kept AS interval)")
_WINDOWS = text(
    """
    SELECT c.name, count(m.minute) AS minutes, coalesce(sum(m.measured), 0), coalesce(sum(m.missed), 0),
        coalesce(sum(m.measured) FILTER (WHERE m.minute >= w.short), 0),
        coalesce(sum(m.missed) FILTER (WHERE m.minute >= w.short), 0),
        EXISTS (SELECT FROM latest_chains l WHERE l.chain = c.name AND l.provenance = 'simulated')
    FROM (SELECT max(minute) + interval '1 minute' - CAST(:long AS interval) AS long,
                 max(minute) + interval '1 minute' - CAST(:short AS interval) AS short FROM slo_minutes) w
    CROSS JOIN chains c LEFT JOIN slo_minutes m ON m.chain = c.name AND m.minute >= w.long
    WHERE c.deleted_at IS NULL AND c.state = 'running'
    GROUP BY c.name HAVING sum(m.missed) > 0 OR c.name = ANY(:tracked)
    """
)
"""Chains that missed something in the long window, and those that an alert is open for."""


class Burn(NamedTuple):
    """What one chain missed in both windows, in seconds (samples)."""

    minutes: int
    """Of the long window in which something was measured."""
    measured: int
    missed: int
    short_measured: int
    short_missed: int
    simulated: bool = False
    """Its newest sample comes from a simulated host."""


def observe(session: Session, look: Look) -> Findings:
    """Rolls up the minutes that have passed, then reads both windows: two statements, and one that forgets."""
    limits = look.parameters
    session.execute(_ROLL_UP, {"now": look.now, "late": LATE, "short": SHORT})
    session.execute(_FORGET, {"now": look.now, "kept": KEPT})
    windows = {
        "long": timedelta(minutes=limits["long_minutes"]),
        "short": timedelta(minutes=limits["short_minutes"]),
    }
    bad: dict[str, Condition] = {}
    unknown: set[str] = set()
    seen: set[str] = set()
    for name, *figures in session.execute(_WINDOWS, {**windows, "tracked": list(look.tracked)}):
        burn = Burn(*figures)
        seen.add(name)
        if burn.minutes < limits["long_minutes"] / 2:
            unknown.add(name)
        elif (rates := over(burn, limits["objective_percent"], limits["factor"])) is not None:
            bad[name] = _condition(name, burn, rates, limits)
    gone = set(look.tracked) - seen
    return Findings(bad, frozenset(unknown & set(look.tracked)), frozenset(gone))


def over(burn: Burn, objective_percent: float, factor: float) -> tuple[float, float] | None:
    """The burn rates of the long and the short window where both are at least the factor; None otherwise."""
    if not burn.measured or not burn.short_measured:
        return None
    budget_percent = 100.0 - objective_percent
    long = 100.0 * burn.missed / (burn.measured * budget_percent)
    short = 100.0 * burn.short_missed / (burn.short_measured * budget_percent)
    return (long, short) if min(long, short) >= factor else None


def _condition(name: str, burn: Burn, rates: tuple[float, float], limits: Mapping[str, float]) -> Condition:
    long, short = rates
    seconds = "simulated s" if burn.simulated else "s"
    return Condition(
        f"{name} uses up its error budget {long:.0f} times too fast",
        f"It missed its objective in {burn.missed} of {burn.measured} {seconds} of the last "
        f"{limits['long_minutes']:g} min (burn rate {long:.1f}) and in {burn.short_missed} of "
        f"{burn.short_measured} {seconds} of the last {limits['short_minutes']:g} min ({short:.1f}); "
        f"{limits['objective_percent']:g} % are to meet it.",
        f"See on its page what limits it, before it is violated for good: sextant chains show {name}",
    )


SPEC = KindSpec(
    kind=AlertKind.SLO_BURN_RATE,
    title="SLO close to violation",
    summary="A chain misses its objective so often that its error budget is used up too fast (burn rate, two windows)",
    object_kind=AlertObjectKind.CHAIN,
    severity=AlertSeverity.WARNING,
    fire_after_s=0.0,
    resolve_after_s=120.0,
    observe=observe,
    every_s=60.0,
    parameters=(
        Parameter("objective_percent", "Seconds that must meet it", "%", default=99.9, least=50.0, most=99.999),
        Parameter("factor", "Burn rate", "", default=14.4, least=1.0, most=1000.0),
        Parameter("long_minutes", "Long window", "min", default=60.0, least=10.0, most=360.0),
        Parameter("short_minutes", "Short window", "min", default=5.0, least=1.0, most=60.0),
    ),
)
