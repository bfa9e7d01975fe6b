"""The headers of a captured frame as scapy reads them (IPv6, segment routing header, TLV); what lies in the place of a
used segment is read from docs/contracts/srv6.md a second time. It shares nothing with decode/."""

import ipaddress
import struct
from typing import Any

from scapy.layers.inet6 import IPv6, IPv6ExtHdrSegmentRouting
from scapy.layers.l2 import Ether

COLLECTED = ((16, "device"), (8, "in-time"), (4, "nf-latency"), (2, "queue"), (1, "port-counter"))
TLV_TYPE = 0x84


def read(frame: bytes) -> dict[str, Any]:
    outer = Ether(frame)[IPv6]
    routing = outer[IPv6ExtHdrSegmentRouting]
    (tlv,) = routing.tlv_objects
    assert tlv.type == TLV_TYPE
    map_info, detection = struct.unpack("!HI", tlv.value)
    path: list[dict[str, Any]] = []
    for number in range(routing.lastentry, -1, -1):
        entry = ipaddress.IPv6Address(routing.addresses[number])
        if number <= routing.segleft:
            path.append({"kind": "segment", "sid": str(entry)})
            continue
        device, queue, in_time, latency, counter = struct.unpack("!HHIII", entry.packed)
        measured = {"device": device, "in_time_us": in_time, "nf_latency_ns": latency, "port_counter": counter}
        if map_info & 2:
            measured |= {"queue": queue >> 12, "queue_length": queue & 0xFFF}
        path.append({"kind": "metadata", **measured})
    return {
        "tag": routing.tag,
        "flow_label": outer.fl,
        "source": str(ipaddress.IPv6Address(outer.src)),
        "destination": str(ipaddress.IPv6Address(outer.dst)),
        "hop_limit": outer.hlim,
        "segments_left": routing.segleft,
        "inner": {4: "ipv4", 41: "ipv6"}[routing.nh],
        "collected": [name for bit, name in COLLECTED if map_info & bit],
        "detection_result_ns": detection,
        "path": path,
    }
