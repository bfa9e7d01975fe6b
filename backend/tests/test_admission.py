"""As many requests at once as the database's connections carry; the others wait for their turn, within bounds."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.admission import AT_ONCE, Admission, AdmissionTurn
from sextant_backend.kit.db import session_factory
from sextant_backend.kit.errors import Unavailable
from sqlalchemy import Engine
from sqlalchemy.pool import QueuePool

SUBMITS = 200
NAMES = 150


def test_two_hundred_submits_at_once_are_all_answered(client: TestClient) -> None:
    """150 names: the first to come with one gets it, the other 50 get the answer that it is taken. None is refused
    for want of a connection."""

    def submit(number: int) -> int:
        return client.post(f"{API}/chains", json=chain_json(f"chain-{number % NAMES}")).status_code

    with ThreadPoolExecutor(SUBMITS) as pool:
        answered = Counter(pool.map(submit, range(SUBMITS)))
    assert answered == {201: NAMES, 409: SUBMITS - NAMES}
    assert client.app.state.admission.waiting == 0  # type: ignore[attr-defined]


def test_every_request_may_open_a_second_transaction(settings: object) -> None:
    """Otherwise those admitted would wait for connections that they hold themselves."""
    engine = session_factory().kw["bind"]
    assert isinstance(engine, Engine) and isinstance(engine.pool, QueuePool)
    assert engine.pool.size() + engine.pool._max_overflow >= 2 * AT_ONCE


def test_requests_are_admitted_in_the_order_in_which_they_came() -> None:
    async def story() -> list[int]:
        admission, seen = Admission(at_once=1), list[int]()

        async def visit(number: int) -> None:
            turn = AdmissionTurn(admission)
            await turn.take()
            seen.append(number)
            await asyncio.sleep(0)
            turn.give_back()
            turn.give_back()  # a second time does not admit two

        await asyncio.gather(*(visit(number) for number in range(20)))
        return seen

    assert asyncio.run(story()) == list(range(20))


def test_who_comes_when_too_many_wait_is_told_when_to_come_again() -> None:
    async def story() -> None:
        admission = Admission(at_once=1, most_waiting=2)
        await admission.wait()
        waiting = [asyncio.create_task(admission.wait()) for _ in range(2)]
        await asyncio.sleep(0)
        assert admission.waiting == 2
        with pytest.raises(Unavailable, match="2 requests wait already") as refused:
            await admission.wait()
        assert refused.value.status == 503 and refused.value.headers["Retry-After"]
        for task in waiting:
            admission.end()
            await task
        assert admission.waiting == 0

    asyncio.run(story())


def test_nobody_waits_for_ever() -> None:
    async def story() -> None:
        admission = Admission(at_once=1, wait_limit_s=0.01)
        await admission.wait()
        with pytest.raises(Unavailable, match="not this request's turn"):
            await admission.wait()
        admission.end()
        await admission.wait()

    asyncio.run(story())
