"""A host with two nodes whose chains NUMASFP's law looks at: written into the tables, and reported second by second.

Frames have 976 bytes: with FCS, preamble and gap 1000 bytes a packet, so 1 Mpps is 8 Gbps on the wire.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from large_world import CORES_A_NODE, a_numa_host, a_stored_host
from levels_world import a_draft, measured
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.levels import service as levels
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.console.access import Role
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import Capability, HostInventory
from sextant_domain.hosts.levels import Level, TypeLevels
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch

HOST_MODEL = "xeon-2x16"
HOST = "numa-1"
FRAME_BYTES = 976
GBPS_A_MPPS = 8.0
STEPS = tuple(range(10, 101, 10))
ALL = Traffic(rate_mpps=0.5, packet_bytes=FRAME_BYTES)
LOCAL = {4.0: (1, 10), 5.0: (1, 20), 7.0: (2, 30), 8.0: (3, 30), 9.0: (3, 40), 10.0: (4, 50)}
"""Gbps -> ways and bandwidth; a remote node carries up to 7 Gbps, with one way and 10 % more."""
_epoch = [0]


def a_host(name: str = HOST, *, groups: int | None = 7, without: str | None = None) -> HostInventory:
    """As `a_numa_host`, with CAT and MBA; `without`: why it has neither."""
    base = a_numa_host(name)
    has = without is None
    capabilities = tuple(
        Capability(name=one, available=has, reason=without or "by resctrl") for one in ("resctrl-cat", "resctrl-mba")
    )
    nodes = tuple(
        node.model_copy(update={"memory_bandwidth_steps_percent": STEPS if has else ()}) for node in base.nodes
    )
    changes: dict[str, Any] = {"capabilities": (*base.capabilities, *capabilities), "nodes": nodes}
    return base.model_copy(update=changes | {"resource_groups": groups if has else None})


def placed(chains: Mapping[str, int], inventory: HostInventory | None = None, nf_type: str = "firewall") -> None:
    """The host, with chains of one NF each. `chains`: the core of each, 0 to 15 on node 0, where packets arrive, and 16
    to 31 on node 1."""
    inventory = inventory or a_host()
    specs = [ChainSpec(name=name, nfs=({"type": nf_type, "name": "n0"},), traffic=ALL) for name in chains]
    content = HostContent(
        host_id=inventory.host_id,
        chains=tuple(_ordered(spec, chains[spec.name], nf_type) for spec in sorted(specs, key=lambda one: one.name)),
    )
    desired = DesiredHostConfig.of(1, content)
    with session_scope() as session:
        session.add(a_stored_host(inventory, desired))
        session.flush()
        for spec in specs:
            session.add(ChainRow(name=spec.name, spec=spec.model_dump(mode="json"), state="running", created_by="ada"))
        session.flush()
        for spec in specs:
            session.add(_seat(inventory, spec, chains[spec.name], nf_type))


def promoted(**types: Mapping[float, tuple[int, int]]) -> None:
    """Levels of NF types, in use: local ones as named (LOCAL where none are), remote ones up to 7 Gbps."""
    for number, (nf_type, local) in enumerate((types or {"firewall": LOCAL}).items(), start=1):
        remote = {gbps: (ways + 1, percent + 10) for gbps, (ways, percent) in local.items() if gbps <= 7}
        found = measured().model_copy(update={"levels": TypeLevels(local=_levels(local), remote=_levels(remote))})
        draft = a_draft(number, nf_type, host_model=HOST_MODEL, measured=found)
        with session_scope() as session:
            levels.promote(session, draft, Principal("ada", Role.ADMIN))


def _levels(of_node: Mapping[float, tuple[int, int]]) -> tuple[Level, ...]:
    return tuple(Level(gbps=gbps, ways=ways, mb_percent=percent) for gbps, (ways, percent) in of_node.items())


def _ordered(spec: ChainSpec, core: int, nf_type: str) -> DesiredChain:
    of_type = BY_NAME[nf_type]
    nf = DesiredNf(
        nf_id=spec.nf_id(0), nf_type=nf_type, nf_version=of_type.version, config=of_type.default_config(), core=core
    )
    return DesiredChain(chain=spec.name, nfs=(nf,), ingress=spec.ingress, egress=spec.egress, traffic=spec.traffic)


def _seat(inventory: HostInventory, spec: ChainSpec, core: int, nf_type: str) -> PlacedNfRow:
    return PlacedNfRow(
        nf_id=spec.nf_id(0),
        chain=spec.name,
        position=0,
        nf_type=nf_type,
        host_id=inventory.host_id,
        node=core // CORES_A_NODE,
        core=core,
        slot=0,
        plan_id=1,
    )


def second(offered: Mapping[str, float], carried: Mapping[str, float] | None = None, **changes: Any) -> None:
    """The host reports one second (Gbps on the wire; `carried` where less than offered comes out), and the law has a
    turn."""
    report(offered, carried, **changes)
    each_second.tick()


def report(offered: Mapping[str, float], carried: Mapping[str, float] | None = None, **changes: Any) -> None:
    """Only the report."""
    _epoch[0] += 1
    after_s = changes.pop("after_s", 0.0)
    out = {**offered, **(carried or {})}
    with session_scope() as session:
        batch: dict[str, Any] = {
            "host_id": HOST,
            "epoch": "e1",
            "sequence": _epoch[0],
            "taken_at": db_now(session) + timedelta(seconds=after_s),
            "interval_s": 1.0,
            "provenance": "simulated",
            "applied_generation": 1,
            "phase": "converged",
            "chains": tuple(
                ChainSample(
                    chain=name,
                    offered_mpps=gbps / GBPS_A_MPPS,
                    delivered_mpps=out[name] / GBPS_A_MPPS,
                    drop_mpps=max(0.0, gbps - out[name]) / GBPS_A_MPPS,
                )
                for name, gbps in offered.items()
            ),
        }
        telemetry.ingest(session, TelemetryBatch.model_validate(batch | changes))
