"""What one host's agent knows and takes orders by: ledger, files, reconciliation. What the routes of `api.py` talk to.

No thread of its own, and nothing about certificates or reports: `agent.py` and `simulated/` add those.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sextant_domain import tracing
from sextant_domain.hosts.artefact import HeldArtefacts, digests_of, digests_of_request
from sextant_domain.hosts.desired import ActualState, DesiredHostConfig, DesiredStateOrder, Health, HostContent
from sextant_domain.hosts.fault import ActiveFaults, FaultOrder
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.packet_capture import CaptureOrder, PacketCapture
from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_domain.profiling.job import ActiveProfiles, ProfileOrder, ProfileRun
from sextant_domain.profiling.profile import ProfileRequest

from sextant_agent import __version__
from sextant_agent.contract.driver import CapturesPackets, Driver, FaultInjector, GivesResources, ResourcesGiven
from sextant_agent.contract.errors import DriverError, FaultRefused
from sextant_agent.contract.rates import ChainRates
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.reconciliation import OnDecision, Reconciliation
from sextant_agent.controllers.chain_ways import ChainWays
from sextant_agent.controllers.core_shares import CoreShares
from sextant_agent.controllers.frame import HostLaws
from sextant_agent.controllers.srv6 import IDLE_LOOK_S, NfQuotas
from sextant_agent.kit.collector import without_collector
from sextant_agent.orders.admission import check_files, check_order
from sextant_agent.orders.applied import AppliedGeneration
from sextant_agent.orders.artefacts import Arrival, ArtefactStore
from sextant_agent.orders.ledger import Ledger
from sextant_agent.orders.problems import BadFault, CapturesNotOffered, FaultsNotOffered, NotCaptured
from sextant_agent.orders.profiles import ProfileRuns


class HostService(ABC):
    """One host. Safe from any thread, `reconciliation` apart."""

    def __init__(self, host_id: str, state_dir: Path, driver: Driver, *, report: OnDecision = lambda *_: None) -> None:
        """`report`: after every decision."""
        self._host_id = host_id
        self._driver = driver
        self._gives = driver if isinstance(driver, GivesResources) else None
        self._started_at = datetime.now(UTC)
        self._log = structlog.get_logger().bind(host_id=host_id)
        self._ledger = Ledger(state_dir / "ledger.json", host_id)
        if self._ledger.damage:
            self._log.error("ledger damaged", cause=self._ledger.damage)
        named = frozenset[str]() if self._ledger.damage else digests_of(self._ledger.desired.content)
        self._artefacts = ArtefactStore(state_dir, named)
        self.laws = HostLaws(state_dir, lambda: driver.inventory().host, give=self._give)
        self.core_shares = CoreShares(driver, self.laws.stopped)
        self.nf_quotas = NfQuotas(driver, self.laws.stopped, state_dir / "quotas.json")
        self.chain_ways = ChainWays(driver, self.laws.stopped, state_dir / "ways.json")
        self._profiles = ProfileRuns(driver, lambda: self._ledger.desired.content)
        self.reconciliation = Reconciliation(
            host_id,
            driver,
            self._ledger,
            AppliedGeneration(state_dir / "applied-generation"),
            make_room=self._profiles.give_way,
            converged=self._artefacts.forget_unnamed,
            report=report,
            given=self.laws.content,
        )

    def run_laws(self, found: HostSample, rates: Callable[[], Mapping[str, ChainRates]]) -> bool:
        """Let laws act on a sample; whether they gave anything anew. That is set at once where it can be; in any case
        `reconciliation` shall look, which finds it set, or sets it. `rates`: what became of chains' packets."""
        if self._ledger.damage:
            return False
        with without_collector():
            return self.laws.act(found, rates, self._ledger.desired, self.reconciliation.failures)

    def with_laws(self, batch: TelemetryBatch) -> TelemetryBatch:
        """What was measured with what laws did about it."""
        if self._ledger.damage:
            return batch
        batch = self.nf_quotas.reported(self.core_shares.reported(self.laws.reported(batch)))
        return self.chain_ways.reported(batch)

    def save_laws(self) -> None:
        """Keep what laws gave and changed, where there is news."""
        self.laws.save()
        self.nf_quotas.save()
        self.chain_ways.save()

    def _give(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        """Before anything else is done about a sample, for the sake of packets; where it fails, `reconciliation` meets
        the same trouble, and says so."""
        if self._gives is not None:
            with suppress(DriverError):
                self._gives.give_resources(given, found)
                self.reconciliation.expire_samples()

    def share_cores(self) -> bool:
        """Share out cores by what arrives now; False where no order asks for it. Of one thread."""
        return not self._ledger.damage and self.core_shares.tick(self._ledger.desired.content)

    def set_quotas(self) -> float:
        """Set CPU quotas by what packets say now; seconds until that is due again. Of one thread."""
        return IDLE_LOOK_S if self._ledger.damage else self.nf_quotas.tick(self._ledger.desired.content)

    def lead_chains(self) -> float:
        """Lead chains round links that are cut, whatever the ledger says of the order; seconds until that is due again.
        Of one thread."""
        return self.chain_ways.tick()

    @abstractmethod
    def wake(self) -> None:
        """Let `reconciliation` converge soon, in whatever thread it has."""

    def health(self) -> Health:
        """Ready means: an order would be taken and carried out."""
        return self._health()

    def _health(self, grave: Iterable[str | None] = (), light: Iterable[str | None] = ()) -> Health:
        """`grave`: what else stands in the way of orders; `light`: what is wrong beside them."""
        problems = [text for text in (self._ledger.damage, self.reconciliation.trouble, *grave) if text]
        return Health(
            host_id=self._host_id,
            agent_version=__version__,
            driver=self._driver.name,
            ready=not problems,
            problems=(*problems, *(text for text in light if text)),
            started_at=self._started_at,
            ledger_generation=0 if self._ledger.damage else self._ledger.desired.generation,
            ledger_fence=self._ledger.fence,
        )

    def inventory(self) -> HostInventory:
        """Read now."""
        return self._driver.inventory().host

    def desired(self) -> DesiredHostConfig:
        """Raises LedgerDamaged."""
        return self._ledger.desired

    def accept(self, order: DesiredStateOrder) -> ActualState:
        """Check the order, make it durable, wake the reconciler. Raises a problem that says why not."""
        offer = self._driver.inventory()

        def check(content: HostContent) -> None:
            check_order(content, offer)
            check_files(digests_of(content), self._artefacts.held(), "desired.content")

        with self._artefacts.lock:
            new = self._ledger.accept(order, check)
            if new:
                self._artefacts.ordered(digests_of(order.desired.content))
        if new:
            self.reconciliation.follow(tracing.current())
            self._log.info("order accepted", generation=order.desired.generation, operation=order.operation_id)
        else:
            self.reconciliation.hurry()
        self.wake()
        return self.reconciliation.actual()

    def artefacts(self) -> HeldArtefacts:
        """The files that are here and whole."""
        return HeldArtefacts(digests=tuple(sorted(self._artefacts.held())))

    def receive(self, digest: str, fence: int, declared: int | None) -> Arrival:
        """A place for a file that an order will name. Raises a problem that says why not."""
        self._ledger.check_fence(fence)
        return self._artefacts.receive(digest, declared)

    def actual(self) -> ActualState:
        """What runs now, against the order in force."""
        return self.reconciliation.actual()

    def profile(self, order: ProfileOrder) -> ProfileRun:
        """Begin a measurement, or return what is known under its key. Raises a problem that says why not."""
        return self._profiles.order(order, self._lend_files, self._take_files_back)

    def profile_run(self, key: str) -> ProfileRun:
        """How far a measurement is, or what came out. Raises NoSuchProfile."""
        return self._profiles.get(key)

    def profiles(self) -> ActiveProfiles:
        """What is measured now."""
        return self._profiles.active()

    def measured_cores(self) -> frozenset[int]:
        """On which it is measured."""
        return self._profiles.cores()

    def cancel_profile(self, key: str) -> ProfileRun:
        """End a measurement; again and again is harmless."""
        return self._profiles.cancel(key)

    def end_measuring(self) -> None:
        """Of what is measured now, nothing will be known: the agent ends."""
        self._profiles.close()

    def _lend_files(self, request: ProfileRequest) -> None:
        named = digests_of_request(request)
        with self._artefacts.lock:
            check_files(named, self._artefacts.held(), "request")
            self._artefacts.measured = named

    def _take_files_back(self) -> None:
        with self._artefacts.lock:
            self._artefacts.measured = frozenset()

    def faults(self) -> ActiveFaults:
        """Those that were ordered and are not over; none where the driver has none."""
        driver = self._driver
        return ActiveFaults(faults=driver.faults() if isinstance(driver, FaultInjector) else ())

    def inject(self, order: FaultOrder) -> ActiveFaults:
        """Make something go wrong. Raises a problem where the driver cannot, or not that."""
        if not isinstance(self._driver, FaultInjector):
            raise FaultsNotOffered(
                f"The driver {self._driver.name} runs real NFs on a real host: faults are for simulated ones. "
                "Nothing changed."
            )
        try:
            self._driver.inject(order.fault)
        except FaultRefused as refusal:
            raise BadFault.at(f"fault.{refusal.field}", str(refusal)) from refusal
        self._log.warning("fault ordered", audit=True, action="fault.injected", fault=order.fault.model_dump())
        self.wake()
        return self.faults()

    def capture(self, order: CaptureOrder) -> PacketCapture:
        """The next packets that leave a chain. Raises a problem where the driver cannot, or there are none to see."""
        if not isinstance(self._driver, CapturesPackets):
            raise CapturesNotOffered(
                f"The driver {self._driver.name} carries packets as they come; the driver srv6 measures them."
            )
        try:
            packets = self._driver.capture(order.chain, order.packets)
        except DriverError as error:
            raise NotCaptured(f"{order.chain}: {error}") from error
        return PacketCapture(
            chain=order.chain,
            host=self._host_id,
            taken_at=datetime.now(UTC),
            asked_for=order.packets,
            packets=packets,
        )
