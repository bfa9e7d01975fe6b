"""Profiles on OpenNetVM: what an NF carries, alone or beside others, its own program under a manager that nobody else
has.

Only while the host carries no chain: a manager's threads poll, so that one more takes CPUs from whoever has them.
"""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path

import structlog
from sextant_domain.hosts.host import (
    PROFILING,
    PROFILING_BESIDE_CHAINS,
    PROFILING_CHAINS,
    PROFILING_COLOCATION,
    PROFILING_RATES,
    PROFILING_SHARES,
    Capability,
)
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileResult

from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.own_group import OwnGroup
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry
from sextant_agent.drivers.opennetvm.profiling.capture import MAX_FLOWS
from sextant_agent.drivers.opennetvm.profiling.competitors import Competitors
from sextant_agent.drivers.opennetvm.profiling.places import most_competitors, places_for
from sextant_agent.drivers.opennetvm.profiling.protocol import OWN_SHARE, measure
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig, end_leftovers
from sextant_agent.drivers.opennetvm.programs import runnable_types
from sextant_agent.machine.machine import llc_id
from sextant_agent.measuring.program import CoresInUse, MeasureFailed
from sextant_agent.measuring.results import not_begun
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch

NO_COMPETITORS = (
    "a manager of OpenNetVM gives all packets to one chain, so that an NF and each of its competitors need a manager of"
    " their own"
)
NO_RATES = "a competitor's packets are played as fast as its manager takes them"
NO_SHARED_CORE = "NFs that share a core: under the manager of a measurement they poll, and the first keeps the core"
NO_RATE = (
    "a manager of OpenNetVM plays packets without end, so that no rate can be offered, and an NF that polls takes its "
    "whole core at any rate"
)
NOT_BESIDE_CHAINS = "managers of OpenNetVM poll: one more takes CPUs from whoever has them"
BESIDE_ITS_MANAGER = "an NF is measured on the node of its manager, where that receives and keeps the packets"
NO_REMOTE_RESOURCES = f"cache ways and memory bandwidth of its own: {BESIDE_ITS_MANAGER}; ask for local nodes only"
NO_CHAINS = "chains: NFs of OpenNetVM are measured without others of their chain"

log = structlog.get_logger()


