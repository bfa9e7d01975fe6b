"""Settings for the core, put together from parts."""

from typing import Any

from sextant_twin.quantities import parse

GAP = 20
"""Bytes of preamble and gap that a frame takes on the wire beside its own."""


def rate_pps(offered: str, frame_bytes: float) -> float:
    """Packets a second of a rate on the wire: 10 Gbps of 64 B are 10e9 / (8 x 84) = 14.88 Mpps."""
    return parse(offered, "bit rate") / 8 / (frame_bytes + GAP)


def frame_of(text: str) -> float:
    """Bytes of a frame such as "64 B"."""
    return parse(text, "size")


def traffic(pps: float, frame_bytes: float, flows: float) -> dict[str, Any]:
    """One size of frames at a constant rate."""
    return {"rate_pps": pps, "frames": [{"bytes": frame_bytes, "share": 1.0}], "flows": flows}


def instance(name: str, nf: str, core: int, ways: int | None = None, **more: Any) -> dict[str, Any]:
    """A running NF."""
    return {"id": name, "nf": nf, "core": core, "ways": ways, **more}


def chain(name: str, stages: list[str], offered: dict[str, Any], **more: Any) -> dict[str, Any]:
    """NFs in a row; by default run to completion with rings as DPDK's examples have them."""
    usual = {"execution": "run_to_completion", "nic": 0, "ring_packets": 1024}
    queues = {"rx_descriptors": 1024, "tx_descriptors": 1024, "burst": 32}
    return {"id": name, "stages": stages, "traffic": offered, **usual, **queues, **more}


def hog(name: str, core: int, ways: int | None = None, **more: Any) -> dict[str, Any]:
    """A program that copies through memory as fast as it can."""
    usual = {"kind": "passing", "bytes": 1e9, "mlp": 10.0, "write_share": 0.5}
    return {"id": name, "core": core, "ways": ways, **usual, **more}


def mask(first: int, count: int) -> int:
    """`count` ways from way `first` on."""
    return ((1 << count) - 1) << first
