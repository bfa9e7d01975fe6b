"""What is offered to a chain: rate, sizes, arrivals, flows and payload, or a capture that is replayed.

The bounds are the runner's (docs/contracts/runner.md). A field that is left out is absent from JSON too, so that orders
in agents' ledgers keep their digests.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from sextant_domain.base import Digest, Frozen, StrictFloat, StrictInt

MAX_RATE_MPPS = 148.8
"""100 GbE of 64-byte packets: 100e9 / ((64 + 20) x 8) = 148.8 Mpps."""
IMIX = ((64, 7), (594, 4), (1518, 1))
"""The 'simple IMIX', [bytes, weight], taken as frames without FCS: mean 4342 / 12 = 361.8 bytes."""
HEADER_BYTES = {"udp": 42, "tcp": 54}
"""Ethernet, IPv4 and UDP or TCP: what a packet has before its payload."""

PacketBytes = Annotated[StrictInt, Field(ge=64, le=1518)]
"""A frame without its checksum (FCS)."""
Milliseconds = Annotated[StrictFloat, Field(ge=1, le=60_000)]


def _at_most(most: int) -> BeforeValidator:
    """A list of 1 to `most` items, looked at before they are: one error, not one for each."""

    def check(items: Any) -> Any:
        if isinstance(items, list | tuple) and not 1 <= len(items) <= most:
            raise ValueError(f"must have 1 to {most} items, not {len(items)}")
        return items

    return BeforeValidator(check)


def _bounds(most: int) -> dict[str, Any]:
    return {"minItems": 1, "maxItems": most}


def _short(key: str, kind: type = str) -> BeforeValidator:
    """A plain value is short for an object with that one field: `imix` for `{kind: imix}`."""

    def expand(value: Any) -> Any:
        return {key: value} if isinstance(value, kind) else value

    return BeforeValidator(expand)


def _short_pair(*keys: str) -> BeforeValidator:
    """`[64, 7]` for `{bytes: 64, weight: 7}`."""

    def expand(value: Any) -> Any:
        paired = isinstance(value, list | tuple) and len(value) == len(keys)
        return dict(zip(keys, value, strict=True)) if paired else value

    return BeforeValidator(expand)


class FixedSize(Frozen):
    """Every packet has this size."""

    kind: Literal["fixed"]
    bytes: PacketBytes


class Imix(Frozen):
    """64, 594 and 1518 bytes at 7 : 4 : 1."""

    kind: Literal["imix"]


class SizeShare(Frozen):
    """One size of several. `[64, 7]` is short."""

    bytes: PacketBytes
    weight: StrictInt = Field(ge=1, le=1_000_000)


class SizeList(Frozen):
    """Sizes with their weights; drawn for every packet."""

    kind: Literal["list"]
    entries: Annotated[tuple[Annotated[SizeShare, _short_pair("bytes", "weight")], ...], _at_most(16)] = Field(
        json_schema_extra=_bounds(16)
    )


class Constant(Frozen):
    """Evenly."""

    kind: Literal["constant"]


class Poisson(Frozen):
    """With exponentially distributed gaps."""

    kind: Literal["poisson"]


class OnOff(Frozen):
    """In bursts at rate x (on + off) / on, with silence between: the rate stays the mean."""

    kind: Literal["on-off"]
    on_ms: Milliseconds
    off_ms: Milliseconds


class RateStep(Frozen):
    """Some seconds at one rate. `[10, 0.5]` is short."""

    seconds: StrictFloat = Field(ge=0.001, le=3600)
    factor: StrictFloat = Field(ge=0, le=1000)


class Trace(Frozen):
    """As the steps say, again and again. Factors are relative to each other: the rate stays the mean."""

    kind: Literal["trace"]
    steps: Annotated[tuple[Annotated[RateStep, _short_pair("seconds", "factor")], ...], _at_most(64)] = Field(
        json_schema_extra=_bounds(64)
    )

    @property
    def mean_factor(self) -> float:
        """Over time."""
        return sum(step.seconds * step.factor for step in self.steps) / sum(step.seconds for step in self.steps)

    @model_validator(mode="after")
    def _sends_something(self) -> Self:
        if self.mean_factor <= 0:
            raise ValueError("every factor is 0: give one step at least a factor above 0")
        return self


class RoundRobin(Frozen):
    """Flow after flow."""

    kind: Literal["round-robin"]


class Uniform(Frozen):
    """Any flow, each as likely."""

    kind: Literal["uniform"]


class Zipf(Frozen):
    """Flow k of n with a share of k^-exponent: few flows have most packets."""

    kind: Literal["zipf"]
    exponent: StrictFloat = Field(ge=0.01, le=4)


class ZeroPayload(Frozen):
    """A number of 8 bytes, then zeros."""

    kind: Literal["zero"]


class RandomPayload(Frozen):
    """Random bytes."""

    kind: Literal["random"]


def _has_bytes(text: str) -> str:
    if not 4 <= len(text.encode()) <= 64 or "\0" in text:
        raise ValueError("must have 4 to 64 bytes in UTF-8, none of them NUL")
    return text


MatchString = Annotated[str, Field(strict=True, min_length=1, max_length=64), AfterValidator(_has_bytes)]


class MatchPayload(Frozen):
    """Random bytes; a share of the packets carries one of the strings, so that a search for patterns has work."""

    kind: Literal["matches"]
    percent: StrictFloat = Field(ge=0, le=100)
    """Of the packets."""
    strings: Annotated[tuple[MatchString, ...], _at_most(32)] = Field(json_schema_extra=_bounds(32))
    """4 to 64 bytes each; they must fit into the smallest packet."""


class Replay(Frozen):
    """The packets of a capture (pcap, Ethernet), in its order, again and again."""

    file: Digest
    timing: Literal["rate", "file"] = "rate"
    """`rate`: as rate and arrivals say; `file`: with the capture's own gaps, whatever the rate, unless that is 0."""


