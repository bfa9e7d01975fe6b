"""Prometheus metrics `sextant_agent_*`, and `sextant_nf_*` of a host's NFs: base units, bounded labels."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sextant_domain.hosts.telemetry import TelemetryBatch
from sextant_domain.profiling.profile import ProfileResult

REGISTRY = CollectorRegistry()

LEDGER_GENERATION = Gauge("sextant_agent_ledger_generation", "Generation the ledger holds", registry=REGISTRY)
APPLIED_GENERATION = Gauge("sextant_agent_applied_generation", "Newest generation reached", registry=REGISTRY)
PHASE = Gauge("sextant_agent_phase", "1 for the reconciler's phase", ["phase"], registry=REGISTRY)
NFS = Gauge("sextant_agent_nfs", "NFs found, by state", ["state"], registry=REGISTRY)
NF_RESTARTS = Counter("sextant_agent_nf_restarts", "Restarts of crashed NFs", registry=REGISTRY)
DATA_PLANE_STARTS = Counter("sextant_agent_data_plane_starts", "Times the data plane was started", registry=REGISTRY)
DATA_PLANE_UP = Gauge("sextant_agent_data_plane_up", "1 while the data plane answers", registry=REGISTRY)
APPLIES = Counter("sextant_agent_applies", "Runs of the driver's apply, by result", ["result"], registry=REGISTRY)
PROFILES = Counter("sextant_agent_profiles", "Measurements that have ended, by how", ["state"], registry=REGISTRY)
REFUSED_PEERS = Counter("sextant_agent_refused_peers", "Requests refused for their certificate", registry=REGISTRY)
BATCHES_SENT = Counter("sextant_agent_batches_sent", "Telemetry batches delivered", registry=REGISTRY)
BATCHES_DROPPED = Counter(
    "sextant_agent_batches_dropped", "Telemetry batches lost, by cause", ["cause"], registry=REGISTRY
)
BATCHES_WAITING = Gauge("sextant_agent_batches_waiting", "Telemetry batches not yet delivered", registry=REGISTRY)
REPORT_FAILURES = Counter("sextant_agent_report_failures", "Failed requests to the fleet listener", registry=REGISTRY)
CERTIFICATE_END = Gauge(
    "sextant_agent_certificate_expiry_timestamp_seconds", "End of the host certificate", registry=REGISTRY
)

PROFILED_IPC = Gauge(
    "sextant_profile_instructions_per_cycle",
    "Of an NF type in its newest measurement; no line where the machine counts no hardware events",
    ["nf_type"],
    registry=REGISTRY,
)
PROFILED_STALLS = Gauge(
    "sextant_profile_stalled_cycles_per_packet",
    "Of an NF type in its newest measurement; no line where the machine counts no hardware events",
    ["nf_type"],
    registry=REGISTRY,
)

TWIN_CPU = Counter("sextant_agent_twin_cpu_seconds", "CPU time of the twin's steps, of all hosts", registry=REGISTRY)
SIMULATED_HOSTS_UP = Gauge("sextant_agent_simulated_hosts_up", "Simulated hosts that have power", registry=REGISTRY)


class _NfLoads(Collector):
    """Of one look each, whole: an NF that is gone is in none of the next."""

    def __init__(self) -> None:
        self.newest: Sequence[TelemetryBatch] = ()

    def collect(self) -> Iterator[Metric]:
        """Only of NFs that report them: what is not reported has no line."""
        utilisation = GaugeMetricFamily(
            "sextant_nf_utilisation_ratio", "Share of its core's time that goes into packets", labels=_NF
        )
        low = GaugeMetricFamily(
            "sextant_nf_utilisation_low_ratio", "Lower bound of that share, where it is not known exactly", labels=_NF
        )
        headroom = GaugeMetricFamily(
            "sextant_nf_headroom_packets_per_second", "What it could take more before it drops", labels=_NF
        )
        for batch, nf in ((each, nf) for each in self.newest for nf in each.nfs):
            labels = (batch.host_id, nf.nf_id, nf.chain, batch.provenance.value)
            if nf.utilisation_percent is not None:
                utilisation.add_metric(labels, nf.utilisation_percent / 100)
            if nf.utilisation_low_percent is not None:
                low.add_metric(labels, nf.utilisation_low_percent / 100)
            if nf.headroom_mpps is not None:
                headroom.add_metric(labels, nf.headroom_mpps * 1e6)
        yield from (utilisation, low, headroom)


_NF = ("host", "nf", "chain", "provenance")
_nf_loads = _NfLoads()
REGISTRY.register(_nf_loads)


def show_nfs(batches: Sequence[TelemetryBatch]) -> None:
    """Of each host of this agent how full its NFs are, by the newest look; worked out when somebody asks."""
    _nf_loads.newest = batches


def show_profile(result: ProfileResult) -> None:
    """Of a measurement that has ended what hardware counted; what it did not count has no line, not even an old one."""
    counts = {} if result.nf is None else {name: count.value for name, count in result.nf.counts.items()}
    cycles = counts.get("cycles", 0.0)
    ipc = counts["instructions"] / cycles if cycles > 0 and "instructions" in counts else None
    for gauge, value in ((PROFILED_IPC, ipc), (PROFILED_STALLS, counts.get("stalled-cycles"))):
        if value is not None:
            gauge.labels(result.request.nf.nf_type).set(value)
        else:
            with suppress(KeyError):
                gauge.remove(result.request.nf.nf_type)


def render() -> bytes:
    """The text exposition format."""
    return generate_latest(REGISTRY)
