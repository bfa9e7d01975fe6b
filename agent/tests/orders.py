"""Orders for tests, in few words."""

from typing import Any

from sextant_domain.chains.chain import Egress, Execution, Ingress
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, DesiredStateOrder, HostContent

HOST = "edge-1"
CONFIGS: dict[str, dict[str, Any]] = {
    "router": {
        "routes": [{"prefix": "192.168.0.0/16", "next_hop": 1}],
        "default_next_hop": 0,
        "synthetic_routes": 100,
        "seed": 1,
    },
    "firewall": {"rules": [], "default_action": "allow", "synthetic_rules": 20, "seed": 1},
    "basic-monitor": {"flow_table_entries": 4096},
    "simple-forward": {"loops": 0},
    "load-balancer": {
        "vip_prefix": "192.168.0.0/16",
        "protocol": "any",
        "port": None,
        "backends": [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3)],
        "table_size": 251,
        "connection_table_entries": 4096,
        "idle_timeout_s": 300,
    },
}


def nf(chain: str, nf_type: str, core: int = 0, slot: int = 0, **config: Any) -> DesiredNf:
    return DesiredNf(
        nf_id=f"{chain}.{nf_type}",
        nf_type=nf_type,
        nf_version=1,
        config=CONFIGS.get(nf_type, {}) | config,
        core=core,
        slot=slot,
    )


def registered(name: str, built_in: DesiredNf, version: int = 1) -> DesiredNf:
    """The same NF as one of a type that an operator registered."""
    changes = {"nf_type": name, "implementation": built_in.nf_type, "nf_version": version}
    return built_in.model_copy(update=changes)


def chain(
    name: str, *nfs: DesiredNf, rate_mpps: float = 0.01, flows: int = 100,
    execution: Execution = "isolated", paused: bool = False,
) -> DesiredChain:  # fmt: skip
    return DesiredChain(
        chain=name,
        nfs=nfs,
        ingress=Ingress(match=Match(dst_port=None)),
        egress=Egress(),
        traffic=Traffic(rate_mpps=rate_mpps, packet_bytes=64, flows=flows),
        execution=execution,
        paused=paused,
    )


def content(*chains: DesiredChain, host: str = HOST) -> HostContent:
    return HostContent(host_id=host, chains=chains)


def order(generation: int, *chains: DesiredChain, fence: int | None = None, host: str = HOST) -> DesiredStateOrder:
    return DesiredStateOrder(
        desired=DesiredHostConfig.of(generation, content(*chains, host=host)),
        operation_id=generation,
        fence=generation if fence is None else fence,
    )
