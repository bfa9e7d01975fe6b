"""What SRv6-INT's global loop reads in a turn: chains with quota bounds, their lanes on whichever hosts, and hosts that
may take more of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.telemetry import CoreSample, NfSample
from sextant_engine.control.srv6.along_path import along_path
from sextant_engine.control.srv6.chains import ChainSeen, HostRoom, LaneSeen
from sextant_engine.control.srv6.resources import RAISE_FACTOR
from sqlalchemy.orm import Session

from sextant_backend.laws.host_reading import HostRead, early_rates, is_newer, read_rates
from sextant_backend.laws.paced.reading import PacedReader, PacedReading
from sextant_backend.laws.srv6.members import (
    BoundedChain,
    HostMembers,
    bounded_chains,
    may_take,
    members_of,
    stays,
)
from sextant_backend.laws.srv6.memory import RefusedMove
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.telemetry import early as telemetry_early
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.early import Early

WHOLE_S = timedelta(seconds=1)
"""A second that ends sooner after what was reported early had begun is of before it as well."""


@dataclass(frozen=True)
class Reading(PacedReading):
    """Hosts that run chains with quota bounds; of `rates` those of hosts that may take lanes, too."""

    takers: Mapping[str, HostRead]
    """Others, that may take lanes or run lanes of these."""
    where: Mapping[str, str]
    """By chain of these hosts, and of others that run lanes of theirs: the host that it is ordered on."""
    bounded: Mapping[str, Mapping[str, BoundedNf]]
    """By host and NF: how the host's local loop stands with it."""
    nfs: Mapping[str, NfSample]
    """By NF of hosts that run such chains."""
    cores: Mapping[str, tuple[CoreSample, ...]]
    """By host."""
    stays: Mapping[str, str]
    """By chain of these hosts that does not leave its own: why."""
    reported: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """By host: NFs that were saturated when it last reported early. It reports again once that changes."""
    brief: frozenset[str] = frozenset()
    """Hosts whose rates are those of an early report."""
    early: frozenset[str] = frozenset()
    """Those of which nothing newer is known than that report."""


class FleetReader(PacedReader[Reading, HostMembers]):
    """Reads what has changed since the turn before; the rest it remembers."""

    def reading(self, session: Session, now: datetime, running: Mapping[str, HostRead]) -> Reading:
        """Of the hosts that run a chain."""
        hosts = {name: host for name, host in running.items() if bounded_chains(host)}
        registered = self._hosts.registered if hosts else {}
        beside = _with_lanes_of(hosts, registered)
        takers = {
            name: host
            for name, host in registered.items()
            if name not in hosts and (name in beside or may_take(host.inventory))
        }
        both, near = hosts | takers, {*hosts, *beside}
        where = {chain.chain: name for name in near for chain in registered[name].content.chains}
        named = chains.ends_named(session, where) if where else {}
        read = Reading(
            now,
            hosts,
            read_rates(session, both),
            takers,
            where,
            telemetry.bounded_nfs(session, near),
            {nf_id: sample for (nf_id, _), sample in telemetry.latest_nfs(session, near).items()} if near else {},
            telemetry.latest_cores(session, both),
            {name: why for name, ends in named.items() if (why := stays(*ends)) is not None},
        )
        return _with_early(read, telemetry_early.of(session, near))

    def concerned(self, running: Mapping[str, HostRead], only: frozenset[str]) -> frozenset[str]:
        """And hosts that run the first lanes of chains there, or where packets enter with a first part: of those chains
        it is decided with them."""
        there = [chain for name in only & running.keys() for chain in running[name].content.chains]
        firsts = {lane.of for chain in there if (lane := chain.traffic.lane) is not None and lane.number > 1}
        firsts |= {path.chains[0] for chain in there if (path := chain.path) is not None and not path.enters}
        homes = (name for name, host in running.items() if firsts & {one.chain for one in host.content.chains})
        return only | frozenset(homes if firsts else ())

    def host(self, read: Reading, name: str) -> HostRead:
        """One that the law looks at, or that may take lanes."""
        return read.hosts.get(name) or read.takers[name]

    def members_of(self, read: Reading, host: HostRead, kept: frozenset[str]) -> HostMembers:  # noqa: ARG002 - a reader's shape
        """Of a host that has changed."""
        return members_of(host, kept)


