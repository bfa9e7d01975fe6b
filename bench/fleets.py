"""Prints a snapshot of an invented fleet: `python bench/fleets.py --hosts 1000 --chains 5000 > fleet.json`.

Two host models, chains of two to seven NFs, and something wrong with most of it, so that plans have something to say:
hosts on which chains hop between nodes, one host that does not answer, chains that fit nowhere. Equal arguments give an
equal file. `examples/fleets/twelve-hosts.json` is what it prints without arguments.
"""

import argparse
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sextant_domain.base import Provenance, digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import Core, HostInventory, HostStatus, NumaNode, Port, ReservedFor
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_domain.profiling.model import DropCoefficients, LocalRemote, PerformanceModel

TAKEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

# NF type: (short name; ideal local, ideal remote Mpps; stalls; alpha, beta, c local; alpha, beta, c remote). Invented.
NFS = {
    "balancer": ("balancer", 13.0, 10.6, 13.0, (0.22, 0.14, 0.02), (0.16, 0.24, 0.02)),
    "basic-monitor": ("monitor", 12.0, 9.6, 14.0, (0.28, 0.11, 0.02), (0.19, 0.23, 0.02)),
    "firewall": ("firewall", 10.0, 8.2, 16.0, (0.28, 0.10, 0.02), (0.18, 0.22, 0.02)),
    "ids": ("ids", 6.5, 5.2, 7.0, (0.42, 0.24, 0.03), (0.30, 0.34, 0.03)),
    "nat": ("nat", 11.5, 9.4, 15.0, (0.25, 0.12, 0.02), (0.17, 0.22, 0.02)),
    "router": ("router", 14.0, 11.0, 12.0, (0.30, 0.12, 0.02), (0.20, 0.25, 0.02)),
    "simple-forward": ("forward", 18.0, 15.5, 20.0, (0.12, 0.08, 0.01), (0.10, 0.16, 0.01)),
    "vpn": ("vpn", 7.5, 6.4, 9.0, (0.18, 0.30, 0.02), (0.14, 0.40, 0.02)),
}
# (host model, nodes, cores a node, speed against the table above)
MODELS = (("twin-2x12", 2, 12, 1.0), ("twin-4x8", 4, 8, 0.85))
EVERY_FOURTH = 4
"""Of these hosts one has the second model, one is badly placed; the rest are as an operator would have it."""


@dataclass
class Builder:
    """A host while chains are put on it."""

    inventory: HostInventory
    bad: bool
    free: dict[int, list[int]]
    """Cores left, by node."""
    chains: list[DesiredChain] = field(default_factory=list)

    def room(self) -> int:
        return sum(map(len, self.free.values()))

    def put(self, spec: ChainSpec) -> None:
        """On a bad host from node to node, on others node after node."""
        seats = [self._core(position) for position in range(len(spec.nfs))]
        self.chains.append(_running(spec, self.inventory, seats))

    def _core(self, position: int) -> int:
        nodes = [node for node, cores in self.free.items() if cores]
        return self.free[nodes[(position + 1) % len(nodes)] if self.bad else nodes[0]].pop(0)

    def snapshot(self, status: HostStatus) -> HostSnapshot:
        content = HostContent(
            host_id=self.inventory.host_id, chains=tuple(sorted(self.chains, key=lambda chain: chain.chain))
        )
        return HostSnapshot(
            inventory=self.inventory,
            status=status,
            generation=len(self.chains),
            digest=digest_of(content),
            content=content,
        )


