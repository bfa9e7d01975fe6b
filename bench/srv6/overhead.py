"""Bytes of headers before the tenant's packet, read from real frames between the hosts, for ours and the kernel's."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from ends import PACKET_BYTES, Ends
from measured import measured
from pace import Pace, judged
from page import head, line
from peers import peers
from setting import NotMeasured

from dataplane.srv6.tests.hosts import SIDS
from dataplane.tests.wires import packet_socket

GOAL = 8
ETHERNET_BYTES = 14
ROUTING, IPV6 = 43, b"\x86\xdd"
FRAMES_MOST = 1000


def overhead(pace: Pace) -> Iterator[str]:
    """Of one, two and three segments."""
    del pace
    yield from head("segments", "INT, bytes", "kernel SRv6, bytes", f"beyond it (goal {GOAL})", "")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sextant-bench-")))
        chain = stack.enter_context(measured(folder))
        try:
            kernel = stack.enter_context(peers(folder))
        except NotMeasured as error:
            yield line("1 to 3", "-", f"not measured: {error}", "-", "")
            return
        for count in range(1, len(SIDS) + 1):
            sids = SIDS[-count:]
            if count < len(SIDS):
                chain.lead("core0", sids[0])
            chain.segments(*sids)
            kernel.network.segments(*sids)
            ours = _bytes(chain.ends, chain.hosts.all[1].namespace, "core0")
            theirs = _bytes(kernel.segment_routing(), kernel.network.prefix + "host2", "core")
            yield line(str(count), str(ours), str(theirs), str(ours - theirs), judged(ours - theirs == GOAL))


def _bytes(both: Ends, namespace: str, interface: str) -> int:
    """Of a frame with a routing header that comes in there, less the packet's own."""
    with packet_socket(namespace, interface) as listening, both.sending(1):
        listening.settimeout(5)
        for _ in range(FRAMES_MOST):
            frame = listening.recv(65536)
            if frame[12:14] == IPV6 and frame[ETHERNET_BYTES + 6] == ROUTING:
                return len(frame) - PACKET_BYTES
    raise NotMeasured(f"no packet with a routing header came to {interface}")
