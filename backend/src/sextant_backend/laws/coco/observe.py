"""What CoCo's law reads in a turn: what has changed of hosts, and what hosts whose NFs share cores measured last."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sextant_domain.chains.lane import LANES
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.telemetry import CoreSample, NfSample
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_domain.plans.compact import HopDelays
from sextant_engine.control.coco.loads import dropped_later
from sqlalchemy.orm import Session

from sextant_backend.laws.coco.members import HostMembers, members_of
from sextant_backend.laws.host_reading import HostRead, Rates, early_rates, is_newer, read_rates
from sextant_backend.laws.paced.reading import PacedReader, PacedReading
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.shares.in_use import PromotedLine, promoted
from sextant_backend.modules.telemetry import early as telemetry_early
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry.early import Early

_FULL_RING = 99.0
"""Percent: sources fill a ring to the last place."""


@dataclass(frozen=True, slots=True)
class Busy:
    """What uses the cores of a host."""

    nfs: Mapping[str, NfSample]
    cores: tuple[CoreSample, ...]

    def others(self, counted_percent: float) -> dict[int, float]:
        """By core, the share of its time that no NF used: source and sink, and so much of other work. Where that is not
        told apart, because an NF came or went, all of it counts, as does that of NFs whose time is not measured. The
        agent's own measuring does not: it gives way."""
        given_way = 1 - counted_percent / 100
        used: dict[int, float] = {}
        for sample in self.nfs.values():
            if sample.cpu_percent is None:
                continue
            used[sample.core] = used.get(sample.core, 0.0) + sample.cpu_percent
        for core in self.cores:
            gives_way = given_way * (core.other_percent or 0.0) + (core.measuring_percent or 0.0)
            used[core.core] = used.get(core.core, 0.0) + gives_way
        return {one.core: max(0.0, one.busy_percent - used[one.core]) / 100 for one in self.cores}


@dataclass(frozen=True)
class Reading(PacedReading):
    """Hosts on which more than one NF stands on some core."""

    busy: Mapping[str, Busy]
    lines: Mapping[str, Mapping[str, PromotedLine]]
    """By host model and NF type: CoCo's f, where an operator has promoted one."""
    delays: Mapping[str, HopDelays]
    """By host model of which hops were measured: CoCo's t_d."""
    ties: Mapping[str, Mapping[str, str]]
    """By host and NF, of those that have one."""
    stood: Mapping[str, Mapping[str, float]]
    """By host whose newest report is an early one: NFs that are overloaded there, and for how many seconds."""
    idle: Mapping[str, HostRead] | None
    """Hosts that run nothing and could take lanes of others; None: nobody has asked for them in the turn before."""


class FleetReader(PacedReader[Reading, HostMembers]):
    """Reads what has changed since the turn before; the rest it remembers."""

    wants_idle: bool = False
    """Hosts that run nothing are read in the next turn: a large fleet has many, and few turns need them."""

    def read(self, session: Session, only: frozenset[str] | None = None) -> Reading:
        """In a turn of a few hosts nobody asks for others: the next one of all does."""
        wants_idle = self.wants_idle
        self.wants_idle = wants_idle and only is None
        read = super().read(session, only)
        self.wants_idle = wants_idle and only is not None
        return read

    def reading(self, session: Session, now: datetime, running: Mapping[str, HostRead]) -> Reading:
        """Of the hosts that run a chain and share cores: there an NF can be pushed aside, or a lane stand beside
        another."""
        hosts = {name: host for name, host in running.items() if host.shares_cores}
        idle = None
        if self.wants_idle:
            registered = self._hosts.registered.items()
            idle = {name: host for name, host in registered if name not in running and _takes(host)}
        both = hosts | (idle or {})
        known = promoted(session, {host.inventory.host_model for host in both.values()})
        rates, busy, ties = read_rates(session, both), read_busy(session, both), read_ties(session, hosts)
        early = telemetry_early.of(session, hosts)
        early = {name: one for name, one in early.items() if is_newer(one, rates.get(name))}
        rates |= {name: early_rates(one) for name, one in early.items()}
        busy |= {name: _busy_of(one) for name, one in early.items()}
        stood = {name: {nf.nf_id: nf.stood_s for nf in one.report.overloaded} for name, one in early.items()}
        return Reading(now, hosts, rates, busy, known.lines, known.delays, ties, stood, idle)

    def host(self, read: Reading, name: str) -> HostRead:
        """One that the law looks at, or that is idle."""
        return read.hosts.get(name) or (read.idle or {})[name]

    def also_by(self, read: Reading, host: HostRead) -> tuple[object, ...]:
        """A chain's place is stored after its order: its ties may be read a turn later."""
        return (tuple(sorted(read.ties.get(host.inventory.host_id, {}).items())),)

    def members_of(self, read: Reading, host: HostRead, kept: frozenset[str]) -> HostMembers:
        """Of a host that has changed."""
        return members_of(host, kept, read.ties.get(host.inventory.host_id, {}))


