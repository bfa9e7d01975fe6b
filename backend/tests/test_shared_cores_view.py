"""Cores that NFs share, as the console shows them: web's a and b on core 0, c and d on core 1."""

import pytest
from coco_world import CALM, HOST, NF_TYPE, a_host, placed, report
from fastapi.testclient import TestClient
from fleet_world import API
from recommendation_world import a_web_fit
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.models.models import ModelVersionRow
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.chains.cpu_bounds import ShareBounds
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.laws.shared_cores_view import SharingHost
from sqlalchemy import select


def shown(client: TestClient, host: str = HOST) -> SharingHost:
    answer = client.get(f"{API}/control/sfc2cpu/hosts/{host}")
    assert answer.status_code == 200, answer.text
    return SharingHost.model_validate_json(answer.content)


def bounded(law: str) -> None:
    """web has share bounds, in the host's order."""
    with session_scope() as session:
        row = session.get_one(Host, HOST)
        desired = DesiredHostConfig.model_validate(row.desired)
        (chain,) = desired.content.chains
        bounds = ShareBounds.model_validate({"least_percent": 5, "most_percent": 80, "law": law})
        chain = chain.model_copy(update={"share_bounds": bounds})
        content = desired.content.model_copy(update={"chains": (chain,)})
        row.desired = DesiredHostConfig.of(2, content).model_dump(mode="json")


def promoted(ideal_mpps: float, **changes: object) -> None:
    """The firewall's model on this host model."""
    a_web_fit(NF_TYPE, ideal_mpps)
    with session_scope() as session:
        row = session.scalars(select(ModelVersionRow)).one()
        row.model = {**(row.model or {}), "ideal_provenance": "simulated", **changes}


def test_load_and_cost_are_those_of_the_newest_second(client: TestClient) -> None:
    """a carries 1 Mpps with .4 of its core: .4 us a packet; together with b the core is .7 busy."""
    placed()
    report(CALM)
    host = shown(client)
    first, second = host.cores
    assert (host.provenance, first.core, first.busy, second.busy) == (
        "simulated",
        0,
        pytest.approx(0.7),
        pytest.approx(0.2),
    )
    a, b = first.nfs
    assert (a.nf_id, a.load, a.cost_us) == ("web.a", pytest.approx(0.4), pytest.approx(0.4))
    assert (b.load, b.alone_us, b.inflation) == (pytest.approx(0.3), None, None), "no model is promoted"
    assert (first.divided, first.law, a.share_percent) == (False, None, None)


def test_inflation_is_what_a_packet_costs_more_than_alone(client: TestClient) -> None:
    """Alone 4 Mpps fill a core: .25 us a packet. a takes .4 us, 60 % more; b .3, 20 % more; c .1, which is less."""
    placed()
    promoted(4.0, nf_version=BY_NAME[NF_TYPE].version)
    report(CALM)
    (a, b), (c, _) = (core.nfs for core in shown(client).cores)
    assert (a.alone_us, a.inflation) == (0.25, pytest.approx(0.6))
    assert b.inflation == pytest.approx(0.2) and c.inflation == 0


def test_a_model_of_another_version_says_nothing_of_an_nf(client: TestClient) -> None:
    placed()
    promoted(4.0, nf_version=9)
    report(CALM)
    assert {nf.alone_us for core in shown(client).cores for nf in core.nfs} == {None}


def test_a_core_that_its_host_divides_says_by_what(client: TestClient) -> None:
    placed()
    bounded("rate-cost")
    shares = ({"nf_id": "web.a", "percent": 60}, {"nf_id": "web.b", "percent": 40})
    report(CALM, shared_cores=({"core": 0, "law": "rate-cost", "nfs": shares},))
    core, other = shown(client).cores
    assert (core.divided, core.law, core.held) == (True, "rate-cost", None)
    assert [nf.share_percent for nf in core.nfs] == [60, 40]
    assert (other.divided, other.law) == (False, None)


def test_a_host_that_is_silent_has_cores_without_figures(client: TestClient) -> None:
    placed()
    host = shown(client)
    assert (host.provenance, host.measured_at) == (None, None)
    assert {(core.busy, nf.load, nf.cost_us) for core in host.cores for nf in core.nfs} == {(None, None, None)}


def test_a_host_whose_nfs_have_cores_of_their_own_has_none(client: TestClient) -> None:
    placed({"a": 0, "b": 1}, a_host(1))
    assert shown(client).cores == ()


def test_an_unknown_host_is_not_found(client: TestClient) -> None:
    answer = client.get(f"{API}/control/sfc2cpu/hosts/nowhere")
    assert answer.status_code == 404 and "sextant hosts" in answer.text
