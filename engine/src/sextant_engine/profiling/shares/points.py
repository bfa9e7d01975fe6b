"""The points of a job for shares: a full line first, then rates up to nearly what was carried of it.

Nothing is kept between two points: all follows from the ask and from what was measured so far.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.host import PROFILING_SHARES, HostInventory
from sextant_domain.hosts.measured_shares import HopDelay, MeasuredShares, SharePoint
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf, line_rate_mpps
from sextant_domain.profiling.profile import Estimate
from sextant_domain.profiling.shares_ask import HopDistance, SharesAsk

from sextant_engine.profiling.cores import FreeCores, free_cores
from sextant_engine.profiling.requests import CannotProfile
from sextant_engine.profiling.room import ProfilingRoom
from sextant_engine.profiling.shares.line import NoLine, share_line

HOP_MPPS, HOP_LOAD = 0.5, 0.25
"""What a pair is offered: half an Mpps, as docs/dataplane.md has it, or a quarter of what one NF carries where that is
less: a core that is full shows its queue, not the hop."""


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """What an NF carried at a point, and took of its core; of a hop, the delay."""

    setting: PointSetting
    mpps: float
    cpu_percent: Estimate
    delay_us: Estimate | None = None


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


def hop_nodes(ask: ProfilingAsk, inventory: HostInventory) -> dict[HopDistance, int]:
    """The node that packets are handed on to, by the distances that the host has cores for; none where no hops are
    asked for. Which cores are free changes while a job measures, so that all of them count."""
    if not wanted(ask).hops:
        return {}
    room = ProfilingRoom.of(ask, inventory, free_cores(inventory))
    found: dict[HopDistance, int] = {"same_core": room.local}
    if room.seats[room.local] > 1:
        found["same_node"] = room.local
    if room.remote is not None:
        found["other_node"] = room.remote
    return found


def next_share(
    ask: ProfilingAsk, measured: Sequence[MeasuredShare], hops: Mapping[HopDistance, int]
) -> PointSetting | None:
    """The point to be measured next, after the rates those of `hops` (`hop_nodes`); None once all are, or where nothing
    was carried. `measured`: in the order of the points, that of a full line first."""
    first, asked = measured[0], wanted(ask)
    number = len(measured)
    if first.mpps <= 0:
        return None
    if number > asked.points:
        return _next_hop(first, list(hops.items())[number - asked.points - 1 :])
    fastest = first.mpps * asked.most_percent / 100
    rate = float(f"{fastest * number / asked.points:.4g}")
    return first.setting.model_copy(update={"rate_mpps": rate}) if rate > 0 else None


def _next_hop(first: MeasuredShare, left: Sequence[tuple[HopDistance, int]]) -> PointSetting | None:
    if not left:
        return None
    distance, node = left[0]
    rate = float(f"{min(HOP_MPPS, HOP_LOAD * first.mpps):.4g}")
    second = (StandingNf(nf_type=first.setting.subject.nf_type, node=node),)
    changes = {"purpose": PointPurpose.HOP, "rate_mpps": rate, "hop": distance, "downstream": second}
    return first.setting.model_copy(update=changes)


def shares_of(ask: ProfilingAsk, measured: Sequence[MeasuredShare]) -> MeasuredShares:
    """What was found; that of a full line is no point of the line, since more came than the NF could take."""
    at_rates = [one for one in measured[1:] if one.setting.hop is None]
    points = tuple(sorted((_point(one) for one in at_rates), key=lambda point: point.mpps))
    found = MeasuredShares(
        line=None,
        refused=None,
        points=points,
        carries_mpps=measured[0].mpps,
        packet_bytes=ask.packet_bytes,
        flows=ask.flows,
        hops=tuple(_hop(one) for one in measured if one.setting.hop is not None),
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


def _hop(one: MeasuredShare) -> HopDelay:
    if one.setting.hop is None or one.delay_us is None:
        raise ValueError("a point that hands nothing on has no delay")
    return HopDelay(
        distance=one.setting.hop,
        us=one.delay_us.value,
        half_width_us=one.delay_us.half_width,
        mpps=one.setting.rate_mpps or HOP_MPPS,
    )
