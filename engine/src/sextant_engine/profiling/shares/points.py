"""The points of a job for shares: a full line first, then rates up to nearly what was carried of it.

Nothing is kept between two points: all follows from the ask and from what was measured so far.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sextant_domain.hosts.host import PROFILING_SHARES, HostInventory
from sextant_domain.hosts.measured_shares import MeasuredShares, SharePoint
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf, line_rate_mpps
from sextant_domain.profiling.profile import Estimate
from sextant_domain.profiling.shares_ask import SharesAsk

from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.requests import CannotProfile
from sextant_engine.profiling.room import ProfilingRoom
from sextant_engine.profiling.shares.line import NoLine, share_line


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """What an NF carried at a point, and took of its core."""

    setting: PointSetting
    mpps: float
    cpu_percent: Estimate


def wanted(ask: ProfilingAsk) -> SharesAsk:
    """Raises ValueError for an ask that wants something else."""
    if ask.shares is None:
        raise ValueError("the ask is not for shares")
    return ask.shares


def first_point(ask: ProfilingAsk, inventory: HostInventory, free: FreeCores) -> PointSetting:
    """A full line of packets, on the node that they arrive on: what the NF carries of it sets the other rates. Raises
    CannotProfile where the host cannot tell, or has no free core there."""
    why_not = inventory.why_not(PROFILING_SHARES)
    if why_not is not None:
        message = f"{inventory.host_id} cannot tell what part of a core an NF takes at a rate: {why_not}"
        raise CannotProfile("host", f"{message}; choose another host")
    local = ProfilingRoom.of(ask, inventory, free).local
    return PointSetting(
        purpose=PointPurpose.SHARE,
        ingress_node=local,
        chain=(StandingNf(nf_type=ask.nf_type, node=local),),
        rate_mpps=line_rate_mpps(ask.packet_bytes),
    )


def next_share(ask: ProfilingAsk, measured: Sequence[MeasuredShare]) -> PointSetting | None:
    """The point to be measured next; None once all are, or where nothing was carried. `measured`: in the order of the
    points, that of a full line first."""
    first, asked = measured[0], wanted(ask)
    number = len(measured)
    if number > asked.points or first.mpps <= 0:
        return None
    fastest = first.mpps * asked.most_percent / 100
    rate = float(f"{fastest * number / asked.points:.4g}")
    return first.setting.model_copy(update={"rate_mpps": rate}) if rate > 0 else None


def shares_of(ask: ProfilingAsk, measured: Sequence[MeasuredShare]) -> MeasuredShares:
    """What was found; that of a full line is no point of the line, since more came than the NF could take."""
    points = tuple(sorted((_point(one) for one in measured[1:]), key=lambda point: point.mpps))
    found = MeasuredShares(
        line=None,
        refused=None,
        points=points,
        carries_mpps=measured[0].mpps,
        packet_bytes=ask.packet_bytes,
        flows=ask.flows,
    )
    try:
        return found.model_copy(update={"line": share_line(points)})
    except NoLine as error:
        return found.model_copy(update={"refused": str(error)})


def _point(one: MeasuredShare) -> SharePoint:
    width = one.cpu_percent.half_width
    return SharePoint(
        mpps=one.mpps, share=one.cpu_percent.value / 100, half_width=None if width is None else width / 100
    )
