"""A point to measure as the core's setting: pure.

Every chain of it comes in by a port of its own, alike the machine's first: a closed loop has no line to share. NFs that
are faster than such a port are seen at its load.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from sextant_domain.profiling.profile import MAX_OTHERS, ProfiledNf

from sextant_twin import nfs
from sextant_twin.anchor import OPENNETVM, OVERLOAD_PPS
from sextant_twin.machines import Machine

FCS_BYTES = 4
"""The twin's frames include it, the domain's do not."""
RING_PACKETS = 1024
DESCRIPTORS = 1024
BURST = 32
"""As the testbed's runner has them."""
PORTS = MAX_OTHERS + 1
MOST_MLP = 1000.0
"""Accesses under way at once, as many as the twin takes: the core waits for none of them."""
CYCLES_A_LOOP = 1.0
"""Of simple-forward's `loops`: an empty loop takes a cycle a turn."""

Managers = Literal["one", "per-chain"]
"""Of OpenNetVM on a host: each has one pool of packet buffers for all chains that it moves (`init_mbuf_pools`)."""
NfCore = Callable[[str], dict[str, Any]]
"""An NF as the core takes it, by its name: a tree that is left as it is. Raises BadTwinInput for one without data."""
Io = Callable[[int], Mapping[str, Any]]
"""By a chain's place in its point, what of the core's chain is otherwise than here: its I/O threads, buffers and rings.
"""


@dataclass(frozen=True, slots=True)
class Eased:
    """An NF in front of another that keeps up with it, and presses on caches and memory no more than it really can."""

    accesses: float
    """To its state a packet, as a share of what it does: its real rate over that of its packets."""


@dataclass(frozen=True, slots=True)
class PointChain:
    """NFs that packets pass one after the other, each on a core of its own, and what comes in."""

    nfs: tuple[ProfiledNf, ...]
    rate_pps: float = OVERLOAD_PPS
    eased: Mapping[int, Eased] = field(default_factory=dict)
    """By place."""
    resources: Mapping[str, Any] = field(default_factory=dict)
    """What every NF of it has of cache and memory, as the core takes it: mask of LLC ways, throttle."""


def with_ports(tree: Mapping[str, Any]) -> dict[str, Any]:
    """A machine, as its data file has it, with as many ports as a point has chains."""
    return {**tree, "nics": [tree["nics"][0]] * PORTS}


def with_thread_cores(machine: Machine) -> Machine:
    """The same with an RX and a TX core for each chain that a point or a placement may have: the last ones of each
    node."""
    return machine.model_copy(update={"cores_per_node": machine.cores_per_node + 2 * PORTS})


def threads_of(machine: Machine, chain: int) -> dict[str, Any]:
    """What moves the chain's packets between port and rings, on cores that `with_thread_cores` adds to the first port's
    node."""
    own = machine.cores_per_node
    first = machine.nics[0].node * (own + 2 * PORTS) + own + 2 * chain
    return {"rx_core": first, "tx_core": first + 1, "execution": "isolated"}


def opennetvm(machine: Machine, managers: Managers, chain: int) -> dict[str, Any]:
    """What a chain of OpenNetVM is: threads of its own, and the pool of its manager on the first port's node."""
    pool = {"pool": "manager"} if managers == "one" else {}
    return {**threads_of(machine, chain), "pool_node": machine.nics[0].node, **OPENNETVM, **pool}


def no_threads(_: int) -> Mapping[str, Any]:
    """NFs take packets from the port, and give them back to it, themselves."""
    return {}


def setting_of(chains: Sequence[PointChain], nf_core: NfCore, io: Io = no_threads) -> dict[str, Any]:
    """What the twin is asked. Instances are `<chain>.<place>`, in that order."""
    placed = [
        (f"{c}.{n}", nf, chain.eased.get(n), chain.resources)
        for c, chain in enumerate(chains)
        for n, nf in enumerate(chain.nfs)
    ]
    return {
        "nfs": {_key(name, nf, eased): _nf(nf, eased, nf_core) for name, nf, eased, _ in placed},
        "instances": [
            {"id": name, "nf": _key(name, nf, eased), "core": nf.core, **given} for name, nf, eased, given in placed
        ],
        "chains": [{**_chain(number, chain), **io(number)} for number, chain in enumerate(chains)],
    }


def nf_key(nf_type: str, config: Mapping[str, Any]) -> str:
    """Equal for NFs that are alike to the twin."""
    match nf_type:
        case "simple-forward":
            return f"simple-forward {config.get('loops', 0)}"
        case "bubble":
            return f"bubble {config.get('working_set_bytes')} {config.get('lines_per_packet')}"
        case other:
            return other


@cache
def from_file(name: str) -> dict[str, Any]:
    """An NF at the centre of its priors: what `NfCore` is unless something else is said. Read once: the
    tree is everybody's, and changed by nobody."""
    return nfs.load(name).core()


def nf_of(nf_type: str, config: Mapping[str, Any], nf_core: NfCore = from_file) -> dict[str, Any]:
    """An NF in the twin's units. Of configurations the twin knows the loops of simple-forward and the walk of a bubble;
    all else is as `nf_core` says."""
    core = nf_core(nf_type)
    match nf_type:
        case "simple-forward":
            return {**core, "compute_cycles": core["compute_cycles"] + CYCLES_A_LOOP * config.get("loops", 0)}
        case "bubble":
            walk, *others = core["streams"]
            size = config.get("working_set_bytes", walk["bytes"])
            accesses = config.get("lines_per_packet", walk["accesses"])
            return {**core, "streams": [{**walk, "bytes": size, "accesses": accesses}, *others]}
        case _:
            return core


def _key(name: str, nf: ProfiledNf, eased: Eased | None) -> str:
    return nf_key(nf.runs, nf.config) if eased is None else f"eased {name}"


def _nf(nf: ProfiledNf, eased: Eased | None, nf_core: NfCore) -> dict[str, Any]:
    core = nf_of(nf.runs, nf.config, nf_core)
    if eased is None:
        return core
    share = eased.accesses
    counts = ("accesses", "accesses_per_byte")
    streams = [{**s, **{name: share * s[name] for name in counts}, "mlp": MOST_MLP} for s in core["streams"]]
    # It reads and writes as much of the packet as ever, which decides where the next NF finds it, but waits for less.
    packet = {**core["packet"], "mlp": MOST_MLP}
    return {**core, "compute_cycles": 0.0, "cycles_per_byte": 0.0, "streams": streams, "packet": packet, "pass": 1.0}


def _chain(number: int, chain: PointChain) -> dict[str, Any]:
    traffic = chain.nfs[-1].traffic
    return {
        "id": f"chain {number}",
        "stages": [f"{number}.{place}" for place in range(len(chain.nfs))],
        "execution": "run_to_completion",
        "traffic": {
            "rate_pps": chain.rate_pps,
            "frames": [{"bytes": traffic.packet_bytes + FCS_BYTES, "share": 1.0}],
            "flows": traffic.flows,
        },
        "nic": number,
        "ring_packets": RING_PACKETS,
        "rx_descriptors": DESCRIPTORS,
        "tx_descriptors": DESCRIPTORS,
        "burst": BURST,
    }