def _with_lanes_of(hosts: Mapping[str, HostRead], registered: Mapping[str, HostRead]) -> frozenset[str]:
    """Others that run lanes, or parts, of chains of these."""
    here = [chain for host in hosts.values() for chain in host.content.chains]
    divided = {lane.of for chain in here if (lane := chain.traffic.lane) is not None}
    parts = {name for chain in here if chain.path is not None for name in chain.path.chains}
    if not divided and not parts:
        return frozenset()
    others = ((name, chain) for name, host in registered.items() if name not in hosts for chain in host.content.chains)
    return frozenset(
        name
        for name, chain in others
        if chain.chain in parts or ((lane := chain.traffic.lane) is not None and lane.of in divided)
    )


def _with_early(read: Reading, early: Mapping[str, Early]) -> Reading:
    """What hosts have reported early takes the place of what was measured before. Of the second in which it was the
    figures are of before it as well: rates stay those of the early report, until a whole one has passed."""
    early = {name: one for name, one in early.items() if one.report.bounded_nfs and name in read.rates}
    newer = {name for name, one in early.items() if is_newer(one, read.rates[name])}
    brief = {name: one for name, one in early.items() if read.rates[name].at - _begun(one) < WHOLE_S}
    rates, nfs, cores = dict(read.rates), dict(read.nfs), dict(read.cores)
    for name, one in brief.items():
        second, of_early = rates[name], early_rates(one)
        mpps = {**second.mpps, **of_early.mpps}
        filtered = {**second.filtered_mpps, **of_early.filtered_mpps}
        rates[name] = replace(of_early if name in newer else second, mpps=mpps, filtered_mpps=filtered)
        nfs |= {nf.nf_id: nf for nf in one.report.nfs if read.where.get(nf.chain) == name}
        cores[name] = one.report.cores or cores.get(name, ())
    bounded = {name: {nf.nf_id: nf for nf in early[name].report.bounded_nfs} for name in newer}
    return replace(
        read,
        rates=rates,
        nfs=nfs,
        cores=cores,
        bounded={**read.bounded, **bounded},
        reported={name: frozenset(nf.nf_id for nf in one.report.overloaded) for name, one in early.items()},
        brief=frozenset(brief),
        early=frozenset(newer),
    )


def _begun(early: Early) -> datetime:
    """When what it says began: a second before it at most."""
    stood_s = max((min(1.0, nf.stood_s) for nf in early.report.overloaded), default=0.0)
    return early.at - timedelta(seconds=stood_s)


@dataclass(frozen=True, slots=True)
class Measured:
    """A chain, and when each of its lanes was measured."""

    chain: ChainSeen
    at_s: tuple[float, ...]
    heard_s: tuple[float | None, ...]
    """When it was heard that a lane has a saturated NF, whose host says at once when that is over; None: it has none,
    or its host does not."""

    @property
    def oldest_s(self) -> float:
        """Of its lanes."""
        return min(self.at_s)

    def as_of(self, at_s: float, now_s: float) -> ChainSeen:
        """For how long what it says has been so by `at_s`, and has gone on since."""
        lanes = tuple(
            replace(lane, stood_s=lane.stood_s - (lane_s - at_s)) if lane.saturated is not None else lane
            for lane, lane_s in zip(self.chain.lanes, self.at_s, strict=True)
        )
        goes_on_s = [
            lane_s - at_s + max(0.0, now_s - heard_s)
            for lane_s, heard_s in zip(self.at_s, self.heard_s, strict=True)
            if heard_s is not None
        ]
        return replace(self.chain, lanes=lanes, goes_on_s=max(goes_on_s, default=None))


@dataclass(frozen=True, slots=True)
class _Part:
    """A lane, or a part of one, on the one host that has it."""

    seen: LaneSeen
    at_s: float
    heard_s: float | None
    need: float
    """Cores that its NFs use, if it carried all that enters with the first part: at least, where some are uncounted."""
    uncounted: tuple[str, ...]
    """NFs whose CPU time is not measured."""


