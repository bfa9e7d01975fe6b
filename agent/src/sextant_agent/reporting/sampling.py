"""From one sample of a host's data plane to the next: the batch that is reported. Also the heartbeat."""

import secrets
import time
from collections.abc import Mapping, Set
from datetime import UTC, datetime

from sextant_domain.base import Provenance
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.contract.rates import ChainRates, chain_rates
from sextant_agent.contract.sample import CpuTime, HostSample
from sextant_agent.control.reconciliation import HostProgress
from sextant_agent.reporting.core_time import core_busy, core_samples, own_percent
from sextant_agent.reporting.telemetry import Rates, rates, read_cpu_times


class Sampling:
    """Batches of one host, numbered. One caller at a time. `epoch` is new with every agent."""

    def __init__(self, host_id: str, cores: tuple[int, ...], provenance: Provenance = Provenance.MEASURED) -> None:
        """`provenance`: of all figures; measured ones come with those of this machine's kernel."""
        self._host_id = host_id
        self._cores = cores
        self._provenance = provenance
        self._epoch = secrets.token_hex(8)
        self._sequence = 0
        self._before: HostSample | None = None
        self._measured: Set[int] = frozenset()
        self._reported = Rates()
        self._cpus_before = self._cpus(None)
        self._last = time.monotonic()

    def chain_rates(self, found: HostSample) -> Mapping[str, ChainRates]:
        """What became of chains' packets until this sample, of which there is no batch yet: laws act before it is made.
        The figures are the batch's."""
        rates = chain_rates(self._before, found) if self._before else {}
        if all(one.counted_s for one in rates.values()):
            return rates
        last = {one.chain: one for one in self._reported.chains}
        return {name: one if one.counted_s else _repeated(one, last.get(name)) for name, one in rates.items()}

    def batch(
        self,
        found: HostSample | DataPlaneDown,
        progress: HostProgress,
        restarts: Mapping[str, int],
        measured: Set[int] = frozenset(),
    ) -> TelemetryBatch:
        """Of what was found just now. A host whose data plane is down still reports its cores: silence would mean a
        dead agent. `measured`: cores on which this agent measures an NF type; that is nobody's other work."""
        sample = found if isinstance(found, HostSample) else None
        cpus, moment = self._cpus(sample), time.monotonic()
        busy = core_busy(self._cpus_before, cpus, self._cores)
        rated = rates(self._before, sample, restarts, busy, self._reported) if self._before and sample else Rates()
        self._reported = rated
        made = TelemetryBatch(
            host_id=self._host_id,
            epoch=self._epoch,
            sequence=self._sequence,
            taken_at=sample.taken_at if sample else datetime.now(UTC),
            interval_s=max(1e-6, moment - self._last),
            provenance=self._provenance,
            applied_generation=progress.applied_generation,
            phase=progress.phase.value,
            nfs=rated.nfs,
            chains=rated.chains,
            cores=core_samples(busy, own_percent(self._before, sample, rated.nfs), measured | self._measured),
            nodes=rated.nodes,
        )
        self._sequence, self._before, self._cpus_before, self._last = self._sequence + 1, sample, cpus, moment
        self._measured = measured
        return made

    def _cpus(self, sample: HostSample | None) -> Mapping[int, CpuTime]:
        if self._provenance is Provenance.MEASURED:
            return read_cpu_times()
        return sample.cpus if sample else {}


def _repeated(rates: ChainRates, last: ChainSample | None) -> ChainRates:
    """Packets that were not counted again, as they were reported."""
    if last is None:
        return rates
    return ChainRates(last.offered_mpps, last.delivered_mpps, last.drop_mpps, last.filtered_mpps, 0.0)
