"""What is published to open consoles while a chain goes from intent to running, and off again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, submit, work
from pydantic import TypeAdapter
from sextant_backend.kit import queue
from sextant_domain.console.live import ChainEvent, ChainGoneEvent, HostEvent, LiveEvent, OperationEvent, PlanEvent

_EVENTS: TypeAdapter[LiveEvent] = TypeAdapter(LiveEvent)


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def published() -> list[LiveEvent]:
    """All events so far; each must be valid."""
    found = queue.client().xrange(queue.STREAM)
    return [_EVENTS.validate_python(json.loads(fields[b"e"])) for _, fields in found]  # type: ignore[union-attr]


def without_repeats(values: list[str]) -> list[str]:
    return [value for index, value in enumerate(values) if index == 0 or value != values[index - 1]]


def test_every_change_is_published_in_order(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    work(apply(client, made).id)
    events = published()
    plans = [event.plan.state.value for event in events if isinstance(event, PlanEvent)]
    assert without_repeats(plans) == ["planning", "proposed", "applying", "applied"]
    chains = [event.chain.state.value for event in events if isinstance(event, ChainEvent)]
    assert without_repeats(chains) == ["submitted", "applying", "running"]
    operations = [event.operation for event in events if isinstance(event, OperationEvent)]
    assert without_repeats([one.state.value for one in operations]) == ["QUEUED", "STARTING", "PROCESSING", "COMPLETED"]
    versions = [one.version for one in operations]
    assert versions == sorted(set(versions)), "a console tells old from new by the version"
    details = [one.hosts[0].steps[2].detail for one in operations]
    assert "3 of 3 NFs run" in details
    hosts = [event for event in events if isinstance(event, HostEvent)]
    assert {nf.nf_id for nf in hosts[-1].nfs} == {"web-edge.router", "web-edge.firewall", "web-edge.basic-monitor"}
    assert hosts[-1].host.desired_generation == 1


def test_a_removed_chain_is_published_as_gone(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    answer = client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})
    work(answer.json()["id"])
    events = published()
    assert [event.name for event in events if isinstance(event, ChainGoneEvent)] == ["web-edge"]
    last_host = [event for event in events if isinstance(event, HostEvent)][-1]
    assert last_host.nfs == ()


def test_a_refused_request_publishes_nothing(client: TestClient, fleet: Fleet) -> None:
    before = len(published())
    client.post(f"{API}/chains", json={"name": "web-edge", "nfs": ["teapot"]})
    assert len(published()) == before