def seen(read: Reading, chain: BoundedChain, barred: Mapping[str, str]) -> Measured | str:
    """The chain with all its lanes; or why that is not known. `barred`: hosts to which it cannot be moved."""
    found = [_lane(read, chain, chain.parts if name == chain.lanes[0] else (name,)) for name in chain.lanes]
    why = next((one for one in found if isinstance(one, str)), None)
    if why is not None:
        return why
    lanes = [one for one in found if not isinstance(one, str)]
    together = ChainSeen(
        lanes=tuple(one.seen for one in lanes),
        need=lanes[0].need,
        nfs=len(chain.nf_ids),
        uncounted=lanes[0].uncounted,
        why_not=chain.why_not,
        stays=chain.stays or read.stays.get(chain.first.chain),
        barred=barred,
        brief=any(read.where[name] in read.brief for name in chain.carriers),
    )
    return Measured(together, tuple(one.at_s for one in lanes), tuple(one.heard_s for one in lanes))


def _lane(read: Reading, chain: BoundedChain, names: Sequence[str]) -> _Part | str:
    """One lane, of these parts; or why nothing is known of it. Hosts measure at moments of their own: what each says is
    brought to the earliest."""
    parts = list[_Part]()
    for name in names:
        filtered = sum(part.seen.filtered_mpps for part in parts)
        entered = parts[0].seen.offered_mpps - filtered if parts else None
        part = _part(read, chain, name, entered)
        if isinstance(part, str):
            return part
        parts.append(part)
    at_s = min(part.at_s for part in parts)
    alike = [replace(part.seen, stood_s=part.seen.stood_s - (part.at_s - at_s)) for part in parts]
    heard_s = [part.heard_s - (part.at_s - at_s) for part in parts if part.heard_s is not None]
    lane = along_path([part if part.saturated is not None else replace(part, stood_s=0.0) for part in alike])
    uncounted = tuple(nf_id for part in parts for nf_id in part.uncounted)
    return _Part(lane, at_s, min(heard_s, default=None), sum(part.need for part in parts), uncounted)


def _part(read: Reading, chain: BoundedChain, name: str, entered: float | None) -> _Part | str:
    """`entered`: what would come, were nothing lost before; None: it is the first."""
    host = read.where.get(name)
    if host is None:
        return f"{name} is on no host that is read"
    rates = read.rates.get(host)
    if rates is None or name not in rates.mpps:
        return f"{name} was not measured on {host}"
    offered, carried = rates.mpps[name]
    nfs = [nf for nf in read.bounded.get(host, {}).values() if nf.chain == name]
    parts = [nf.p95_us / nf.max_p95_us for nf in nfs if nf.p95_us is not None]
    saturated = sorted((nf for nf in nfs if _has_no_more(nf)), key=_worst_first)
    stood_s = max((nf.stood_s or 0.0 for nf in saturated), default=0.0)
    worst, needs = max(parts, default=None), saturated[0].nf_id if saturated else None
    lacks = sum(_lacks(nf, chain.first.quota_bounds, read.nfs.get(nf.nf_id), offered, carried) for nf in saturated)
    goes_on = any(nf.nf_id in read.reported.get(host, ()) for nf in saturated)
    here = [nf_id for nf_id in chain.nf_ids if nf_id.split(".", 1)[0] == name]
    to_carry = offered if entered is None else max(0.0, entered)
    samples = {nf_id: read.nfs[nf_id] for nf_id in here if nf_id in read.nfs}
    return _Part(
        LaneSeen(offered, carried, worst, needs, stood_s, lacks, rates.filtered_mpps.get(name, 0.0)),
        rates.at.timestamp(),
        rates.heard_at.timestamp() if goes_on else None,
        sum(cores for sample in samples.values() for cores in _cores_of(sample, to_carry, carried)),
        tuple(nf_id for nf_id, sample in samples.items() if sample.cpu_percent is None and sample.rx_mpps > 0),
    )


