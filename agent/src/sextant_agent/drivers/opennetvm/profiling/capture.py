"""Packets for a measurement: a capture that DPDK's net_pcap plays without end, made for the request; pure."""

import struct

from sextant_domain.profiling.profile import ProfileTraffic

MAX_FLOWS = 8192
"""A packet each. net_pcap keeps every packet of its capture in one of the manager's 32,767 buffers, and two rings of
16,384 behind it must not run out of them; the second is never full: the way out does less than the NF before it."""
UDP, TCP = 17, 6
_ETHERNET = bytes.fromhex("0200000000020200000000010800")
_IP_BYTES, _PORTS = 20, 0xFFFF - 1024
_GOLDEN = 2_654_435_761
"""Knuth's multiplicative hash: spreads successive numbers over 32 bits."""


def capture(traffic: ProfileTraffic) -> bytes:
    """A classic pcap file, one packet a flow: addresses and ports within the match, payload of zeros. `packet_bytes`
    are of the frame without its checksum."""
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    return header + b"".join(_record(_packet(traffic, number)) for number in range(traffic.flows))


def _record(packet: bytes) -> bytes:
    return struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet


def _packet(traffic: ProfileTraffic, number: int) -> bytes:
    """Sources rise, and their ports once all are used; destinations are all over their prefix."""
    match = traffic.match
    turn, host = divmod(number, match.src_prefix.num_addresses)
    source = int(match.src_prefix.network_address) + host
    spread = number * _GOLDEN % 2**32
    target = int(match.dst_prefix.network_address) + spread % match.dst_prefix.num_addresses
    ports = 1024 + turn % _PORTS, match.dst_port or 1024 + spread % _PORTS
    ip_bytes = traffic.packet_bytes - len(_ETHERNET)
    protocol = TCP if match.protocol == "tcp" else UDP
    segment_bytes = ip_bytes - _IP_BYTES
    head = struct.pack(">HHHH", *ports, segment_bytes, 0) if protocol == UDP else _tcp(*ports)
    return _ETHERNET + _ip(ip_bytes, protocol, source, target) + head.ljust(segment_bytes, b"\0")


def _ip(length: int, protocol: int, source: int, target: int) -> bytes:
    plain = struct.pack(">BBHHHBBHII", 0x45, 0, length, 0, 0, 64, protocol, 0, source, target)
    total = sum(struct.unpack(">10H", plain))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = ~(total + (total >> 16)) & 0xFFFF
    return plain[:10] + struct.pack(">H", checksum) + plain[12:]


def _tcp(source: int, target: int) -> bytes:
    """An acknowledgement, with a header of five words."""
    return struct.pack(">HHIIBBHHH", source, target, 0, 0, 5 << 4, 0x10, 65535, 0, 0)
