"""Capture files, packet by packet, and where the runner looks for them."""

import hashlib
import struct
from pathlib import Path

ETHERNET, RAW_IP = 1, 101


def frame(flow: int, length: int, payload: bytes = b"") -> bytes:
    """An Ethernet frame of a UDP flow; its checksums are left wrong, as captures of offloading cards hold them."""
    ether = bytes(6) + bytes([2, 0, 0, 0, 0, 9]) + b"\x08\x00"
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, length - 14, 0, 0, 64, 17, 0xDEAD, 0x0A000000 + flow, 0xC0A80001)
    udp = struct.pack("!HHHH", 4000, 53, length - 34, 0xBEEF)
    return (ether + ip + udp + payload).ljust(length, b"\0")


ARP = bytes.fromhex("ffffffffffff 020000000009 0806 0001080006040001") + bytes(20)
"""A request as the sender's card sees it: 42 bytes, before it is filled up to 60."""


def capture(frames: list[bytes], gap_us: int = 1000, link: int = ETHERNET) -> bytes:
    """A pcap file of frames `gap_us` apart."""
    packets = b"".join(
        struct.pack("<IIII", 1_700_000_000 + at // 1_000_000, at % 1_000_000, len(frame), len(frame)) + frame
        for at, frame in zip(range(0, gap_us * len(frames) + 1, gap_us), frames, strict=False)
    )
    return struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link) + packets


def store(folder: Path, content: bytes) -> str:
    """Puts a file where the agent would; its digest."""
    digits = hashlib.sha256(content).hexdigest()
    (folder / digits).write_bytes(content)
    return f"sha256:{digits}"
