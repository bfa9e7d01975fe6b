"""Three hosts whose packets measure themselves and pass from the first to the second, with agents that take orders; and
what they report of the chain `web`, second by second."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from recommendation_world import carried_out
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import early as early_reports
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.base import Provenance
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.early_report import EarlyReport, OverloadedNf
from sextant_domain.hosts.host import Capability
from sextant_domain.hosts.path import PathPlace
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, LoadBasis, NfSample, TelemetryBatch
from srv6_world import BOUNDS, a_host

HOSTS = ("edge-1", "edge-2", "edge-3")
_sequence = [0]


def placed(client: TestClient, fleet: Fleet) -> None:
    """`web` over the first two, at .02 Mpps."""
    for number, name in enumerate(HOSTS, start=1):
        other = 3 - number
        place = PathPlace.model_validate({
            "locator": f"fc00:0:{number}::/48", "mtu": 9000, "sources": [f"fc00:0:{other}::"],
            "links": [{"port": "eth1", "mtu": 9200, "to": [f"fc00:0:{other}::/48"]}],
        }) if number < 3 else None  # fmt: skip
        known = a_host(name)
        able = (*known.capabilities, Capability(name=OVER_HOSTS, available=True, reason="a test says so"))
        with session_scope() as session:
            hosts.register(
                session, known.model_copy(update={"capabilities": able, "path_place": place}), fleet[name].url
            )
    asked = ChainFile.model_validate({
        "apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "quota_bounds": BOUNDS,
        "traffic": {"rate_mpps": 0.02, "packet_bytes": 600},
        "path": [{"nfs": ["router"], "host": "edge-1"}, {"nfs": ["firewall"], "host": "edge-2"}],
    }).specs()  # fmt: skip
    answer = client.post(f"{API}/chains/batches", json={"chains": [one.model_dump(mode="json") for one in asked]})
    assert answer.status_code == 201, answer.text
    carried_out(client, answer.json()["plan_id"])


def short_times(client: TestClient) -> None:
    """Seconds of a test are milliseconds apart: what must stand for a second stands for none."""
    at = f"{API}/control/srv6/parameters"
    wanted = {"hold_s": 0, "surplus_s": 1, "rest_s": 0, "late_s": 60}
    answer = client.patch(at, json=wanted, headers={"If-Match": client.get(at).headers["ETag"]})
    assert answer.status_code == 200, answer.text


def chains_on(fleet: Fleet) -> dict[str, set[str]]:
    """By what agents were ordered."""
    return {name: {chain.chain for chain in fleet[name].ledger.content.chains} for name in HOSTS}


def host_of(client: TestClient, chain: str) -> str:
    [nf, *_] = client.get(f"{API}/chains/{chain}").json()["placement"]
    return str(nf["seat"]["host"])


def second(mpps: float, chains: Mapping[str, Mapping[str, Any]], later_s: float = 0.0) -> None:
    """All hosts report one second, and the laws have a turn. By chain, each of which is offered so much unless it has
    `mpps` of its own: `p95_us` of its NFs, whether its host has no more for them (`saturated`), what it carries where
    that is less, and what of that its rules filter. `later_s`: so much later, by the hosts' clocks."""
    with session_scope() as session:
        nfs = {name: [row for row in session.query(PlacedNfRow) if row.chain == name] for name in chains}
        of = {name: rows[0].host_id for name, rows in nfs.items()}
        ids = {name: [row.nf_id for row in rows] for name, rows in nfs.items()}
    _sequence[0] += 1
    for host in HOSTS:
        here = [name for name in chains if of[name] == host]
        with session_scope() as session:
            batch = {
                "host_id": host,
                "epoch": "e1",
                "sequence": _sequence[0],
                "taken_at": db_now(session) + timedelta(seconds=later_s),
                "interval_s": 1.0,
                "provenance": "simulated",
                "applied_generation": 1,
                "phase": "converged",
                "chains": tuple(_sample(name, mpps, chains[name]) for name in here),
                "nfs": tuple(_nf(name, nf_id, mpps) for name in here for nf_id in ids[name]),
                "cores": tuple(CoreSample(core=core, busy_percent=40.0 if here else 0.0) for core in range(4)),
                "bounded_nfs": tuple(_bounded(name, nf_id, chains[name]) for name in here for nf_id in ids[name]),
            }
            telemetry.ingest(session, TelemetryBatch.model_validate(batch))
    each_second.tick()


def early(chain: str, mpps: float, stood_s: float) -> str:
    """An early report of .2 s of the host of one part: its NF has been saturated for so long. Which host that is."""
    with session_scope() as session:
        [nf] = [row for row in session.query(PlacedNfRow) if row.chain == chain]
        said = {"p95_us": 4000.0, "saturated": 1}
        report = EarlyReport(
            host_id=nf.host_id,
            taken_at=db_now(session),
            interval_s=0.2,
            provenance=Provenance.SIMULATED,
            chains=(_chain(chain, mpps, mpps / 2),),
            nfs=(_nf(chain, nf.nf_id, mpps),),
            cores=tuple(CoreSample(core=core, busy_percent=40.0) for core in range(4)),
            overloaded=(OverloadedNf(nf_id=nf.nf_id, stood_s=stood_s),),
            bounded_nfs=(_bounded(chain, nf.nf_id, said).model_copy(update={"stood_s": stood_s}),),
        )
        assert early_reports.ingest(session, report)
        return str(nf.host_id)


def _chain(name: str, mpps: float, carried: float) -> ChainSample:
    return ChainSample(chain=name, offered_mpps=mpps, delivered_mpps=carried, drop_mpps=mpps - carried)


def _sample(name: str, mpps: float, said: Mapping[str, Any]) -> ChainSample:
    offered, filtered = said.get("mpps", mpps), said.get("filtered", 0.0)
    found = _chain(name, offered, said.get("carried", offered))
    return found.model_copy(update={"filtered_mpps": filtered, "delivered_mpps": found.delivered_mpps - filtered})


def _nf(chain: str, nf_id: str, mpps: float) -> NfSample:
    return NfSample(
        nf_id=nf_id, chain=chain, core=0, rx_mpps=mpps, tx_mpps=mpps, drop_mpps=0.0, cpu_percent=40.0,
        utilisation_percent=40.0, utilisation_basis=LoadBasis.BUSY_TIME, ring_used_percent=None,
        ring_peak_percent=None,
    )  # fmt: skip


def _bounded(chain: str, nf_id: str, said: Mapping[str, Any]) -> BoundedNf:
    above = said["p95_us"] > BOUNDS["max_p95_us"]
    no_more = QuotaState.SATURATED if said.get("saturated") else QuotaState.ABOVE
    return BoundedNf(
        nf_id=nf_id, chain=chain, quota_percent=50.0, p95_us=said["p95_us"], max_p95_us=BOUNDS["max_p95_us"],
        state=no_more if above else QuotaState.WELL, stood_s=None,
    )  # fmt: skip
