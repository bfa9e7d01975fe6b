"""Networks on a simulated host, from promotion to what its agent then measures: newcomers are assigned by one that is
as good as the least loaded core, and it is kept; by one that puts all on the first core, and it is reverted in three
spans of ten seconds, audited, an alert, and rests."""

import pytest
from alert_world import a_round, alerts
from console_world import wait_until
from fastapi.testclient import TestClient
from fleet_world import API
from network_world import NETWORKS, PROMOTIONS, trained
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.sfc2cpu import watching
from sextant_domain.console.alerts import AlertState
from sextant_domain.studies.networks import NetworkPromotion, PromotionEnd
from sqlalchemy import text
from test_calibrated_simulated import ALONE_MPPS, HOST, carried_out, placed, twin

__all__ = ["twin"]
FAST = 0.6
"""Of a core, by each chain: two on one core lose a fifth, on two nothing."""


def in_force(client: TestClient) -> NetworkPromotion:
    return NetworkPromotion.model_validate(client.get(PROMOTIONS).json()["items"][0])


def judged() -> int:
    with session_scope() as session:
        return watching.evaluate(session)


def promote(client: TestClient, *, first_core: bool) -> str:
    cores = client.get(f"{API}/control/sfc2cpu/hosts/{HOST}").json()["assignable"]
    one = trained(cores, first_core=first_core)
    answer = client.put(f"{NETWORKS}/{one}/promotion")
    assert answer.status_code == 200, answer.text
    assert client.get(f"{API}/control/sfc2cpu/assigner").json()["algorithm"] == "network"
    return one


def assigned(client: TestClient) -> list[int]:
    """Both chains by the network; their cores."""
    for name in ("a", "b"):
        made = placed(client, name, FAST * ALONE_MPPS["vpn"], "vpn", algorithm="network")
        assert made.body is not None
        [host] = made.body.evidence.hosts
        assert host.assigned is not None and host.assigned.network is not None
    found = {nf["nf_id"]: nf["seat"]["core"] for nf in client.get(f"{API}/nfs").json()["items"]}
    return [found["a.vpn"], found["b.vpn"]]


def hear(spans: int, client: TestClient) -> int:
    """Rounds as the watch makes them, until so many spans were judged on samples of the agent's own; how many networks
    were reverted."""
    reverted, seen = 0, set()

    def enough() -> bool:
        nonlocal reverted
        reverted += judged()
        host = in_force(client).hosts.get(HOST)
        if host is not None and host.at is not None:
            seen.add(host.at)
        return reverted > 0 or len(seen) >= spans

    wait_until(enough, 10 * (spans + 2))
    return reverted


def test_newcomers_are_assigned_by_a_network_that_is_kept(client: TestClient, twin: None) -> None:
    promote(client, first_core=False)
    assert len(set(assigned(client))) == 2
    assert hear(2, client) == 0
    host = in_force(client).hosts[HOST]
    assert host.served is not None and host.round_robin is not None
    assert (host.worse, host.round_robin) == (0, pytest.approx(1.0, abs=0.01))
    assert host.served == pytest.approx(1.0, abs=0.01)


def test_one_that_is_worse_than_round_robin_is_reverted_in_three_spans(client: TestClient, twin: None) -> None:
    """1.2 of a core are asked of one, which gives 1; round robin would have served all."""
    one = promote(client, first_core=True)
    assert len(set(assigned(client))) == 1
    assert hear(2, client) == 0
    assert in_force(client).hosts[HOST].worse == 2
    assert judged() == 0, "nothing new was measured: no verdict"
    assert hear(2, client) == 1
    ended = in_force(client)
    assert (ended.weights, ended.ended, ended.ended_by) == (one, PromotionEnd.WORSE, "system")
    assert ended.verdict is not None and ended.rests_until is not None and ended.ended_at is not None
    assert ended.verdict.host == HOST
    assert ended.verdict.served < 0.9 < 0.98 < ended.verdict.round_robin
    assert client.get(f"{API}/control/sfc2cpu/assigner").json()["algorithm"] == "min_max"
    entry = next(one for one in client.get(f"{API}/audit").json()["items"] if one["action"] == "network.revert_worse")
    assert (entry["actor"], entry["detail"]["host"], entry["detail"]["rests_for_min"]) == ("system", HOST, "60")
    assert client.put(f"{NETWORKS}/{one}/promotion").status_code == 409
    a_round()
    [alert] = alerts(client, kind="network_reverted")
    assert (alert.object_name, alert.state) == (HOST, AlertState.FIRING)
    assert "round robin would have served" in alert.cause
    assert alert.next_step == f"sextant plans ask --host {HOST} --algorithm min_max --max-moves 2"
    with session_scope() as session:
        session.execute(text("UPDATE network_promotions SET ended_at = ended_at - interval '1 hour'"))
    a_round()
    assert [one.state for one in alerts(client, kind="network_reverted")] == [AlertState.RESOLVED]
    assert client.put(f"{NETWORKS}/{one}/promotion").status_code == 200


def test_what_others_have_assigned_since_is_not_held_against_it(client: TestClient, twin: None) -> None:
    """A re-balance by min_max of a host that the network had filled badly: nobody watches any more."""
    promote(client, first_core=True)
    assert len(set(assigned(client))) == 1
    assert judged() == 0
    assert HOST in in_force(client).hosts
    carried_out(client, {"kind": "replace", "host": HOST}, algorithm="min_max", max_moves=1)
    assert judged() == 0
    assert in_force(client).hosts == {}
