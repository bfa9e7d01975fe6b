"""Ordered chains in the runner's words: pure."""

from typing import Any

from sextant_domain.desired import DesiredChain


def source_of(chain: DesiredChain) -> dict[str, Any]:
    """What the packet source shall send into the chain."""
    match = chain.ingress.match
    return {
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


def nfs_of(chain: DesiredChain) -> list[dict[str, Any]]:
    """The NFs in the order in which packets meet them."""
    return [{"nf": nf.nf_id, "type": nf.nf_type, "core": nf.core, "config": nf.config} for nf in chain.nfs]


def state_of(chain: DesiredChain) -> dict[str, Any]:
    """How it shall run, where that is not as ever: a runner from before there was a choice takes its chains, too."""
    state: dict[str, Any] = {}
    if chain.execution != "isolated":
        state["execution"] = chain.execution
    if chain.paused:
        state["paused"] = True
    return state
