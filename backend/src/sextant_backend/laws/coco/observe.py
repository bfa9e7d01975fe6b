"""What CoCo's law reads in a turn: what has changed of hosts, and what hosts whose NFs share cores measured last."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sextant_domain.hosts.telemetry import CoreSample, NfSample
from sextant_domain.laws.coco import CocoObservation
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.laws.coco.members import HostMembers, members_of, shares
from sextant_backend.laws.host_reading import ChangedHosts, HostRead, Rates, read_rates
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.modules.telemetry import texts
from sextant_backend.modules.telemetry.models import LatestHost


@dataclass(frozen=True, slots=True)
class Busy:
    """What uses the cores of a host."""

    nfs: Mapping[str, NfSample]
    cores: tuple[CoreSample, ...]

    def others(self) -> dict[int, float]:
        """By core, the share of its time that no NF used: source and sink, and other work."""
        of_nfs: dict[int, float] = {}
        for sample in self.nfs.values():
            of_nfs[sample.core] = of_nfs.get(sample.core, 0.0) + sample.cpu_percent
        return {one.core: max(0.0, one.busy_percent - of_nfs.get(one.core, 0.0)) / 100 for one in self.cores}


@dataclass(frozen=True)
class Reading:
    """Of one turn."""

    hosts: Mapping[str, HostRead]
    """Those that the law looks at: more than one NF stands on some core of them."""
    rates: Mapping[str, Rates]
    """Of those of the hosts that have reported."""
    busy: Mapping[str, Busy]
    now: datetime


@dataclass
class FleetReader:
    """Reads what has changed since the turn before; the rest it remembers."""

    _hosts: ChangedHosts = field(default_factory=ChangedHosts)
    _members: dict[str, tuple[tuple[str, frozenset[str]], HostMembers]] = field(
        default_factory=dict[str, tuple[tuple[str, frozenset[str]], HostMembers]]
    )

    def read(self, session: Session) -> Reading:
        """As of this transaction."""
        now: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        hosts = {name: host for name, host in self._hosts.running(session).items() if shares(host)}
        for gone in self._members.keys() - hosts.keys():
            del self._members[gone]
        return Reading(hosts, read_rates(session, hosts), read_busy(session, hosts), now)

    def members(self, read: Reading, name: str, kept: frozenset[str]) -> HostMembers:
        """Of a host of this reading; worked out again only where something has changed."""
        host = read.hosts[name]
        found = self._members.get(name)
        if found is None or found[0] != (host.mark, kept):
            found = ((host.mark, kept), members_of(host, kept))
            self._members[name] = found
        return found[1]


def read_busy(session: Session, names: Collection[str]) -> dict[str, Busy]:
    """The newest second of these hosts."""
    if not names:
        return {}
    nfs: dict[str, dict[str, NfSample]] = {}
    for (nf_id, host_id), sample in telemetry.latest_nfs(session, names).items():
        nfs.setdefault(host_id, {})[nf_id] = sample
    query = select(LatestHost.host_id, LatestHost.cores).where(LatestHost.host_id.in_(names))
    return {
        host_id: Busy(nfs.get(host_id, {}), texts.CORES.validate_python(cores))
        for host_id, cores in session.execute(query)
    }


def observation(members: HostMembers, rates: Rates | None, busy: Busy | None) -> CocoObservation:
    """What the law is told. An NF that does not say how busy it is, is left out: the law holds still. What is lost on
    the line, before it reaches an NF, is not offered to anybody's core."""
    samples = {} if busy is None else busy.nfs
    use = {name: one.utilisation_percent for name, one in samples.items()}
    dropped: dict[str, float] = {}
    for sample in samples.values():
        dropped[sample.chain] = dropped.get(sample.chain, 0.0) + sample.drop_mpps
    mpps = {} if rates is None else {name: rates.mpps[name] for name in members.chains if name in rates.mpps}
    return CocoObservation.model_construct(
        at_s=float("-inf") if rates is None else rates.at.timestamp(),
        use={name: percent / 100 for name, percent in use.items() if percent is not None},
        others={} if busy is None else busy.others(),
        offered_mpps={name: carried + dropped.get(name, 0.0) for name, (_, carried) in mpps.items()},
        carried_mpps={name: carried for name, (_, carried) in mpps.items()},
    )
