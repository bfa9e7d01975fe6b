"""Two hosts whose packets measure themselves, as SRv6-INT's global loop looks at: written into the tables, and reported
second by second. The chain `web` has one NF, with quota bounds, on the first of them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from large_world import a_numa_host, a_stored_host
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.telemetry import early as early_reports
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.base import Provenance
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.lane import LANES
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange, QuotaState
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.early_report import EarlyReport, OverloadedNf
from sextant_domain.hosts.host import Capability, HostInventory
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, LoadBasis, NfSample, TelemetryBatch
from sqlalchemy import text

HOST, OTHER = "edge-1", "edge-2"
NF_TYPE = "firewall"
BOUNDS = {"max_p95_us": 1000.0, "least_percent": 10, "most_percent": 50}
_sequence = [0]


CPU: float | None = 40.0
"""Percent that an NF is said to take; None: not measured."""


def a_host(name: str, *without: str) -> HostInventory:
    """Four cores for NFs on one node; `without`: capabilities that it has not."""
    base = a_numa_host(name)
    cores = tuple(core.model_copy(update={"slots": 4 if core.id < 4 else 0}) for core in base.cores)
    able = tuple(
        Capability(name=can, available=True, reason="always")
        for can in (LANES, QUOTA_BOUNDS, "cpu-share")
        if can not in without
    )
    kept = tuple(one for one in base.capabilities if one.name not in {LANES, QUOTA_BOUNDS, "cpu-share"})
    return base.model_copy(update={"cores": cores, "capabilities": (*kept, *able)})


def placed(
    *lanes_on: str,
    share: int | None = None,
    other_without: Sequence[str] = (),
    budgets: Mapping[str, float] = MappingProxyType({}),
) -> None:
    """Both hosts, and `web` in so many even lanes on these. `share`: of CPU, that its NF asks for; `other_without`:
    capabilities that the second host has not; `budgets`: percent of a core, by host that has only so much for NFs."""
    hosts = lanes_on or (HOST,)
    of_host: dict[str, list[DesiredChain]] = {HOST: [], OTHER: []}
    for number, host in enumerate(hosts, 1):
        of_host[host].append(lane_on(host, number, len(hosts), share))
    with session_scope() as session:
        for name, chains in of_host.items():
            desired = DesiredHostConfig.of(1, HostContent(host_id=name, chains=tuple(chains)))
            found = a_host(name, *(other_without if name == OTHER else ()))
            found = found.model_copy(update={"cpu_budget_percent": budgets.get(name)})
            session.add(a_stored_host(found, desired))
        session.flush()
        for name, chains in of_host.items():
            for chain in chains:
                _store(session, name, chain, share)


def spec_of(number: int, lanes: int, share: int | None = None) -> ChainSpec:
    """Of one of its lanes."""
    asked = {
        "name": "web",
        "nfs": [{"type": NF_TYPE, "name": "fw", "cpu_share": share}],
        "traffic": {"rate_mpps": 0.02, "packet_bytes": 976},
        "quota_bounds": BOUNDS,
    }
    return ChainSpec.model_validate(asked).in_lanes((1,) * lanes)[number - 1]


def lane_on(host: str, number: int, lanes: int, share: int | None) -> DesiredChain:
    """As planning orders it: with a host at both ends."""
    spec, of_type = spec_of(number, lanes, share), BY_NAME[NF_TYPE]
    nf = DesiredNf(
        nf_id=f"{spec.name}.fw",
        nf_type=NF_TYPE,
        nf_version=of_type.version,
        config=of_type.default_config(),
        core=0,
        slot=0,
        cpu_share=share,
    )
    return DesiredChain(
        chain=spec.name,
        nfs=(nf,),
        ingress=spec.ingress.model_copy(update={"host": host}),
        egress=spec.egress.model_copy(update={"host": host}),
        traffic=spec.traffic,
        quota_bounds=spec.quota_bounds,
    )


def _store(session: Any, host: str, chain: DesiredChain, share: int | None) -> None:
    lane = chain.traffic.lane
    spec = spec_of(1, 1, share) if lane is None else spec_of(lane.number, len(lane.weights), share)
    session.add(ChainRow(name=chain.chain, spec=spec.model_dump(mode="json"), state="running", created_by="ada"))
    session.flush()
    for nf in chain.nfs:
        session.add(
            PlacedNfRow(
                nf_id=nf.nf_id,
                chain=chain.chain,
                position=0,
                nf_type=NF_TYPE,
                host_id=host,
                node=0,
                core=nf.core,
                slot=nf.slot,
                plan_id=1,
            )
        )


def second(
    other: float | Mapping[str, float] = 0.0, changes: Sequence[QuotaChange] = (), **reports: Mapping[str, float]
) -> None:
    """Both hosts report one second, and the laws have a turn. Other work takes `other` percent of each core
    (by host), as far as NFs leave that. By chain (`_` for `-`): `mpps` that is offered, `p95_us`
    of its NF, and whether its host has no more for it (`saturated`). `changes`: what the first host's agent set."""
    chains = {name.replace("_", "-"): said for name, said in reports.items()}
    with session_scope() as session:
        ordered = {row.chain: row.host_id for row in session.query(PlacedNfRow)}
    for host in (HOST, OTHER):
        of_host = {name: said for name, said in chains.items() if ordered.get(name) == host}
        of_other = other if isinstance(other, float) else other.get(host, 0.0)
        _report(host, of_host, of_other, changes if host == HOST else ())
    each_second.tick()


