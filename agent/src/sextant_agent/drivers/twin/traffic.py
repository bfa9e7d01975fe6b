"""Ordered traffic in the twin's words: pure."""

from typing import Any

from sextant_domain.chains.traffic import Traffic
from sextant_domain.chains.traffic_kinds import OnOff, Poisson, Trace, shares_of
from sextant_twin.points import FCS_BYTES


def traffic_of(traffic: Traffic) -> dict[str, Any]:
    """What is offered. A capture counts as frames of the size that is planned with; the shares of flows are not looked
    at: the twin's NFs go over their flows evenly. A lane has as many of them as its weight says."""
    sizes = ((traffic.packet_bytes, 1),) if traffic.sizes is None else shares_of(traffic.sizes)
    whole = sum(weight for _, weight in sizes)
    return {
        "rate_pps": traffic.rate_mpps * 1e6,
        "frames": [{"bytes": size + FCS_BYTES, "share": weight / whole} for size, weight in sizes],
        "flows": traffic.flows if traffic.lane is None else max(1, round(traffic.flows * traffic.lane.share)),
    }


def arrivals_of(traffic: Traffic) -> dict[str, Any] | None:
    """How packets come; None: evenly."""
    match traffic.arrivals:
        case Poisson():
            return {"poisson": True}
        case OnOff(on_ms=on, off_ms=off):
            return {"shape": {"kind": "on_off", "on_s": on / 1e3, "off_s": off / 1e3}}
        case Trace() as trace:
            return {"shape": _replay(trace, traffic.rate_mpps * 1e6 / trace.mean_factor)}
        case _:
            return None


def _replay(trace: Trace, pps: float) -> dict[str, Any]:
    """`pps`: packets a second at factor 1."""
    at, points = 0.0, []
    for step in trace.steps:
        points.append((at, step.factor * pps))
        at += step.seconds
    return {"kind": "replay", "points": points, "every_s": at}
