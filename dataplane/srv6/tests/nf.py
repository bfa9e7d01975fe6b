"""Stands in for an NF: takes whole frames from an interface and gives each back after a while.

python nf.py INTERFACE SECONDS
"""

import socket
import sys
import time

ANY_PROTOCOL = 3


def main(interface: str, delay_s: float) -> None:
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY_PROTOCOL))
    frames.bind((interface, 0))
    print("ready", flush=True)
    while True:
        frame, origin = frames.recvfrom(65536)
        if origin[2] != socket.PACKET_OUTGOING:
            time.sleep(delay_s)
            frames.send(frame)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
