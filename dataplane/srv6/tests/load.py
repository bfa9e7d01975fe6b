"""Frames of UDP datagrams with a number each, sent at a pace and counted where they come out."""

import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Self

ETHERNET = bytes.fromhex("02000000000b02000000000a")
IPV4, IPV6 = b"\x08\x00", b"\x86\xdd"


def _checksum(header: bytes) -> int:
    total = sum(int(word) for word in struct.unpack(f"!{len(header) // 2}H", header))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def frame(version: int, number: int) -> bytes:
    payload = struct.pack("!II", 0x53345236, number)
    udp = struct.pack("!HHHH", 5000, 5300, 8 + len(payload), 0) + payload
    if version == 6:
        ends = socket.inet_pton(socket.AF_INET6, "2001:db8::1") + socket.inet_pton(socket.AF_INET6, "2001:db8::2")
        return ETHERNET + IPV6 + struct.pack("!IHBB", 6 << 28, len(udp), 17, 64) + ends + udp
    ends = socket.inet_aton("10.9.0.1") + socket.inet_aton("10.9.0.2")
    start = struct.pack("!BBHHHBB", 0x45, 0, 20 + len(udp), 0, 0, 64, 17)
    return ETHERNET + IPV4 + start + struct.pack("!H", _checksum(start + b"\0\0" + ends)) + ends + udp


def number_of(data: bytes) -> int | None:
    magic, number = struct.unpack("!II", data[-8:])
    return int(number) if magic == 0x53345236 else None


def received(sink: socket.socket, count: int, wait_s: float = 3.0) -> list[int]:
    """Numbers in the order in which they came, until `count` have or none does for a while."""
    got: list[int] = []
    sink.settimeout(wait_s)
    try:
        while len(got) < count:
            number = number_of(sink.recv(65536))
            if number is not None:
                got.append(number)
    except TimeoutError:
        pass
    return got


class Load:
    """Sends at `pps` while the `with` block runs; afterwards `sent` is how many, and `got` what came out. `make`: the
    frame of a number, where it is not to be the usual one."""

    def __init__(
        self, source: socket.socket, sink: socket.socket, pps: int, version: int = 4,
        make: Callable[[int], bytes] | None = None,
    ) -> None:  # fmt: skip
        self.source, self.sink, self.pps = source, sink, pps
        self._make = make or (lambda number: frame(version, number))
        self.sent = 0
        self.got: list[int] = []
        self._over, self._sent_all = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._send), threading.Thread(target=self._receive)]

    def _send(self) -> None:
        start = time.monotonic()
        try:
            while not self._over.is_set():
                due = int((time.monotonic() - start) * self.pps)
                while self.sent < due:
                    self.source.send(self._make(self.sent))
                    self.sent += 1
                time.sleep(0.001)
        finally:  # also where its port has gone
            self._sent_all.set()

    def _receive(self) -> None:
        while not self._sent_all.is_set():
            self.got += received(self.sink, 1000, 0.1)
        self.got += received(self.sink, self.sent - len(self.got))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
