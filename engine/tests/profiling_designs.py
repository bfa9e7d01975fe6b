"""Designed sets of a host, for tests."""

from collections import Counter

from engine_profiles import NF_TYPES, host
from sextant_domain.profiling.job import PointPurpose, ProfilingAsk
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import MeasuredPoint, design
from sextant_engine.profiling.requests import request_of

ASK = ProfilingAsk(nf_type="firewall", host="big-1")


def designed(inventory, ask=ASK, nf_types=NF_TYPES, busy=(), **known):
    return design(ask, inventory, free_cores(inventory, busy), nf_types, **known)


def purposes(made):
    return Counter(point.purpose.value for point in made.points)


def of(made, purpose):
    return [point for point in made.points if point.purpose is PointPurpose(purpose)]


def measured_as(point, ask=ASK, nf_types=NF_TYPES, **changes):
    """As a job with that ask would have stored it."""
    request = request_of(point, ask, host(), free_cores(host()), nf_types)
    everyone = (request.nf, *request.upstream, *request.downstream, *request.others)
    fields = {
        "setting": point,
        "versions": {nf.nf_type: nf.nf_version for nf in everyone},
        "packet_bytes": request.nf.traffic.packet_bytes,
        "flows": request.nf.traffic.flows,
        "rate_mpps": request.others[0].traffic.rate_mpps if point.others else None,
        "half_width_percent": ask.half_width_percent,
    }
    return MeasuredPoint(**fields | changes)
