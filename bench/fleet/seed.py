"""A fleet as `sextant demo` makes one, written straight into the tables: hosts of the twin, each with its chains."""

from datetime import UTC, datetime

from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_backend.kit.db import allow_idle, session_scope
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.base import Provenance
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, NfSample, TelemetryBatch
from sqlalchemy import insert, text

MACHINE = "xeon-gold-6126"
"""As the demonstration fleet's."""
KINDS = (("router", "firewall", "basic-monitor"), ("firewall", "nids"), ("router", "nat", "load-balancer", "dpi"))


def names(hosts: int) -> list[str]:
    """`demo-0001` and so on."""
    return [f"demo-{number:04}" for number in range(1, hosts + 1)]


def inventories(hosts: int) -> list[HostInventory]:
    """What each of them would report."""
    first = TwinDriver(SimulatedWorld(), "demo-0001", MACHINE).inventory().host
    return [first.model_copy(update={"host_id": name, "hostname": name}) for name in names(hosts)]


def chain(number: int, host: str | None, prefix: str = "chain") -> ChainSpec:
    """The chain of that number, which enters at `host`."""
    return ChainSpec.model_validate(
        {
            "name": f"{prefix}-{number:05}",
            "nfs": KINDS[(number + number // 64) % len(KINDS)],
            "ingress": {"host": host},
            "traffic": {"rate_mpps": 0.5, "packet_bytes": 256},
            "slo": {"min_throughput_mpps": 0.4},
        }
    )


def fill(hosts: int, chains: int) -> list[DesiredHostConfig]:
    """Hosts that are up, and chains that run there in turn; returns what each host is ordered to run."""
    found = inventories(hosts)
    specs: dict[str, list[ChainSpec]] = {one.host_id: [] for one in found}
    for number in range(chains):
        host = found[number % hosts].host_id
        specs[host].append(chain(number, host))
    orders = [_order(one, specs[one.host_id]) for one in found]
    up = [_host(one, order) for one, order in zip(found, orders, strict=True)]
    rows = [_chain(spec) for each in specs.values() for spec in each]
    seats = [row for order in orders for row in _seats(order)]
    with session_scope() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))
        allow_idle(session)  # binding thousands of rows takes longer than a request may be silent
        session.execute(insert(Host), up)
        if rows:
            session.execute(insert(ChainRow), rows)
            session.execute(insert(PlacedNfRow), seats)
    return orders


def _order(inventory: HostInventory, specs: list[ChainSpec]) -> DesiredHostConfig:
    free = iter(core.id for core in inventory.cores if core.slots > 0 and core.reserved_for is None)
    chains = tuple(
        DesiredChain(
            chain=spec.name,
            nfs=tuple(
                DesiredNf(
                    nf_id=spec.nf_id(position),
                    nf_type=nf.type,
                    nf_version=BY_NAME[nf.type].version,
                    config=BY_NAME[nf.type].default_config(),
                    core=next(free),
                )
                for position, nf in enumerate(spec.nfs)
            ),
            ingress=spec.ingress.model_copy(update={"port": inventory.ports[0].name}),
            egress=spec.egress.model_copy(update={"host": inventory.host_id, "port": inventory.ports[-1].name}),
            traffic=spec.traffic,
        )
        for spec in specs
    )
    return DesiredHostConfig.of(int(bool(chains)), HostContent(host_id=inventory.host_id, chains=chains))


def _host(inventory: HostInventory, order: DesiredHostConfig) -> dict[str, object]:
    return {
        "host_id": inventory.host_id,
        "labels": {"zone": "demo"},
        "status": "up",
        "status_reason": "it reports",
        "agent_url": "https://127.0.0.1:1",
        "inventory": inventory.model_dump(mode="json"),
        "registered_at": datetime.now(UTC),
        "desired": order.model_dump(mode="json"),
        "desired_generation": order.generation,
        "desired_digest": order.digest,
    }


def _chain(spec: ChainSpec) -> dict[str, object]:
    return {"name": spec.name, "spec": spec.model_dump(mode="json"), "state": "running", "created_by": "bench"}


def _seats(order: DesiredHostConfig) -> list[dict[str, object]]:
    return [
        {
            "nf_id": nf.nf_id,
            "chain": one.chain,
            "position": position,
            "nf_type": nf.nf_type,
            "host_id": order.content.host_id,
            "node": 0,
            "core": nf.core,
            "slot": 0,
            "plan_id": 1,
        }
        for one in order.content.chains
        for position, nf in enumerate(one.nfs)
    ]


def batch(order: DesiredHostConfig, cores: int, second: int) -> TelemetryBatch:
    """What the host would report of one second."""
    chains = order.content.chains
    return TelemetryBatch(
        host_id=order.content.host_id,
        epoch="bench",
        sequence=second,
        taken_at=datetime.now(UTC),
        interval_s=1.0,
        provenance=Provenance.SIMULATED,
        applied_generation=order.generation,
        phase="applied",
        nfs=tuple(
            NfSample(
                nf_id=nf.nf_id,
                chain=one.chain,
                core=nf.core,
                rx_mpps=0.5,
                tx_mpps=0.5,
                drop_mpps=0.0,
                cpu_percent=100.0,
                utilisation_percent=31.25 + second % 7,
                utilisation_basis="busy-time",
                headroom_mpps=2.0,
                ring_used_percent=1.5,
            )
            for one in chains
            for nf in one.nfs
        ),
        chains=tuple(
            ChainSample(
                chain=one.chain,
                offered_mpps=0.5,
                delivered_mpps=0.5,
                drop_mpps=0.0,
                p50_us=11.0,
                p95_us=20.0,
                p99_us=31.0,
                p999_us=50.0,
                delivered_gbps=1.0,
            )
            for one in chains
        ),
        cores=tuple(CoreSample(core=core, busy_percent=50.0, other_percent=0.5) for core in range(cores)),
    )
