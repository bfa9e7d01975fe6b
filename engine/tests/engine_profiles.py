"""Hosts, NF types and settings of profiling tests in one line each."""

from engine_fleets import numa_inventory
from sextant_domain.host import Capability, HostInventory, LlcInfo
from sextant_domain.nf import NfType
from sextant_domain.profiling import PointPurpose, PointSetting, StandingNf

BUILT_IN = (
    "basic-monitor", "bubble", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "simple-forward", "vpn",
)  # fmt: skip


def catalogue_type(name: str, **fields: object) -> NfType:
    """A type with one integer option of each kind that profiling sets."""
    whole = {"type": "integer", "minimum": 0}
    options = {"flow_table_entries": {**whole, "default": 65536}} if name == "basic-monitor" else {}
    if name == "bubble":
        options = {"working_set_bytes": {**whole, "default": 2**20}, "lines_per_packet": {**whole, "default": 16}}
    return NfType(
        **{"name": name, "version": 1, "short_name": name[:8], "summary": name, "library": "none"} | fields,
        config_schema={"type": "object", "additionalProperties": False, "properties": options},
    )


NF_TYPES = {name: catalogue_type(name) for name in BUILT_IN}


def host(nodes: int = 2, cores: int = 12, reserved: int = 6, **capabilities: bool) -> HostInventory:
    """Like Octans' testbed: 12 cores a node, the first six of node 0 reserved; LLC of 30 MiB."""
    found = numa_inventory(nodes=nodes, cores=cores, reserved=range(reserved))
    able = {"profiling": True} | {name.replace("_", "-"): able for name, able in capabilities.items()}
    llc = LlcInfo(size_bytes=30 * 2**20)
    return found.model_copy(
        update={
            "capabilities": tuple(
                Capability(name=name, available=able[name], reason=f"{name} says so") for name in able
            ),
            "nodes": tuple(node.model_copy(update={"llc": llc}) for node in found.nodes),
        }
    )


def standing(text: str) -> tuple[StandingNf, ...]:
    """`router@0 nat@1`: types and their nodes."""
    pairs = (word.split("@") for word in text.split())
    return tuple(StandingNf(nf_type=name, node=int(node)) for name, node in pairs)


def setting(
    purpose: str, chain: str, others: str = "", bubble_kib: int | None = None, ingress_node: int = 0
) -> PointSetting:
    """`setting("local", "router@0", "nat@0 nat@0")`."""
    return PointSetting(
        purpose=PointPurpose(purpose),
        ingress_node=ingress_node,
        chain=standing(chain),
        others=standing(others),
        bubble_kib=bubble_kib,
    )
