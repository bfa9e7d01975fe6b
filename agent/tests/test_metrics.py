"""What an agent's `/metrics` says of its NFs."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sextant_agent.kit import metrics
from sextant_domain.base import Provenance
from sextant_domain.hosts.telemetry import LoadBasis, NfSample, TelemetryBatch
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    ProfiledNf,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
)


@pytest.fixture(autouse=True)
def shown() -> Iterator[None]:
    """By other tests of this process as little as before."""
    yield
    metrics.show_nfs(())


def nf(name: str, **load: object) -> NfSample:
    counted = {"core": 1, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0, "cpu_percent": 100.0}
    return NfSample.model_validate({"nf_id": f"web.{name}", "chain": "web", **counted, **load})


def batch(*nfs: NfSample) -> TelemetryBatch:
    return TelemetryBatch(
        host_id="edge-1", epoch="e", sequence=1, taken_at=datetime.now(UTC), interval_s=1.0,
        provenance=Provenance.MEASURED, applied_generation=1, phase="converged", nfs=nfs,
    )  # fmt: skip


def test_how_full_nfs_are_has_a_line_where_it_is_reported_and_a_bound_a_line_of_its_own() -> None:
    firewall = nf("firewall", utilisation_percent=25.0, utilisation_basis=LoadBasis.BUSY_TIME, headroom_mpps=3.0)
    metrics.show_nfs((batch(firewall, nf("router", utilisation_low_percent=37.5), nf("monitor")),))
    found = [line for line in metrics.render().decode().splitlines() if line.startswith("sextant_nf_")]
    firewall_labels, router_labels = (
        f'{{chain="web",host="edge-1",nf="web.{name}",provenance="measured"}}' for name in ("firewall", "router")
    )
    assert found == [
        f"sextant_nf_utilisation_ratio{firewall_labels} 0.25",
        f"sextant_nf_utilisation_low_ratio{router_labels} 0.375",
        f"sextant_nf_headroom_packets_per_second{firewall_labels} 3e+06",
    ]


def profiled(**counts: float) -> ProfileResult:
    one = Estimate(value=1.0, count=1)
    figures = NfEstimates(
        mpps=one, cycles_per_packet=one, cpu_percent=one,
        counts={name.replace("_", "-"): Estimate(value=value, count=1) for name, value in counts.items()},
    )  # fmt: skip
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="counted", core=1))
    return ProfileResult(request=request, provenance=Provenance.MEASURED, ended="narrow", nf=figures)


def lines_of_profile() -> list[str]:
    labels = '{nf_type="counted"}'
    found = (line for line in metrics.render().decode().splitlines() if labels in line)
    return [line.replace(labels, "") for line in found]


def test_what_hardware_counted_of_an_nf_has_a_line_and_what_it_did_not_has_none() -> None:
    """120 instructions in 80 cycles are 1.5 a cycle. Most virtual machines count nothing: no line, rather than 0."""
    metrics.show_profile(profiled())
    assert lines_of_profile() == []
    metrics.show_profile(profiled(instructions=120.0, cycles=80.0, stalled_cycles=12.5))
    assert lines_of_profile() == [
        "sextant_profile_instructions_per_cycle 1.5",
        "sextant_profile_stalled_cycles_per_packet 12.5",
    ]
    metrics.show_profile(profiled(instructions=120.0, cycles=80.0))
    assert lines_of_profile() == ["sextant_profile_instructions_per_cycle 1.5"]
    metrics.show_profile(profiled())
    assert lines_of_profile() == []
