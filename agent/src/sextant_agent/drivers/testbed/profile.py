"""Profiles on the testbed: which cores are free, and the measuring protocol on them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

import structlog
from sextant_domain.hosts.host import (
    PROFILING,
    PROFILING_CHAINS,
    PROFILING_COLOCATION,
    PROFILING_SHARES,
    Capability,
    HostInventory,
    traffic_core,
)
from sextant_domain.profiling.calibration import Calibration, Counters, CounterSource
from sextant_domain.profiling.profile import (
    NfFigures,
    ProfiledNf,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)
from sextant_domain.profiling.samples import half_width_percent, measured

from sextant_agent import __version__
from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.contract.sample import HostSample
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.own_group import OwnGroup
from sextant_agent.control.socket_folder import socket_folder
from sextant_agent.drivers.testbed.chain_rig import ChainRig, end_leftovers, over_rings
from sextant_agent.drivers.testbed.competitors import beside
from sextant_agent.drivers.testbed.scenario import (
    NO_CHAINED_COMPETITORS,
    NoRoom,
    Scenario,
    claimed_nodes,
    cores_apart,
    needs_rings,
    scenario_of,
)
from sextant_agent.machine.inventory import CoreSharing, offered_cores
from sextant_agent.machine.machine import LocalMachine, llc_id
from sextant_agent.measuring.busy import TRAFFIC, pinned_nfs
from sextant_agent.measuring.profiler import HostProfiler
from sextant_agent.measuring.program import (
    CoresInUse,
    MeasureDisturbed,
    MeasureFailed,
    MeasureProgram,
    MeasureRefused,
)
from sextant_agent.measuring.protocol import LEAST_SAMPLES, MAX_TRIES, why_not_measurable
from sextant_agent.measuring.results import not_begun
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_agent.orders.artefacts import FOLDER

BINARY_NAME = "sextant-measure"
"""Built into the runner's folder."""
OWN_RINGS = "over the testbed's own rings, on a core for each NF"
ONE_CORE = "chains: one core is offered to NFs, and every NF of a measured chain needs one"
CHAINS = "chain-points"
"""Folder of the runners of measurements, in the agent's state folder."""
OWN = "over rings of its own"
AT_A_RATE = "over the testbed's own rings, by the CPU time of the NF's process"
COUNTED = Counters(source=CounterSource.TSC, reason="what is asked is CPU time, which the kernel counts")
BEHIND_RINGS = "on a remote node the NF stands behind rings of a runner, whose NFs a measurement gives nothing yet"
REMOTE_SHARE = "its share of a core at a rate: it is measured on node {arrive}, where packets arrive"
NO_REMOTE_RESOURCES = f"cache ways and memory bandwidth of its own: {BEHIND_RINGS}; ask for local nodes only"

log = structlog.get_logger()


