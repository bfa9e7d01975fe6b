"""A fleet as large as wanted, written straight into the tables: NUMA hosts with exclusive cores, and chains on them."""

from datetime import UTC, datetime

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import Core, HostInventory, LlcInfo, Nic, NumaNode, Port
from sqlalchemy import insert

NODES, CORES_A_NODE = 2, 16
TYPES = ("router", "firewall", "basic-monitor", "simple-forward")


def a_numa_host(name: str) -> HostInventory:
    """Two nodes of 16 exclusive cores each; the NIC is on node 0."""
    return HostInventory(
        host_id=name,
        hostname=name,
        host_model="xeon-2x16",
        driver="twin",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=tuple(
            NumaNode(id=n, socket=n, memory_bytes=2**37, llc=LlcInfo(size_bytes=2**25, ways=11)) for n in range(NODES)
        ),
        cores=tuple(
            Core(id=n, node=n // CORES_A_NODE, socket=n // CORES_A_NODE, physical_core=n)
            for n in range(NODES * CORES_A_NODE)
        ),
        nics=(Nic(name="eth0", node=0),),
        ports=(Port(name="source", node=0, kind="source"), Port(name="sink", node=0, kind="sink")),
    )


def a_stored_host(inventory: HostInventory, desired: DesiredHostConfig) -> Host:
    """The row of a host that reports, and has been given this order as its first."""
    return Host(
        host_id=inventory.host_id,
        status="up",
        status_reason="reporting",
        inventory=inventory.model_dump(mode="json"),
        agent_url="https://127.0.0.1:1",
        desired=desired.model_dump(mode="json"),
        desired_generation=1,
        desired_digest=desired.digest,
    )


def a_chain(number: int, nfs: int = 3) -> ChainSpec:
    """`c00007`: NFs of the catalogue in turn, at 1 to 3 Mpps."""
    return ChainSpec(
        name=f"c{number:05}",
        nfs=tuple({"type": TYPES[(number + n) % 4], "name": f"n{n}"} for n in range(nfs)),
        traffic=Traffic(rate_mpps=1.0 + number % 3, packet_bytes=256),
    )


def fill(hosts: int, chains: int, *, placed: bool) -> None:
    """Hosts `h0000`... that are up, and chains; where `placed`, spread evenly over them in the order of cores."""
    specs = [a_chain(number) for number in range(chains)]
    share = -(-chains // hosts)
    with session_scope() as session:
        ordered = [
            _ordered(f"h{number:04}", specs[number * share : (number + 1) * share] if placed else [])
            for number in range(hosts)
        ]
        session.execute(insert(Host), [_host_row(desired) for desired in ordered])
        session.execute(insert(ChainRow), [_chain_row(spec, placed) for spec in specs])
        seats = [row for desired in ordered for row in _seats(desired)]
        if seats:
            session.execute(insert(PlacedNfRow), seats)


def _ordered(host: str, specs: list[ChainSpec]) -> DesiredHostConfig:
    cores = iter(range(NODES * CORES_A_NODE))
    chains = tuple(
        DesiredChain(
            chain=spec.name,
            nfs=tuple(
                DesiredNf(
                    nf_id=spec.nf_id(position),
                    nf_type=nf.type,
                    nf_version=BY_NAME[nf.type].version,
                    config=BY_NAME[nf.type].default_config(),
                    core=next(cores),
                )
                for position, nf in enumerate(spec.nfs)
            ),
            ingress=spec.ingress,
            egress=spec.egress,
            traffic=spec.traffic,
        )
        for spec in specs
    )
    return DesiredHostConfig.of(int(bool(chains)), HostContent(host_id=host, chains=chains))


def _host_row(desired: DesiredHostConfig) -> dict[str, object]:
    name = desired.content.host_id
    return {
        "host_id": name,
        "status": "up",
        "status_reason": "it reports",
        "agent_url": "https://127.0.0.1:1",
        "inventory": a_numa_host(name).model_dump(mode="json"),
        "registered_at": datetime.now(UTC),
        "desired": desired.model_dump(mode="json"),
        "desired_generation": desired.generation,
        "desired_digest": desired.digest,
    }


def _chain_row(spec: ChainSpec, placed: bool) -> dict[str, object]:
    state = "running" if placed else "submitted"
    return {"name": spec.name, "spec": spec.model_dump(mode="json"), "state": state, "created_by": "ada"}


def _seats(desired: DesiredHostConfig) -> list[dict[str, object]]:
    return [
        {
            "nf_id": nf.nf_id,
            "chain": chain.chain,
            "position": position,
            "nf_type": nf.nf_type,
            "host_id": desired.content.host_id,
            "node": nf.core // CORES_A_NODE,
            "core": nf.core,
            "slot": 0,
            "plan_id": 1,
        }
        for chain in desired.content.chains
        for position, nf in enumerate(chain.nfs)
    ]