def _busy_of(early: Early) -> Busy:
    return Busy({one.nf_id: one for one in early.report.nfs}, early.report.cores)


def _takes(host: HostRead) -> bool:
    return host.shares_cores and host.inventory.why_not(LANES) is None


def read_ties(session: Session, names: Collection[str]) -> dict[str, dict[str, str]]:
    """By host and NF that has one: its tie."""
    found: dict[str, dict[str, str]] = {}
    for nf, tie in chains.placed_with_ties(session, names) if names else ():
        found.setdefault(nf.host_id, {})[nf.nf_id] = tie
    return found


def read_busy(session: Session, names: Collection[str]) -> dict[str, Busy]:
    """The newest second of these hosts."""
    if not names:
        return {}
    nfs: dict[str, dict[str, NfSample]] = {}
    for (nf_id, host_id), sample in telemetry.latest_nfs(session, names).items():
        nfs.setdefault(host_id, {})[nf_id] = sample
    return {
        host_id: Busy(nfs.get(host_id, {}), cores) for host_id, cores in telemetry.latest_cores(session, names).items()
    }


def lines_of(
    members: HostMembers, lines: Mapping[str, Mapping[str, PromotedLine]], host_model: str | None = None
) -> dict[str, PromotedLine]:
    """By NF of the host: the line of its type, where one is in use that was measured at the NF's version. `host_model`:
    another than the host's own."""
    of_types = lines.get(host_model or members.host.inventory.host_model, {})
    found: dict[str, PromotedLine] = {}
    for nf in (nf for chain in members.chains.values() for nf in chain.nfs):
        line = of_types.get(nf.nf_type)
        if line is not None and line.nf_version == nf.nf_version:
            found[nf.nf_id] = line
    return found


def observation(
    members: HostMembers,
    rates: Rates | None,
    busy: Busy | None,
    parameters: CocoParameters,
    stood: Mapping[str, float] | None = None,
) -> CocoObservation:
    """What the law is told. An NF that does not say how busy it is, is left out: the law holds still. `stood`: of an
    early report, for how many seconds NFs have been overloaded; None: it is one of a second."""
    samples = {} if busy is None else busy.nfs
    use = {name: one.utilisation_percent for name, one in samples.items()}
    mpps = {} if rates is None else {name: rates.mpps[name] for name in members.chains if name in rates.mpps}
    return CocoObservation.model_construct(
        at_s=float("-inf") if rates is None else rates.at.timestamp(),
        use={name: percent / 100 for name, percent in use.items() if percent is not None},
        others={} if busy is None else busy.others(parameters.other_work_percent),
        offered_mpps={name: _reaches(members.chains[name], *rate, samples) for name, rate in mpps.items()},
        waited=frozenset(name for name in mpps if _waits(members.chains[name], samples)),
        carried_mpps={name: carried for name, (_, carried) in mpps.items()},
        dropped_later_mpps=_dropped_later([members.chains[name] for name in mpps], samples),
        early=stood is not None,
        stood_s=dict(stood or {}),
    )


def _reaches(chain: DesiredChain, offered: float, carried: float, samples: Mapping[str, NfSample]) -> float:
    """Mpps that are offered to its elements: carried, dropped by one of them, or held back by the source because the
    first one's ring was full, as on the testbed, where no NF drops for want of room. What else is lost before an NF is
    lost on the line: no core can help there. An NF that drops what its own ring has no room for says so by that."""
    dropped = sum(samples[nf.nf_id].drop_mpps for nf in chain.nfs if nf.nf_id in samples)
    return max(carried + dropped, offered if _waits(chain, samples) else 0.0)


def _dropped_later(among: Iterable[DesiredChain], samples: Mapping[str, NfSample]) -> dict[str, float]:
    """By NF, Mpps that those behind it in its chain drop."""
    drops = {name: one.drop_mpps for name, one in samples.items()}
    found: dict[str, float] = {}
    for chain in among:
        found |= dropped_later([nf.nf_id for nf in chain.nfs], drops)
    return found


def _waits(chain: DesiredChain, samples: Mapping[str, NfSample]) -> bool:
    """Its source found the first ring full, and its NF dropped nothing of that."""
    first = samples.get(chain.nfs[0].nf_id)
    return first is not None and first.drop_mpps == 0 and _ring_percent(first) >= _FULL_RING


def _ring_percent(sample: NfSample) -> float:
    """At its fullest moment of the second, or at its end where that alone is known."""
    return sample.ring_peak_percent or sample.ring_used_percent or 0.0
