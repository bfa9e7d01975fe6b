"""Where SRv6-INT's global loop finds room for a further lane (the world: srv6_world)."""

import pytest
from fastapi.testclient import TestClient
from srv6_world import HOST, OTHER, placed, second
from test_srv6_law import FULL, WELL, host, open_ones, short_times

pytestmark = pytest.mark.as_admin
"""Parameters are an administrator's."""


def test_other_work_leaves_no_room_unless_it_is_said_to_give_way(client: TestClient) -> None:
    """It has all of each core that NFs leave; of what gives way all counts as free."""
    short_times(client)
    placed()
    second(web=WELL)
    second(100.0, web=FULL)
    assert open_ones(client) == []
    assert "no host takes another lane (2 hosts have less than 0.2 cores left, or no seat)" in host(client).reason
    short_times(client, other_work_percent=0.0)
    second(100.0, web=FULL)
    assert len(open_ones(client)) == 1


@pytest.mark.parametrize(("of_home", "taken"), [(50, []), (70, ["edge-1"])])
def test_a_host_has_no_more_room_than_its_cpu_budget(client: TestClient, of_home: float, taken: list[str]) -> None:
    """A lane needs .2 cores. The second host has a budget of .1; the first one's NFs use .4 of its .5, or .7."""
    short_times(client)
    placed(budgets={HOST: of_home, OTHER: 10.0})
    second(web=WELL)
    second(web=FULL)
    assert [word for one in open_ones(client) for word in one.because.split() if word.startswith("edge")] == taken
