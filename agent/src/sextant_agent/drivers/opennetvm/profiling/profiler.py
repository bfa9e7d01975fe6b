"""Profiles on OpenNetVM: what an NF carries alone, its own program under a manager that nobody else has.

Only while the host carries no chain: a manager's threads poll, so that one more takes CPUs from whoever has them.
"""

import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import structlog
from sextant_domain.hosts.host import (
    PROFILING,
    PROFILING_BESIDE_CHAINS,
    PROFILING_CHAINS,
    PROFILING_COLOCATION,
    Capability,
)
from sextant_domain.profiling.profile import ProfileMode, ProfileRequest, ProfileResult

from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.own_group import OwnGroup
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry
from sextant_agent.drivers.opennetvm.profiling.capture import MAX_FLOWS
from sextant_agent.drivers.opennetvm.profiling.protocol import OWN_SHARE, measure
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig, end_leftovers, profiling_places
from sextant_agent.drivers.opennetvm.programs import runnable_types
from sextant_agent.machine.machine import llc_id
from sextant_agent.measuring.program import CoresInUse, MeasureFailed
from sextant_agent.measuring.results import not_begun
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch

NO_COMPETITORS = (
    "NFs of OpenNetVM are measured alone: its manager gives all packets of a port to one chain, so that a competitor"
    " would get none of its own"
)
NOT_BESIDE_CHAINS = "managers of OpenNetVM poll: one more takes CPUs from whoever has them"
BESIDE_ITS_MANAGER = "an NF is measured on the node of its manager, where that receives and keeps the packets"
NO_REMOTE_RESOURCES = f"cache ways and memory bandwidth of its own: {BESIDE_ITS_MANAGER}; ask for local nodes only"
NO_CHAINS = "chains: NFs of OpenNetVM are measured alone, not with others of a chain"

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
            "an NF alone, under a manager of its own that plays packets without end, while this host carries no chain;"
            f" {MAX_FLOWS} flows at most"
        )
        return (
            Capability(name=PROFILING, available=self.missing is None, reason=self.missing or how),
            Capability(name=PROFILING_COLOCATION, available=False, reason=self.missing or NO_COMPETITORS),
            Capability(name=PROFILING_CHAINS, available=False, reason=self.missing or NO_CHAINS),
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
        reason = _why_not_measurable(request)
        if reason is not None:
            return not_begun(request, reason)
        if not self._measuring.acquire(blocking=False):
            raise CoreBusy("an order is being carried out, or another measurement: try again when it has ended")
        try:
            place = self._place(request.nf.core)
            if request.has_resources and node_of.get(place.cpus[0]) not in {None, node_of[request.nf.core]}:
                return not_begun(request, NO_REMOTE_RESOURCES)
            rig = ProfilingRig(self._installation, place, self._folder, node_of, request.nf)
            with self._own_group(request) as group:
                try:
                    return measure(rig, request, self._checked(watch), self._own_share, self._root, group=group)
                finally:
                    rig.end()
        except CoresInUse as error:
            raise CoreBusy(str(error)) from error
        except MeasureFailed as error:
            raise DriverError(str(error)) from error
        finally:
            self._measuring.release()

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

    def _place(self, core: int) -> ManagerPlace:
        return next(place for place in profiling_places(self._installation) if core in place.nf_cpus)

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
    if request.mode is not ProfileMode.SOLO:
        return NO_COMPETITORS
    if request.nf.traffic.match.version == 6:
        return "match: OpenNetVM's NFs read IPv4 only: ask for IPv4 prefixes"
    if request.nf.traffic.flows > MAX_FLOWS:
        return (
            f"flows: OpenNetVM's packet buffers hold {MAX_FLOWS} flows to play, not {request.nf.traffic.flows}: ask for"
            f" {MAX_FLOWS} at most"
        )
    return None
