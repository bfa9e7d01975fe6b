"""The parts of a chain's traffic: which sizes, arrivals, flows and payloads there are, and what is short for them."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sextant_domain.base import Digest, Frozen, StrictFloat, StrictInt

IMIX = ((64, 7), (594, 4), (1518, 1))
"""The 'simple IMIX', [bytes, weight], taken as frames without FCS: mean 4342 / 12 = 361.8 bytes."""
PacketBytes = Annotated[StrictInt, Field(ge=64, le=1518)]
"""A frame without its checksum (FCS)."""
Milliseconds = Annotated[StrictFloat, Field(ge=1, le=60_000)]


def at_most(most: int) -> BeforeValidator:
    """A list of 1 to `most` items, looked at before they are: one error, not one for each."""

    def check(items: Any) -> Any:
        if isinstance(items, list | tuple) and not 1 <= len(items) <= most:
            raise ValueError(f"must have 1 to {most} items, not {len(items)}")
        return items

    return BeforeValidator(check)


def bounds(most: int) -> dict[str, Any]:
    """What a schema says of such a list."""
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
    entries: Annotated[tuple[Annotated[SizeShare, _short_pair("bytes", "weight")], ...], at_most(16)] = Field(
        json_schema_extra=bounds(16)
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
    """The steps in order, repeated. Factors are relative to each other: the rate stays the mean."""

    kind: Literal["trace"]
    steps: Annotated[tuple[Annotated[RateStep, _short_pair("seconds", "factor")], ...], at_most(64)] = Field(
        json_schema_extra=bounds(64)
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
    """Each packet belongs to any flow, all equally likely."""

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
    strings: Annotated[tuple[MatchString, ...], at_most(32)] = Field(json_schema_extra=bounds(32))
    """4 to 64 bytes each; they must fit into the smallest packet."""


class Replay(Frozen):
    """The packets of a capture (pcap, Ethernet) in their order, repeated."""

    file: Digest
    timing: Literal["rate", "file"] = "rate"
    """`rate`: as rate and arrivals say; `file`: with the capture's own gaps, whatever the rate, unless that is 0."""


def _short_list(value: Any) -> Any:
    return {"kind": "list", "entries": value} if isinstance(value, list | tuple) else value


AnySizes = FixedSize | Imix | SizeList
AnyArrivals = Constant | Poisson | OnOff | Trace
Sizes = Annotated[Annotated[AnySizes, Field(discriminator="kind")], _short("kind"), BeforeValidator(_short_list)]
Arrivals = Annotated[Annotated[AnyArrivals, Field(discriminator="kind")], _short("kind")]
FlowDistribution = Annotated[Annotated[RoundRobin | Uniform | Zipf, Field(discriminator="kind")], _short("kind")]
Payload = Annotated[Annotated[ZeroPayload | RandomPayload | MatchPayload, Field(discriminator="kind")], _short("kind")]
Capture = Annotated[Replay, _short("file")]

_KINDS = frozenset(
    "fixed imix list constant poisson on-off trace round-robin uniform zipf zero random matches".split()  # noqa: SIM905
)
_TAGGED = ("sizes", "arrivals", "flow_distribution", "payload")


def without_kinds(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A field's path as a person writes it: pydantic puts the `kind` of a union's member behind the union's name."""
    return tuple(
        part for index, part in enumerate(loc) if index == 0 or loc[index - 1] not in _TAGGED or part not in _KINDS
    )


def shares_of(sizes: AnySizes) -> tuple[tuple[int, int], ...]:
    """[bytes, weight] of each size."""
    match sizes:
        case FixedSize():
            return ((sizes.bytes, 1),)
        case Imix():
            return IMIX
        case SizeList():
            return tuple((share.bytes, share.weight) for share in sizes.entries)


def mean_bytes(sizes: AnySizes) -> float:
    """The mean over packets."""
    shares = shares_of(sizes)
    return sum(size * weight for size, weight in shares) / sum(weight for _, weight in shares)


def peak_factor(arrivals: AnyArrivals | None) -> float:
    """The rate while most is sent, over the mean rate."""
    match arrivals:
        case OnOff(on_ms=on, off_ms=off):
            return (on + off) / on
        case Trace(steps=steps):
            return max(step.factor for step in steps) / arrivals.mean_factor
        case _:
            return 1.0
