"""The twin driver: the five methods over one simulated host, and faults on demand."""

import itertools
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.fault import ActiveFault, Fault
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult
from sextant_twin.backpressure import Backpressure
from sextant_twin.errors import BadTwinInput

from sextant_agent.contract.driver import NO_SECRETS, ApplyReport, CpuGiven, Failure, HostOffer, ResourcesGiven
from sextant_agent.contract.errors import CoreBusy, DataPlaneDown, DriverError, FaultRefused
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.differences import Difference, Kind, differences
from sextant_agent.drivers.twin.faults import active_of, fault_of
from sextant_agent.drivers.twin.inventory import DRIVER, build_inventory
from sextant_agent.drivers.twin.orders import NF_TYPES, order_of, requests_of, resources_of, way_masks
from sextant_agent.drivers.twin.profile import SimulatedProfiler
from sextant_agent.drivers.twin.repair import (
    AllGiven,
    changed_requests,
    in_turn,
    repaired,
    requests_with,
    turns_of,
    with_cpu,
    with_resources,
    without_ways,
)
from sextant_agent.drivers.twin.samples import sample_of
from sextant_agent.drivers.twin.ways import Held
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.machine.ways import TooFewWays
from sextant_agent.measuring.watch import MeasurementWatch

QUIET_NS = 50_000_000
"""Longer than masks, weights and moves take until they have effect, by the twin's assumptions (10 ms at most)."""
PATIENCE_S = 30.0
"""For NFs that start, or whose state is copied."""


