"""The five methods, on chains in memory through which packets pass at the rate of their orders."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sextant_agent.contract.driver import NO_SECRETS, ApplyReport, Failure, HostOffer
from sextant_agent.contract.errors import NotSupported
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import ChainCounters, HostSample, NfCounters
from sextant_agent.control.differences import Difference, Kind, differences
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState
from sextant_domain.hosts.host import PROFILING, Capability
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult

NF_TYPES = frozenset({"router", "firewall", "simple-forward"})
NO_PROFILING = "a toy has no cycles that could be counted"
CANNOT = (
    Capability(name=PROFILING, available=False, reason=NO_PROFILING),
    Capability(name="latency", available=False, reason="packets of a toy arrive when they leave"),
)


@dataclass(slots=True)
class _Chain:
    """One that runs."""

    ordered: DesiredChain
    instance: int
    since_ns: int
    packets: float = 0.0
    starts: dict[str, int] = field(default_factory=dict)
    crashed: set[str] = field(default_factory=set)

    def pass_time(self, now_ns: int) -> None:
        if not self.crashed:
            self.packets += self.ordered.traffic.rate_mpps * (now_ns - self.since_ns) / 1e3
        self.since_ns = now_ns


class ToyDriver:
    """Not safe for several threads."""

    name = "toy"

    def __init__(self, host_id: str) -> None:
        self._host_id = host_id
        self._chains: dict[str, _Chain] = {}
        self._instances = 0

    def inventory(self) -> HostOffer:
        """This machine's cores."""
        return HostOffer(build_inventory(read_machine(Path("/")), self._host_id, self.name, CANNOT), NF_TYPES)

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """By difference."""
        done, failures = [], {}
        wanted = {chain.chain: chain for chain in content.chains}
        for gap in differences(content, self.sample()):
            if gap.keys & hold:
                continue
            strange = {nf.runs for nf in wanted[gap.chain].nfs} - NF_TYPES if gap.chain in wanted else set()
            if strange:
                failures[gap.key] = Failure(f"no NF type '{min(strange)}'", permanent=True)
            else:
                self._repair(gap, wanted.get(gap.chain))
                done.append(gap.text)
        return ApplyReport(tuple(done), failures)

    def _repair(self, gap: Difference, ordered: DesiredChain | None) -> None:
        if ordered is None:
            del self._chains[gap.chain]
        elif gap.kind in {Kind.ADD, Kind.REPLACE}:
            self._instances += 1
            starts = {nf.nf_id: 1 for nf in ordered.nfs}
            self._chains[gap.chain] = _Chain(ordered, self._instances, time.monotonic_ns(), starts=starts)
        else:
            running = self._chains[gap.chain]
            running.pass_time(time.monotonic_ns())
            running.ordered = ordered
            if gap.kind is Kind.RESTART:
                running.crashed.discard(gap.key)
                running.starts[gap.key] += 1

    def sample(self) -> HostSample:
        """What passed until now."""
        now = time.monotonic_ns()
        for chain in self._chains.values():
            chain.pass_time(now)
        return HostSample(
            now,
            datetime.now(UTC),
            "toy",
            chains={name: _counters(chain) for name, chain in self._chains.items()},
            nfs={found.nf_id: found for chain in self._chains.values() for found in _nfs(chain)},
            no_cpu_control="a toy has no processes",
        )

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Refused, in the words of the inventory."""
        raise NotSupported(NO_PROFILING)

    def close(self) -> None:
        """Nothing is open."""

    def crash(self, nf_id: str) -> None:
        """For tests."""
        chain = self._chains[nf_id.split(".", maxsplit=1)[0]]
        chain.pass_time(time.monotonic_ns())
        chain.crashed.add(nf_id)


def _counters(chain: _Chain) -> ChainCounters:
    packets, ordered = int(chain.packets), chain.ordered
    return ChainCounters(
        ordered.chain,
        fingerprint(ordered),
        chain.instance,
        offered=packets,
        sent=packets,
        delivered=packets,
        execution=ordered.execution,
        paused=ordered.paused,
    )


def _nfs(chain: _Chain) -> Iterator[NfCounters]:
    packets = int(chain.packets)
    for nf in chain.ordered.nfs:
        dead = nf.nf_id in chain.crashed
        yield NfCounters(
            nf.nf_id,
            chain.ordered.chain,
            nf.runs,
            NfState.CRASHED if dead else NfState.RUNNING,
            pid=None,
            core=None if dead else nf.core,
            last_core=nf.core,
            starts=chain.starts[nf.nf_id],
            exit="crashed by a test" if dead else None,
            rx=packets,
            tx=packets,
        )
