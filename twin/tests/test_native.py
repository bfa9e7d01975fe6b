"""The native core seen from Python: a setting's steady state, errors by field."""

import json
from typing import Any

import pytest
from sextant_twin._core import Host
from sextant_twin.errors import BadTwinInput

CURVE = {"a": 0.2, "b_s": 5e-9, "p": 4.0, "eps": 0.05}
MACHINE: dict[str, Any] = {
    "name": "Example",
    "nodes": 2,
    "cores_per_node": 4,
    "clock_hz": 2e9,
    "l2": {"bytes": 262144.0, "latency_s": 6e-9},
    "llc": {
        "bytes": 20971520.0,
        "ways": 20,
        "latency_s": 2e-8,
        "ddio_ways": 2,
        "inclusive": True,
        "cat": False,
        "spread": 1.0,
    },
    "memory": {"bandwidth_bytes_s": 6e10, "latency_s": 8e-8, "curve": CURVE},
    "link": {"bandwidth_bytes_s": 2.5e10, "latency_s": 5e-8, "curve": CURVE},
    "nics": [{"node": 0, "bandwidth_bytes_s": 1.25e9, "packets_s": 1.5e8}],
    "handoff": {"local_s": 5e-8, "remote_s": 1e-7, "mlp": 4.0, "ring_lines": 0.25, "metadata_lines": 1.0},
    "framework": {"rx_cycles": 40.0, "tx_cycles": 40.0, "ring_cycles": 20.0, "slice_s": 1e-3, "switch_s": 3e-6},
    "mba": False,
}
NF = {
    "compute_cycles": 100.0,
    "cycles_per_byte": 0.0,
    "instructions": 300.0,
    "instructions_per_byte": 0.0,
    "streams": [],
    "packet": {"header_lines": 0.0, "payload_read": 0.0, "payload_written": 0.0, "mlp": 8.0},
    "pass": 1.0,
}
SETTING: dict[str, Any] = {
    "nfs": {"nf": NF},
    "instances": [{"id": "a", "nf": "nf", "core": 0}],
    "chains": [
        {
            "id": "c",
            "stages": ["a"],
            "execution": "isolated",
            "traffic": {"rate_pps": 2e7, "frames": [{"bytes": 64.0, "share": 1.0}], "flows": 1000.0},
            "nic": 0,
            "ring_packets": 1024,
            "rx_descriptors": 512,
            "tx_descriptors": 512,
            "burst": 32,
        }
    ],
}


def changed(tree: dict[str, Any], path: str, value: object) -> str:
    """`tree` as JSON, with another value at a path of dots."""
    copy = json.loads(json.dumps(tree))
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at = copy
    for part in above:
        at = at[part]
    at[last] = value
    return json.dumps(copy)


@pytest.mark.parametrize("text", [json.dumps(SETTING), json.dumps(SETTING).encode()])
def test_a_core_without_state_takes_its_clock_over_its_cycles(text: str | bytes) -> None:
    """100 + 40 + 40 cycles at 2 GHz: 11.11 Mpps, of 10 Gbit/s / (84 B x 8) = 14.88 Mpps on the wire."""
    outcome = json.loads(Host(json.dumps(MACHINE)).steady(text))
    chain = outcome["chains"][0]
    assert chain["delivered_pps"] == pytest.approx(2e9 / 180)
    assert chain["offered_pps"] == 2e7
    assert chain["delivered_pps"] + chain["dropped_pps"] == pytest.approx(2e7)
    assert outcome["instances"][0]["cycles"] == pytest.approx(180)


def test_a_quick_core_takes_what_the_wire_carries() -> None:
    machine = changed(MACHINE, "clock_hz", 4e9)  # 22.22 Mpps
    outcome = json.loads(Host(machine).steady(json.dumps(SETTING)))
    assert outcome["chains"][0]["delivered_pps"] == pytest.approx(1.25e9 / 84)


@pytest.mark.parametrize(("path", "value", "field"), [
    ("llc.ddio_ways", 21, "llc.ddio_ways"),
    ("llc.ways", 0, "llc.ways"),
    ("memory.bandwidth_bytes_s", -1.0, "memory.bandwidth_bytes_s"),
    ("memory.curve.eps", 0.0, "memory.curve.eps"),
    ("nics.0.node", 2, "nics.0.node"),
    ("nics.0.colour", "red", "nics.0.colour"),
    ("clock_hz", "2 GHz", "clock_hz"),
])  # fmt: skip
def test_a_bad_machine_is_refused_with_its_field(path: str, value: object, field: str) -> None:
    with pytest.raises(BadTwinInput) as caught:
        Host(changed(MACHINE, path, value))
    assert caught.value.field == field
    assert caught.value.message


@pytest.mark.parametrize(("path", "value", "field"), [
    ("instances.0.core", 8, "instances.0.core"),
    ("instances.0.nf", "nobody", "instances.0.nf"),
    ("instances.0.ways", 3, "instances.0.ways"),
    ("instances.0.mba", 0.5, "instances.0.mba"),
    ("chains.0.stages.0", "b", "chains.0.stages.0"),
    ("chains.0.pool", "manager", "chains.0.pool_packets"),
    ("chains.0.pool", "", "chains.0.pool"),
    ("chains.0.stages", ["a", "a"], "chains.0.stages.1"),
    ("chains.0.traffic.frames.0.share", 0.5, "chains.0.traffic.frames"),
    ("chains.0.traffic.rate_pps", -1.0, "chains.0.traffic.rate_pps"),
    ("nfs.nf.packet.payload_read", 2.0, "nfs.nf.packet.payload_read"),
])  # fmt: skip
def test_a_bad_setting_is_refused_with_its_field(path: str, value: object, field: str) -> None:
    with pytest.raises(BadTwinInput) as caught:
        Host(json.dumps(MACHINE)).steady(changed(SETTING, path, value))
    assert caught.value.field == field
    assert caught.value.message


@pytest.mark.parametrize(("field", "other"), [("pool_packets", 4095), ("pool_node", 1)])
def test_chains_of_one_pool_agree_on_it(field: str, other: int) -> None:
    pool = {"pool": "manager", "pool_packets": 32767, "pool_node": 0}
    chain = SETTING["chains"][0] | pool
    chains = [chain, chain | {"id": "d", "stages": ["b"], field: other}]
    instances = [*SETTING["instances"], {"id": "b", "nf": "nf", "core": 1}]
    with pytest.raises(BadTwinInput) as caught:
        Host(json.dumps(MACHINE)).steady(json.dumps(SETTING | {"chains": chains, "instances": instances}))
    assert caught.value.field == f"chains.1.{field}"


@pytest.mark.parametrize("text", ["{", b"\xff", json.dumps(SETTING) + "{}"])
def test_what_is_no_setting_is_refused(text: str | bytes) -> None:
    with pytest.raises(BadTwinInput):
        Host(json.dumps(MACHINE)).steady(text)
