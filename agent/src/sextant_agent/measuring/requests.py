"""A profile request in sextant-measure's words. Pure."""

from collections.abc import Iterator
from typing import Any

from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest


def placed_nfs(request: ProfileRequest) -> Iterator[tuple[str, ProfiledNf]]:
    """Every NF of it with the field it stands in: `nf`, `upstream.0`, `downstream.0`, `others.1`."""
    yield "nf", request.nf
    for field in ("upstream", "downstream", "others"):
        yield from ((f"{field}.{number}", nf) for number, nf in enumerate(getattr(request, field)))


def program_request(request: ProfileRequest) -> dict[str, Any]:
    """One sample of it."""
    asked: dict[str, Any] = {"mode": request.mode.value, "nf": load_of(request.nf)}
    if request.others:
        asked["others"] = [competitor(nf) for nf in request.others]
    if request.mode is ProfileMode.COLOCATION:
        asked["pairs"] = request.pairs
    else:
        asked["seconds"] = request.seconds
    return asked


def competitor(nf: ProfiledNf) -> dict[str, Any]:
    """With the rate that it is offered."""
    load, rate = load_of(nf), nf.traffic.rate_mpps
    return load if rate is None else {**load, "source": {**load["source"], "rate_mpps": rate}}


def load_of(nf: ProfiledNf) -> dict[str, Any]:
    """Type, configuration, core, and the source of its packets."""
    match = nf.traffic.match
    return {
        "type": nf.runs,
        "config": nf.config,
        "core": nf.core,
        "source": {
            "packet_bytes": nf.traffic.packet_bytes,
            "flows": nf.traffic.flows,
            "match": {
                "src_prefix": str(match.src_prefix),
                "dst_prefix": str(match.dst_prefix),
                "protocol": match.protocol,
                "dst_port": match.dst_port,
            },
        },
    }
