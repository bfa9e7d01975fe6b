"""What of a core CoCo's law takes as used by others than NFs."""

import pytest
from sextant_backend.laws.coco.observe import Busy
from sextant_domain.hosts.telemetry import CoreSample, NfSample


def test_what_no_nf_used_is_others_but_for_what_gives_way() -> None:
    """Core 0: busy 90 %, its NF 50, other work 30, so that 10 are source and sink's. Core 1 has no NF: other work has
    60 of 65. Core 2 is the same, but the 60 are the agent's own measuring. Of core 3 nobody knows whose its 40 are."""
    nf = NfSample.model_validate(
        {
            "nf_id": "web.a", "chain": "web", "core": 0, "rx_mpps": 1.0, "tx_mpps": 1.0, "drop_mpps": 0.0,
            "cpu_percent": 50.0, "restarts": 0,
        }
    )  # fmt: skip
    cores = (
        CoreSample(core=0, busy_percent=90, other_percent=30),
        CoreSample(core=1, busy_percent=65, other_percent=60),
        CoreSample(core=2, busy_percent=65, measuring_percent=60),
        CoreSample(core=3, busy_percent=40),
    )
    busy = Busy({"web.a": nf}, cores)
    assert busy.others(100.0) == pytest.approx({0: 0.4, 1: 0.65, 2: 0.05, 3: 0.4})
    assert busy.others(25.0) == pytest.approx({0: 0.175, 1: 0.2, 2: 0.05, 3: 0.4}), "a quarter of other work counts"


def test_time_of_an_nf_that_is_not_measured_counts_as_others() -> None:
    """One in the kernel: of the core that it has a seat on nothing is known to be an NF's, and nothing gives way."""
    wall = NfSample(nf_id="web.w", chain="web", core=0, rx_mpps=1.0, tx_mpps=1.0, drop_mpps=0.0)
    assert Busy({"web.w": wall}, (CoreSample(core=0, busy_percent=70),)).others(100.0) == {0: 0.7}
