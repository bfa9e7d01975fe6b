"""Turns at signing in: round by address, and within an address by name; few wait, and not for long."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from sextant_backend.kit.errors import Unavailable
from sextant_backend.modules.auth.sign_in_gate import (
    MOST_AT_ONCE,
    MOST_OF_CLIENT,
    MOST_WAITING,
    MOST_WAITING_OF_CLIENT,
    MOST_WAITING_OF_NAME,
    Gate,
)

OFFICE, ATTACKER = "192.0.2.10", "198.51.100.66"
LONG_S = 60.0


class World:
    """Sign-ins that end when they are told to."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.entered: list[tuple[str, str]] = []
        """In the order of their turns."""
        self._ends: list[asyncio.Event] = []

    async def sign_in(self, client: str, name: str) -> None:
        async with self.gate.one_of(client, name):
            end = asyncio.Event()
            self.entered.append((client, name))
            self._ends.append(end)
            await end.wait()

    async def asked(self, client: str, name: str) -> "asyncio.Task[None]":
        task = asyncio.create_task(self.sign_in(client, name))
        await settled()
        return task

    async def one_ends(self) -> None:
        self._ends.pop(0).set()
        await settled()


async def settled() -> None:
    """Every task has done what it can."""
    for _ in range(10):
        await asyncio.sleep(0)


def run(story: Callable[[World], Coroutine[Any, Any, None]], wait_limit_s: float = LONG_S) -> None:
    async def told() -> None:
        await story(World(Gate(wait_limit_s)))

    asyncio.run(told())


def test_another_name_of_a_flooded_address_is_next_but_one() -> None:
    """Four of eve are checked and three wait; ada, who comes last, waits for one of these three and not for all."""

    async def story(world: World) -> None:
        for _ in range(MOST_OF_CLIENT + 3):
            await world.asked(OFFICE, "eve")
        await world.asked(OFFICE, "ada")
        assert world.entered == [(OFFICE, "eve")] * MOST_OF_CLIENT
        for _ in range(3):
            await world.one_ends()
        assert [name for _, name in world.entered[MOST_OF_CLIENT:]] == ["eve", "ada", "eve"]

    run(story)


def test_another_address_does_not_wait_for_a_flooded_one() -> None:
    """Two of the attacker are checked and many wait: two more may be checked, of others."""

    async def story(world: World) -> None:
        for number in range(MOST_OF_CLIENT + 20):
            await world.asked(ATTACKER, f"user-{number}")
        assert len(world.entered) == MOST_OF_CLIENT
        await world.asked(OFFICE, "ada")
        assert world.entered[-1] == (OFFICE, "ada")
        for number in range(MOST_OF_CLIENT):
            await world.asked(OFFICE, f"more-{number}")
        await world.one_ends()
        assert len(world.entered) == MOST_AT_ONCE + 1
        assert world.gate.under_way.total() == MOST_AT_ONCE

    run(story)


def test_more_than_may_wait_are_refused_at_once() -> None:
    async def story(world: World) -> None:
        for _ in range(MOST_OF_CLIENT + MOST_WAITING_OF_NAME):
            await world.asked(ATTACKER, "eve")
        one_more = await world.asked(ATTACKER, "eve")
        assert isinstance(one_more.exception(), Unavailable), "of the name"
        for number in range(MOST_WAITING_OF_CLIENT - MOST_WAITING_OF_NAME):
            assert not (await world.asked(ATTACKER, f"user-{number}")).done()
        assert isinstance((await world.asked(ATTACKER, "another")).exception(), Unavailable), "of the address"
        for number in range(MOST_AT_ONCE - MOST_OF_CLIENT + MOST_WAITING - MOST_WAITING_OF_CLIENT):
            assert not (await world.asked(f"203.0.113.{number}", "eve")).done()
        assert world.gate.waiting() == MOST_WAITING
        assert isinstance((await world.asked(OFFICE, "ada")).exception(), Unavailable), "of all"

    run(story)


def test_who_waits_too_long_is_refused_and_forgotten() -> None:
    async def story(world: World) -> None:
        for _ in range(MOST_OF_CLIENT):
            await world.asked(OFFICE, "eve")
        with pytest.raises(Unavailable, match="2 sign-ins are being checked, 0 wait"):
            await world.sign_in(OFFICE, "ada")
        await world.one_ends()
        assert world.gate.waiting() == 0 and world.gate.under_way == {OFFICE: MOST_OF_CLIENT - 1}

    run(story, wait_limit_s=0.01)


def test_a_client_that_goes_away_leaves_the_queue_and_its_turn_to_others() -> None:
    async def story(world: World) -> None:
        for _ in range(MOST_OF_CLIENT):
            await world.asked(OFFICE, "eve")
        ada, bob = await world.asked(OFFICE, "ada"), await world.asked(OFFICE, "bob")
        ada.cancel()
        await settled()
        assert world.gate.waiting() == 1 and not bob.done()
        await world.one_ends()
        assert world.entered[-1] == (OFFICE, "bob")
        assert world.gate.under_way == {OFFICE: MOST_OF_CLIENT}
        cleo, dora = await world.asked(OFFICE, "cleo"), await world.asked(OFFICE, "dora")
        world._ends.pop(0).set()
        while world.gate.waiting() == 2:
            await asyncio.sleep(0)
        cleo.cancel()  # her turn has come, and she has not noticed
        await settled()
        assert (OFFICE, "cleo") not in world.entered and world.entered[-1] == (OFFICE, "dora")
        assert not dora.done() and world.gate.under_way == {OFFICE: MOST_OF_CLIENT}

    run(story)
