"""Stands in for an NF: takes whole frames from an interface, or an inherited socket, and gives each back after a while.

python nf.py INTERFACE|FD SECONDS
"""

import socket
import sys
import time

ANY_PROTOCOL = 3


def opened(where: str) -> socket.socket:
    if where.isdigit():
        return socket.socket(fileno=int(where))
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY_PROTOCOL))
    frames.bind((where, 0))
    return frames


def main(where: str, delay_s: float) -> None:
    frames = opened(where)
    print("ready", flush=True)
    while True:
        frame, origin = frames.recvfrom(65536)
        if origin[2] != socket.PACKET_OUTGOING:
            if delay_s > 0:
                time.sleep(delay_s)
            frames.send(frame)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
