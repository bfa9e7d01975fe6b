"""Early reports at the fleet listener, of NFs whose quotas a host sets: its own, and with figures that can be."""

from collections.abc import Iterator
from typing import Any

import pytest
from console_world import a_batch
from listener_world import EARLY, JSON, TELEMETRY, Speak, a_fleet_authority, an_early_report, host_certificate, speaking
from pki_world import Authority
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.hosts import service as hosts
from sqlalchemy import text
from sqlalchemy.orm import Session


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return a_fleet_authority(tmp_path_factory.mktemp("pki"))


@pytest.fixture
def speak(session: Session, authority: Authority) -> Iterator[Speak]:
    with speaking(session, authority) as connect:
        yield connect


def a_bounded_nf(nf_id: str = "web-edge.router", **changes: Any) -> dict[str, Any]:
    """Saturated for .3 s."""
    chain = nf_id.partition(".")[0]
    said = {"nf_id": nf_id, "chain": chain, "quota_percent": 50, "p95_us": 4000, "max_p95_us": 1000}
    return {**said, "state": "saturated", "stood_s": 0.3, **changes}


def _runs(session: Session, host: str, chain: str) -> None:
    """A router, as console and order have it."""
    session.add(ChainRow(name=chain, spec={}, state="running", created_by="ada"))
    session.flush()
    place: dict[str, Any] = {"position": 0, "nf_type": "router", "node": 0, "core": 0, "slot": 0, "plan_id": 1}
    session.add(PlacedNfRow(nf_id=f"{chain}.router", chain=chain, host_id=host, **place))
    session.commit()


def test_a_host_reports_early_of_its_own_nfs_alone(speak: Speak, session: Session, authority: Authority) -> None:
    """Unknown ones, and those of another host, are refused by their places; of its own all is stored, or nothing."""
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    hosts.enrol(session, "edge-2", {})
    _runs(session, "edge-1", "web-edge")
    _runs(session, "edge-2", "dns")
    for foreign in ("nobody.router", "dns.router"):
        wrong = an_early_report(bounded_nfs=[a_bounded_nf(), a_bounded_nf(foreign)])
        answer = agent.post(EARLY, json=wrong)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "bounded_nfs.1.nf_id")
        assert f"{foreign} is no NF of edge-1" in answer.text
    assert session.execute(text("SELECT count(*) FROM early_reports")).scalar_one() == 0
    session.rollback()
    assert agent.post(EARLY, json=an_early_report(bounded_nfs=[a_bounded_nf()])).status_code == 204
    assert session.execute(text("SELECT count(*) FROM early_reports")).scalar_one() == 1


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ([a_bounded_nf()] * 2, "bounded_nfs"),
        ([a_bounded_nf()] * 4097, "bounded_nfs"),
        ([a_bounded_nf(chain="dns")], "bounded_nfs.0.chain"),
        ([a_bounded_nf(stood_s=-1)], "bounded_nfs.0.stood_s"),
        ([a_bounded_nf(stood_s=1e10)], "bounded_nfs.0.stood_s"),
        ([a_bounded_nf(quota_percent=101)], "bounded_nfs.0.quota_percent"),
        ([a_bounded_nf(state="fine")], "bounded_nfs.0.state"),
        ([a_bounded_nf(p95_us="late")], "bounded_nfs.0.p95_us"),
        ("all", "bounded_nfs"),
    ],
)
def test_absurd_early_reports_of_bounds_are_refused(
    speak: Speak, session: Session, authority: Authority, said: Any, field: str
) -> None:
    agent = speak(host_certificate(authority, "edge-1"))
    _runs(session, "edge-1", "web-edge")
    answer = agent.post(EARLY, json=an_early_report(bounded_nfs=said))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
