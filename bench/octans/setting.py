"""The settings of settings.toml as studies of the lab."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sextant_domain.studies.scenario import PlacementScenario, understood
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer
from sextant_twin import machines

FILE = Path(__file__).with_name("settings.toml")
GIVEN: Mapping[str, Any] = tomllib.loads(FILE.read_text())
TYPES: Sequence[str] = GIVEN["nfs"]["types"]
GAP = 20
"""Bytes of preamble and gap on the wire."""
SEEDS: Sequence[int] = GIVEN["figure-8"]["noise_seeds"]
DRAWS = tuple(range(1, 6))
"""Of the twin's priors, beside their centre."""
SYNTHETIC = "synthetic"


def study(
    name: str,
    kind: str,
    sets: Mapping[str, Sequence[Sequence[str]]],
    *,
    draws: Sequence[int | str] = ("centre",),
    seeds: Sequence[int] = SEEDS,
    nfs: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> PlacementScenario:
    """On Octans' server, with its NFs and traffic."""
    server, platform, traffic = GIVEN["server"], GIVEN["platform"], GIVEN["traffic"]
    mpps = traffic["gbps"] * 1e3 / (8 * (traffic["frame_bytes"] + GAP))
    return understood(
        {
            "name": name,
            "summary": f"Octans, Sec. VI, on the twin: {name}.",
            "kind": kind,
            "server": {
                "machine": server["machine"],
                "reserved": machines.load(server["machine"]).cores_per_node - server["cores_local"],
                "free_remote": server["cores_remote"],
                "io": platform["io"],
            },
            "traffic": {
                "mpps": round(mpps, 2),
                "packet_bytes": traffic["frame_bytes"],
                "flows": traffic["flows"],
            },
            "profiling": {
                "rate_mpps": round(mpps, 2),
                "upstream": platform["upstream"],
                "reporter": platform["reporter"],
            },
            "nf": list(nfs or [{"name": nf} for nf in TYPES]),
            "set": [{"name": name, "chains": [list(chain) for chain in chains]} for name, chains in sets.items()],
            "draws": list(draws),
            "seeds": list(seeds),
            **more,
        }
    )


def bare(draw: int | None = None, nfs: Sequence[Mapping[str, Any]] | None = None) -> TwinServer:
    """The server without anything to place."""
    return TwinServer(
        study("bare", "prediction", {"none": [[(nfs or [{"name": TYPES[0]}])[0]["name"]]]}, nfs=nfs), draw
    )


def synthetic(draw: int | None) -> list[dict[str, Any]]:
    """Octans' NFs, and one whose ideal throughput is between NIDS and firewall: a firewall with cycles added.

    t = t_firewall + cycles / clock, so that cycles = clock (1 / P - 1 / P_firewall), with P the mean of both.
    """
    server = bare(draw)
    sandbox = Sandbox(server)

    def ideal(nf: str) -> float:
        found = sandbox.computed(sandbox.beside(nf, [], seed=0).request).alone[0]
        return found.mpps

    firewall, nids = ideal("octans-firewall"), ideal("octans-nids")
    wished = (firewall + nids) / 2
    cycles = server.machine.clock * (1 / wished - 1 / firewall) / 1e6
    added = {"name": SYNTHETIC, "like": "octans-firewall", "extra_cycles": cycles, "profiled": "alone"}
    return [*({"name": nf} for nf in TYPES), added]
