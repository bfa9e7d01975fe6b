"""Hosts in time through the native core: from data files and orders to counters, as the agent's driver uses it."""

import json
import threading
from typing import Any

import pytest
from sextant_twin import calibration, machines, nfs
from sextant_twin._core import Fleet
from sextant_twin.errors import BadTwinInput

MACHINE = "xeon-e5-2650-v4"
WITH_MBA = "xeon-gold-6126"


def fleet(machine: str = MACHINE) -> Fleet:
    """One host, 'h', on which nothing runs."""
    made = Fleet()
    made.add("h", json.dumps(machines.load(machine).core(calibration.load())), seed=1)
    return made


def order(rate_pps: float, **traffic: Any) -> dict[str, Any]:
    """A chain of one firewall."""
    instance = {"id": "edge.firewall", "nf": "firewall", "core": 3}
    chain = {
        "id": "edge",
        "stages": ["edge.firewall"],
        "execution": "isolated",
        "traffic": {"rate_pps": rate_pps, "frames": [{"bytes": 64, "share": 1}], "flows": 1000},
        "nic": 0,
        "ring_packets": 1024,
        "rx_descriptors": 512,
        "tx_descriptors": 512,
        "burst": 32,
    }
    setting = {"nfs": {"firewall": nfs.load("firewall").core()}, "instances": [instance], "chains": [chain]}
    return {"setting": setting, **traffic}


def report(of: Fleet) -> dict[str, Any]:
    """What the host says of itself."""
    found: dict[str, Any] = json.loads(of.report("h"))
    return found


def test_a_chain_is_ordered_and_counted() -> None:
    """Its NF starts in 1 s; then 2 s x 0.5 Mpps come and go, each with a latency in one of the buckets."""
    hosts = fleet()
    hosts.order("h", json.dumps(order(5e5)))
    hosts.step(3.0)
    chain = report(hosts)["chains"][0]
    assert (chain["offered"], chain["delivered"] + chain["waiting"]) == (1_000_000, 1_000_000)
    assert sum(count for _, count in chain["latency"]) == chain["delivered"]
    assert max(bucket for bucket, _ in chain["latency"]) <= len(Fleet.latency_bounds_ns())


def test_the_buckets_are_the_testbeds() -> None:
    """32 of 32 ns up to 1024 ns, then 32 to each doubling up to 2^32 ns: 23 x 32 bounds (base/histogram.h)."""
    bounds = Fleet.latency_bounds_ns()
    assert (len(bounds), bounds[0], bounds[31], bounds[32], bounds[-1]) == (736, 32, 1024, 1056, 2**32)


def test_a_crash_is_ordered_and_mended() -> None:
    """What crashed stays down until it is started, which takes a second."""
    hosts = fleet()
    hosts.order("h", json.dumps(order(5e5)))
    hosts.step(2.0)
    hosts.fault("h", json.dumps({"fault": {"kind": "nf_crash", "instance": "edge.firewall"}}))
    hosts.step(1.0)
    assert report(hosts)["instances"][0]["state"] == "crashed"
    hosts.start("h", "edge.firewall")
    hosts.step(1.1)
    nf = report(hosts)["instances"][0]
    assert (nf["state"], nf["starts"]) == ("running", 2)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"paused": ["nobody"]}, "paused.nobody"),
        ({"arrivals": {"edge": {"shape": {"kind": "on_off", "on_s": 0, "off_s": 1}}}}, "arrivals.edge.shape.on_s"),
        ({"pause": []}, "pause"),
    ],
)
def test_bad_orders_are_refused_by_field(change: dict[str, Any], field: str) -> None:
    """And the host is as it was."""
    hosts = fleet()
    with pytest.raises(BadTwinInput) as refused:
        hosts.order("h", json.dumps(order(1e6, **change)))
    assert refused.value.field == field
    assert report(hosts)["chains"] == []


def test_delays_and_noise_are_the_machines() -> None:
    """A host whose NFs start in 0.2 s delivers from then on; a noise of none counts exactly."""
    tree = machines.load(MACHINE).core(calibration.load()) | {
        "delays": {"start_s": 0.2},
        "noise": {"relative": 0.0, "multiplexing": 0.0},
    }
    hosts = Fleet()
    hosts.add("h", json.dumps(tree), seed=1)
    hosts.order("h", json.dumps(order(1e5)))
    hosts.step(1.2)
    first = report(hosts)["instances"][0]
    hosts.step(1.0)
    now = report(hosts)["instances"][0]
    assert report(hosts)["chains"][0]["offered"] == 200_000
    assert now["instructions"] / now["rx"] == pytest.approx(first["instructions"] / first["rx"], rel=1e-4)
    tree["delays"] = {"start_s": -1}
    with pytest.raises(BadTwinInput, match=r"delays\.start_s"):
        hosts.add("other", json.dumps(tree), seed=1)


def test_other_threads_go_on_meanwhile() -> None:
    """Calls of several threads wait for each other and none is lost: 8 x 25 steps of 10 ms are 2 s."""
    hosts = fleet()

    def walk() -> None:
        for _ in range(25):
            hosts.step(0.01)

    threads = [threading.Thread(target=walk) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert report(hosts)["taken_ns"] == 2_000_000_000


def test_ways_and_throttle_are_given_beside_an_order_and_all_else_stays() -> None:
    """Two ways and half of the bandwidth, a millisecond later."""
    hosts = fleet(WITH_MBA)
    hosts.order("h", json.dumps(order(5e5)))
    hosts.step(2.0)
    before = report(hosts)
    hosts.give("h", json.dumps([{"id": "edge.firewall", "ways": 3, "mba": 0.5}]))
    hosts.step(0.1)
    (found,) = report(hosts)["instances"]
    assert (found["ways"], found["mba"], found["starts"]) == (3, 0.5, before["instances"][0]["starts"])
    assert report(hosts)["chains"][0]["delivered"] > before["chains"][0]["delivered"]
    hosts.give("h", json.dumps([{"id": "edge.firewall"}]))
    hosts.step(0.1)
    assert (report(hosts)["instances"][0]["ways"], report(hosts)["instances"][0]["mba"]) == (None, 0.0)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ([{"id": "edge.nat", "ways": 3}], "0.id"),
        ([{"id": "edge.firewall", "ways": 5}], "0.ways"),
        ([{"id": "edge.firewall", "ways": 0}], "0.ways"),
        ([{"id": "edge.firewall", "mba": 1.5}], "0.mba"),
        ([{"id": "edge.firewall", "ways": 3}, {"id": "", "ways": 3}], "1.id"),
        ([{"id": "edge.firewall", "core": 1}], "0.core"),
        ([{"id": "edge.firewall", "ways": 1 << 11}], "0.ways"),
        ({}, "(whole input)"),
    ],
)
def test_what_cannot_be_given_changes_nothing(given: object, field: str) -> None:
    """5 is no contiguous mask."""
    hosts = fleet(WITH_MBA)
    hosts.order("h", json.dumps(order(5e5)))
    hosts.step(2.0)
    with pytest.raises(BadTwinInput) as refused:
        hosts.give("h", json.dumps(given))
    assert refused.value.field == field
    hosts.step(0.1)
    assert report(hosts)["instances"][0]["ways"] is None
