"""Profiles on the twin: what an order may ask of a simulated host, and how its measurement is watched and ended."""

from sextant_domain.profile import ProfileProgress, ProfileRequest, ProfileResult
from sextant_twin.errors import BadInput
from sextant_twin.machines import Machine
from sextant_twin.profiling import Profiler

from sextant_agent import __version__
from sextant_agent.driver import DriverError
from sextant_agent.drivers.twin.orders import NF_TYPES
from sextant_agent.measuring.requests import placed_nfs
from sextant_agent.measuring.watch import Cancelled, Watch


class TwinProfiler:
    """Of one machine. Keeps nothing; safe for several threads."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._profiler = Profiler(machine)

    def profile(self, request: ProfileRequest, watch: Watch) -> ProfileResult:
        """Raises DriverError where the request names what is not there, Cancelled."""
        self._check(request)

        def told(samples: int) -> None:
            if watch.cancelled():
                raise Cancelled(f"the measurement was cancelled after {samples} samples")
            watch.progress(ProfileProgress(stage="measuring", samples=samples, limit=request.max_samples))

        try:
            return self._profiler.profile(request, __version__, told)
        except BadInput as error:
            raise DriverError(f"the twin refuses it: {error}", permanent=True) from error

    def _check(self, request: ProfileRequest) -> None:
        cores = self._machine.nodes * self._machine.cores_per_node
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
