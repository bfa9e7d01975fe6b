"""What `/metrics` of a host's agent says of its NFs."""

from collections.abc import Iterator

import pytest
from sextant_agent import metrics
from sextant_domain.telemetry import LoadBasis, NfSample


@pytest.fixture(autouse=True)
def shown() -> Iterator[None]:
    """By other tests of this process as little as before."""
    yield
    metrics.show_nfs(())


def nf(name: str, **load: object) -> NfSample:
    counted = {"core": 1, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0, "cpu_percent": 100.0}
    return NfSample.model_validate({"nf_id": f"web.{name}", "chain": "web", **counted, **load})


def test_how_full_nfs_are_has_a_line_where_it_is_told_and_a_bound_a_line_of_its_own() -> None:
    metrics.show_nfs((
        nf("firewall", utilisation_percent=25.0, utilisation_basis=LoadBasis.BUSY_TIME, headroom_mpps=3.0),
        nf("router", utilisation_low_percent=37.5),
        nf("monitor"),
    ))  # fmt: skip
    found = [line for line in metrics.render().decode().splitlines() if line.startswith("sextant_nf_")]
    assert found == [
        'sextant_nf_utilisation_ratio{chain="web",nf="web.firewall"} 0.25',
        'sextant_nf_utilisation_low_ratio{chain="web",nf="web.router"} 0.375',
        'sextant_nf_headroom_packets_per_second{chain="web",nf="web.firewall"} 3e+06',
    ]