def fleet(hosts: int, chains: int, seed: int) -> FleetSnapshot:
    """Seven chains of ten run, the others wait to be placed."""
    rng = random.Random(seed)
    builders = [_builder(number) for number in range(hosts)]
    first, down = builders[0].inventory.host_id, builders[-1].inventory.host_id
    specs = list(_chains(chains, first, down, rng))
    running = [spec for spec in specs if spec.ingress.host is None][: chains * 7 // 10]
    for number, spec in enumerate(running):
        order = sorted(builders, key=lambda builder: (-builder.room(), builder.inventory.host_id))
        home = next((one for one in order[number % 3 :] if one.room() >= len(spec.nfs)), None)
        if home is not None:
            home.put(spec)
    return FleetSnapshot(
        taken_at=TAKEN,
        hosts=tuple(
            builder.snapshot(HostStatus.UNREACHABLE if builder.inventory.host_id == down else HostStatus.UP)
            for builder in builders
        ),
        chains=tuple(specs),
        nf_types=tuple(_nf_type(name) for name in NFS),
        models=tuple(_model(name, *model) for model in MODELS for name in NFS),
    )


def _builder(number: int) -> Builder:
    inventory = _inventory(f"r{number // 40 + 1}-{number % 40 + 1:02}", *MODELS[number % EVERY_FOURTH == 1])
    free = {node.id: [core.id for core in inventory.cores if core.node == node.id] for node in inventory.nodes}
    held = {core.id for core in inventory.cores if core.reserved_for}
    usable = {node: [core for core in cores if core not in held] for node, cores in free.items()}
    return Builder(inventory, bad=number % EVERY_FOURTH in {1, 2}, free=usable)


def _inventory(host: str, model: str, nodes: int, cores: int, _speed: float) -> HostInventory:
    held = {0: ReservedFor.SYSTEM, 1: ReservedFor.RX, 2: ReservedFor.TX}
    return HostInventory(
        host_id=host,
        hostname=host,
        host_model=model,
        driver="twin",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=tuple(NumaNode(id=node, socket=node, memory_bytes=2**36) for node in range(nodes)),
        cores=tuple(
            Core(id=core, node=core // cores, socket=core // cores, physical_core=core, reserved_for=held.get(core))
            for core in range(nodes * cores)
        ),
        ports=(Port(name="src0", node=0, kind="source"), Port(name="snk0", node=0, kind="sink")),
    )


def _chains(count: int, first: str, down: str, rng: random.Random) -> Iterator[ChainSpec]:
    """Three of forty do not fit: one enters at the host that is down, one has more NFs than a host has cores, one
    enters at a host that others fill."""
    for number in range(count):
        length, entry = {19: (5, down), 29: (20, first), 39: (32, None)}.get(number % 40, (rng.randint(2, 7), None))
        yield ChainSpec.model_validate(
            {
                "name": f"chain-{number + 1:0{len(str(count))}}",
                "nfs": [rng.choice(list(NFS)) for _ in range(length)],
                "traffic": {"rate_mpps": rng.choice((4.0, 6.0, 8.0, 12.0)), "packet_bytes": 64},
                "slo": {"min_throughput_mpps": 3.5} if rng.random() < 0.5 else {},
                "value": rng.choice((1.0, 1.0, 2.0, 5.0)),
                "ingress": {"host": entry},
            }
        )


def _running(spec: ChainSpec, inventory: HostInventory, cores: list[int]) -> DesiredChain:
    return DesiredChain(
        chain=spec.name,
        nfs=tuple(
            DesiredNf(nf_id=spec.nf_id(position), nf_type=nf.type, nf_version=1, config={}, core=core)
            for position, (nf, core) in enumerate(zip(spec.nfs, cores, strict=True))
        ),
        ingress=spec.ingress.model_copy(update={"host": inventory.host_id, "port": "src0"}),
        egress=spec.egress.model_copy(update={"host": inventory.host_id, "port": "snk0"}),
        traffic=spec.traffic,
    )


def _nf_type(name: str) -> NfType:
    schema = {"type": "object", "additionalProperties": False, "properties": {}}
    return NfType(
        name=name, version=1, short_name=NFS[name][0], summary="invented", library="none", config_schema=schema
    )


def _model(name: str, model: str, _nodes: int, cores: int, speed: float) -> PerformanceModel:
    _short, local, remote, stalls, at_home, away = NFS[name]
    return PerformanceModel(
        nf_type=name,
        host_model=model,
        version="invented-1",
        provenance=Provenance.ASSUMED,
        stalls=stalls * cores / 10,
        ideal_mpps=LocalRemote(local=round(local * speed, 2), remote=round(remote * speed, 2)),
        local=DropCoefficients(alpha=at_home[0], beta=at_home[1], c=at_home[2]),
        remote=DropCoefficients(alpha=away[0], beta=away[1], c=away[2]),
    )


def main() -> None:
    """One JSON document on standard output."""
    parser = argparse.ArgumentParser(description="A snapshot of an invented fleet, for `sextant compare --snapshot`.")
    parser.add_argument("--hosts", type=int, default=12, help="(%(default)d)")
    parser.add_argument("--chains", type=int, default=40, help="(%(default)d)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)d)")
    options = parser.parse_args()
    snapshot = fleet(options.hosts, options.chains, options.seed)
    json.dump(snapshot.model_dump(mode="json", exclude_defaults=True), sys.stdout, separators=(",", ":"), indent=0)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