def early(chain: str, host: str = HOST, **said: Any) -> bool:
    """An early report of .2 s of `host` about one of its chains; whether it was taken. `mpps` that is offered, and
    `carried`; `p95_us` of its NF; `stood_s`: for so long its host has had no more for it, none where it has."""
    after_s, stood_s = said.pop("after_s", 0.0), said.get("stood_s")
    mpps = said["mpps"]
    named = () if stood_s is None else (OverloadedNf(nf_id=f"{chain}.fw", stood_s=stood_s),)
    with session_scope() as session:
        report = EarlyReport(
            host_id=host,
            taken_at=db_now(session) + timedelta(seconds=after_s),
            interval_s=0.2,
            provenance=Provenance.SIMULATED,
            chains=(_chain(chain, mpps, said.get("carried")),),
            nfs=(_nf(chain, mpps),),
            cores=tuple(_core(core, 40.0 if core == 0 else 0.0, 0.0) for core in range(4)),
            overloaded=named,
            bounded_nfs=(_bounded(chain, {**said, "saturated": stood_s is not None}),),
        )
        return early_reports.ingest(session, report)


def time_passes(seconds: float) -> None:
    """Since what was heard of hosts last."""
    with session_scope() as session:
        for table in ("early_reports", "latest_hosts"):
            session.execute(text(f"UPDATE {table} SET heard_at = heard_at - make_interval(secs => {seconds})"))


def _report(host: str, chains: Mapping[str, Mapping[str, float]], other: float, changes: Sequence[QuotaChange]) -> None:
    busy = 40.0 if chains else 0.0
    _sequence[0] += 1
    with session_scope() as session:
        batch: dict[str, Any] = {
            "host_id": host,
            "epoch": "e1",
            "sequence": _sequence[0],
            "taken_at": db_now(session),
            "interval_s": 1.0,
            "provenance": "simulated",
            "applied_generation": 1,
            "phase": "converged",
            "chains": tuple(_chain(name, said["mpps"]) for name, said in chains.items()),
            "nfs": tuple(_nf(name, said["mpps"]) for name, said in chains.items()),
            "cores": tuple(_core(core, busy if core == 0 else 0.0, other) for core in range(4)),
            "bounded_nfs": tuple(_bounded(name, said) for name, said in chains.items()),
            "quota_changes": tuple(changes),
        }
        telemetry.ingest(session, TelemetryBatch.model_validate(batch))


def _core(core: int, of_nfs: float, other: float) -> CoreSample:
    other = min(other, 100.0 - of_nfs)
    return CoreSample(core=core, busy_percent=of_nfs + other, other_percent=other)


def _chain(name: str, mpps: float, carried: float | None = None) -> ChainSample:
    delivered = mpps if carried is None else carried
    return ChainSample(chain=name, offered_mpps=mpps, delivered_mpps=delivered, drop_mpps=mpps - delivered)


def _nf(chain: str, mpps: float) -> NfSample:
    return NfSample(
        nf_id=f"{chain}.fw",
        chain=chain,
        core=0,
        rx_mpps=mpps,
        tx_mpps=mpps,
        drop_mpps=0.0,
        cpu_percent=CPU,
        utilisation_percent=40.0,
        utilisation_basis=LoadBasis.BUSY_TIME,
        ring_used_percent=None,
        ring_peak_percent=None,
    )


def _bounded(chain: str, said: Mapping[str, float]) -> BoundedNf:
    above = said["p95_us"] > BOUNDS["max_p95_us"]
    saturated = QuotaState.SATURATED if said.get("saturated") else QuotaState.ABOVE
    return BoundedNf(
        nf_id=f"{chain}.fw",
        chain=chain,
        quota_percent=said.get("quota", 50.0),
        p95_us=said["p95_us"],
        max_p95_us=BOUNDS["max_p95_us"],
        state=saturated if above else QuotaState.WELL,
        stood_s=said.get("stood_s"),
    )
