"""Many simulated hosts in one process: each with its own certificate, ledger and orders; reported in few requests."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.identity import IdentityProblem, new_key
from sextant_agent.identity.renewal import Renewable, Renewer
from sextant_agent.simulated.credentials import FleetCredentials
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredStateOrder, NfState
from sextant_domain.hosts.host import HostInventory

from .fleet import FleetListener
from .orders import chain, nf, order
from .pki import Authority
from .twin_process import LIFE, TwinProcess
from .waiting import wait_for

HOSTS = ("demo-1", "demo-2", "demo-3")
NFS = ("router", "firewall")
PUSHED = (("web", 6), ("dns", 7), ("dns", 8))
"""Chain and core: what runs, what comes, and where that is pushed to."""


@pytest.fixture
def twins(tmp_path: Path, authority: Authority, fleet: FleetListener) -> Iterator[TwinProcess]:
    process = TwinProcess(tmp_path, authority, HOSTS, fleet.url)
    yield process.start()
    process.end()


def web(host: str, generation: int = 1) -> DesiredStateOrder:
    ordered = chain("web", nf("web", "router", core=6), nf("web", "firewall", core=7), rate_mpps=0.5)
    return order(generation, ordered, host=host)


def test_each_host_is_reached_by_its_own_name_and_keeps_its_own_orders(
    twins: TwinProcess, fleet: FleetListener
) -> None:
    state = twins.converge("demo-2", web("demo-2"))
    assert {(found.nf_id, found.core, found.state, found.pid) for found in state.nfs} == {
        ("web.router", 6, NfState.RUNNING, None),
        ("web.firewall", 7, NfState.RUNNING, None),
    }
    assert twins.request("demo-1", "GET", "/v1/actual").json()["nfs"] == []
    wrong = twins.request("demo-1", "PUT", "/v1/desired", content=web("demo-2").model_dump_json())
    assert (wrong.status_code, wrong.json()["type"]) == (422, "urn:sextant:problem:bad-order")
    for host_id in HOSTS:
        assert HostInventory.model_validate(twins.request(host_id, "GET", "/v1/inventory").json()).host_id == host_id
    wait_for("all have registered", lambda: len(fleet.registered) == 3)
    assert {reported["agent_url"] for reported in fleet.registered} == {twins.url}


def test_no_host_of_this_process_is_no_connection(twins: TwinProcess) -> None:
    for name in ("demo-4", "edge-1"):
        with pytest.raises(httpx.HTTPError):
            twins.request(name, "GET", "/v1/health")
    with twins.client() as client, pytest.raises(httpx.HTTPError):
        client.get("/v1/health", extensions={"sni_hostname": "fleet.sextant"})


def test_a_second_of_all_hosts_is_one_request_of_simulated_figures(twins: TwinProcess, fleet: FleetListener) -> None:
    twins.converge("demo-1", web("demo-1"))
    first = wait_for("packets", lambda: next((b for b in fleet.batches if b.chains and b.chains[0].p95_us), None))
    batch = wait_for("a whole second", lambda: next((b for b in fleet.batches if b.sequence > first.sequence), None))
    assert (first.host_id, batch.provenance) == ("demo-1", Provenance.SIMULATED)
    batch = next(b for b in fleet.batches if b.host_id == "demo-1" and b.sequence == batch.sequence)
    assert batch.chains[0].delivered_mpps == pytest.approx(0.5, rel=0.1)
    assert {sample.node for sample in batch.nodes} == {0, 1}
    assert all(sample.llc_references_per_s is not None and sample.llc_occupancy_bytes for sample in batch.nfs)
    seconds = {host_id: [b.sequence for b in fleet.batches if b.host_id == host_id] for host_id in HOSTS}
    assert all(found == list(range(len(found))) for found in seconds.values()), "in order, none lost"
    assert fleet.requests <= max(map(len, seconds.values())) + 1, "one request a second, whatever the number of hosts"
    assert fleet.peers == {"urn:sextant:gateway:gw-1"}


def test_how_full_its_nfs_are_is_reported_to_prometheus_of_every_host(twins: TwinProcess, fleet: FleetListener) -> None:
    """What telemetry reports, marked as simulated, and of each host by its name; of one without power nothing."""
    for host_id, name in (("demo-1", "web"), ("demo-2", "mail")):
        ordered = chain(name, nf(name, "router", core=6), nf(name, "firewall", core=7), rate_mpps=0.5)
        twins.converge(host_id, order(1, ordered, host=host_id))

    def reported(name: str, factor: float) -> bool:
        """The newest figure is one that telemetry reports as well, of the same second."""
        shown = nf_metrics(twins, f"sextant_nf_{name}")[firewall]
        samples = [nf for batch in fleet.batches for nf in batch.nfs if nf.nf_id == "web.firewall"]
        return any(
            shown == pytest.approx(factor * one, rel=1e-6)
            for nf in samples
            if (one := nf.utilisation_percent if name == "utilisation_ratio" else nf.headroom_mpps)
        )

    def ratios() -> dict[tuple[str, str, str, str], float]:
        return nf_metrics(twins, "sextant_nf_utilisation_ratio")

    firewall = ("demo-1", "web.firewall", "web", "simulated")
    nfs = [(host_id, f"{name}.{nf}") for host_id, name in (("demo-1", "web"), ("demo-2", "mail")) for nf in NFS]
    keys = {(host_id, nf_id, nf_id.partition(".")[0], "simulated") for host_id, nf_id in nfs}
    wait_for("all of them are there", lambda: ratios().keys() == keys)
    wait_for("telemetry reports the same utilisation", lambda: reported("utilisation_ratio", 0.01))
    wait_for("and the same headroom", lambda: reported("headroom_packets_per_second", 1e6))
    assert twins.fault("demo-2", kind="host-down", seconds=60.0).status_code == 202
    wait_for("its lines are gone", lambda: {key[0] for key in ratios()} == {"demo-1"})


def nf_metrics(twins: TwinProcess, name: str) -> dict[tuple[str, str, str, str], float]:
    """By (host, nf, chain, provenance), as Prometheus reads it."""
    answer = twins.request("demo-1", "GET", "/metrics")
    (family,) = [one for one in text_string_to_metric_families(answer.text) if one.name == name]
    labels = ("host", "nf", "chain", "provenance")
    found = [tuple(sample.labels[label] for label in labels) for sample in family.samples]
    assert len(set(found)) == len(found), "a line that is there twice is an error to Prometheus"
    return {(a, b, c, d): sample.value for (a, b, c, d), sample in zip(found, family.samples, strict=True)}


def test_ledgers_bring_back_what_ran(twins: TwinProcess) -> None:
    for host_id in HOSTS:
        twins.converge(host_id, web(host_id))
    twins.end(signal.SIGKILL)
    twins.start()
    for host_id in HOSTS:
        assert len(twins.converged(host_id, 1).nfs) == 2


@pytest.mark.fault
def test_hosts_killed_amid_an_exchange_and_a_push_come_back_with_what_was_acknowledged(twins: TwinProcess) -> None:
    """demo-1 takes dns beside web, then gives web up, then dns is pushed to the core next door; each time the process
    is killed at a random moment after it has taken the order. What it acknowledged stands, each NF once."""
    dice = random.Random(5)
    here, there, pushed = (chain(name, nf(name, "router", core=core)) for name, core in PUSHED)
    twins.converge("demo-1", order(1, here, host="demo-1"))
    twins.converge("demo-2", order(1, there, host="demo-2"))
    for generation, chains in enumerate([(there, here), (there,), (pushed,)], start=2):
        ordered = order(generation, *chains, host="demo-1")
        answer = twins.request("demo-1", "PUT", "/v1/desired", content=ordered.model_dump_json())
        assert answer.status_code == 202, answer.text
        time.sleep(dice.uniform(0.0, 0.05))
        twins.end(signal.SIGKILL)
        twins.start()
        state = twins.converged("demo-1", generation)
        wanted = sorted((one.nf_id, one.core) for each in chains for one in each.nfs)
        assert sorted((found.nf_id, found.core) for found in state.nfs) == wanted
        assert {found.state for found in state.nfs} == {NfState.RUNNING}
    other = twins.converged("demo-2", 1)
    assert [(found.nf_id, found.core) for found in other.nfs] == [("dns.router", 7)], "its neighbour kept its order"


def test_a_crashed_nf_is_started_again_and_reported(twins: TwinProcess, fleet: FleetListener) -> None:
    twins.converge("demo-1", web("demo-1"))
    answer = twins.fault("demo-1", kind="nf-crash", nf_id="web.router")
    assert answer.status_code == 202
    assert [active["fault"]["nf_id"] for active in answer.json()["faults"]] == ["web.router"]
    reported = wait_for("its restart is reported", lambda: [n for b in fleet.batches for n in b.nfs if n.restarts == 1])
    assert {sample.nf_id for sample in reported} == {"web.router"}
    state = twins.converged("demo-1", 1)
    assert {found.restarts for found in state.nfs if found.nf_id == "web.router"} == {1}
    assert "ordered fault" in (next(found for found in state.nfs if found.restarts).last_error or "")
    assert twins.request("demo-1", "GET", "/v1/faults").json() == {"faults": []}
    nowhere = twins.fault("demo-1", kind="nf-crash", nf_id="web.nobody")
    assert (nowhere.status_code, nowhere.json()["errors"][0]["field"]) == (422, "fault.nf_id")


def test_a_host_without_power_is_silent_alone_and_comes_back_to_its_order(
    twins: TwinProcess, fleet: FleetListener
) -> None:
    twins.converge("demo-1", web("demo-1"))
    with twins.client() as kept:
        named = {"sni_hostname": "demo-1.host.sextant"}
        assert kept.get("/v1/health", extensions=named).status_code == 200
        assert twins.fault("demo-1", kind="host-down", seconds=6.0).status_code == 202
        answer = kept.put("/v1/desired", content=web("demo-1", 2).model_dump_json(), extensions=named)
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:host-without-power")
        assert kept.get("/v1/actual", extensions=named).status_code == 503
    wait_for("no connection any more", lambda: not answers(twins, "demo-1"))
    silent = [b.host_id for b in fleet.batches].count("demo-1")
    heard = len(fleet.batches)
    wait_for("the others go on", lambda: len(fleet.batches) >= heard + 4)
    assert [b.host_id for b in fleet.batches].count("demo-1") <= silent + 1
    assert answers(twins, "demo-2")
    wait_for("power", lambda: answers(twins, "demo-1"))
    assert len(twins.converged("demo-1", 1).nfs) == 2


def answers(twins: TwinProcess, host_id: str) -> bool:
    """A new connection."""
    named = {"sni_hostname": f"{host_id}.host.sextant"}
    try:
        with twins.client() as client:
            return client.get("/v1/health", extensions=named).status_code == 200
    except httpx.HTTPError:
        return False


def test_a_host_that_the_listener_refuses_says_so_and_harms_no_other(twins: TwinProcess, fleet: FleetListener) -> None:
    fleet.refused = {"demo-2": "Gateway gw-1 may not report for demo-2."}
    wait_for("it knows", lambda: problems(twins, "demo-2") == ["Gateway gw-1 may not report for demo-2."])
    assert problems(twins, "demo-1") == []
    fleet.refused = {}
    wait_for("it is over", lambda: not problems(twins, "demo-2"))


def test_a_host_that_may_not_register_keeps_no_other_from_it(
    tmp_path: Path, authority: Authority, fleet: FleetListener
) -> None:
    fleet.foreign = {"demo-1"}
    process = TwinProcess(tmp_path, authority, HOSTS, fleet.url).start()
    try:
        wait_for("telemetry, which comes after it", lambda: fleet.batches)
        assert {reported["inventory"]["host_id"] for reported in fleet.registered} == {"demo-2", "demo-3"}
    finally:
        process.end()


def problems(twins: TwinProcess, host_id: str) -> list[str]:
    found: list[str] = twins.request(host_id, "GET", "/v1/health").json()["problems"]
    return found


def test_a_connection_to_each_of_many_hosts_can_be_kept(tmp_path: Path, authority: Authority) -> None:
    """One a host, of a hundred hosts: more than an agent of one host takes at all (64)."""
    many = TwinProcess(tmp_path, authority, tuple(f"demo-{number:03}" for number in range(1, 101)), None)
    with ExitStack() as stack:
        stack.callback(many.end)
        many.start()
        context = authority.context("backend")
        for host_id in many.host_ids:
            client = stack.enter_context(httpx.Client(verify=context, base_url=many.url, trust_env=False, timeout=60))
            named = {"sni_hostname": f"{host_id}.host.sextant"}
            assert client.get("/v1/inventory", extensions=named).json()["host_id"] == host_id
        wait_for("a second of all", lambda: many.metric("sextant_agent_simulated_hosts_up") == 100)


def test_certificates_are_renewed_while_it_serves(twins: TwinProcess, fleet: FleetListener) -> None:
    """A connection opened after the renewal shows the host's new certificate; reports go on with the new gateway's."""
    before = twins.shown("demo-1")
    issued = twins.authority.certify_fleet(twins.key.public_key(), HOSTS, fleet.url, LIFE)
    twins.identity.renew(issued)
    assert twins.shown("demo-1") != before
    heard = len(fleet.registered)
    wait_for("it registers again, as after every renewal", lambda: len(fleet.registered) >= heard + 3)
    strange = twins.authority.certify_fleet(new_key().public_key(), HOSTS, fleet.url, LIFE)
    now = twins.shown("demo-1")
    with pytest.raises(IdentityProblem, match="another key"):
        twins.identity.renew(strange)
    assert twins.shown("demo-1") == now, "the former stay"


def test_a_fleet_renews_when_half_of_its_time_is_left(
    tmp_path: Path, authority: Authority, fleet: FleetListener
) -> None:
    """Of an hour 30 minutes, and 3 at most that spread renewals: not yet after 29, surely after 34."""
    process = TwinProcess(tmp_path, authority, HOSTS, fleet.url)
    credentials = FleetCredentials(process.identity.folder, frozenset(HOSTS), lambda _: False)
    identity = process.identity
    renewer = Renewer(Renewable(identity.gateway, identity.key, identity.renew), FleetClient(fleet.url, credentials))
    issued = authority.certify_fleet(process.key.public_key(), HOSTS, fleet.url, LIFE)
    fleet.renewed = issued.model_dump_json().encode()
    begun = time.time()
    assert not renewer.renew_if_due(begun + 29 * 60)
    assert renewer.renew_if_due(begun + 34 * 60)
    assert issued.gateway and (process.identity.folder / "gateway.crt").read_text() == issued.gateway.certificate
    fleet.answer = 503
    assert not renewer.renew_if_due(begun + 70 * 60)


def test_a_fleet_without_a_certificate_does_not_start_and_names_it(tmp_path: Path, authority: Authority) -> None:
    process = TwinProcess(tmp_path, authority, HOSTS, None)
    process.identity.path_of("demo-3").unlink()
    with pytest.raises(AssertionError, match=r"no certificate of demo-3.*enrol the fleet first"):
        process.start("--hosts", "demo-*:3")