class TwinDriver:
    """One host of a world. Safe for several threads."""

    name = DRIVER

    def __init__(
        self, world: SimulatedWorld, host_id: str, machine: str, *, backpressure: Backpressure = Backpressure.NONE
    ) -> None:
        """`backpressure`: of all chains; STRICT is nearest to the testbed. Raises BadTwinInput where there is no such
        machine."""
        self.host_id = host_id
        self._backpressure = backpressure
        self._world = world
        self._machine = world.add(host_id, machine)
        self._inventory = build_inventory(self._machine, host_id)
        self._profiler = SimulatedProfiler(self._machine)
        self._epoch = secrets.token_hex(4)
        self._applying = threading.Lock()
        self._giving = threading.Lock()
        """Held while what was given and what is found must belong together."""
        self._given: AllGiven = {}
        self._masks: Held = {}
        self._given_epoch = 0
        self._reported_ns = 0
        """Of the host's clock, when it reported last."""
        self._gave_ns: int | None = None
        """The same, when laws gave last: until it goes on, the host has what they gave, and no report shows it."""
        self._instances = 0
        self._shape: object = None
        self._found: tuple[int, HostSample] | None = None
        """What was found last, and at which moment of the world."""
        self.revision = 0
        """Rises when something is found that is not as it was at the look before: states, places, chains."""
        self.is_down = False
        """True while the host has no power, as last found."""

    def inventory(self) -> HostOffer:
        """From the machine's data file: it never changes."""
        return HostOffer(host=self._inventory, nf_types=NF_TYPES)

    def apply(
        self, content: HostContent, hold: frozenset[str] = frozenset(), secrets: SecretValues = NO_SECRETS
    ) -> ApplyReport:
        """By difference; returns once simulated NFs have started, moved and copied what they have to. They need no
        secret: nothing is encrypted."""
        del secrets
        with self._applying:
            found = self._seen()
            wanted = {chain.chain: chain for chain in content.chains}
            done: list[str] = []
            failures: dict[str, Failure] = {}
            gaps = in_turn(differences(content, found), self._given, wanted)
            for turn in turns_of([gap for gap in gaps if not gap.keys & hold]):
                texts = self._together(turn, wanted, found)
                if texts is None:
                    texts, failed = self._one_by_one(turn, wanted, found, failures)
                    failures |= failed
                done += texts
            if done:
                self._settle()
            return ApplyReport(done=tuple(done), failures=failures)

    def _together(
        self, gaps: Sequence[Difference], wanted: Mapping[str, DesiredChain], found: HostSample
    ) -> list[str] | None:
        """By one order, which changes of ways and bandwidth can be: whoever takes is given what others give back. None,
        and nothing has changed, where that is not possible."""
        if len(gaps) == 1:
            return None
        given, texts = self._given, []
        try:
            for gap in gaps:
                given, text = repaired(gap, given, wanted, self._instances + 1)
                texts.append(text)
            self._give(gaps[0], given, found)
        except (TooFewWays, KeyError, BadTwinInput):
            return None
        return texts

    def _one_by_one(
        self,
        gaps: Sequence[Difference],
        wanted: Mapping[str, DesiredChain],
        found: HostSample,
        before: Mapping[str, Failure],
    ) -> tuple[list[str], dict[str, Failure]]:
        """But those of chains of which something failed `before`."""
        done: list[str] = []
        failures: dict[str, Failure] = {}
        for gap in gaps:
            if gap.chain in before or gap.chain in failures:
                continue
            try:
                given, text = repaired(gap, self._given, wanted, self._instances + 1)
                self._give_or_move(gap, given, found)
                done.append(text)
            except (TooFewWays, KeyError) as error:
                reason = f"the twin has no data of NF type {error}" if isinstance(error, KeyError) else str(error)
                failures[gap.key] = Failure(reason, permanent=True)
            except BadTwinInput as error:
                failures[gap.key] = Failure(f"the twin refuses it: {error}", permanent=True)
        return done, failures

    def sample(self) -> HostSample:
        """Raises DataPlaneDown while the host has no power."""
        found = self._sample()
        shape = [
            found.epoch,
            [(name, each.instance, each.paused) for name, each in found.chains.items()],
            [(nf_id, nf.state, nf.core, nf.starts) for nf_id, nf in found.nfs.items()],
        ]
        if shape != self._shape:
            self._shape = shape
            self.revision += 1
        return found

    def queues(self) -> HostSample:
        """All of a sample: it costs no more. What a simulated NF drops, it drops for want of room in its own ring."""
        found = self._sample()
        return replace(found, nfs={name: replace(nf, ring_drops=nf.drops) for name, nf in found.nfs.items()})

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """By one order, while no other is being carried out."""
        with self._between_orders():
            self._order(with_cpu(self._given, given))

    def give_resources(self, given: Sequence[ResourcesGiven], found: HostSample) -> None:
        """All of them or none, while no order is being carried out."""
        del found
        with self._between_orders():
            requests = requests_with(self._given, given)
            masks = way_masks(itertools.chain.from_iterable(requests.values()), self._machine, self._masks)
            changed = changed_requests(requests, {one.chain.chain for one in given}, self._masks, masks)
            resources = resources_of(changed, self._machine, masks)
            with self._giving:
                self._world.give(self.host_id, resources)
                self._given, self._masks = with_resources(self._given, given), masks
                self._gave_ns = self._reported_ns

    @contextmanager
    def _between_orders(self) -> Iterator[None]:
        """Raises DriverError while one is being carried out, and for what the twin refuses."""
        if not self._applying.acquire(blocking=False):
            raise DriverError("an order is being carried out")
        try:
            yield
        except (TooFewWays, BadTwinInput) as error:
            raise DriverError(f"the twin refuses it: {error}") from error
        finally:
            self._applying.release()

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Computed at once, on a simulated host of the same machine that runs nothing else."""
        found = self._sample()
        if not request.sandboxed:
            for nf in found.nfs.values():
                if nf.last_core in request.cores:
                    raise CoreBusy(
                        f"core {nf.last_core} runs {nf.nf_id}: measure on a core without NFs, or move them away first"
                    )
        return self._profiler.profile(request, watch)

    def inject(self, fault: Fault) -> None:
        """Raises FaultRefused."""
        try:
            self._world.fault(self.host_id, fault_of(fault, self._given, self._machine))
        except BadTwinInput as error:
            # Its parts were looked at before: what is left is too many faults, or a host without power.
            raise FaultRefused("kind", error.message) from error
        self.is_down = not self._world.report(self.host_id)["up"]

    def faults(self) -> tuple[ActiveFault, ...]:
        """Those that are not over, oldest first."""
        return active_of(self._world.report(self.host_id))

    def close(self) -> None:
        """There is nothing to let go of: the host lives in its world."""

    def _seen(self) -> HostSample:
        """Not looked at again where nothing can have changed since: an order that follows a look would else take twice
        as long."""
        kept = self._found
        return kept[1] if kept is not None and kept[0] == self._world.moment and not self.is_down else self._sample()

    def _sample(self) -> HostSample:
        with self._giving:
            moment = self._world.moment
            report, given = self._report(), self._given
        taken_ns = self._world.monotonic_ns(report["taken_ns"])
        as_given = report["taken_ns"] == self._gave_ns
        found = sample_of(report, given, host_epoch=self._epoch, taken_ns=taken_ns, as_given=as_given)
        self._found = moment, found
        return found

    def _report(self) -> dict[str, Any]:
        report = self._world.report(self.host_id)
        self._reported_ns = report["taken_ns"]
        self.is_down = not report["up"]
        if self.is_down:
            raise DataPlaneDown("the simulated host has no power: somebody ordered that fault")
        if report["epoch"] != self._given_epoch:  # it was off: nothing of what was given is there
            self._given, self._masks, self._given_epoch = {}, {}, report["epoch"]
        return report

    def _give_or_move(self, gap: Difference, given: AllGiven, found: HostSample) -> None:
        """Where the ways of an NF that moves do not fit beside those that others have there now, it moves without."""
        try:
            self._give(gap, given, found)
        except TooFewWays:
            if gap.kind is not Kind.MOVE:
                raise
            self._give(gap, without_ways(given, gap), found)

    def _give(self, gap: Difference, given: AllGiven, found: HostSample) -> None:
        """Raises TooFewWays, KeyError, BadTwinInput, and then nothing has changed."""
        if gap.kind is Kind.RESTART:
            group = found.nfs[gap.key].group
            for nf in found.nfs.values():
                if nf.group == group:
                    self._world.start_nf(self.host_id, given[nf.chain].id_of(nf.nf_id))
            return
        self._order(given)
        if gap.kind in {Kind.ADD, Kind.REPLACE}:
            self._instances += 1

    def _order(self, given: AllGiven) -> None:
        """Raises TooFewWays, BadTwinInput, and then nothing has changed."""
        masks = way_masks(requests_of(given.values()), self._machine, self._masks)
        order = order_of(given.values(), self._machine, masks, backpressure=self._backpressure)
        with self._giving:
            self._world.order(self.host_id, order)
            self._given, self._masks = given, masks

    def _settle(self) -> None:
        """Wait until what was ordered has effect. Raises DataPlaneDown where the host loses its power meanwhile."""
        begun = self._world.report(self.host_id)["taken_ns"]

        def settled() -> bool:
            with self._giving:
                report = self._report()
            still = all(nf["state"] != "starting" and not nf["moving"] for nf in report["instances"])
            return still and report["taken_ns"] >= begun + QUIET_NS

        if not self._world.wait(settled, PATIENCE_S):
            raise DataPlaneDown(f"simulated NFs have not started within {PATIENCE_S:.0f} s: does time pass?")
