"""From a measurement on an OpenNetVM host to a model that plans can use: the double, the driver, the fit."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.profiling.fit import ModelState
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic
from sextant_engine.modelling.fitting import fit

from agent.tests.opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, needs_two_cpus
from agent.tests.orders import CONFIGS


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """The firewall takes 500 ns a packet."""
    needs_two_cpus()
    with double_host(tmp_path, manager("west", [FIRST, SECOND]), time=0.1, cost_ns={"firewall": 500}) as host:
        yield host


def test_a_firewall_measured_alone_becomes_a_model_of_opennetvm_hosts(host: DoubleHost) -> None:
    """Its throughput is measured, its drops are assumed; nothing stands in the way of its promotion."""
    driver = host.driver(own_share=0.0)
    inventory = driver.inventory().host
    nf = ProfiledNf(nf_type="firewall", core=SECOND, config=CONFIGS["firewall"], traffic=ProfileTraffic(flows=100))
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=nf, half_width_percent=50, max_samples=4)
    result = driver.profile(request, MeasurementWatch())
    assert result.nf is not None, result.not_measurable
    now = datetime(2026, 11, 23, tzinfo=UTC)
    setting = PointSetting(purpose=PointPurpose.IDEAL, ingress_node=0, chain=(StandingNf(nf_type="firewall", node=0),))
    record = ProfileRecord(
        id=1, job_id=1, point_id=1, host=inventory.host_id, host_model=inventory.host_model, versions={"firewall": 1},
        setting=setting, request=request, result=result, stored_at=now, provenance=result.provenance,
    )  # fmt: skip
    found = fit([record], fit_id=1, now=now, host_model=inventory.host_model, cores_a_node=2, nodes=1)
    (version,) = found.models
    assert inventory.host_model.endswith(", OpenNetVM")
    assert (version.state, version.method, version.refusals) == (ModelState.CANDIDATE, "solo", ())
    assert version.model is not None and version.model.ideal_mpps.local == pytest.approx(result.nf.mpps.value)
