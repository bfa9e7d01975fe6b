"""The next packets that leave a chain, as the daemon mirrors their headers and `sextant-srv6-decode` reads them."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from sextant_domain.hosts.packet_capture import WAIT_S, CapturedHop, CapturedPacket
from sextant_domain.hosts.path import ChainPath

from sextant_agent.contract.errors import DriverError
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S, LineAnswer, LineClient, LineError

DECODE_LIMIT_S = 10.0

Figure = Annotated[int, Field(ge=0, lt=2**32)]


class Captured(LineAnswer):
    """Headers, hexadecimal, oldest first."""

    headers: tuple[Annotated[str, Field(max_length=4094, pattern="^([0-9a-f]{2})*$")], ...] = Field(max_length=100)


class _Entry(LineAnswer):
    kind: Literal["metadata", "segment"]
    device: Figure | None = None
    in_time_us: Figure | None = None
    nf_latency_ns: Figure | None = None
    queue_length: Figure | None = None
    port_counter: Figure | None = None


class _Decoded(LineAnswer):
    tag: Figure
    flow_label: Figure
    source: str
    hop_limit: Figure
    inner: str
    detection_result_ns: Figure
    path: tuple[_Entry, ...] = Field(max_length=8)


_DECODED = TypeAdapter(_Decoded | None)


def captured(daemon: LineClient, decoder: Path, path: ChainPath, packets: int) -> tuple[CapturedPacket, ...]:
    """As many as leave within WAIT_S; `daemon`: a connection that nobody else waits for. Raises DriverError."""
    if not path.leaves:
        raise DriverError("its packets leave on another host: ask that one", permanent=True)
    wait = {"tag": path.tag, "count": packets, "wait_ms": round(1000 * WAIT_S)}
    try:
        found = daemon.ask(Captured, "capture", WAIT_S + ANSWER_TIMEOUT_S, **wait)
    except LineError as error:
        raise DriverError(str(error)) from error
    if not found.headers:
        return ()
    decoded = zip(found.headers, _decode(decoder, found.headers), strict=True)
    return tuple(_packet(headers, one, path) for headers, one in decoded if one is not None)


def _decode(decoder: Path, headers: Sequence[str]) -> list[_Decoded | None]:
    """A line a packet; None for one that it cannot read."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [decoder], input="".join(f"{one}\n" for one in headers), capture_output=True, text=True, check=False,
            timeout=DECODE_LIMIT_S,
        )  # fmt: skip
        lines: list[Any] = [json.loads(line) for line in done.stdout.splitlines()]
        found = [_DECODED.validate_python(None if "error" in line else line) for line in lines]
    except (OSError, subprocess.TimeoutExpired, ValueError, TypeError) as error:
        why = f"{error.error_count()} fields are none of its" if isinstance(error, ValidationError) else str(error)
        raise DriverError(f"packets were captured, and {decoder} did not decode them: {why[:300]}") from error
    if len(found) != len(headers):
        raise DriverError(f"{decoder} decoded {len(found)} of {len(headers)} packets")
    return found


def _packet(headers: str, decoded: _Decoded, path: ChainPath) -> CapturedPacket:
    """Measurements stand in the order of the path's segments, whose NFs it names."""
    places = zip(path.segments, decoded.path, strict=False)
    hops = [
        CapturedHop(
            nf_id=segment.nf_id,
            device=entry.device,
            in_time_us=entry.in_time_us,
            nf_latency_us=None if entry.nf_latency_ns is None else entry.nf_latency_ns / 1000,
            queue_length=entry.queue_length,
            port_counter=entry.port_counter,
        )
        for segment, entry in places
        if entry.kind == "metadata" and segment.nf_id is not None
    ]
    return CapturedPacket.model_validate(
        {
            "tag": decoded.tag,
            "flow_label": decoded.flow_label,
            "source": decoded.source,
            "hop_limit": decoded.hop_limit,
            "inner": decoded.inner,
            "detection_us": decoded.detection_result_ns / 1000,
            "path": hops,
            "headers": headers,
        }
    )
