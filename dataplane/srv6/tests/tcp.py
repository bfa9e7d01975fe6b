"""A TCP connection in a namespace: sends what a seed makes, or receives all that comes; prints what came.

python tcp.py receive ADDRESS WAIT_S      python tcp.py send ADDRESS BYTES WAIT_S
"""

import hashlib
import json
import random
import socket
import sys

PORT = 5301
SEED = 7


def content(size: int) -> bytes:
    return random.Random(SEED).randbytes(size)


def send(address: str, size: int, wait_s: float) -> None:
    with socket.create_connection((address, PORT), timeout=wait_s) as connection:
        connection.sendall(content(size))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)  # the other end closes once it has all


def receive(address: str, wait_s: float) -> None:
    with socket.create_server((address, PORT), family=socket.AF_INET6 if ":" in address else socket.AF_INET) as server:
        print("ready", flush=True)
        server.settimeout(wait_s)
        connection, _ = server.accept()
        got, is_whole = bytearray(), False
        with connection:
            connection.settimeout(wait_s)
            try:
                while piece := connection.recv(65536):
                    got += piece
                is_whole = True
            except OSError:  # silence for so long, or the sender was killed
                pass
    print(json.dumps({"bytes": len(got), "digest": hashlib.sha256(got).hexdigest(), "whole": is_whole}), flush=True)


if __name__ == "__main__":
    {"send": lambda a, n, w: send(a, int(n), float(w)), "receive": lambda a, w: receive(a, float(w))}[sys.argv[1]](
        *sys.argv[2:]
    )
