"""Packets, by arithmetic: what ports receive, what each NF can do in its share of a CPU, and which rings are full.

Every packet is accounted for. Of an NF, rx = act_drop + act_out + act_tonf + what waits in its ring; of what it
handed on, each packet is its tx or its tx_drop, and the next one's rx or rx_drop, but for those on a way back to a
service that had its turn, which arrive in the next step.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .memory import MBUFS, RING_SIZE, Slot

DESCRIPTORS = 512
"""Packet buffers that a port holds."""
FIRST_SERVICE = 1
"""Of the default chain, which no command changes."""


@dataclass
class Feed:
    """Packets on their way into a service. Those of no sender are the manager's, which counts none of its losses."""

    sender: Slot | None
    packets: int


@dataclass
class Port:
    rx: int = 0
    tx: int = 0
    missed: int = 0
    """Packets that came while its queue was full: the RX thread was too slow, or there were no packet buffers."""
    no_buffer: int = 0
    """Of those, the ones for want of buffers; a card's driver tries as often."""


@dataclass
class Road:
    """What lasts from one step to the next."""

    ports: dict[int, Port]
    able: dict[int, int] = field(default_factory=dict)
    """Packets a second that the RX thread can take of a port; of others as many as come."""
    able_out: dict[int, int] = field(default_factory=dict)
    """Packets a second that the TX thread can send by a port; by others as many as are handed to it."""
    late: dict[int, list[Feed]] = field(default_factory=dict)
    """By service."""


@dataclass
class Worker:
    """One instance in a step."""

    slot: Slot
    share: float
    """Of a CPU; 0 where its process is dead or stopped."""

    @property
    def nexts(self) -> list[int]:
        given = list(self.slot.next_services)
        return given[:1] + [service for service in given[1:] if service]


def step(road: Road, workers: Sequence[Worker], offered: dict[int, int], seconds: float, *, rss: bool) -> None:
    """One stretch of time; `offered` in packets a second, by port."""
    feeds, road.late = road.late, {}
    entering = _received(road, workers, offered, seconds)
    feeds.setdefault(FIRST_SERVICE, []).append(Feed(None, entering))
    had_their_turn = set()
    for service in _in_order(workers):
        instances = [worker for worker in workers if worker.slot.service == service]
        arriving = feeds.pop(service, [])
        had_their_turn.add(service)
        for position, worker in enumerate(instances):
            parts = [Feed(feed.sender, _part(feed.packets, len(instances), position, rss=rss)) for feed in arriving]
            leaving = _work(worker, parts, seconds)
            if worker.slot.sends_out:
                _send_out(road, worker.slot, leaving, seconds)
                continue
            worker.slot.act_tonf += leaving
            for number, target in enumerate(worker.nexts):
                feed = Feed(worker.slot, _part(leaving, len(worker.nexts), number, rss=True))
                (road.late if target in had_their_turn else feeds).setdefault(target, []).append(feed)
    for feed in (feed for left in feeds.values() for feed in left):  # to services of no instance
        if feed.sender is not None:
            feed.sender.tx_drop += feed.packets


def stand_still(road: Road, workers: Sequence[Worker], offered: dict[int, int], seconds: float, first: str) -> None:
    """A stretch of time in which nobody gives a packet buffer back. `first`: see `wedge` of settings. NFs work nothing
    off; the RX thread stops with the first packet that a full ring refuses."""
    for number, port in road.ports.items():
        packets = round(offered.get(number, 0) * seconds)
        entered = [worker.slot for worker in workers if worker.slot.service == FIRST_SERVICE and worker.share]
        taken = min(packets, RING_SIZE - entered[0].waiting) if entered and first == "nf" else 0
        for slot in entered[:1]:
            slot.rx += taken
            slot.waiting += taken
            slot.needs = 1000 if slot.waiting else 0
        port.rx += taken
        port.missed += packets - taken if first == "card" else 0


def _received(road: Road, workers: Iterable[Worker], offered: dict[int, int], seconds: float) -> int:
    """Dead NFs whose rings are full keep the packet buffers: two of them starve every port of the host."""
    free = MBUFS - DESCRIPTORS * len(road.ports) - sum(worker.slot.waiting for worker in workers)
    entering = 0
    for number, port in road.ports.items():
        packets = round(offered.get(number, 0) * seconds)
        taken = min(packets, round(road.able[number] * seconds)) if number in road.able else packets
        if free <= 0:
            taken = 0
            port.no_buffer += packets
        port.rx += taken
        port.missed += packets - taken
        entering += taken
    return entering


def _in_order(workers: Sequence[Worker]) -> list[int]:
    """Services, each before those that it hands on to as far as there is no circle, from the first."""
    nexts: dict[int, list[int]] = {}
    for worker in workers:
        nexts.setdefault(worker.slot.service, []).extend([] if worker.slot.sends_out else worker.nexts)
    order: list[int] = []
    for start in sorted(nexts):
        waiting = [start]
        while waiting:
            service = waiting.pop(0)
            if service in nexts and service not in order:
                order.append(service)
                waiting += nexts[service]
    return order


def _part(packets: int, among: int, position: int, *, rss: bool) -> int:
    if not rss:
        return packets if position == 0 else 0
    return packets // among + (1 if position < packets % among else 0)


def _work(worker: Worker, arriving: Sequence[Feed], seconds: float) -> int:
    """Into the ring as far as there is room, out of it as far as there is time. What leaves the NF."""
    slot = worker.slot
    able = int(worker.share * seconds * 1e9 / slot.cost_ns)
    total = sum(feed.packets for feed in arriving)
    room = min(total, RING_SIZE + able - slot.waiting)
    left = room
    for number, feed in enumerate(arriving):
        last = number == len(arriving) - 1
        taken = left if last else room * feed.packets // total if total else 0
        left -= taken
        if feed.sender is not None:
            feed.sender.tx += taken
            feed.sender.tx_drop += feed.packets - taken
    slot.rx += room
    slot.rx_drop += total - room
    done = min(slot.waiting + room, able)
    slot.waiting += room - done
    slot.needs = round(1000 * done * slot.cost_ns / (seconds * 1e9))
    dropped = done * slot.dropped_percent // 100
    slot.act_drop += dropped
    return done - dropped


def _send_out(road: Road, slot: Slot, packets: int, seconds: float) -> None:
    """Back to the port that each came from; here to the lowest, which is the only one of most managers."""
    number = min(road.ports, default=0)
    sent = min(packets, round(road.able_out[number] * seconds)) if number in road.able_out else packets
    slot.act_out += packets
    slot.tx += sent
    slot.tx_drop += packets - sent
    if road.ports:
        road.ports[number].tx += sent
