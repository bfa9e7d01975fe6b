"""Profiles on the twin: what an order may ask of a simulated host, and how its measurement is watched and ended."""

from functools import partial

from sextant_domain.hosts.host import ReservedFor
from sextant_domain.profiling.profile import ProfiledNf, ProfileProgress, ProfileRequest, ProfileResult
from sextant_twin.errors import BadTwinInput
from sextant_twin.machines import Machine
from sextant_twin.points import no_threads, threads_of, with_thread_cores
from sextant_twin.profiling import TwinProfiler

from sextant_agent import __version__
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.twin.inventory import reserved_core
from sextant_agent.drivers.twin.orders import NF_TYPES
from sextant_agent.measuring.requests import placed_nfs
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch


def _has_threads(machine: Machine) -> bool:
    """Whether chains that run there have threads that move packets between ports and rings, which their NFs then do
    not: what an NF is measured at must be what it does."""
    return None not in {reserved_core(machine, holder) for holder in (ReservedFor.RX, ReservedFor.TX)}


class SimulatedProfiler:
    """Of one machine. Keeps nothing; safe for several threads."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._wide = with_thread_cores(machine)
        self._profiler = TwinProfiler(
            self._wide, io=partial(threads_of, machine) if _has_threads(machine) else no_threads
        )

    def profile(self, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Raises DriverError where the request names what is not there, MeasurementCancelled."""
        self._check(request)

        def reported(samples: int) -> None:
            if watch.cancelled():
                raise MeasurementCancelled(f"the measurement was cancelled after {samples} samples")
            watch.progress(ProfileProgress(stage="measuring", samples=samples, limit=request.max_samples))

        try:
            found = self._profiler.profile(self._widened(request), __version__, reported)
        except BadTwinInput as error:
            raise DriverError(f"the twin refuses it: {error}", permanent=True) from error
        return found.model_copy(update={"request": request})

    def _widened(self, request: ProfileRequest) -> ProfileRequest:
        """On the cores of the machine that has more of them."""

        def moved(nf: ProfiledNf) -> ProfiledNf:
            thread, core = divmod(nf.core, self._machine.physical_cores)
            node, place = divmod(core, self._machine.cores_per_node)
            first = node * self._wide.cores_per_node + place
            return nf.model_copy(update={"core": thread * self._wide.physical_cores + first})

        nfs = {name: tuple(map(moved, getattr(request, name))) for name in ("upstream", "downstream", "others")}
        return request.model_copy(update={"nf": moved(request.nf), **nfs})

    def _check(self, request: ProfileRequest) -> None:
        cores = len(self._machine.cores)
        for place, nf in placed_nfs(request):
            if nf.runs not in NF_TYPES:
                known = ", ".join(sorted(NF_TYPES))
                raise DriverError(
                    f"{place}.type: there is no NF type '{nf.runs}' here; there are {known}", permanent=True
                )
            if nf.core >= cores:
                raise DriverError(
                    f"core {nf.core} is not offered by this host; offered are 0 to {cores - 1}", permanent=True
                )
