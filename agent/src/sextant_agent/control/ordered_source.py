"""An ordered chain's traffic in the words of the packet sources of `dataplane/` (docs/contracts/runner.md): pure."""

from typing import Any

from sextant_domain.base import Frozen
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
