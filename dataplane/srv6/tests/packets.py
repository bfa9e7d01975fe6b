"""Sends, or receives, UDP datagrams in a namespace; prints what came.

python packets.py send ADDRESS COUNT        python packets.py forge INTERFACE COUNT HEX
python packets.py receive ADDRESS COUNT WAIT_S      python packets.py capture INTERFACE COUNT WAIT_S
"""

import json
import socket
import sys
import time
from collections.abc import Callable

PORT = 5300
EVERY_S = 0.002
ANY_PROTOCOL = 3
IPV6 = b"\x86\xdd"


def family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def send(address: str, count: int) -> None:
    with socket.socket(family(address), socket.SOCK_DGRAM) as udp:
        for number in range(count):
            udp.sendto(f"packet {number}".encode(), (address, PORT))
            time.sleep(EVERY_S)


def forge(interface: str, count: int, frame: bytes) -> None:
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
        raw.bind((interface, 0))
        for _ in range(count):
            raw.send(frame)


def receive(address: str, count: int, wait_s: float) -> None:
    with socket.socket(family(address), socket.SOCK_DGRAM) as udp:
        udp.bind((address, PORT))
        print("ready", flush=True)
        _take(udp, count, wait_s, lambda data: data.decode())


def capture(interface: str, count: int, wait_s: float) -> None:
    """Frames of IPv6 with a routing header only. Bound to one protocol, it would see none: programs come first."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY_PROTOCOL)) as raw:
        raw.bind((interface, 0))
        print("ready", flush=True)
        _take(raw, count, wait_s, lambda data: data.hex() if data[12:14] == IPV6 and data[20] == 43 else None)


def _take(source: socket.socket, count: int, wait_s: float, form: Callable[[bytes], str | None]) -> None:
    got: list[str] = []
    source.settimeout(wait_s)
    try:
        while len(got) < count:
            seen = form(source.recv(65536))
            if seen is not None:
                got.append(seen)
    except TimeoutError:
        pass
    print(json.dumps(got), flush=True)


if __name__ == "__main__":
    match sys.argv[1]:
        case "send":
            send(sys.argv[2], int(sys.argv[3]))
        case "forge":
            forge(sys.argv[2], int(sys.argv[3]), bytes.fromhex(sys.argv[4]))
        case "receive":
            receive(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
        case "capture":
            capture(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
