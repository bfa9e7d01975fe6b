"""What follows from what was published of an NF alone: its compute cycles, and how often it asks its own cache."""

import json
from typing import Any

from sextant_twin._core import Host
from sextant_twin.errors import BadTwinInput
from sextant_twin.nfs import Nf

ROUNDS = 12
CLOSE = 0.05
"""Cycles."""
OVERLOAD_PPS = 1e9
LEAST_PART = 0.1
"""Of accesses that come to the LLC: where less comes through, the own cache holds all of the state."""
OPENNETVM = {"ring_packets": 16384, "rx_descriptors": 512, "tx_descriptors": 512, "pool_packets": 32767}
"""A manager's defaults (onvm_common.h, onvm_init.h): one thread takes buffers, another gives them back. Chains that
name the same `pool` are of one manager; without one each has a manager of its own."""


def compute_cycles(nf: Nf, host: Host, clock_hz: float) -> float:
    """Cycles a packet that `nf` computes, so that alone on a core of `host` it takes `nf.solo.cycles`.

    0 where the twin waits longer than was published. `host` is the machine that `nf.solo` names.
    """
    if nf.solo is None:
        return float(nf.core()["compute_cycles"])
    compute = nf.solo.cycles
    for _ in range(ROUNDS):
        outcome = json.loads(host.steady(json.dumps(_alone(nf, compute))))
        taken = clock_hz * float(outcome["instances"][0]["service_s"])
        corrected = max(0.0, compute + nf.solo.cycles - taken)
        if abs(corrected - compute) < CLOSE:
            return corrected
        compute = corrected
    return compute


def past_own_cache(nf: Nf, host: Host) -> Nf:
    """`nf` with so many accesses that as many come to the LLC of `host` as its data say (`solo.at_llc`).

    Only ratios of rates count in a core's own cache, so that what it lets through grows as what it is asked for.
    """
    if nf.solo is None or not nf.solo.at_llc:
        return nf
    published = sum(stream.accesses for stream in nf.streams)
    compute = nf.solo.cycles
    through = _references(nf, compute, host) - _references(_asking(nf, 0.0), compute, host)
    return _asking(nf, published / through) if through > LEAST_PART * published else nf


def _asking(nf: Nf, factor: float) -> Nf:
    """`nf` with so many times the accesses to its state."""
    streams = tuple(
        stream.model_copy(
            update={
                "accesses": stream.accesses * factor,
                "accesses_per_byte": stream.accesses_per_byte * factor,
            }
        )
        for stream in nf.streams
    )
    return nf.model_copy(update={"streams": streams})


def _references(nf: Nf, compute: float, host: Host) -> float:
    """To the LLC a packet, alone."""
    outcome = json.loads(host.steady(json.dumps(_alone(nf, compute))))
    return float(outcome["instances"][0]["llc_references"])


def _alone(nf: Nf, compute: float) -> dict[str, Any]:
    solo = nf.solo
    if solo is None:
        raise BadTwinInput("solo", f"nothing was published of {nf.name} alone")
    threads = {"rx_core": 1, "tx_core": 2, "execution": "isolated", **OPENNETVM} if solo.io_threads else {}
    return {
        "nfs": {"nf": nf.core(compute)},
        "instances": [{"id": "nf", "nf": "nf", "core": 0}],
        "chains": [
            {
                "id": "alone",
                "stages": ["nf"],
                "execution": "run_to_completion",
                "traffic": {
                    "rate_pps": OVERLOAD_PPS,
                    "frames": [{"bytes": solo.frame, "share": 1.0}],
                    "flows": solo.flows,
                },
                "nic": 0,
                "ring_packets": 512,
                "rx_descriptors": 512,
                "tx_descriptors": 512,
                "burst": 32,
                **threads,
            }
        ],
    }
