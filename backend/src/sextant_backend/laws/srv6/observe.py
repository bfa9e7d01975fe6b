"""What SRv6-INT's global loop reads in a turn: chains with quota bounds, their lanes on whichever hosts, and hosts that
may take more of them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.telemetry import CoreSample, NfSample
from sextant_engine.control.srv6.chains import ChainSeen, HostRoom, LaneSeen
from sextant_engine.control.srv6.resources import RAISE_FACTOR
from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import HostRead, read_rates
from sextant_backend.laws.paced.reading import PacedReader, PacedReading
from sextant_backend.laws.srv6.members import BoundedChain, HostMembers, may_take, members_of, stays
from sextant_backend.laws.srv6.memory import RefusedMove
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.telemetry import repository as telemetry


@dataclass(frozen=True)
class Reading(PacedReading):
    """Hosts that run chains with quota bounds; of `rates` those of hosts that may take lanes, too."""

    takers: Mapping[str, HostRead]
    """Hosts that run none, and may take lanes of others."""
    where: Mapping[str, str]
    """By chain of these hosts: the host that it is ordered on."""
    bounded: Mapping[str, Mapping[str, BoundedNf]]
    """By host and NF: how the host's local loop stands with it."""
    nfs: Mapping[str, NfSample]
    """By NF of hosts that run such chains."""
    cores: Mapping[str, tuple[CoreSample, ...]]
    """By host."""
    stays: Mapping[str, str]
    """By chain of these hosts that does not leave its own: why."""


class FleetReader(PacedReader[Reading, HostMembers]):
    """Reads what has changed since the turn before; the rest it remembers."""

    def reading(self, session: Session, now: datetime, running: Mapping[str, HostRead]) -> Reading:
        """Of the hosts that run a chain."""
        hosts = {name: host for name, host in running.items() if _is_bounded(host)}
        takers: dict[str, HostRead] = {}
        if hosts:
            registered = self._hosts.registered.items()
            takers = {name: host for name, host in registered if name not in hosts and may_take(host.inventory)}
        both = hosts | takers
        where = {chain.chain: name for name, host in hosts.items() for chain in host.content.chains}
        named = chains.ends_named(session, where) if where else {}
        return Reading(
            now,
            hosts,
            read_rates(session, both),
            takers,
            where,
            telemetry.bounded_nfs(session, hosts),
            {nf_id: sample for (nf_id, _), sample in telemetry.latest_nfs(session, hosts).items()} if hosts else {},
            telemetry.latest_cores(session, both),
            {name: why for name, ends in named.items() if (why := stays(*ends)) is not None},
        )

    def host(self, read: Reading, name: str) -> HostRead:
        """One that the law looks at, or that may take lanes."""
        return read.hosts.get(name) or read.takers[name]

    def members_of(self, read: Reading, host: HostRead, kept: frozenset[str]) -> HostMembers:  # noqa: ARG002 - a reader's shape
        """Of a host that has changed."""
        return members_of(host, kept)


def _is_bounded(host: HostRead) -> bool:
    return any(chain.quota_bounds is not None for chain in host.content.chains)


def seen(read: Reading, chain: BoundedChain, barred: Mapping[str, str]) -> tuple[float, ChainSeen] | str:
    """When the oldest of it was measured, and the chain with all its lanes; or why that is not known. `barred`: hosts
    to which it cannot be moved."""
    lanes, oldest = [], float("inf")
    for name in chain.lanes:
        host = read.where.get(name)
        if host is None:
            return f"{name} is on no host that is read"
        rates = read.rates.get(host)
        if rates is None or name not in rates.mpps:
            return f"{name} was not measured on {host}"
        oldest = min(oldest, rates.at.timestamp())
        offered, carried = rates.mpps[name]
        nfs = [nf for nf in read.bounded.get(host, {}).values() if nf.chain == name]
        parts = [nf.p95_us / nf.max_p95_us for nf in nfs if nf.p95_us is not None]
        saturated = sorted((nf for nf in nfs if _has_no_more(nf)), key=lambda nf: nf.nf_id)
        stood_s = max((nf.stood_s or 0.0 for nf in saturated), default=0.0)
        worst, needs = max(parts, default=None), saturated[0].nf_id if saturated else None
        lacks = sum(_lacks(nf, chain.first.quota_bounds, read.nfs.get(nf.nf_id), offered, carried) for nf in saturated)
        lanes.append(LaneSeen(offered, carried, worst, needs, stood_s, lacks))
    need = sum(_cores_of(read.nfs.get(nf.nf_id), lanes[0]) for nf in chain.first.nfs)
    why_stays = read.stays.get(chain.first.chain)
    return oldest, ChainSeen(tuple(lanes), need, len(chain.first.nfs), chain.why_not, why_stays, barred)


def barred(chain: str, home: HostRead, refused: Iterable[RefusedMove], marks: Mapping[str, str]) -> dict[str, str]:
    """Hosts to which a move of it could not be planned, and why, where neither has changed since. `marks`: by host."""
    return {one.to: one.why for one in refused if one.chain == chain and one.marks == (home.mark, marks.get(one.to))}


def _has_no_more(nf: BoundedNf) -> bool:
    """Its host can give it nothing, be it that there is nothing or that it cannot."""
    if nf.state is QuotaState.SATURATED:
        return True
    return nf.state is QuotaState.HELD and nf.p95_us is not None and nf.p95_us > nf.max_p95_us


def _lacks(nf: BoundedNf, bounds: QuotaBounds | None, sample: NfSample | None, offered: float, carried: float) -> float:
    """Cores' worth of time that its bounds would grant it next: the local loop's step, or what it needs to carry all.
    0 where they grant no more, or its host cannot change its quota at all."""
    if bounds is None or nf.quota_percent is None or nf.state is not QuotaState.SATURATED:
        return 0.0
    has = nf.quota_percent
    used = 0.0 if sample is None else sample.cpu_percent
    wants = max(RAISE_FACTOR * has, used * offered / carried if carried > 0 else 0.0)
    lacks = min(wants, bounds.most_percent) - has
    return lacks / 100 if lacks >= 1 else 0.0  # quotas are set in whole percents


def _cores_of(sample: NfSample | None, lane: LaneSeen) -> float:
    """If its lane carried all that it is offered."""
    if sample is None:
        return 0.0
    lacking = lane.offered_mpps / lane.carried_mpps if lane.carried_mpps > 0 else 1.0
    return sample.cpu_percent / 100 * max(1.0, lacking)


def room(members: HostMembers, cores: Collection[CoreSample], counted_percent: float) -> HostRoom:
    """What is left of a host, where so much of other work counts. The agent's own measuring gives way."""
    for_nfs, given_way = set(members.host.inventory.cores_for_nfs), 1 - counted_percent / 100
    return HostRoom(sum(_unused(core, given_way) for core in cores if core.core in for_nfs), members.slots)


def _unused(core: CoreSample, given_way: float) -> float:
    gives_way = given_way * (core.other_percent or 0.0) + (core.measuring_percent or 0.0)
    return min(1.0, max(0.0, 1 - (core.busy_percent - gives_way) / 100))
