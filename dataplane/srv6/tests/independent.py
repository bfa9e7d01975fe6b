"""The headers of a captured frame, read from docs/contracts/srv6.md a second time: it shares nothing with decode/."""

import ipaddress
import struct
from typing import Any

COLLECTED = ((16, "device"), (8, "in-time"), (4, "nf-latency"), (2, "queue"), (1, "port-counter"))


def read(frame: bytes) -> dict[str, Any]:
    packet = frame[14:]
    first, _, _, hop_limit = struct.unpack_from("!IHBB", packet)
    source, destination = (str(ipaddress.IPv6Address(packet[at : at + 16])) for at in (8, 24))
    inner, _, _, left, last, _, tag = struct.unpack_from("!BBBBBBH", packet, 40)
    map_info, detection = struct.unpack_from("!HI", packet, 48 + 16 * (last + 1) + 2)
    path: list[dict[str, Any]] = []
    for number in range(last, -1, -1):
        entry = packet[48 + 16 * number : 64 + 16 * number]
        if number <= left:
            path.append({"kind": "segment", "sid": str(ipaddress.IPv6Address(entry))})
            continue
        device, _, in_time, latency, counter = struct.unpack("!HHIII", entry)
        measured = {"device": device, "in_time_us": in_time, "nf_latency_ns": latency, "port_counter": counter}
        path.append({"kind": "metadata", **measured})
    return {
        "tag": tag,
        "flow_label": first & 0xFFFFF,
        "source": source,
        "destination": destination,
        "hop_limit": hop_limit,
        "segments_left": left,
        "inner": {4: "ipv4", 41: "ipv6"}[inner],
        "collected": [name for bit, name in COLLECTED if map_info & bit],
        "detection_result_ns": detection,
        "path": path,
    }