class TestbedProfiler:
    """Measures in processes of its own; the runner is only asked which cores its NFs are on."""

    __test__ = False  # pytest: not a test class

    def __init__(
        self,
        runner: Path,
        state_dir: Path,
        socket_dir: Path,
        found: Callable[[], HostSample | None],
        *,
        helper: HelperClient | None = None,
        root: Path = Path("/"),
    ) -> None:
        """`found`: what runs now, None where nothing can. `helper`: who gives an NF cache ways and memory bandwidth;
        `root`: where the machine's /sys is read. Ends what the measurement of an agent that died has left."""
        self._profiler = HostProfiler(MeasureProgram(runner.with_name(BINARY_NAME), state_dir / FOLDER), state_dir)
        self._runner, self._state_dir, self._sockets, self._found = runner, state_dir, socket_dir, found
        self._helper, self._root = helper, root
        try:
            end_leftovers(state_dir / CHAINS)
        except DriverError as error:
            log.warning("something of a measurement is left", cause=str(error))

    def capabilities(self, machine: LocalMachine, sharing: CoreSharing = "small-hosts") -> tuple[Capability, ...]:
        """`profiling` and its parts: how, or why not."""
        missing = self._profiler.missing
        how = f"{BINARY_NAME} on cores without NFs: solo, co-located where cores share an L3, on a shared core"
        offered = [core.id for core in offered_cores(machine, sharing) if core.slots]
        nodes = {cpu.id: cpu.node for cpu in machine.cpus}
        several, (shared, found) = len(offered) > 1, self._sharing(offered, nodes)
        return (
            Capability(name=PROFILING, available=missing is None, reason=missing or how),
            Capability(name=PROFILING_COLOCATION, available=missing is None and shared, reason=missing or found),
            Capability(
                name=PROFILING_CHAINS,
                available=missing is None and several,
                reason=missing or (OWN_RINGS if several else ONE_CORE),
            ),
            Capability(name=PROFILING_SHARES, available=missing is None, reason=missing or AT_A_RATE),
        )

    def _sharing(self, cores: Sequence[int], nodes: Mapping[int, int]) -> tuple[bool, str]:
        """Whether a competitor can stand beside an NF on these cores, and how that is known: two of them share an L3,
        or are of two nodes and share memory and the link."""
        if len(cores) < 2:
            return False, "one core is offered to NFs: there is none to put a competitor on"
        calibration = self._profiler.calibration
        if calibration is None:
            return True, "not calibrated yet: the first measurement finds which cores share an L3"
        pairs = [pair for pair in calibration.pairs if {pair.first, pair.second} <= set(cores)]
        near = [f"{pair.first} and {pair.second} ({pair.ns:.0f} ns)" for pair in pairs if pair.shares_llc]
        if near:
            claimed = claimed_nodes(cores, nodes, calibration)
            return True, "; ".join((f"cores that share an L3: {', '.join(near[:8])}", *claimed))
        if len({nodes[core] for core in cores}) > 1:
            return True, "on cores of different nodes: no pair of the calibrated cores shares an L3"
        return False, f"no pair of the calibrated cores shares an L3: {calibration.threshold_reason}"

    def profile(self, request: ProfileRequest, host: HostInventory, watch: MeasurementWatch) -> ProfileResult:
        """Raises NotSupported, DriverError, Cancelled."""
        if self._profiler.missing is not None:
            raise NotSupported(self._profiler.missing)
        offered = [core.id for core in host.cores]
        if request.others_a_chain > 1:
            return not_begun(request, NO_CHAINED_COMPETITORS)
        strangers = sorted(set(request.cores) - set(offered))
        if strangers:
            raise DriverError(f"core {strangers[0]} is not offered by this host; offered are {offered}", permanent=True)
        nodes = {core.id: core.node for core in host.cores}
        busy = self._busy(host)
        free = [core for core in offered if core not in busy]
        arrive = nodes[traffic_core(host.cores)]
        if request.has_resources and needs_rings(request, nodes, arrive):
            return not_begun(request, NO_REMOTE_RESOURCES)
        if request.offered_mpps is not None and nodes[request.nf.core] != arrive:
            return not_begun(request, REMOTE_SHARE.format(arrive=arrive))
        try:
            return self._measured(request, host, arrive, free, watch)
        except NoRoom as error:
            return not_begun(request, str(error))
        except MeasureRefused as error:
            raise DriverError(str(error), permanent=True) from error
        except CoresInUse as error:
            raise CoreBusy(str(error)) from error
        except (MeasureFailed, OSError) as error:
            raise DriverError(str(error)) from error

    def _measured(
        self, request: ProfileRequest, host: HostInventory, arrive: int, free: Sequence[int], watch: MeasurementWatch
    ) -> ProfileResult:
        """Each kind of point in its way. Raises NoRoom, DriverError, MeasureFailed, OSError, Cancelled."""
        nodes = {core.id: core.node for core in host.cores}
        if request.offered_mpps is not None:
            return self._at_a_rate(request, host, free, watch)
        if needs_rings(request, nodes, arrive):
            return self._over_rings(request, host, arrive, free, watch)
        check = partial(self._refuse_busy, request, host)
        if request.has_resources:
            with self._own_group(request) as group:
                return self._profiler.profile(request, free, watch, check, nodes=nodes, along=group)
        return self._profiler.profile(request, free, watch, check, nodes=nodes)

    def _own_group(self, request: ProfileRequest) -> OwnGroup:
        """Raises MeasureFailed."""
        cache = llc_id(self._root, request.nf.core)
        if self._helper is None or cache is None:
            raise MeasureFailed(f"core {request.nf.core} has no last-level cache that this machine names")
        return OwnGroup(self._helper, cache, request)

    def _at_a_rate(
        self, request: ProfileRequest, host: HostInventory, free: Sequence[int], watch: MeasurementWatch
    ) -> ProfileResult:
        """The NF by itself over rings, where packets arrive; each sample is a runner of its own."""
        nodes, offered = {core.id: core.node for core in host.cores}, request.offered_mpps or 0.0
        scenario = self._scenario(request, host, nodes[request.nf.core], free)
        calibration = self._profiler.calibration or self._profiler.calibrate(scenario.cores, watch)
        samples: list[ProfileSample] = []
        narrow, limit = False, None
        while not narrow and len(samples) < request.max_samples:
            self._refuse_busy(request, host)
            sample, limit = self._sample_at(scenario, offered, calibration, watch)
            samples.append(sample)
            width = half_width_percent(request, samples)
            narrow = len(samples) >= LEAST_SAMPLES[request.mode] and width <= request.half_width_percent
            progress = ProfileProgress(stage="measuring", samples=len(samples), limit=request.max_samples, note=OWN)
            watch.progress(progress)
        ended: Literal["narrow", "limit"] = "narrow" if narrow else "limit"
        found = measured(request, samples, calibration, COUNTED, ended, agent_version=__version__)
        notes = (*scenario.notes(nodes, calibration), *(() if limit is None else (limit,)))
        return found.model_copy(update={"notes": notes})

    def _sample_at(
        self, scenario: Scenario, offered_mpps: float, calibration: Calibration, watch: MeasurementWatch
    ) -> tuple[ProfileSample, str | None]:
        """With what kept the NF from carrying all of it."""
        reason = ""
        for void in range(MAX_TRIES):
            taken_at = datetime.now(UTC)
            try:
                with self._rig(scenario) as rig:
                    measure = rig.taken if scenario.request.hop is None else rig.handed_on
                    taken = measure(scenario, offered_mpps, partial(_end_if_cancelled, watch), calibration.tsc_hz)
            except MeasureDisturbed as error:
                reason = f"other work uses the cores: {error}"
                watch.progress(ProfileProgress(stage="measuring", limit=MAX_TRIES, note=f"sample void: {reason}"))
                continue
            sample = ProfileSample(
                taken_at=taken_at,
                counter_source=CounterSource.TSC,
                nf=taken.figures,
                clean_slices=1,
                starved_slices=0,
                settling_slices=0,
                void_tries=void,
            )
            return sample, taken.limit
        raise CoresInUse(f"{MAX_TRIES} tries for one sample were void, the last because {reason}")

    def _over_rings(
        self, request: ProfileRequest, host: HostInventory, arrive: int, free: Sequence[int], watch: MeasurementWatch
    ) -> ProfileResult:
        """As measured alone at home in a closed loop, each sample with the time that node, chain and competitors add,
        measured as often."""
        nodes = {core.id: core.node for core in host.cores}
        scenario = self._scenario(request, host, arrive, free)

        def check_cores() -> None:
            self._refuse_busy(request, host)
            self._refuse_busy(scenario.closed_loop, host)

        alone = self._profiler.profile(
            scenario.closed_loop, free, watch, check_cores, nodes=nodes, needed=scenario.cores
        )
        calibration = self._profiler.calibration
        if alone.nf is None or calibration is None or alone.counters is None:
            return alone.model_copy(update={"request": request})
        reason = why_not_measurable(request, calibration, nodes)
        if reason is not None:
            return not_begun(request, reason)
        samples: list[ProfileSample] = []
        for sample in alone.samples:
            progress = ProfileProgress(stage="measuring", samples=len(samples), limit=len(alone.samples), note=OWN)
            watch.progress(progress)
            samples.append(self._sample(scenario, sample, calibration, watch))
        narrow = half_width_percent(request, samples) <= request.half_width_percent
        ended: Literal["narrow", "limit"] = "narrow" if narrow else "limit"
        found = measured(request, samples, calibration, alone.counters, ended, agent_version=__version__)
        return found.model_copy(update={"notes": scenario.notes(nodes, calibration)})

    @staticmethod
    def _scenario(request: ProfileRequest, host: HostInventory, arrive: int, free: Sequence[int]) -> Scenario:
        """Raises NoRoom, and CoreBusy where there would be room on an empty host."""
        nodes = {core.id: core.node for core in host.cores}
        empty = cores_apart(host.cores, request.cores, nodes)
        usable = empty if request.sandboxed else cores_apart(host.cores, request.cores, free)
        scenario_of(request, nodes, arrive, empty)  # what has no room on an empty host is refused for good
        try:
            return scenario_of(request, nodes, arrive, usable)
        except NoRoom as error:
            reported = f"{error}; others of its cores run NFs: move them away first, or wait until they have ended"
            raise CoreBusy(reported) from error

    def _rig(self, scenario: Scenario) -> ChainRig:
        folder, sockets = self._state_dir / CHAINS, self._sockets / "chains"
        return ChainRig(self._runner, folder, socket_folder(folder, sockets), scenario.cores, scenario.source)

    def _sample(
        self, scenario: Scenario, sample: ProfileSample, calibration: Calibration, watch: MeasurementWatch
    ) -> ProfileSample:
        check = partial(_end_if_cancelled, watch)

        def press(
            nfs: Sequence[ProfiledNf], seconds: float, phase: Callable[[], float]
        ) -> tuple[float, tuple[NfFigures, ...]]:
            return beside(self._profiler.program, nfs, calibration, seconds, phase, check=check)

        reason = ""
        for void in range(MAX_TRIES):
            with self._rig(scenario) as rig:
                times = rig.times(scenario, check, press)
            try:
                made = over_rings(sample, times, calibration.tsc_hz)
            except MeasureDisturbed as error:
                reason = f"other work uses the cores: {error}"
                watch.progress(ProfileProgress(stage="measuring", limit=MAX_TRIES, note=f"sample void: {reason}"))
                continue
            return made.model_copy(update={"void_tries": sample.void_tries + void})
        raise CoresInUse(f"{MAX_TRIES} tries for one sample were void, the last because {reason}")

    def _refuse_busy(self, request: ProfileRequest, host: HostInventory) -> None:
        busy = {} if request.sandboxed else self._busy(host)
        for core in request.cores:
            if core in busy:
                raise CoreBusy(
                    f"core {core} runs {', '.join(busy[core])}: measure on a core without NFs, or move them away first"
                )

    def _busy(self, host: HostInventory) -> dict[int, list[str]]:
        """Cores that hold NFs or the source and sink of chains, with their names; those of other runners, too."""
        found = self._found()
        busy: dict[int, list[str]] = {}
        for nf in found.nfs.values() if found else ():
            busy.setdefault(nf.last_core if nf.core is None else nf.core, []).append(nf.nf_id)
        for chain in found.chains if found else ():
            busy.setdefault(traffic_core(host.cores), []).append(f"the source and sink of {chain}")
        ours = {nf.pid for nf in found.nfs.values()} if found else set()
        for process in pinned_nfs(core.id for core in host.cores):
            if process.pid not in ours and process.name != TRAFFIC:
                busy.setdefault(process.core, []).append(f"{process.name} (pid {process.pid})")
        return busy


def _end_if_cancelled(watch: MeasurementWatch) -> None:
    if watch.cancelled():
        raise MeasurementCancelled
