"""Tables of nftables of the family netdev in a namespace, by the kernel's own protocol: tests need no program `nft`.

python nft_tables.py list        python nft_tables.py add NAME        python nft_tables.py flush
"""

import socket
import struct
import sys
from collections.abc import Iterator

NETFILTER, NF_TABLES, NETDEV = 12, 10, 5
NEW_TABLE, GET_TABLE, DELETE_TABLE, BATCH_BEGIN, BATCH_END = 0, 1, 2, 16, 17
REQUEST, ACK, DUMP, CREATE = 1, 4, 0x300, 0x400


def message(kind: int, flags: int, attributes: bytes = b"", family: int = NETDEV, resource: int = 0) -> bytes:
    body = struct.pack("!BBH", family, 0, resource) + attributes
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body


def ask(*messages: bytes) -> bytes:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER) as netlink:
        netlink.send(b"".join(messages))
        netlink.settimeout(1)
        return netlink.recv(65536)


def change(kind: int, flags: int, name: str) -> None:
    text = name.encode() + b"\0"
    attribute = struct.pack("=HH", 4 + len(text), 1) + text + bytes(-len(text) % 4)
    begin, end = (message(bound, REQUEST, family=0, resource=NF_TABLES) for bound in (BATCH_BEGIN, BATCH_END))
    answer = ask(begin, message(NF_TABLES << 8 | kind, REQUEST | ACK | flags, attribute), end)
    (error,) = struct.unpack_from("=i", answer, 16)
    if error:
        raise OSError(-error, name)


def tables() -> Iterator[str]:
    """By name; a few, so that one answer holds them."""
    answer, at = ask(message(NF_TABLES << 8 | GET_TABLE, REQUEST | DUMP)), 0
    while at < len(answer):
        length, kind = struct.unpack_from("=IH", answer, at)
        if kind == NF_TABLES << 8 | NEW_TABLE:
            (size,) = struct.unpack_from("=H", answer, at + 20)
            yield answer[at + 24 : at + 20 + size].rstrip(b"\0").decode()
        at += length + -length % 4


if __name__ == "__main__":
    match sys.argv[1]:
        case "list":
            print(*sorted(tables()))
        case "add":
            change(NEW_TABLE, CREATE, sys.argv[2])
        case "flush":
            for table in list(tables()):
                change(DELETE_TABLE, 0, table)
