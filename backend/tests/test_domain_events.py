"""What modules announce: followed in the same transaction, by the order of the wiring, and never by nobody."""

from collections import defaultdict
from typing import get_args

import pytest
from sextant_backend import domain_events, wiring
from sextant_backend.domain_events import BatchesStored, HostsLeave, announce, follow
from sqlalchemy.orm import Session

SESSION = Session()


@pytest.fixture
def nobody_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has just started."""
    monkeypatch.setattr(domain_events, "_followers", defaultdict(list))


@pytest.mark.usefixtures("nobody_follows")
def test_an_event_that_nobody_follows_is_an_error_and_not_lost() -> None:
    with pytest.raises(RuntimeError, match=r"HostsLeave.*wiring\.connect"):
        announce(SESSION, HostsLeave(("edge-1",)))


@pytest.mark.usefixtures("nobody_follows")
def test_the_wiring_leaves_no_event_without_a_follower() -> None:
    wiring.connect()

    assert {kind for kind, found in domain_events._followers.items() if found} == set(get_args(domain_events.Event))


@pytest.mark.usefixtures("nobody_follows")
def test_followers_are_called_in_their_order_and_once() -> None:
    called: list[str] = []

    def first(_: Session, event: HostsLeave) -> None:
        called.append(f"first {event.host_ids[0]}")

    def second(_: Session, event: HostsLeave) -> None:
        called.append(f"second {event.host_ids[0]}")

    for follower in (first, second, first):
        follow(HostsLeave, follower)
    follow(BatchesStored, lambda _session, _event: called.append("another"))
    announce(SESSION, HostsLeave(("edge-1",)))

    assert called == ["first edge-1", "second edge-1"]


@pytest.mark.usefixtures("nobody_follows")
def test_what_a_follower_refuses_is_refused_to_the_announcer_and_later_ones_are_not_asked() -> None:
    asked: list[HostsLeave] = []

    def refuse(_: Session, event: HostsLeave) -> None:
        raise LookupError(event.host_ids)

    follow(HostsLeave, refuse)
    follow(HostsLeave, lambda _session, event: asked.append(event))
    with pytest.raises(LookupError):
        announce(SESSION, HostsLeave(("edge-1",)))

    assert asked == []
