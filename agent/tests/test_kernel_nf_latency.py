"""NFs in the kernel beside the agent's law of CPU quotas: it can give them nothing, and says when packets have been
with them for too long (the world: test_nf_quotas)."""

from pathlib import Path

import pytest
from sextant_agent.contract.driver import NfTimes
from sextant_agent.controllers.srv6 import HELD_LOOK_S, LOOK_S
from sextant_domain.chains.kernel_nf import NO_QUOTA
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
from sextant_domain.hosts.desired import HostContent

from .orders import content, nf
from .test_nf_quotas import WEB, World, bounded

WALL = "web.nft-firewall"
BOTH = content(bounded().model_copy(update={"nfs": (*bounded().nfs, nf("web", "nft-firewall", core=1, slot=1))}))
ALONE = content(bounded().model_copy(update={"nfs": (nf("web", "nft-firewall", core=1),)}))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "quotas.json")


def of_wall(world: World, p95_us: float | None) -> None:
    """How long it has packets from now on; None: it has none."""
    plain = type(world.figures).nf_times.__get__(world.figures)

    def times() -> dict[str, NfTimes]:
        number = world.figures.now_ms // 20
        return {**plain(), WALL: NfTimes(None if p95_us is None else number, p95_us or 0.0, 0.0, 1)}

    world.figures.nf_times = times  # type: ignore[method-assign]


def kernel(world: World) -> BoundedNf:
    return next(one for one in world.said() if one.nf_id == WALL)


@pytest.mark.parametrize("order", [BOTH, ALONE], ids=["beside a process", "alone"])
def test_it_is_above_what_is_tolerated_and_nothing_can_be_given(world: World, order: HostContent) -> None:
    """5 ms where 1 ms is tolerated, from the first window on: that and the next one say so at 40 ms."""
    of_wall(world, 5000.0)
    world.run(300, order)
    found = kernel(world)
    assert (found.state, found.p95_us, found.quota_percent) == (QuotaState.SATURATED, 5000, None)
    assert (found.note, found.not_given) == (None, NO_QUOTA)
    assert found.stood_s == pytest.approx(0.26)
    assert all(WALL not in given for given in world.figures.orders)
    of_wall(world, 700.0)
    world.run(40, order)
    assert (kernel(world).state, kernel(world).p95_us, kernel(world).stood_s) == (QuotaState.WELL, 700, None)


def test_what_it_has_for_too_long_raises_nobody_else(world: World) -> None:
    """The router beside it is well with 45 % as without it: 20, 30, 45."""
    of_wall(world, 5000.0)
    found = world.run(500, BOTH)
    assert (found.nf_id, found.state, found.quota_percent) == (WEB, QuotaState.WELL, 45)
    assert [name for name, *_ in world.changes()] == [WEB, WEB]


def test_one_window_above_is_not_said_to_be_more_than_that(world: World) -> None:
    of_wall(world, 700.0)
    world.run(100, ALONE)
    of_wall(world, 5000.0)
    world.run(20, ALONE)
    assert kernel(world).state is QuotaState.ABOVE
    of_wall(world, 700.0)
    world.run(20, ALONE)
    assert kernel(world).state is QuotaState.WELL


def test_without_packets_there_is_nothing_to_say(world: World) -> None:
    of_wall(world, None)
    world.run(100, ALONE)
    assert (kernel(world).state, kernel(world).p95_us) == (QuotaState.WELL, None)


def test_of_a_chain_in_the_kernel_alone_no_helper_is_needed(world: World) -> None:
    world.figures.no_helper = "no root helper answers"
    of_wall(world, 5000.0)
    world.run(100, ALONE)
    assert kernel(world).state is QuotaState.SATURATED
    assert world.quotas.tick(ALONE) == LOOK_S


def test_while_windows_cannot_be_read_nothing_is_said_of_it_but_why(world: World) -> None:
    of_wall(world, 5000.0)
    world.run(100, ALONE)
    del world.figures.nf_times
    world.figures.down = "sextant-srv6 does not answer"
    assert world.quotas.tick(ALONE) == HELD_LOOK_S
    found = kernel(world)
    assert (found.state, found.p95_us) == (QuotaState.HELD, None)
    assert found.note == "windows cannot be read: sextant-srv6 does not answer"


def test_one_that_the_daemon_does_not_know_does_not_run(world: World) -> None:
    world.run(100, ALONE)
    assert (kernel(world).state, kernel(world).note) == (QuotaState.HELD, f"{WALL} does not run")
