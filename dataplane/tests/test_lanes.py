"""A chain that runs as several lanes: each lane is a chain whose source sends the flows that are its own."""

import pytest

from .conftest import Client, Refused, nf, source, wait_for

FLOWS = 600
RATE_MPPS = 0.06
"""Of all lanes together."""


def lane(number: int, *weights: int) -> dict[str, object]:
    """What a source of such a lane has beside the plain one."""
    share = weights[number - 1] / sum(weights)
    return {"rate_mpps": RATE_MPPS * share, "flows": FLOWS, "lane": {"number": number, "weights": list(weights)}}


def add(client: Client, number: int, *weights: int) -> None:
    name = f"lane-{number}"
    client.add(name, nf(name, "basic-monitor"), **lane(number, *weights))


def divide(client: Client, *weights: int) -> None:
    for number in range(1, len(weights) + 1):
        client.call("set_source", chain=f"lane-{number}", source=source(**lane(number, *weights)))


def flows_of(client: Client, number: int) -> int:
    """That its monitor has met so far."""
    met: int = client.chain(f"lane-{number}").nfs[0].details["flows"]
    return met


def all_met(client: Client, *numbers: int) -> None:
    """Waits until every lane has sent as many packets as there are flows: round-robin has passed all of its own."""
    before = [client.chain(f"lane-{number}").delivered for number in numbers]

    def met() -> bool:
        now = [client.chain(f"lane-{number}").delivered for number in numbers]
        return all(count > then + FLOWS for then, count in zip(before, now, strict=True))

    wait_for(met, "every flow of every lane")


def test_each_flow_has_one_lane(client: Client) -> None:
    """3 : 1 of 600 flows, 450 and 150: a bucket of 4096 is the first lane's with 3/4, so 450 +- 11 flows."""
    add(client, 1, 3, 1)
    add(client, 2, 3, 1)
    all_met(client, 1, 2)
    first, second = client.settled("lane-1"), client.settled("lane-2")
    flows = [now.nfs[0].details["flows"] for now in (first, second)]
    assert sum(flows) == FLOWS
    assert abs(flows[0] - 450) < 60
    for now in (first, second):
        assert (now.offered, now.delivered, now.misordered, now.damaged) == (now.sent, now.sent, 0, 0)


def test_lanes_come_and_go_under_load_without_loss(client: Client) -> None:
    """A third lane takes flows, and the two others meet none that they have not met; then it gives them back."""
    add(client, 1, 1, 1)
    add(client, 2, 1, 1)
    all_met(client, 1, 2)
    before = [flows_of(client, number) for number in (1, 2)]
    assert sum(before) == FLOWS

    add(client, 3, 1, 1, 1)
    divide(client, 1, 1, 1)
    all_met(client, 1, 2, 3)
    assert [flows_of(client, number) for number in (1, 2)] == before  # no flow moved between the two
    taken = flows_of(client, 3)
    assert abs(taken - 200) < 60  # a third; one bucket of 4096 with 1/3: 200 +- 12

    divide(client, 1, 1)
    removed = client.call("remove_chain", chain="lane-3")
    assert removed["lost_packets"] == 0
    all_met(client, 1, 2)
    assert [flows_of(client, number) for number in (1, 2)] == before  # each has its own back: they are where they were
    for number in (1, 2):
        now = client.settled(f"lane-{number}")
        assert (now.source_drops, now.delivered, now.misordered) == (0, now.sent, 0)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"number": 3, "weights": [1, 1]}, "source.lane.number"),
        ({"number": 1, "weights": [1] * 9}, "source.lane.weights"),
        ({"number": 1, "weights": [2**40]}, "source.lane.weights.0"),
        ([1, 1], "source.lane"),
    ],
)
def test_a_wrong_lane_is_refused_and_changes_nothing(refused_client: Client, given: object, field: str) -> None:
    with pytest.raises(Refused) as refused:
        refused_client.add("a", nf("a", "basic-monitor"), rate_mpps=0.01, lane=given)
    assert (refused.value.code, refused.value.field) == ("bad-request", field)
    assert refused_client.query().chains == {}
