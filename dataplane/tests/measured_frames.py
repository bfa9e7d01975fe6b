"""Frames of chains between hosts, written out by docs/contracts/srv6.md: outer headers round a tenant's packet."""

import ipaddress
import socket
import struct

UDP = 17
ETHER = bytes([2, 0, 0, 0, 0, 1]) + bytes([2, 0, 0, 0, 0, 2])
NEXT_IPV4, NEXT_IPV6 = 4, 41


def checksum(data: bytes) -> int:
    """Of the internet (RFC 1071)."""
    words = struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2))
    total: int = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _udp(source: bytes, destination: bytes, port: int, payload: bytes) -> bytes:
    header = struct.pack("!HHHH", 4000, port, 8 + len(payload), 0)
    pseudo = source + destination + struct.pack("!IHBB", len(header) + len(payload), 0, 0, UDP)
    return header[:6] + struct.pack("!H", checksum(pseudo + header + payload) or 0xFFFF) + payload


def ipv4(destination: str = "192.168.0.9", *, port: int = 53, payload: bytes = b"hello", ttl: int = 64) -> bytes:
    """A datagram from 10.0.0.1."""
    ends = socket.inet_aton("10.0.0.1"), socket.inet_aton(destination)
    content = _udp(*ends, port, payload)
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(content), 7, 0, ttl, UDP, 0) + b"".join(ends)
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + content


def ipv6(destination: str = "fd00:b::9", *, port: int = 53, payload: bytes = b"hello", ttl: int = 64) -> bytes:
    """A datagram from 2001:db8:a::1."""
    ends = ipaddress.IPv6Address("2001:db8:a::1").packed, ipaddress.IPv6Address(destination).packed
    content = _udp(*ends, port, payload)
    return struct.pack("!IHBB", 6 << 28, len(content), UDP, ttl) + b"".join(ends) + content


def wrap(inner: bytes, segments: int = 3) -> bytes:
    """At the NF of the path's first segment: all others are still to come."""
    sids = [ipaddress.IPv6Address(f"fc00:0:{number}::1").packed for number in range(segments, 0, -1)]
    following = NEXT_IPV4 if inner[0] >> 4 == 4 else NEXT_IPV6
    routing = bytes([following, 2 * segments + 1, 4, segments - 1, segments - 1, 1]) + struct.pack("!H", 7)
    srh = routing + b"".join(sids) + bytes.fromhex("8406001d00000000")
    outer = struct.pack("!IHBB", 6 << 28 | 0x12345, len(srh) + len(inner), 43, 63)
    source = ipaddress.IPv6Address("fc00:0:1::").packed
    return ETHER + b"\x86\xdd" + outer + source + sids[-1] + srh + inner


def given(frame: bytes, at_ns: int) -> bytes:
    """What `wrap` made, as given to the NF of its first segment: where that is written, for now, is when."""
    segments = frame[58] + 1
    latency_at = 62 + 16 * (segments - 1) + 8
    used = frame[:57] + bytes([segments - 2]) + frame[58:]
    return used[:latency_at] + struct.pack("!I", at_ns % 2**32) + used[latency_at + 4 :]


def unwrap(frame: bytes) -> tuple[bytes, bytes]:
    """The outer headers without the length of what follows, and the tenant's packet; that length is checked."""
    at = 14 + 56 + 16 * (frame[58] + 1)
    assert struct.unpack_from("!H", frame, 18)[0] == len(frame) - 54
    assert frame[54] == (NEXT_IPV4 if frame[at] >> 4 == 4 else NEXT_IPV6)
    return frame[:18] + frame[20:at], frame[at:]


def is_sound(inner: bytes) -> bool:
    """Whether the lengths and checksums of a datagram hold."""
    if inner[0] >> 4 == 4:
        header = (inner[0] & 15) * 4
        pseudo = inner[12:20] + struct.pack("!IHBB", len(inner) - header, 0, 0, UDP)
        if checksum(inner[:header]) != 0 or struct.unpack_from("!H", inner, 2)[0] != len(inner):
            return False
        return checksum(pseudo + inner[header:]) == 0
    pseudo = inner[8:40] + struct.pack("!IHBB", len(inner) - 40, 0, 0, UDP)
    return struct.unpack_from("!H", inner, 4)[0] == len(inner) - 40 and checksum(pseudo + inner[40:]) == 0
