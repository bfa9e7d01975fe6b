"""Which policy holds where: the narrowest wins, that of a chain, then of its host, then of the fleet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sextant_domain.laws.recommendation import PolicyMode

_FROM_THE_LEAST = (PolicyMode.MANUAL, PolicyMode.RECOMMEND, PolicyMode.AUTOMATIC)


@dataclass(frozen=True, slots=True)
class Modes:
    """How far one law may act, by scope."""

    fleet: PolicyMode
    hosts: Mapping[str, PolicyMode] = field(default_factory=dict[str, PolicyMode])
    chains: Mapping[str, PolicyMode] = field(default_factory=dict[str, PolicyMode])
    resting: frozenset[str] = frozenset()
    """Hosts on which no law acts now, whatever the policies: of a maintenance window."""

    @property
    def all_manual(self) -> bool:
        """Whether the law may act nowhere."""
        return {self.fleet, *self.hosts.values(), *self.chains.values()} == {PolicyMode.MANUAL}

    def of_chain(self, chain: str, host: str) -> PolicyMode:
        """Of a chain that runs on `host`."""
        mode = self._where_none_is_named(host)
        return mode if host in self.resting else self.chains.get(chain, mode)

    def _where_none_is_named(self, host: str) -> PolicyMode:
        """Of a chain on `host` that has no policy of its own."""
        return PolicyMode.MANUAL if host in self.resting else self.hosts.get(host, self.fleet)

    def of_host(self, host: str, chains: Iterable[str]) -> PolicyMode:
        """Of a change on `host`: the least of the chains that it may move there; manual where it may move none."""
        if not self.chains:  # the same for all of them, and a fleet asks this of every chain once a second
            return self._where_none_is_named(host)
        modes = [self.of_chain(chain, host) for chain in chains]
        if not modes and host not in self.resting:
            return self.hosts.get(host, self.fleet)
        return least(mode for mode in modes if mode is not PolicyMode.MANUAL)

    def kept(self, host: str, chains: Iterable[str]) -> frozenset[str]:
        """Of the chains on `host`, those that the law leaves where they are."""
        if not self.chains:
            return frozenset(chains if self._where_none_is_named(host) is PolicyMode.MANUAL else ())
        return frozenset(chain for chain in chains if self.of_chain(chain, host) is PolicyMode.MANUAL)


def least(modes: Iterable[PolicyMode]) -> PolicyMode:
    """Manual before recommend before automatic; manual where there is none."""
    return min(modes, key=_FROM_THE_LEAST.index, default=PolicyMode.MANUAL)
