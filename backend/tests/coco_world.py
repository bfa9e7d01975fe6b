"""A host whose NFs share cores, as CoCo's law looks at: written into the tables, and reported second by second.

One chain of four NFs, as in the paper's Fig. 4: a and b on core 0, c and d on core 1.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient
from fleet_world import API
from large_world import a_numa_host, a_stored_host
from recommendation_world import recommendations
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.telemetry import early as early_reports
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.early_report import EarlyReport, OverloadedNf
from sextant_domain.hosts.host import Capability, HostInventory
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, LoadBasis, NfSample, TelemetryBatch
from sextant_domain.laws.coco_view import CocoHost
from sextant_domain.laws.recommendation import Recommendation, RecommendationState

HOST = "shared-1"
SLOTS = 4
NF_TYPE = "firewall"
CORES = {"a": 0, "b": 0, "c": 1, "d": 1}
CALM = {"a": 0.4, "b": 0.3, "c": 0.1, "d": 0.1}
"""Shares of their cores that the NFs use."""
GROWN = {"a": 0.6, "b": 0.4, "c": 0.1, "d": 0.1}
"""Core 0 is full: what the chain loses would take more of it."""
_sequence = [0]


def a_host(slots: int = SLOTS, *, lanes: bool = False) -> HostInventory:
    """As `a_numa_host`, with slots for several NFs a core; and with lanes."""
    base = a_numa_host(HOST)
    cores = tuple(core.model_copy(update={"slots": slots}) if core.slots else core for core in base.cores)
    able = (Capability(name=LANES, available=True, reason="always"),) if lanes else ()
    return base.model_copy(update={"cores": cores, "capabilities": (*base.capabilities, *able)})


def placed(cores: Mapping[str, int] | None = None, inventory: HostInventory | None = None) -> None:
    """The host with its chain `web`."""
    inventory, cores = inventory or a_host(), cores or CORES
    spec = ChainSpec.model_validate(
        {
            "name": "web",
            "nfs": [{"type": NF_TYPE, "name": name} for name in cores],
            "traffic": Traffic(rate_mpps=1.0, packet_bytes=976).model_dump(),
        }
    )
    slots = {name: sum(cores[other] == cores[name] for other in list(cores)[:at]) for at, name in enumerate(cores)}
    of_type = BY_NAME[NF_TYPE]
    nfs = tuple(
        DesiredNf(
            nf_id=f"web.{name}",
            nf_type=NF_TYPE,
            nf_version=of_type.version,
            config=of_type.default_config(),
            core=core,
            slot=slots[name],
        )
        for name, core in cores.items()
    )
    chain = DesiredChain(chain="web", nfs=nfs, ingress=spec.ingress, egress=spec.egress, traffic=spec.traffic)
    desired = DesiredHostConfig.of(1, HostContent(host_id=HOST, chains=(chain,)))
    with session_scope() as session:
        session.add(a_stored_host(inventory, desired))
        session.add(ChainRow(name="web", spec=spec.model_dump(mode="json"), state="running", created_by="ada"))
        session.flush()
        for position, nf in enumerate(nfs):
            session.add(
                PlacedNfRow(
                    nf_id=nf.nf_id,
                    chain="web",
                    position=position,
                    nf_type=NF_TYPE,
                    host_id=HOST,
                    node=0,
                    core=nf.core,
                    slot=nf.slot,
                    plan_id=1,
                )
            )


OTHER = "shared-2"


def another(inventory: HostInventory | None = None) -> None:
    """A host that runs nothing, and whose driver has lanes."""
    empty = DesiredHostConfig.of(1, HostContent(host_id=OTHER))
    inventory = (inventory or a_host(lanes=True)).model_copy(update={"host_id": OTHER, "hostname": OTHER})
    with session_scope() as session:
        session.add(a_stored_host(inventory, empty))


def report_of_another(busy: Mapping[int, float]) -> None:
    """Its second: by core, the per cent that other work uses."""
    _sequence[0] += 1
    with session_scope() as session:
        batch: dict[str, Any] = {
            "host_id": OTHER,
            "epoch": "e2",
            "sequence": _sequence[0],
            "taken_at": db_now(session),
            "interval_s": 1.0,
            "provenance": "simulated",
            "applied_generation": 1,
            "phase": "converged",
            "chains": (),
            "nfs": (),
            "cores": tuple(
                CoreSample(core=core, busy_percent=share, other_percent=share) for core, share in busy.items()
            ),
        }
        telemetry.ingest(session, TelemetryBatch.model_validate(batch))


def second(use: Mapping[str, float], offered: float = 1.0, carried: float = 1.0, **changes: Any) -> None:
    """The host reports one second (Mpps), and the laws have a turn."""
    report(use, offered, carried, **changes)
    each_second.tick()


def report(use: Mapping[str, float], offered: float = 1.0, carried: float = 1.0, **changes: Any) -> None:
    """Only the report. Sources and sinks use nothing; what is not carried is dropped by a, or `dropper`, but for what
    is lost `on_line`, before it reaches an NF. `ring`: how full that of a was, percent. `other`: what other programs
    use of core 1, percent."""
    _sequence[0] += 1
    after_s, on_line = changes.pop("after_s", 0.0), changes.pop("on_line", 0.0)
    ring, other = {"a": changes.pop("ring", None)}, {1: changes.pop("other", 0.0)}
    dropped, dropper = max(0.0, offered - carried - on_line), changes.pop("dropper", "a")
    busy = {core: 100 * sum(share for name, share in use.items() if CORES[name] == core) for core in {*CORES.values()}}
    busy = {core: min(100.0, share + other.get(core, 0.0)) for core, share in busy.items()}
    with session_scope() as session:
        batch: dict[str, Any] = {
            "host_id": HOST,
            "epoch": "e1",
            "sequence": _sequence[0],
            "taken_at": db_now(session) + timedelta(seconds=after_s),
            "interval_s": 1.0,
            "provenance": "simulated",
            "applied_generation": 1,
            "phase": "converged",
            "chains": (
                ChainSample(
                    chain="web", offered_mpps=offered, delivered_mpps=carried, drop_mpps=max(0.0, offered - carried)
                ),
            ),
            "nfs": tuple(
                _sample(name, share, carried, dropped if name == dropper else 0.0, ring.get(name))
                for name, share in use.items()
            ),
            "cores": tuple(
                CoreSample(core=core, busy_percent=share, other_percent=other.get(core)) for core, share in busy.items()
            ),
        }
        telemetry.ingest(session, TelemetryBatch.model_validate(batch | changes))


def early(use: Mapping[str, float], offered: float, carried: float, stood: Mapping[str, float], **changes: Any) -> bool:
    """An early report of .2 s; whether it was taken. `stood`: NFs that are overloaded, and for how many seconds."""
    after_s = changes.pop("after_s", 0.0)
    busy = {core: 100 * sum(share for name, share in use.items() if CORES[name] == core) for core in {*CORES.values()}}
    with session_scope() as session:
        said: dict[str, Any] = {
            "host_id": HOST,
            "taken_at": db_now(session) + timedelta(seconds=after_s),
            "interval_s": 0.2,
            "provenance": "measured",
            "chains": (ChainSample(chain="web", offered_mpps=offered, delivered_mpps=carried, drop_mpps=0.0),),
            "nfs": tuple(_sample(name, share, carried, 0.0, 100 * (name in stood)) for name, share in use.items()),
            "cores": tuple(CoreSample(core=core, busy_percent=min(100.0, share)) for core, share in busy.items()),
            "overloaded": tuple(OverloadedNf(nf_id=f"web.{name}", stood_s=seconds) for name, seconds in stood.items()),
        }
        return early_reports.ingest(session, EarlyReport.model_validate(said | changes))


def _sample(name: str, share: float, mpps: float, dropped: float, ring: float | None) -> NfSample:
    return NfSample(
        nf_id=f"web.{name}",
        chain="web",
        core=CORES[name],
        rx_mpps=mpps,
        tx_mpps=mpps,
        drop_mpps=dropped,
        cpu_percent=100 * share,
        utilisation_percent=100 * share,
        utilisation_basis=LoadBasis.BUSY_TIME,
        ring_used_percent=ring,
        ring_peak_percent=ring,
    )


def host(client: TestClient) -> CocoHost:
    answer = client.get(f"{API}/control/coco/hosts/{HOST}")
    assert answer.status_code == 200, answer.text
    return CocoHost.model_validate_json(answer.content)


def open_ones(client: TestClient) -> list[Recommendation]:
    return [one for one in recommendations(client) if one.state is RecommendationState.OPEN]
