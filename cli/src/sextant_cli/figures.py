"""Figures and times as texts, with their units."""

from datetime import UTC, datetime

from sextant_domain.console.views import ChainView
from sextant_domain.plans.evidence import Doubt, PlanStatus
from sextant_domain.plans.verdict import verdict_text

NONE = "-"


def mpps(value: float | None) -> str:
    """A throughput in Mpps, four digits after the point; '-' where nothing was measured."""
    return NONE if value is None else f"{value:.4f}"


def marked(figure: str, chain: ChainView) -> str:
    """A figure that was not measured is marked as such (docs/glossary.md, provenance)."""
    return figure if chain.provenance == "measured" or chain.sample is None else f"{figure} ({chain.provenance})"


def gbps(value: float | None) -> str:
    """A throughput in Gbps, three digits after the point; '-' where nothing was measured."""
    return NONE if value is None else f"{value:.3f}"


def micros(value: float | None) -> str:
    """A latency in microseconds, as such or in ms above 10,000."""
    if value is None:
        return NONE
    return f"{value / 1000:.1f} ms" if value >= 10_000 else f"{value:.1f} us"


def percent(value: float | None) -> str:
    """Per cent without decimals."""
    return NONE if value is None else f"{value:.0f} %"


def share(value: float | None) -> str:
    """A part of one as per cent: '0.3 %'; a share above zero never shows as zero."""
    if value is None:
        return NONE
    return "< 0.1 %" if 0 < value < 0.001 else f"{100 * value:.1f} %"


def size(count: int) -> str:
    """Bytes: '712 B', '12.4 kB', '1.3 MB'."""
    for limit, unit, name in ((1000, 1, "B"), (1_000_000, 1000, "kB")):
        if count < limit:
            return f"{count} B" if unit == 1 else f"{count / unit:.1f} {name}"
    return f"{count / 1_000_000:.1f} MB"


def ago(then: datetime | None, now: datetime | None = None) -> str:
    """How long ago, in the largest unit that fits."""
    if then is None:
        return NONE
    seconds = max(0.0, ((now or datetime.now(UTC)) - then).total_seconds())
    for limit, unit, name in ((60, 1, "s"), (3600, 60, "min"), (86400, 3600, "h")):
        if seconds < limit:
            return f"{seconds / unit:.0f} {name} ago"
    return f"{seconds / 86400:.0f} d ago"


def verdict_or_none(status: PlanStatus | None, doubt: Doubt | None) -> str:
    """How good a plan is; '-' while nobody knows."""
    return NONE if status is None else verdict_text(status, doubt)


def or_none(value: object | None) -> str:
    """A value as text; '-' for None."""
    return NONE if value is None else str(value)