def barred(chain: str, home: HostRead, refused: Iterable[RefusedMove], marks: Mapping[str, str]) -> dict[str, str]:
    """Hosts to which a move of it could not be planned, and why, where neither has changed since. `marks`: by host."""
    return {one.to: one.why for one in refused if one.chain == chain and one.marks == (home.mark, marks.get(one.to))}


def _has_no_more(nf: BoundedNf) -> bool:
    """Its host can give it nothing, be it that there is nothing or that it cannot."""
    if nf.state is QuotaState.SATURATED:
        return True
    return nf.state is QuotaState.HELD and nf.p95_us is not None and nf.p95_us > nf.max_p95_us


def _worst_first(nf: BoundedNf) -> tuple[float, str]:
    return -(nf.p95_us or 0.0) / nf.max_p95_us, nf.nf_id


def _lacks(nf: BoundedNf, bounds: QuotaBounds | None, sample: NfSample | None, offered: float, carried: float) -> float:
    """Cores' worth of time that its bounds would grant it next: the local loop's step, or what it needs to carry all.
    0 where they grant no more, or its host cannot change its quota at all."""
    if bounds is None or nf.quota_percent is None or nf.state is not QuotaState.SATURATED:
        return 0.0
    has = nf.quota_percent
    used = None if sample is None else sample.cpu_percent
    step = RAISE_FACTOR * has
    wants = step if used is None or carried <= 0 else max(step, used * offered / carried)
    lacks = min(wants, bounds.most_percent) - has
    return lacks / 100 if lacks >= 1 else 0.0  # quotas are set in whole percents


def _cores_of(sample: NfSample, to_carry: float, carried: float) -> Iterator[float]:
    """If its lane carried all that it is offered; nothing of an NF that is not measured."""
    if sample.cpu_percent is not None:
        lacking = to_carry / carried if carried > 0 else 1.0
        yield sample.cpu_percent / 100 * max(1.0, lacking)


def used_beside_uncounted(read: Reading) -> dict[str, float]:
    """Of hosts with NFs whose CPU time is not measured, so that nobody knows what is other work there: cores' worth of
    time that all other NFs use. The uncounted have none of the host's CPU budget: it is one of processes."""
    uncounted, used = set[str](), dict[str, float]()
    for nf in read.nfs.values():
        host = read.where.get(nf.chain)
        if host is not None and nf.cpu_percent is not None:
            used[host] = used.get(host, 0.0) + nf.cpu_percent / 100
        elif host is not None and nf.rx_mpps > 0:
            uncounted.add(host)
    return {host: used.get(host, 0.0) for host in uncounted}


def room(
    members: HostMembers, cores: Collection[CoreSample], counted_percent: float, used_by_nfs: float | None = None
) -> HostRoom:
    """What is left of a host, where so much of other work counts: all that its cores are busy where nobody knows what
    is other work. The agent's own measuring gives way. All its NFs have its CPU budget together, if there is one.
    `used_by_nfs`: cores' worth; None: by what its cores are busy without other work."""
    inventory, given_way = members.host.inventory, 1 - counted_percent / 100
    for_nfs = [core for core in cores if core.core in inventory.cores_for_nfs]
    free = sum(_unused(core, given_way) for core in for_nfs)
    if inventory.cpu_budget_percent is not None:
        used = sum(map(_of_nfs, for_nfs)) if used_by_nfs is None else used_by_nfs
        free = min(free, max(0.0, inventory.cpu_budget_percent / 100 - used))
    return HostRoom(free, members.slots, all_counts=given_way > 0 and any(map(_other_is_unknown, for_nfs)))


def _other_is_unknown(core: CoreSample) -> bool:
    return core.other_percent is None and core.measuring_percent is None and core.busy_percent > 0


def _of_nfs(core: CoreSample) -> float:
    """Cores' worth."""
    return max(0.0, core.busy_percent - (core.other_percent or 0.0) - (core.measuring_percent or 0.0)) / 100


def _unused(core: CoreSample, given_way: float) -> float:
    gives_way = given_way * (core.other_percent or 0.0) + (core.measuring_percent or 0.0)
    return min(1.0, max(0.0, 1 - (core.busy_percent - gives_way) / 100))
