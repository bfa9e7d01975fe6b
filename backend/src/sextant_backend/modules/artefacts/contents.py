"""Is a file what its kind says: cheap, a line or a packet at a time, and without loading any library.

Only what every reader demands is judged here. What a route or a pattern means is judged where it is compiled, on the
host, which refuses with the field and the line.
"""

import io
import struct
from collections.abc import Iterator
from typing import BinaryIO

from sextant_domain.hosts.artefact import FileKind

MAX_FAULTS = 20
MAX_LINE_BYTES = 65_536
_SHOWN = 40

_PCAP_HEADER = 24
_RECORD_HEADER = 16
_ETHERNET = 1
_MAX_PACKET_BYTES = 262_144
"""What libpcap accepts of a record; a longer one is a damaged header."""
_PCAPNG = b"\x0a\x0d\x0d\x0a"
_BYTE_ORDERS = {
    b"\xd4\xc3\xb2\xa1": "<",
    b"\x4d\x3c\xb2\xa1": "<",
    b"\xa1\xb2\xc3\xd4": ">",
    b"\xa1\xb2\x3c\x4d": ">",
}
"""By the magic number: time stamps of micro- or nanoseconds, written by a little- or a big-endian machine."""


def faults(kind: FileKind, file: BinaryIO, size: int) -> list[str]:
    """What is wrong with the file, with line or packet; empty where it may be stored. At most MAX_FAULTS."""
    if size == 0:
        return ["the file is empty"]
    file.seek(0)
    found = _faults_of_trace(file, size) if kind is FileKind.PCAP else _faults_of_text(file)
    return [fault for fault, _ in zip(found, range(MAX_FAULTS), strict=False)]


def _faults_of_text(file: BinaryIO) -> Iterator[str]:
    """UTF-8 without control characters: what is shown to a person is what a host reads."""
    number, anything = 0, False
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES:
            yield f"line {number} is longer than {MAX_LINE_BYTES} bytes"
            return
        anything = anything or bool(line.strip())
        fault = _fault_of_line(line, first=number == 1)
        if fault is not None:
            yield f"line {number}: {fault}"
    if not anything:
        yield "the file holds nothing but white space"


def _fault_of_line(line: bytes, *, first: bool) -> str | None:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not UTF-8; save the file as UTF-8"
    if first and text.startswith("\ufeff"):
        return "begins with a byte-order mark; save the file as UTF-8 without one"
    text = text.removesuffix("\n").removesuffix("\r")
    if text.isascii() and text.isprintable():
        return None
    for column, char in enumerate(text, 1):
        if char != "\t" and not char.isprintable() and not char.isspace():
            return f"U+{ord(char):04X} at column {column} cannot be printed; write it as an escape, or remove it"
        if char in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029":
            return f"U+{ord(char):04X} at column {column} ends a line for some readers; only a line feed does here"
    return None


def _faults_of_trace(file: BinaryIO, size: int) -> Iterator[str]:
    """Global header, then the header of every packet: lengths that fit each other and the file."""
    header = file.read(_PCAP_HEADER)
    magic = header[:4]
    if magic == _PCAPNG:
        yield "this is pcapng; a pcap file is needed (editcap -F pcap in.pcapng out.pcap)"
        return
    order = _BYTE_ORDERS.get(magic)
    if order is None:
        yield f"begins with {magic.hex(' ')}, which is no pcap file"
        return
    if len(header) < _PCAP_HEADER:
        yield f"the file's header has {_PCAP_HEADER} bytes; it ends after {size}"
        return
    link_type = struct.unpack_from(f"{order}I", header, 20)[0] & 0x0FFF_FFFF
    if link_type != _ETHERNET:
        yield f"its link type is {link_type}; 1 (Ethernet) is needed"
        return
    yield from _faults_of_packets(file, size, struct.Struct(f"{order}IIII"))


def _faults_of_packets(file: BinaryIO, size: int, record: struct.Struct) -> Iterator[str]:
    at, number = _PCAP_HEADER, 0
    while at < size:
        number += 1
        header = file.read(_RECORD_HEADER)
        if len(header) < _RECORD_HEADER:
            left = f"{size - at} of its header's {_RECORD_HEADER} bytes are left"
            yield f"packet {number} at byte {at} is cut off: {left}"
            return
        _, _, captured, _ = record.unpack(header)
        at += _RECORD_HEADER
        if captured > _MAX_PACKET_BYTES:
            yield f"packet {number} says that it has {captured} bytes: the file is damaged there"
            return
        if captured > size - at:
            yield f"packet {number} at byte {at} is cut off: it has {captured} bytes, {size - at} are left"
            return
        file.seek(captured, io.SEEK_CUR)
        at += captured
    if number == 0:
        yield "it holds no packet"
