"""Two threads of a physical core: data, numbering, and what pairs of shipped NFs get done."""

import json
import random
from typing import Any

import pytest
from sextant_twin import calibration, machines, nfs
from sextant_twin._core import Host
from sextant_twin.errors import BadTwinInput

NAME = "xeon-gold-6126"
CATALOGUE = ("basic-monitor", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "vpn")


def taken(machine: machines.Machine, nf: str, cores: tuple[int, ...]) -> list[float]:
    """Packets a second of the NF on each of `cores`, each in a chain that is offered all that its port takes."""
    core = machine.core(calibration.load()) | {"nics": [{"node": 0, "bandwidth_bytes_s": 1e12, "packets_s": 1e12}]}
    setting: dict[str, Any] = {
        "nfs": {nf: nfs.load(nf).core()},
        "instances": [{"id": f"nf {core}", "nf": nf, "core": core} for core in cores],
        "chains": [
            {
                "id": f"chain {core}",
                "stages": [f"nf {core}"],
                "execution": "run_to_completion",
                "traffic": {"rate_pps": 1e9, "frames": [{"bytes": 64, "share": 1.0}], "flows": 1000},
                "nic": 0,
                "ring_packets": 512,
                "rx_descriptors": 512,
                "tx_descriptors": 512,
                "burst": 32,
            }
            for core in cores
        ],
    }
    outcome = json.loads(Host(json.dumps(core)).steady(json.dumps(setting)))
    return [float(each["taken_pps"]) for each in outcome["instances"]]


def test_any_machine_is_there_with_siblings():
    """2 nodes of 12 cores: core 13 is on node 1, and so is its sibling, 13 + 24."""
    plain, smt = machines.load(NAME), machines.load(f"{NAME}-smt")
    assert (plain.siblings, len(plain.cores), plain.siblings_of(13)) == (None, 24, ())
    assert (len(smt.cores), smt.siblings_of(13), smt.siblings_of(37)) == (48, (37,), (13,))
    assert (smt.node_of(11), smt.node_of(13), smt.node_of(37)) == (0, 1, 1)
    same = {"name": plain.name, "summary": plain.summary, "siblings": None}
    assert smt.model_copy(update=same) == plain
    assert all(machines.is_known(f"{name}-smt") for name in machines.names())


def test_what_there_is_no_data_of_has_no_siblings_either():
    assert not machines.is_known("cray-1-smt")
    with pytest.raises(BadTwinInput, match="'cray-1' is none of"):
        machines.load("cray-1-smt")


def test_what_siblings_share_is_drawn_within_what_can_be():
    drawn = [machines.draw(f"{NAME}-smt", random.Random(seed)).siblings for seed in range(200)]
    gains = [each.gain for each in drawn if each is not None]
    assert len(set(gains)) > 100
    assert all(1.0 <= gain < 1.5 for gain in gains)


@pytest.mark.parametrize("name", CATALOGUE)
def test_pairs_of_the_catalogue_get_what_is_published_of_mixed_work(name: str):
    """1.15 to 1.3 times what one thread does alone, where two cores do twice as much."""
    machine = machines.load(f"{NAME}-smt")
    (alone,) = taken(machine, name, (0,))
    assert sum(taken(machine, name, (0, 1))) == pytest.approx(2 * alone, rel=0.01)
    first, second = taken(machine, name, (0, 24))
    assert first == pytest.approx(second, rel=1e-4)
    assert 1.15 <= (first + second) / alone <= 1.3


def test_two_that_need_the_own_cache_get_less_done_than_one():
    """The own cache has all of a bubble's 1 MiB, and half of two: of 16 lines a packet 8 come from the LLC, and two are
    under way at once where one alone would have four."""
    machine = machines.load(f"{NAME}-smt")
    assert sum(taken(machine, "bubble", (0, 24))) < taken(machine, "bubble", (0,))[0]


def test_an_nf_alone_on_its_physical_core_is_as_before():
    assert taken(machines.load(f"{NAME}-smt"), "nat", (0, 1, 14)) == taken(machines.load(NAME), "nat", (0, 1, 14))
