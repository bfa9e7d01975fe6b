"""What an order means for SRv6-INT's local loop on this host. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.hosts.desired import DesiredNf, HostContent
from sextant_engine.control.srv6.resources import Limits, Resource
from sextant_engine.control.srv6.state import NfObserved, Window

from sextant_agent.contract.driver import NfCpuTime, NfTimes
from sextant_agent.contract.ordered_resources import request_of
from sextant_agent.contract.sample import NfCpu

WHOLE_CORE = 100.0
HOST = "host"
"""The pool of its CPU budget."""


@dataclass(frozen=True, slots=True)
class QuotaSeat:
    """An NF whose quota is the loop's."""

    chain: str
    nf: DesiredNf
    bounds: QuotaBounds
    together: bool = False
    """All NFs of its chain have LLC ways or memory bandwidth together, so none has some of its own."""

    @property
    def in_kernel(self) -> bool:
        """It is no process: nothing can be given or taken."""
        return self.nf.runs in IN_KERNEL

    @property
    def limits(self) -> Limits:
        """Of CPU quota; what else it may have, `memory_seats` says."""
        return Limits(self.bounds.least_percent, self.bounds.most_percent, _pool(self.nf.core))

    def limits_within(self, budget: float | None) -> Limits:
        """The same where all NFs of the host have so much together: more is refused to any of them."""
        if budget is None:
            return self.limits
        least, most = (min(float(percent), budget) for percent in (self.limits.least, self.limits.most))
        return replace(self.limits, least=least, most=most, wider=HOST)


@dataclass(frozen=True, slots=True)
class QuotaSeats:
    """All of an order."""

    nfs: Mapping[str, QuotaSeat]
    kernel: Mapping[str, QuotaSeat]
    """NFs in the kernel, of which the law sees how long they have packets, and no more: they have no quota."""
    rooms: Mapping[str, float]
    """By core, what those of them that stand there may have together: what is limited by the order has the rest."""
    ordered: float
    """Percent of a core that all others on this host are limited to together by the order."""

    def rooms_within(self, budget: float | None) -> Mapping[str, float]:
        """And what a CPU budget of the host leaves to them."""
        return self.rooms if budget is None else {**self.rooms, HOST: max(0.0, budget - self.ordered)}


def seats_of(content: HostContent) -> QuotaSeats:
    """Paused chains take no time."""
    bounded = {
        nf.nf_id: QuotaSeat(chain.chain, nf, chain.quota_bounds, request_of(chain, nf).of_chain)
        for chain in content.chains
        if chain.quota_bounds is not None and not chain.paused
        for nf in chain.nfs
    }
    nfs = {name: seat for name, seat in bounded.items() if not seat.in_kernel}
    kernel = {name: seat for name, seat in bounded.items() if name not in nfs}
    rooms = {_pool(seat.nf.core): WHOLE_CORE for seat in nfs.values()}
    ordered = 0.0
    for nf in (nf for chain in content.chains for nf in chain.nfs if nf.nf_id not in bounded):
        ordered += nf.cpu_quota_percent or 0.0
        if _pool(nf.core) in rooms:
            rooms[_pool(nf.core)] = max(0.0, rooms[_pool(nf.core)] - (nf.cpu_quota_percent or 0.0))
    return QuotaSeats(nfs, kernel, rooms, ordered)


def observed(
    seat: QuotaSeat,
    budget: float | None,
    times: NfTimes,
    cpu: NfCpu,
    used: float | None,
    *,
    has: Mapping[Resource, float],
    limits: Mapping[Resource, Limits],
) -> NfObserved:
    """As the law sees it. `budget`: percent of a core that all NFs of the host have together; `used`: percent of its
    core; None: nobody knows. `has`, `limits`: of what else there is."""
    quota = Resource.CPU_QUOTA
    return NfObserved(
        l_max_us=seat.bounds.max_p95_us,
        window=None if times.window is None else Window(times.window, times.p95_us),
        oldest_us=times.oldest_us,
        has={quota: WHOLE_CORE if cpu.quota_percent is None else cpu.quota_percent, **has},
        limits={quota: seat.limits_within(budget), **limits},
        used={} if used is None else {quota: used},
        life=times.life,
    )


def watched(seat: QuotaSeat, times: NfTimes) -> NfObserved:
    """An NF in the kernel as the law sees it: it has nothing, and nothing can be given."""
    window = None if times.window is None else Window(times.window, times.p95_us)
    return NfObserved(seat.bounds.max_p95_us, window, times.oldest_us, has={}, limits={}, life=times.life)


def unfit(seat: QuotaSeat, times: NfTimes | None, cpu: NfCpuTime | None) -> str | None:
    """Why an NF's law can do nothing now; None where it can."""
    if times is None:
        return f"{seat.nf.nf_id} does not run"
    return None if seat.in_kernel or cpu is not None else f"{seat.nf.nf_id} has no CPU group yet"


def _pool(core: int) -> str:
    return f"core {core}"
