"""NFs: data files of `data/nfs`, read, checked and turned into what the core is given."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from sextant_domain.base import Frozen

from sextant_twin.calibration import TwinCalibration
from sextant_twin.document import DATA, Shelf
from sextant_twin.errors import BadTwinInput
from sextant_twin.quantities import Bytes, Cycles, CyclesPerByte

FOLDER = DATA / "nfs"

Number = Annotated[float, Field(ge=0, le=1e6)]
Part = Annotated[float, Field(ge=0, le=1)]
Overlap = Annotated[float, Field(ge=1, le=64)]


class Popularity(Frozen):
    """A class of lines of a stream that are accessed alike."""

    lines_share: Annotated[float, Field(gt=0, le=1)]
    access_share: Part


class MemoryStream(Frozen):
    """A region of memory and how it is gone over."""

    name: str = Field(min_length=1, max_length=63)
    kind: Literal["random", "periodic", "passing"]
    size: Bytes
    """Without flows."""
    size_per_flow: Bytes
    accesses: Number
    """Cache lines a packet of 64 B."""
    accesses_per_byte: Number = 0.0
    """Further ones for each byte beyond."""
    write_share: Part
    mlp: Overlap
    """How many of its misses are under way at once."""
    popularity: tuple[Popularity, ...] = Field(default=(), max_length=16)
    """Classes of lines; none: all lines alike."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for kind in ("lines_share", "access_share"):
            shares = [getattr(each, kind) for each in self.popularity]
            if shares and abs(sum(shares) - 1) > 1e-9:
                raise ValueError(f"popularity: the {kind} of all classes sum to {sum(shares):g}, not 1")
        return self


class PacketAccess(Frozen):
    """What an NF does with a packet's own lines."""

    header_lines: Annotated[float, Field(ge=0, le=24)]
    payload_read: Part
    payload_written: Part
    mlp: Overlap


class Solo(Frozen):
    """What was published of the NF alone: its compute cycles are what of it is not waiting."""

    cycles: Cycles = Field(gt=0)
    """Of a packet, in all."""
    machine: str
    frame: Bytes = Field(ge=64, le=9216)
    flows: Annotated[int, Field(strict=True, ge=1, le=100_000_000)]
    io_threads: bool = False
    """True: other cores took its packets from the NIC and gave them to it, and their cycles are not in `cycles`."""
    at_llc: bool = False
    """True: the accesses of `streams` came to the LLC, past the core's own cache (`anchor.past_own_cache`)."""


class Nf(Frozen):
    """What an NF does for a packet."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    summary: str = Field(min_length=1, max_length=2000)
    compute: Cycles | None = None
    """A packet, with everything in the core's own caches; none: see `solo`."""
    solo: Solo | None = None
    compute_per_byte: CyclesPerByte
    instructions: Number
    """A packet."""
    instructions_per_byte: Number
    streams: tuple[MemoryStream, ...] = Field(max_length=16)
    packet: PacketAccess
    passed: Part
    """Share of the packets that it passes on."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.compute is None) == (self.solo is None):
            raise ValueError("compute: give either this or solo")
        known = [stream.name for stream in self.streams]
        if len(set(known)) != len(known):
            raise ValueError("streams: two have the same name")
        return self

    def core(self, compute_cycles: float | None = None) -> dict[str, Any]:
        """What the core is given, in base units. `compute_cycles`: for an NF of which only `solo` is known."""
        cycles = self.compute if compute_cycles is None else compute_cycles
        if cycles is None:
            raise BadTwinInput("compute", f"only its cycles alone are known of {self.name}: see sextant_twin.anchor")
        return {
            "compute_cycles": cycles,
            "cycles_per_byte": self.compute_per_byte,
            "instructions": self.instructions,
            "instructions_per_byte": self.instructions_per_byte,
            "streams": [_stream(each) for each in self.streams],
            "packet": self.packet.model_dump(),
            "pass": self.passed,
        }

    def fitted(self, calibration: TwinCalibration) -> Self:
        """The same with its first stream as fitted, where its own row was calibrated on."""
        state = calibration.nfs.get(self.name)
        if state is None:
            return self
        size, per_flow = round(state.size), round(state.size_per_flow)
        first = self.streams[0].model_copy(update={"size": size, "size_per_flow": per_flow, "mlp": state.mlp})
        if hot := state.hot_lines_share:
            shares = zip((hot, 1 - hot), first.popularity, strict=True)
            classes = tuple(each.model_copy(update={"lines_share": share}) for share, each in shares)
            first = first.model_copy(update={"popularity": classes})
        return self.model_copy(update={"streams": (first, *self.streams[1:])})


def _stream(stream: MemoryStream) -> dict[str, Any]:
    tree = stream.model_dump(exclude={"size", "size_per_flow", "popularity"})
    shares = [each.model_dump() for each in stream.popularity]
    return tree | {"bytes": stream.size, "bytes_per_flow": stream.size_per_flow, "popularity": shares}


_SHELF = Shelf("nf", FOLDER, Nf)
names = _SHELF.names
described = _SHELF.described
load = _SHELF.load
draw = _SHELF.draw
