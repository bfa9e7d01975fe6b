"""What is offered to a chain: rate, sizes, arrivals, flows and payload, or a capture that is replayed.

The bounds are the runner's (docs/contracts/runner.md). A field that is left out is absent from JSON too, so that orders
in agents' ledgers keep their digests.
"""

from typing import Any

from pydantic import Field, TypeAdapter, ValidationError, ValidationInfo, field_validator, model_validator

from sextant_domain.base import Frozen, StrictFloat, StrictInt
from sextant_domain.chains.lane import Lane
from sextant_domain.chains.traffic_kinds import (
    AnySizes,
    Arrivals,
    Capture,
    FlowDistribution,
    PacketBytes,
    Payload,
    Sizes,
    mean_bytes,
    peak_factor,
    shares_of,
)

FCS_BYTES = 4
GAP_BYTES = 20
"""Preamble and least gap between two frames (IEEE 802.3)."""
MAX_RATE_MPPS = 148.8
"""100 GbE of 64-byte packets: 100e9 / ((64 + 20) x 8) = 148.8 Mpps."""

_SIZES: TypeAdapter[AnySizes] = TypeAdapter(Sizes)


def _is_absent(value: object) -> bool:
    return value is None


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def _optional(least: int | None = None, most: int | None = None) -> Any:
    return Field(default=None, ge=least, le=most, exclude_if=_is_absent, json_schema_extra=_without_default)


def wire_gbps(mpps: float, frame_bytes: float) -> float:
    """Of the line, with FCS and gap; `frame_bytes`: without FCS, as sizes of packets are given everywhere here."""
    return mpps * (frame_bytes + FCS_BYTES + GAP_BYTES) * 8 / 1000


class Traffic(Frozen):
    """What is offered to the chain."""

    rate_mpps: StrictFloat = Field(ge=0, le=MAX_RATE_MPPS)
    """The mean over time, however the packets arrive."""
    packet_bytes: PacketBytes
    """May be left out where `sizes` is given: it is their rounded mean then. Of a capture: what is planned with."""
    flows: StrictInt = Field(default=1000, ge=1, le=1_000_000)
    """Distinct 5-tuples."""
    pcap: Capture | None = _optional()
    """A capture by its digest instead of packets made for the match; it has its own sizes, flows and payload."""
    sizes: Sizes | None = _optional()
    """None: every packet has `packet_bytes`. `imix`, or a list of [bytes, weight], is short."""
    arrivals: Arrivals | None = _optional()
    """None: constant. `poisson` is short for `{kind: poisson}`."""
    flow_distribution: FlowDistribution | None = _optional()
    """None: round-robin."""
    payload: Payload | None = _optional()
    """None: zero."""
    seed: StrictInt | None = _optional(0, 2**32 - 1)
    """None: 1. What is sent follows from these fields alone: the same seed, the same packets."""
    lane: Lane | None = _optional()
    """Only the flows of this lane are sent, at `rate_mpps`; `flows` are those of all lanes. None: all flows."""

    @property
    def share(self) -> float:
        """Of the flows of all its lanes, from 0 to 1; 1 where it is no lane."""
        return 1.0 if self.lane is None else self.lane.share

    @property
    def mean_packet_bytes(self) -> float:
        """Of frames without FCS."""
        return self.packet_bytes if self.sizes is None else mean_bytes(self.sizes)

    @property
    def smallest_packet_bytes(self) -> int:
        """The least size that is sent."""
        return self.packet_bytes if self.sizes is None else min(size for size, _ in shares_of(self.sizes))

    @property
    def largest_packet_bytes(self) -> int:
        """The greatest size that is sent; of a capture what is planned with."""
        return self.packet_bytes if self.sizes is None else max(size for size, _ in shares_of(self.sizes))

    @property
    def offered_gbps(self) -> float:
        """Of frames without FCS: Mpps x bytes x 8 / 1000."""
        return self.rate_mpps * self.mean_packet_bytes * 8 / 1000

    @property
    def peak_mpps(self) -> float:
        """The rate while most is sent."""
        return self.rate_mpps * peak_factor(self.arrivals)

    @model_validator(mode="before")
    @classmethod
    def _sizes_have_a_mean(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("sizes") is None or "packet_bytes" in data:
            return data
        try:
            mean = round(mean_bytes(_SIZES.validate_python(data["sizes"])))
        except ValidationError:
            mean = 64  # `sizes` is refused below: one error, not two
        return {**data, "packet_bytes": mean}

    @field_validator("sizes", "flow_distribution", "payload")
    @classmethod
    def _a_capture_has_its_own(cls, value: Any, info: ValidationInfo) -> Any:
        if value is not None and info.data.get("pcap") is not None:
            raise ValueError("a capture has its own; leave this out, or leave out pcap")
        return value

    @field_validator("sizes")
    @classmethod
    def _packet_bytes_is_their_mean(cls, sizes: Any, info: ValidationInfo) -> Any:
        said = info.data.get("packet_bytes")
        if sizes is not None and said is not None and said != round(mean_bytes(sizes)):
            mean = round(mean_bytes(sizes))
            raise ValueError(f"their mean is {mean} bytes, but packet_bytes says {said}; leave out one of the two")
        return sizes

    @field_validator("lane")
    @classmethod
    def _a_capture_is_whole(cls, lane: Lane | None, info: ValidationInfo) -> Lane | None:
        if lane is not None and info.data.get("pcap") is not None:
            raise ValueError("a capture is not divided over lanes; leave this out, or leave out pcap")
        return lane

    @field_validator("arrivals")
    @classmethod
    def _the_peak_can_be_sent(cls, arrivals: Any, info: ValidationInfo) -> Any:
        replay, rate = info.data.get("pcap"), info.data.get("rate_mpps", 0.0)
        if arrivals is not None and replay is not None and replay.timing == "file":
            raise ValueError("timing 'file' keeps the capture's own gaps; leave out one of the two")
        if rate * peak_factor(arrivals) > MAX_RATE_MPPS:
            raise ValueError(
                f"a mean of {rate:g} Mpps needs {rate * peak_factor(arrivals):.4g} Mpps at the peak, more than "
                f"{MAX_RATE_MPPS}; lower the rate or the peak"
            )
        return arrivals
