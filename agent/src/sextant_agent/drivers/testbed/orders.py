"""Ordered chains in the runner's words: pure."""

from typing import Any

from sextant_domain.base import Frozen
from sextant_domain.chains.secret import SecretValues, resolved
from sextant_domain.chains.traffic import Traffic
from sextant_domain.chains.traffic_kinds import SizeList, Trace
from sextant_domain.hosts.desired import DesiredChain


def source_of(chain: DesiredChain) -> dict[str, Any]:
    """What the packet source shall send into the chain."""
    match = chain.ingress.match
    return _shape_of(chain.traffic) | {
        "rate_mpps": chain.traffic.rate_mpps,
        "packet_bytes": chain.traffic.packet_bytes,
        "flows": chain.traffic.flows,
        "match": {
            "src_prefix": str(match.src_prefix),
            "dst_prefix": str(match.dst_prefix),
            "protocol": match.protocol,
            "dst_port": match.dst_port,
        },
    }


def _shape_of(traffic: Traffic) -> dict[str, Any]:
    """What is said of the traffic beside rate, size and number of flows; nothing where it is the plain one."""
    given = {
        "sizes": traffic.sizes,
        "arrivals": traffic.arrivals,
        "flow_distribution": traffic.flow_distribution,
        "payload": traffic.payload,
        "pcap": traffic.pcap,
    }
    shape = {name: _dump(part) for name, part in given.items() if part is not None}
    if traffic.lane is not None:
        shape["lane"] = {"number": traffic.lane.number, "weights": list(traffic.lane.weights)}
    return shape if traffic.seed is None else shape | {"seed": traffic.seed}


def _dump(part: Frozen) -> dict[str, Any]:
    """The runner takes pairs where the domain has names."""
    match part:
        case SizeList(entries=entries):
            return {"kind": "list", "entries": [[share.bytes, share.weight] for share in entries]}
        case Trace(steps=steps):
            return {"kind": "trace", "steps": [[step.seconds, step.factor] for step in steps]}
        case _:
            return part.model_dump(mode="json")


def nfs_of(chain: DesiredChain, secrets: SecretValues) -> list[dict[str, Any]]:
    """The NFs in the order in which packets meet them, with their secrets: for the runner's socket alone."""
    return [
        {"nf": nf.nf_id, "type": nf.runs, "core": nf.core, "config": resolved(nf.config, secrets)} for nf in chain.nfs
    ]


def state_of(chain: DesiredChain) -> dict[str, Any]:
    """How it shall run, where that is not as ever: a runner from before there was a choice takes its chains, too."""
    state: dict[str, Any] = {}
    if chain.execution != "isolated":
        state["execution"] = chain.execution
    if chain.paused:
        state["paused"] = True
    return state