class OpenNetVmProfiler:
    """One measurement at a time. Safe for several threads."""

    def __init__(
        self, installation: OpenNetVmInstallation, folder: Path, registry: ProcessRegistry, helper: HelperClient, *,
        own_share: float = OWN_SHARE, root: Path = Path("/"),
    ) -> None:  # fmt: skip
        """`folder`: of measurements alone. `registry`: of the chains that this host carries. `helper`: who gives an NF
        cache ways and memory bandwidth. Ends what the measurement of an agent that died has left."""
        self._installation, self._folder, self._registry, self._helper = installation, folder, registry, helper
        self._own_share, self._root = own_share, root
        self._measuring = threading.Lock()
        self._ordered = threading.Event()
        try:
            end_leftovers(installation)
        except DriverError as error:
            log.warning("something of a measurement is left", cause=str(error))

    @property
    def missing(self) -> str | None:
        """Why nothing can be measured; None where it can be tried."""
        manager = self._installation.manager_path
        return None if manager.is_file() else f"there is no manager at {manager}: build OpenNetVM"

    def capabilities(self) -> tuple[Capability, ...]:
        """`profiling` and its parts: how, or why not."""
        how = (
            "an NF under a manager of its own that plays packets without end, while this host carries no chain;"
            f" {MAX_FLOWS} flows at most"
        )
        most = most_competitors(self._installation)
        beside = f"up to {most} competitors, each under a manager of its own" if most else self._too_few(1)
        return (
            Capability(name=PROFILING, available=self.missing is None, reason=self.missing or how),
            Capability(
                name=PROFILING_COLOCATION, available=self.missing is None and most > 0, reason=self.missing or beside
            ),
            Capability(name=PROFILING_RATES, available=False, reason=NO_RATES),
            Capability(name=PROFILING_CHAINS, available=False, reason=self.missing or NO_CHAINS),
            Capability(name=PROFILING_SHARES, available=False, reason=self.missing or NO_RATE),
            Capability(name=PROFILING_BESIDE_CHAINS, available=False, reason=NOT_BESIDE_CHAINS),
        )

    @contextmanager
    def standing_aside(self) -> Iterator[None]:
        """An order that has chains is carried out: what is measured ends first, and nothing is begun meanwhile."""
        self._ordered.set()
        try:
            with self._measuring:
                yield
        finally:
            self._ordered.clear()

    def profile(
        self, request: ProfileRequest, offered: Collection[int], node_of: Mapping[int, int], watch: MeasurementWatch
    ) -> ProfileResult:
        """`offered`: CPUs of NFs. Raises NotSupported, DriverError, MeasurementCancelled."""
        if self.missing is not None:
            raise NotSupported(self.missing)
        self._check(request, offered)
        places = places_for(self._installation, (request.nf, *request.others), node_of)
        reason = _why_not_measurable(request) or (self._too_few(len(request.others)) if places is None else None)
        if places is None or reason is not None:
            return not_begun(request, reason or NO_COMPETITORS)
        if not self._measuring.acquire(blocking=False):
            raise CoreBusy("an order is being carried out, or another measurement: try again when it has ended")
        try:
            if request.has_resources and node_of.get(places[0].cpus[0]) not in {None, node_of[request.nf.core]}:
                return not_begun(request, NO_REMOTE_RESOURCES)
            rig = ProfilingRig(self._installation, places[0], self._folder, node_of, request.nf)
            with ExitStack() as stack:
                group = stack.enter_context(self._own_group(request))
                stack.callback(rig.end)
                others = self._competitors(request, places, node_of)
                if others is not None:
                    stack.callback(others.end)
                checked = self._checked(watch)
                return measure(rig, request, checked, self._own_share, self._root, group=group, others=others)
        except CoresInUse as error:
            raise CoreBusy(str(error)) from error
        except MeasureFailed as error:
            raise DriverError(str(error)) from error
        finally:
            self._measuring.release()

    def _competitors(
        self, request: ProfileRequest, places: Sequence[ManagerPlace], node_of: Mapping[int, int]
    ) -> Competitors | None:
        if not request.others:
            return None
        rigs = [
            ProfilingRig(self._installation, place, self._folder / f"other-{number}", node_of, nf)
            for number, (nf, place) in enumerate(zip(request.others, places[1:], strict=True), 1)
        ]
        kept = frozenset({request.nf.core, *places[0].cpus})
        return Competitors(rigs, kept, self._folder, self._own_share)

    def _too_few(self, competitors: int) -> str:
        there = len(self._installation.manager)
        return f"{NO_COMPETITORS}: {there} in opennetvm.toml, {competitors + 1} needed for {competitors} beside it"

    def _own_group(self, request: ProfileRequest) -> AbstractContextManager[OwnGroup | None]:
        """None where nothing is asked for. Raises MeasureFailed."""
        if not request.has_resources:
            return nullcontext()
        cache = llc_id(self._root, request.nf.core)
        if cache is None:
            raise MeasureFailed(f"core {request.nf.core} has no last-level cache that this machine names")
        return OwnGroup(self._helper, cache, request)

    def _check(self, request: ProfileRequest, offered: Collection[int]) -> None:
        types = runnable_types(self._installation)
        for number, nf in enumerate((request.nf, *request.upstream, *request.downstream, *request.others)):
            if nf.runs not in types:
                place = "nf" if number == 0 else "others"
                known = ", ".join(sorted(types))
                raise DriverError(
                    f"{place}.type: there is no NF type '{nf.runs}' here; there are {known}", permanent=True
                )
            if nf.core not in offered:
                cores = ", ".join(map(str, sorted(offered)))
                raise DriverError(f"core {nf.core} is not offered by this host; offered are {cores}", permanent=True)
        self._refuse_chains()

    def _refuse_chains(self) -> None:
        running = [nf for chain in self._registry.chains.values() for nf in chain.nfs if nf.nf_type]
        if running:
            first, names = running[0], ", ".join(sorted(self._registry.chains))
            raise CoreBusy(
                f"core {first.cpu} runs {', '.join(nf.nf_id for nf in running if nf.cpu == first.cpu)}: an OpenNetVM"
                f" host measures only while it carries no chain, since managers poll; delete {names} first, or profile"
                " on another host"
            )

    def _checked(self, watch: MeasurementWatch) -> MeasurementWatch:
        """Who asks whether it was cancelled learns of an order, too."""

        def cancelled() -> bool:
            if watch.cancelled():
                raise MeasurementCancelled
            self._refuse_chains()
            if self._ordered.is_set():
                raise CoreBusy("an order for this host came: it is carried out, and the measurement is begun again")
            return False

        return MeasurementWatch(watch.progress, cancelled)


def _why_not_measurable(request: ProfileRequest) -> str | None:
    if request.upstream or request.downstream or request.others_a_chain > 1:
        return NO_CHAINS
    if request.mode is ProfileMode.SHARED_CORE:
        return NO_SHARED_CORE
    return _why_not_played(request.nf) or next(
        (
            f"others[{number}].{why}"
            for number, nf in enumerate(request.others)
            if (why := _why_not_played(nf) or _why_not_slowed(nf)) is not None
        ),
        None,
    )


def _why_not_played(nf: ProfiledNf) -> str | None:
    """Its packets."""
    if nf.traffic.match.version == 6:
        return "match: OpenNetVM's NFs read IPv4 only: ask for IPv4 prefixes"
    if nf.traffic.flows > MAX_FLOWS:
        return (
            f"flows: OpenNetVM's packet buffers hold {MAX_FLOWS} flows to play, not {nf.traffic.flows}: ask for"
            f" {MAX_FLOWS} at most"
        )
    return None


def _why_not_slowed(nf: ProfiledNf) -> str | None:
    if nf.traffic.rate_mpps is None:
        return None
    return f"traffic.rate_mpps: {NO_RATES}: leave it out"
