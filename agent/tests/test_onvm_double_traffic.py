"""Packets of the OpenNetVM double: worked examples, and that every one is accounted for."""

from hypothesis import given
from hypothesis import strategies as st

from .onvm_double.memory import MBUFS, RING_SIZE, Slot
from .onvm_double.traffic import Port, Road, Worker, step


def nf(service: int, cost_ns: int, *nexts: int, share: float = 1.0, dropped_percent: int = 0) -> Worker:
    """One that sends out where it has no next."""
    slot = Slot(service=service, cost_ns=cost_ns, dropped_percent=dropped_percent, sends_out=int(not nexts))
    for place, target in enumerate(nexts):
        slot.next_services[place] = target
    return Worker(slot, share)


def test_what_an_nf_has_no_time_for_fills_its_ring_and_is_lost_there() -> None:
    """500 ns a packet are 2 M a second of 3 M that come: of 1 M too many 16,383 wait, 983,617 are lost. A second later
    none more can wait: 1 M is lost."""
    road, slow = Road({0: Port()}), nf(1, 500)
    step(road, [slow], {0: 3_000_000}, 1, rss=True)
    assert (slow.slot.rx, slow.slot.rx_drop, slow.slot.waiting) == (2_016_383, 983_617, 16_383)
    assert (slow.slot.act_out, road.ports[0].rx, road.ports[0].tx) == (2_000_000, 3_000_000, 2_000_000)
    step(road, [slow], {0: 3_000_000}, 1, rss=True)
    assert (slow.slot.rx_drop, slow.slot.act_out) == (1_983_617, 4_000_000)


def test_a_full_ring_is_a_loss_of_its_sender_too() -> None:
    """The second does 1 M of the 2 M that the first hands on: rx_drop there is tx_drop here."""
    first, second = nf(1, 100, 2), nf(2, 1000)
    step(Road({0: Port()}), [first, second], {0: 2_000_000}, 1, rss=True)
    assert (first.slot.act_tonf, first.slot.tx, first.slot.tx_drop) == (2_000_000, 1_016_383, 983_617)
    assert (second.slot.rx, second.slot.rx_drop, second.slot.act_out) == (1_016_383, 983_617, 1_000_000)


def test_half_a_cpu_does_half() -> None:
    """100 ns are 10 M a second of a whole CPU, 5 M of a half."""
    half = nf(1, 100, share=0.5)
    step(Road({0: Port()}), [half], {0: 20_000_000}, 1, rss=True)
    assert (half.slot.act_out, half.slot.needs) == (5_000_000, 500)


def test_instances_share_flows_only_where_a_port_tells_them_apart() -> None:
    """9 packets among 2: 5 and 4. Without RSS all go to the first."""
    for rss, expected in ((True, (5, 4)), (False, (9, 0))):
        pair = nf(1, 100), nf(1, 100)
        step(Road({0: Port()}), pair, {0: 9}, 1, rss=rss)
        assert (pair[0].slot.rx, pair[1].slot.rx) == expected


def test_packets_to_a_service_of_nobody_are_their_senders_loss() -> None:
    lonely = nf(1, 100, 9)
    step(Road({0: Port()}), [lonely], {0: 1000}, 1, rss=True)
    assert (lonely.slot.act_tonf, lonely.slot.tx, lonely.slot.tx_drop) == (1000, 0, 1000)


def test_a_host_without_packet_buffers_receives_nothing() -> None:
    """Two full rings hold 32,766 of 32,767, more than the port leaves of them."""
    road, dead = Road({0: Port()}), [nf(1, 100, share=0.0) for _ in range(2)]
    for worker in dead:
        worker.slot.waiting = RING_SIZE
    step(road, dead, {0: 1000}, 1, rss=True)
    assert (road.ports[0].rx, road.ports[0].missed, road.ports[0].no_buffer) == (0, 1000, 1000)
    assert 2 * RING_SIZE == MBUFS - 1


def test_what_the_rx_thread_cannot_take_its_card_misses() -> None:
    """3 M come and it can take 2.5 M a second; the NF does 2 M of those at 500 ns each."""
    road, slow = Road({0: Port()}, able={0: 2_500_000}), nf(1, 500)
    step(road, [slow], {0: 3_000_000}, 1, rss=True)
    assert (road.ports[0].rx, road.ports[0].missed, road.ports[0].no_buffer) == (2_500_000, 500_000, 0)
    assert (slow.slot.rx, slow.slot.rx_drop) == (2_016_383, 483_617)


def test_what_a_port_cannot_send_its_nf_fails_to_hand_on() -> None:
    """1 M are worked on in a second and 0.3 M can be sent."""
    road, fast = Road({0: Port()}, able_out={0: 300_000}), nf(1, 100)
    step(road, [fast], {0: 1_000_000}, 1, rss=True)
    assert (fast.slot.rx, fast.slot.act_out, fast.slot.rx_drop) == (1_000_000, 1_000_000, 0)
    assert (fast.slot.tx, fast.slot.tx_drop, road.ports[0].tx) == (300_000, 700_000, 300_000)


def test_what_goes_back_to_an_earlier_service_arrives_in_the_next_step() -> None:
    """1 -> 2 -> 1: 10 packets, which the first hands on and the second hands back; then both again, and 10 new ones."""
    road, first, second = Road({0: Port()}), nf(1, 100, 2), nf(2, 100, 1)
    step(road, [first, second], {0: 10}, 1, rss=True)
    assert (first.slot.rx, second.slot.rx, second.slot.act_tonf, second.slot.tx) == (10, 10, 10, 0)
    step(road, [first, second], {0: 10}, 1, rss=True)
    assert (first.slot.rx, second.slot.tx) == (30, 10)


@st.composite
def hosts(draw: st.DrawFn) -> list[Worker]:
    services = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    return [
        nf(
            service,
            draw(st.integers(20, 5000)),
            *draw(st.lists(st.integers(1, 5), max_size=2)),
            share=draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])),
            dropped_percent=draw(st.sampled_from([0, 10, 100])),
        )
        for service in services
    ]


@given(hosts(), st.lists(st.integers(0, 20_000_000), min_size=1, max_size=4), st.booleans())
def test_no_packet_is_lost_from_the_books(workers: list[Worker], offered: list[int], rss: bool) -> None:
    road = Road({0: Port(), 1: Port()})
    for rate in offered:
        step(road, workers, {0: rate, 1: rate // 3}, 1, rss=rss)
    slots = [worker.slot for worker in workers]
    for slot in slots:
        assert slot.rx == slot.act_drop + slot.act_out + slot.act_tonf + slot.waiting
        assert 0 <= slot.waiting <= RING_SIZE
    on_the_way = sum(feed.packets for feeds in road.late.values() for feed in feeds if feed.sender is not None)
    handed_on = sum(slot.act_tonf for slot in slots)
    assert handed_on == sum(slot.tx + slot.tx_drop - slot.act_out for slot in slots) + on_the_way
    assert sum(port.tx for port in road.ports.values()) == sum(slot.act_out for slot in slots)