def _short_list(value: Any) -> Any:
    return {"kind": "list", "entries": value} if isinstance(value, list | tuple) else value


def _is_absent(value: object) -> bool:
    return value is None


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


Sizes = Annotated[
    Annotated[FixedSize | Imix | SizeList, Field(discriminator="kind")], _short("kind"), BeforeValidator(_short_list)
]
Arrivals = Annotated[Annotated[Constant | Poisson | OnOff | Trace, Field(discriminator="kind")], _short("kind")]
FlowDistribution = Annotated[Annotated[RoundRobin | Uniform | Zipf, Field(discriminator="kind")], _short("kind")]
Payload = Annotated[Annotated[ZeroPayload | RandomPayload | MatchPayload, Field(discriminator="kind")], _short("kind")]

KINDS = frozenset(
    "fixed imix list constant poisson on-off trace round-robin uniform zipf zero random matches".split()  # noqa: SIM905
)
_SIZES: TypeAdapter[FixedSize | Imix | SizeList] = TypeAdapter(Sizes)


_TAGGED = ("sizes", "arrivals", "flow_distribution", "payload")


def without_kinds(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A field's path as a person writes it: pydantic puts the `kind` of a union's member behind the union's name."""
    return tuple(
        part for index, part in enumerate(loc) if index == 0 or loc[index - 1] not in _TAGGED or part not in KINDS
    )


def shares_of(sizes: FixedSize | Imix | SizeList) -> tuple[tuple[int, int], ...]:
    """[bytes, weight] of each size."""
    match sizes:
        case FixedSize():
            return ((sizes.bytes, 1),)
        case Imix():
            return IMIX
        case SizeList():
            return tuple((share.bytes, share.weight) for share in sizes.entries)


def mean_bytes(sizes: FixedSize | Imix | SizeList) -> float:
    """The mean over packets."""
    shares = shares_of(sizes)
    return sum(size * weight for size, weight in shares) / sum(weight for _, weight in shares)


class Traffic(Frozen):
    """What is offered to the chain."""

    rate_mpps: StrictFloat = Field(ge=0, le=MAX_RATE_MPPS)
    """The mean over time, however the packets arrive."""
    packet_bytes: PacketBytes
    """May be left out where `sizes` is given: it is their rounded mean then. Of a capture: what is planned with."""
    flows: StrictInt = Field(default=1000, ge=1, le=1_000_000)
    """Distinct 5-tuples."""
    sizes: Sizes | None = Field(default=None, exclude_if=_is_absent, json_schema_extra=_without_default)
    """None: every packet has `packet_bytes`. `imix`, or a list of [bytes, weight], is short."""
    arrivals: Arrivals | None = Field(default=None, exclude_if=_is_absent, json_schema_extra=_without_default)
    """None: constant. `poisson` is short for `{kind: poisson}`."""
    flow_distribution: FlowDistribution | None = Field(
        default=None, exclude_if=_is_absent, json_schema_extra=_without_default
    )
    """None: round-robin."""
    payload: Payload | None = Field(default=None, exclude_if=_is_absent, json_schema_extra=_without_default)
    """None: zero."""
    pcap: Annotated[Replay, _short("file")] | None = Field(
        default=None, exclude_if=_is_absent, json_schema_extra=_without_default
    )
    """A capture by its digest instead of packets made for the match; it has its own sizes, flows and payload."""
    seed: StrictInt | None = Field(
        default=None, ge=0, le=2**32 - 1, exclude_if=_is_absent, json_schema_extra=_without_default
    )
    """None: 1. What is sent follows from these fields alone: the same seed, the same packets."""

    @property
    def mean_packet_bytes(self) -> float:
        """Of frames without FCS."""
        return self.packet_bytes if self.sizes is None else mean_bytes(self.sizes)

    @property
    def smallest_packet_bytes(self) -> int:
        """The least size that is sent."""
        return self.packet_bytes if self.sizes is None else min(size for size, _ in shares_of(self.sizes))

    @property
    def offered_gbps(self) -> float:
        """Of frames without FCS: Mpps x bytes x 8 / 1000."""
        return self.rate_mpps * self.mean_packet_bytes * 8 / 1000

    @property
    def peak_mpps(self) -> float:
        """The rate while most is sent."""
        match self.arrivals:
            case OnOff(on_ms=on, off_ms=off):
                return self.rate_mpps * (on + off) / on
            case Trace(steps=steps):
                return self.rate_mpps * (max(step.factor for step in steps) / self.arrivals.mean_factor)
            case _:
                return self.rate_mpps

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

    @model_validator(mode="after")
    def _fields_agree(self) -> Self:
        if self.sizes is not None and self.packet_bytes != round(self.mean_packet_bytes):
            raise ValueError(
                f"packet_bytes: the mean of sizes is {round(self.mean_packet_bytes)}, not {self.packet_bytes}; "
                "leave out one of the two"
            )
        if self.pcap is not None:
            for name in ("sizes", "flow_distribution", "payload"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name}: a capture has its own; leave this out, or leave out pcap")
            if self.pcap.timing == "file" and self.arrivals is not None:
                raise ValueError("arrivals: timing 'file' keeps the capture's own gaps; leave out one of the two")
        if self.peak_mpps > MAX_RATE_MPPS:
            raise ValueError(
                f"arrivals: a mean of {self.rate_mpps:g} Mpps needs {self.peak_mpps:.4g} Mpps at the peak, more than "
                f"{MAX_RATE_MPPS}; lower the rate or the peak"
            )
        return self
